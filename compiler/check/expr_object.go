package check

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/types"
)

// item is one attribute of an object literal whose name is known.
type item struct {
	name  string
	key   hcl.Range
	value hclNode
	// computed says that the name is the value of an expression in parentheses.
	computed bool
}

// object checks an object literal. Its attributes keep their own types; where
// an object or a map is wanted, what its attributes must be flows in.
func (c *checker) object(x *hclsyntax.ObjectConsExpr, en *env, want *types.Type, s *subject) typed {
	items, dynamic, ok := c.items(x, en)
	w := literalTarget(want, types.Object, types.Map)
	if len(dynamic) > 0 || !ok {
		return c.computedObject(x, items, dynamic, en, want, w, s)
	}
	var lacks []types.Attr
	if w != nil && w.Kind() == types.Object {
		lacks = lacking(w, items)
	}
	others, lacks := misnamed(w, items, lacks)
	attrs := make([]types.Attr, 0, len(items))
	bad := len(lacks) > 0 || others != nil
	for _, it := range items {
		inner, sub, declared := c.wanted(w, it, others[it.name], s)
		got := c.expr(it.value, en, inner, sub)
		bad = bad || !declared || got.t.IsError()
		at := types.Attr{Name: it.name, Type: got.t}
		if got.present != nil {
			at.Type, at.Optional = got.present, true
		}
		attrs = append(attrs, at)
	}
	c.missing(x.SrcRange, lacks, s)
	t := types.ExactOf(attrs)
	if bad {
		if w != nil && w.Kind() == types.Object && len(w.Attrs()) > 0 {
			return of(want)
		}
		return of(t) // what is wrong inside has been said
	}
	return c.fit(x, en, want, of(t), s)
}

// wanted returns what an attribute of a literal must be where w is wanted; it
// reports one that w does not declare. other is what it may be meant as, by misnamed.
func (c *checker) wanted(w *types.Type, it item, other *types.Attr, s *subject) (t *types.Type, sub *subject, declared bool) {
	if w == nil {
		return nil, nil, true
	}
	if w.Kind() == types.Map {
		return w.Elem(), s.attribute(it.name, true), true
	}
	if at := w.Attr(it.name); at != nil {
		return at.Type, s.attribute(it.name, at.Optional), true
	}
	if w.Rest() != nil {
		return w.Rest(), s.attribute(it.name, true), true
	}
	c.undeclared(w, it, other, s)
	return nil, nil, false
}

// undeclared reports an attribute of a literal that the wanted type does not
// name. other is what it may be meant as, by misnamed.
func (c *checker) undeclared(w *types.Type, it item, other *types.Attr, s *subject) {
	have := attrNames(w)
	near, ok := nearest.Name(it.name, have)
	code, noun, owner := codeUnknownAttribute, "attribute", s.phrase("")
	if s.isArguments() {
		code, noun, owner = codeUnknownArgument, "argument", capital(s.owner())
	}
	d := diag.New(code, it.key, "%s has no %s %q.", owner, noun, it.name)
	if other != nil && !ok {
		d.Detail += fmt.Sprintf(" It needs %q, %s, which is not given. Did you mean that?", other.Name, types.Describe(other.Type))
		c.report(d.Fix("Change it to "+other.Name, false, edit(it.key, keyText(other.Name))))
		return
	}
	d.Detail += suggestion(near, ok, noun, have)
	if ok {
		d = d.Fix("Change it to "+near, true, edit(it.key, keyText(near)))
	}
	c.report(d)
}

func suggestion(near string, ok bool, noun string, have []string) string {
	if ok {
		return fmt.Sprintf(" Did you mean %q?", near)
	}
	if len(have) == 0 {
		return fmt.Sprintf(" It takes no %ss.", noun)
	}
	return listing(noun, have)
}

// keyText writes a name as a key of an object literal.
func keyText(name string) string {
	if isIdentifier(name) {
		return name
	}
	return strconv.Quote(name)
}

// meant returns the declared attribute that an undeclared one is probably meant
// to be; "" if name is declared, or nothing is near.
func meant(w *types.Type, name string) string {
	if w.Attr(name) != nil || w.Rest() != nil {
		return ""
	}
	near, _ := nearest.Name(name, attrNames(w))
	return near
}

// lacking returns the required attributes that a literal does not have, but for
// those that are there with a misspelt name, which has its diagnostic.
func lacking(w *types.Type, items []item) []types.Attr {
	var out []types.Attr
next:
	for _, at := range w.Attrs() {
		if at.Optional {
			continue
		}
		for _, it := range items {
			if it.name == at.Name {
				continue next
			}
		}
		for _, it := range items {
			if meant(w, it.name) == at.Name {
				continue next
			}
		}
		out = append(out, at)
	}
	return out
}

// misnamed returns the attributes that a literal lacks by the names of those which
// may be meant as them and are declared nowhere: one of which a word is the name, as
// type of entityType, or the only one that is left. The other is given one name and
// so is one mistake and not two. left is what is lacked beside them.
func misnamed(w *types.Type, items []item, lacks []types.Attr) (others map[string]*types.Attr, left []types.Attr) {
	if len(lacks) == 0 || w.Rest() != nil {
		return nil, lacks
	}
	var strangers []string
	for _, it := range items {
		if w.Attr(it.name) == nil && meant(w, it.name) == "" {
			strangers = append(strangers, it.name)
		}
	}
	pair := func(name string, i int) {
		if others == nil {
			others = map[string]*types.Attr{}
		}
		at := lacks[i]
		others[name] = &at
		lacks = slices.Delete(slices.Clone(lacks), i, i+1)
	}
	unpaired := 0
	last := ""
	for _, name := range strangers {
		part, ok := nearest.Part(name, namesOf(lacks))
		if !ok {
			unpaired, last = unpaired+1, name
			continue
		}
		pair(name, slices.IndexFunc(lacks, func(a types.Attr) bool { return a.Name == part }))
	}
	if unpaired == 1 && len(lacks) == 1 {
		pair(last, 0)
	}
	return others, lacks
}

func namesOf(attrs []types.Attr) []string {
	out := make([]string, len(attrs))
	for i, a := range attrs {
		out[i] = a.Name
	}
	return out
}

// missing reports the required attributes or arguments that are not given.
func (c *checker) missing(at hcl.Range, lacks []types.Attr, s *subject) {
	if len(lacks) == 0 {
		return
	}
	code, noun, owner := codeMissingAttribute, "attribute", s.phrase("")
	if s.isArguments() {
		code, noun, owner = codeMissingArgument, "argument", capital(s.owner())
	}
	if len(lacks) == 1 {
		c.report(diag.New(code, at, "%s needs the %s %q: %s.", owner, noun, lacks[0].Name, types.Describe(lacks[0].Type)))
		return
	}
	parts := make([]string, len(lacks))
	for i, a := range lacks {
		parts[i] = fmt.Sprintf("%q (%s)", a.Name, types.Describe(a.Type))
	}
	last := len(parts) - 1
	c.report(diag.New(code, at, "%s needs the %ss %s and %s.", owner, noun, strings.Join(parts[:last], ", "), parts[last]))
}

// computedObject checks a literal with keys that are computed: a map of its
// values.
func (c *checker) computedObject(x *hclsyntax.ObjectConsExpr, items []item, dynamic []hclNode, en *env, want, w *types.Type, s *subject) typed {
	var elem *types.Type
	if w != nil && w.Kind() == types.Map {
		elem = w.Elem()
	}
	var ts []*types.Type
	for _, it := range items {
		ts = append(ts, c.expr(it.value, en, elem, s.attribute(it.name, false)).t)
	}
	for _, v := range dynamic {
		ts = append(ts, c.expr(v, en, elem, s.element(-1)).t)
	}
	for _, t := range ts {
		if t.IsError() {
			return failed
		}
	}
	return c.fit(x, en, want, of(types.MapOf(c.common(ts))), s)
}

// common returns the smallest type of several elements, a union where nothing
// smaller fits.
func (c *checker) common(ts []*types.Type) *types.Type {
	if len(ts) == 0 {
		return types.NeverType
	}
	out := ts[0]
	for _, t := range ts[1:] {
		j, ok := types.Join(out, t)
		if !ok {
			return types.UnionOf(ts...)
		}
		out = j
	}
	return out
}

// items splits a literal into attributes with known names and the values of
// computed ones. ok is false where a key is no key.
func (c *checker) items(x *hclsyntax.ObjectConsExpr, en *env) (items []item, dynamic []hclNode, ok bool) {
	ok = true
	items = make([]item, 0, len(x.Items))
	var seen names
	for _, it := range x.Items {
		name, known := c.keyName(it.KeyExpr)
		if known {
			if seen.add(items, name) && !c.setTwice(items, name, it.KeyExpr) {
				c.textual = true // both are written as they are
			}
			items = append(items, item{name, it.KeyExpr.Range(), it.ValueExpr, false})
			continue
		}
		if k, isKey := it.KeyExpr.(*hclsyntax.ObjectConsKeyExpr); isKey && !k.ForceNonLiteral {
			if _, dotted := k.Wrapped.(*hclsyntax.ScopeTraversalExpr); dotted {
				c.textual, ok = true, false // a.b = …, which may be a name or a reference
				dynamic = append(dynamic, it.ValueExpr)
				continue
			}
		}
		k := c.expr(it.KeyExpr, en, types.StringType, keySubject).t
		if names := literalNames(k); !k.IsError() && len(names) == 1 {
			if seen.add(items, names[0]) && (en.isSure() || c.constant(it.KeyExpr) != nil && !en.isCaught()) {
				c.setTwice(items, names[0], it.KeyExpr)
			}
			items = append(items, item{names[0], it.KeyExpr.Range(), it.ValueExpr, true})
			continue
		}
		ok = ok && !k.IsError()
		dynamic = append(dynamic, it.ValueExpr)
	}
	return items, dynamic, ok
}

// setTwice reports a key that one of items has, unless both are written as they
// are, which the text of the expression shows (expr.Problems).
func (c *checker) setTwice(items []item, name string, key hclNode) bool {
	first := items[slices.IndexFunc(items, func(i item) bool { return i.name == name })]
	if _, literal := c.keyName(key); literal && !first.computed {
		return false
	}
	c.report(diag.New(codeKeyTwice, key.Range(), "This object has the key %q already. Remove one of the two, or give it another name.", name).
		With(first.key, "%q is set here first.", name))
	return true
}

// names are the keys of a literal so far. Few are searched one by one.
type names map[string]bool

// add reports whether a name is among the items already, and remembers it.
func (n *names) add(items []item, name string) (twice bool) {
	const few = 16
	if *n == nil {
		for i := range items {
			if items[i].name == name {
				return true
			}
		}
		if len(items) < few {
			return false
		}
		*n = make(names, 4*few)
		for i := range items {
			(*n)[items[i].name] = true
		}
	}
	twice = (*n)[name]
	(*n)[name] = true
	return twice
}

func capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
