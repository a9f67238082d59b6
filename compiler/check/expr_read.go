package check

import (
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// reading is an expression that reads: a root, then attributes and indexes.
type reading struct {
	typed
	// path identifies what is read, for narrowing; "" where it cannot be narrowed
	// or nothing is known of any path at this place.
	path string
	at   hcl.Range // of what was read so far

	trusted bool // a part of an any was read on the way
}

// read returns what a traversal or index expression reads.
func (c *checker) read(x hclNode, en *env) typed {
	r := c.reading(x, en)
	if en.hasFacts() && r.path != "" {
		r.t = c.narrowParts(en, r.path, r.t)
	}
	if r.trusted {
		c.trusted = x
	}
	return r.typed
}

func (c *checker) reading(x hclNode, en *env) reading {
	switch x := x.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		r, rest := c.root(x, en)
		r = c.steps(r, rest, en)
		if c.rec != nil {
			c.saw(x, en, nil, nil, r.t) // what is read of it may be all that is looked at otherwise
		}
		return r
	case *hclsyntax.RelativeTraversalExpr:
		return c.steps(c.reading(x.Source, en), x.Traversal, en)
	case *hclsyntax.IndexExpr:
		r := c.reading(x.Collection, en)
		return c.indexBy(r, x, en)
	case *hclsyntax.ParenthesesExpr:
		r := c.reading(x.Expression, en)
		r.at = x.Range()
		return r
	}
	return reading{typed: c.expr(x, en, nil, nil), at: x.Range()}
}

// steps reads attributes and literal indexes of r.
func (c *checker) steps(r reading, rest hcl.Traversal, en *env) reading {
	for _, step := range rest {
		if r.t.IsError() {
			return r
		}
		switch s := step.(type) {
		case hcl.TraverseAttr:
			r = c.attribute(r, s, en)
		case hcl.TraverseIndex:
			r = c.literalIndex(r, s, en)
		default:
			return reading{typed: failed, at: r.at}
		}
	}
	return r
}

// attribute reads r.name.
func (c *checker) attribute(r reading, s hcl.TraverseAttr, en *env) reading {
	if c.rec == nil {
		return c.attributeOf(r, s, en)
	}
	out := c.attributeOf(r, s, en)
	label := s
	label.Name = c.attrName(s)
	c.sawName(Reading{Range: nameRange(label), Name: label.Name, Of: types.WithoutNull(r.t), Type: out.t})
	return out
}

// attributeOf is attribute for the step alone.
func (c *checker) attributeOf(r reading, s hcl.TraverseAttr, en *env) reading {
	name := c.attrName(s)
	at := hcl.RangeBetween(r.at, s.SrcRange)
	if !c.present(&r, at, en, "attribute "+strconv.Quote(name)) {
		return reading{typed: failed, at: at}
	}
	trusted := c.trustPart(r)
	got := c.attrOf(r, r.t, name, s, en)
	out := c.arrived(reading{got, join(r.path, "."+name), at, trusted}, en)
	if out.present != nil && en.isStrict() {
		c.failsWhereAbsent(at, name)
		return reading{typed: failed, at: at}
	}
	return out
}

// attrName is the name of an attribute step as it stands in the source: the
// parser normalises it.
func (c *checker) attrName(s hcl.TraverseAttr) string {
	for i := 0; i < len(s.Name); i++ {
		if s.Name[i] >= 0x80 {
			src := c.source[s.SrcRange.Start.Byte:s.SrcRange.End.Byte]
			for len(src) > 0 && (src[0] == '.' || src[0] == ' ' || src[0] == '\n' || src[0] == '\r' || src[0] == '\t') {
				src = src[1:]
			}
			return string(src)
		}
	}
	return s.Name
}

// attrOf returns the attribute name of one type. t is never null here.
func (c *checker) attrOf(r reading, t *types.Type, name string, s hcl.TraverseAttr, en *env) typed {
	u := t.Underlying()
	switch u.Kind() {
	case types.Any, types.Never: // of no value no part is read
		return of(u)
	case types.Blob:
		if a := blobAttrs.Attr(name); a != nil {
			return of(a.Type)
		}
	case types.Object:
		if a := u.Attr(name); a != nil {
			return c.declared(r, t, a, en)
		}
		c.unknownAttribute(r, u, name, s)
		return failed
	case types.Union:
		read := func(m *types.Type) typed { return c.attrOf(r, m, name, s, en) }
		if en.forgives() || en.isThere(join(r.path, "."+name)) {
			return c.eachThatHas(u, name, read)
		}
		return c.each(u, read)
	}
	c.noAttributes(r, u, name, s)
	return failed
}

// blobAttrs are what can be read of a blob.
var blobAttrs = types.ObjectOf([]types.Attr{
	{Name: "mime_type", Type: types.StringType},
	{Name: "size", Type: types.IntegerType},
	{Name: "sha256", Type: types.StringType},
}, nil)

// declared returns what reading a declared attribute gives.
func (c *checker) declared(r reading, t *types.Type, a *types.Attr, en *env) typed {
	c.trustAttribute(r, a)
	out := of(a.Type)
	if a.Optional && !en.isCaught() {
		out = typed{t: types.NullableOf(a.Type), present: a.Type, cause: &cause{optional: a.Name}}
	}
	if why := c.unlessOK(r, t, a); why != nil {
		out.cause = why
	}
	return out
}

// unlessOK returns why a part of a step's result may be null, nil where it may
// not be or is of no result.
func (c *checker) unlessOK(r reading, t *types.Type, a *types.Attr) *cause {
	if a.Name != "output" && a.Name != "error" || !a.Type.Nullable() && !isAny(a.Type) {
		return nil
	}
	k := c.resultOf(t)
	if k == nil || a.Name == "output" && k.outcomes == outcomeOK {
		return nil
	}
	return &cause{result: k, part: a.Name, of: c.text(r.at)}
}

// each reads a part of every member of a union.
func (c *checker) each(u *types.Type, read func(*types.Type) typed) typed {
	var out typed
	got := make([]*types.Type, 0, len(u.Items()))
	present := true
	for _, m := range u.Items() {
		p := read(m)
		if p.t.IsError() {
			return failed
		}
		if p.present == nil {
			present = false
		}
		if p.cause != nil {
			out.cause = p.cause
		}
		got = append(got, p.t)
	}
	out.t = types.UnionOf(got...)
	if present {
		out.present = types.WithoutNull(out.t)
	}
	return out
}

// eachThatHas is each for an attribute where the members without it do no harm:
// reading it of them fails, which is caught, or they have been ruled out. What
// their values have beside what they declare may be anything.
func (c *checker) eachThatHas(u *types.Type, name string, read func(*types.Type) typed) typed {
	var having []*types.Type
	open := false
	for _, m := range u.Items() {
		var p typed
		c.silently(func() { p = read(m) })
		if !p.t.IsError() {
			having = append(having, m)
		} else if m := m.Underlying(); m.Kind() == types.Object && !m.Exact() && m.Rest() == nil {
			open = true
		}
	}
	if len(having) == 0 {
		return c.each(u, read)
	}
	out := c.each(types.UnionOf(having...), read)
	if len(having) == 1 {
		out = read(having[0])
	}
	if open {
		out.t = types.UnionOf(out.t, types.AnyType)
	}
	return out
}

// literalIndex reads r[0] or r["k"].
func (c *checker) literalIndex(r reading, s hcl.TraverseIndex, en *env) reading {
	at := hcl.RangeBetween(r.at, s.SrcRange)
	key, ok := c.indexKey(s)
	if !ok {
		return reading{typed: failed, at: at}
	}
	if !c.present(&r, at, en, "element "+key.JSON()) {
		return reading{typed: failed, at: at}
	}
	k := index{t: types.LiteralOf(key), lit: &key, at: s.SrcRange}
	trusted := c.trustPart(r)
	return c.arrived(reading{c.indexOf(r, r.t, k, en), join(r.path, literalStep(key)), at, trusted}, en)
}

// indexKey is the key of a literal index, decoded from the source. ok is false
// where it is neither text nor a number.
func (c *checker) indexKey(s hcl.TraverseIndex) (v value.Value, ok bool) {
	v, err := expr.Expr{Source: c.source}.IndexKey(s)
	c.textual = c.textual || err != nil
	return v, err == nil && (v.Kind() == value.String || v.Kind() == value.Number)
}

// literalStep is how a literal key is written in a path: an attribute and the
// index of the same name are one place.
func literalStep(key value.Value) string {
	if key.Kind() == value.String {
		return "." + key.AsString()
	}
	return "[" + key.AsNumber().String() + "]"
}

// indexBy reads r[KEY].
func (c *checker) indexBy(r reading, x *hclsyntax.IndexExpr, en *env) reading {
	at := x.Range()
	kt := c.expr(x.Key, en, nil, nil)
	if r.t.IsError() || kt.t.IsError() {
		return reading{typed: failed, at: at}
	}
	if kt.mayBeNull() {
		if !en.forgives() {
			c.mayBeNull(x.Key, kt, keySubject)
			return reading{typed: failed, at: at}
		}
		kt.t = types.WithoutNull(kt.t)
	}
	if !c.present(&r, at, en, "element "+c.text(x.Key.Range())) {
		return reading{typed: failed, at: at}
	}
	k := index{t: kt.t, at: x.Key.Range()}
	step := ""
	if u := kt.t.Underlying(); u.Kind() == types.Literal {
		lit := u.Lit()
		k.lit, step = &lit, literalStep(lit)
	} else if r.path != "" {
		if p := c.pathOf(x.Key, en); p != "" {
			step = "[" + p + "]"
		}
	}
	path := ""
	if step != "" {
		path = join(r.path, step)
	}
	trusted := c.trustPart(r)
	return c.arrived(reading{c.indexOf(r, r.t, k, en), path, at, trusted}, en)
}

var keySubject = &subject{plain: "The key"}

// index is the key of an index.
type index struct {
	t   *types.Type
	lit *value.Value // where it is known
	at  hcl.Range
}

// indexOf returns the element k of one type. t is never null here.
func (c *checker) indexOf(r reading, t *types.Type, k index, en *env) typed {
	u := t.Underlying()
	switch u.Kind() {
	case types.Any, types.Never: // of no value no part is read
		return of(u)
	case types.List:
		if c.keyIs(r, k, types.IntegerType, "list") {
			return of(u.Elem())
		}
		return failed
	case types.Map:
		if c.keyIs(r, k, types.StringType, "map") {
			return of(u.Elem())
		}
		return failed
	case types.Tuple:
		return c.tupleElement(r, u, k, en)
	case types.Object:
		return c.objectElement(r, t, k, en)
	case types.Union:
		return c.each(u, func(m *types.Type) typed { return c.indexOf(r, m, k, en) })
	}
	c.notIndexable(r, u, k)
	return failed
}

func (c *checker) tupleElement(r reading, u *types.Type, k index, en *env) typed {
	if !c.keyIs(r, k, types.IntegerType, "list") {
		return failed
	}
	items := u.Items()
	if k.lit != nil {
		n, ok := k.lit.AsNumber().Int64()
		switch {
		case ok && n >= 0 && n < int64(len(items)):
			return of(items[n])
		case en.isSure():
			c.outOfRange(r, k, len(items))
			return failed
		}
	}
	return of(types.UnionOf(items...))
}

// objectElement reads an attribute by index: without null where it may be
// absent, since that fails; anything where the type does not name it.
func (c *checker) objectElement(r reading, t *types.Type, k index, en *env) typed {
	u := t.Underlying()
	if !c.keyIs(r, k, types.StringType, "object") {
		return failed
	}
	undeclared := u.Rest()
	if undeclared == nil {
		undeclared = types.AnyType
	}
	names := literalNames(k.t)
	if names == nil {
		return of(undeclaredOr(u, undeclared))
	}
	if u.Exact() && u.Rest() == nil && en.isSure() {
		for _, n := range names {
			if u.Attr(n) == nil {
				c.noSuchKey(r, k, u, n)
				return failed
			}
		}
	}
	var ts []*types.Type
	var why *cause
	for _, n := range names {
		a := u.Attr(n)
		if a == nil {
			ts = append(ts, undeclared)
			continue
		}
		c.trustAttribute(r, a)
		ts = append(ts, a.Type)
		if w := c.unlessOK(r, t, a); w != nil {
			why = w
		}
	}
	return typed{t: types.UnionOf(ts...), cause: why}
}

// undeclaredOr is the type of an attribute of which no name is known.
func undeclaredOr(u, undeclared *types.Type) *types.Type {
	ts := []*types.Type{undeclared}
	for _, a := range u.Attrs() {
		ts = append(ts, a.Type)
	}
	return types.UnionOf(ts...)
}

// literalNames returns the strings a type consists of, or nil if it holds others.
func literalNames(t *types.Type) []string {
	u := t.Underlying()
	members := []*types.Type{u}
	if u.Kind() == types.Union {
		members = u.Items()
	}
	var out []string
	for _, m := range members {
		l := m.Underlying()
		if l.Kind() != types.Literal || l.Lit().Kind() != value.String {
			return nil
		}
		out = append(out, l.Lit().AsString())
	}
	return out
}

// arrived narrows what was read by what is known at this place.
func (c *checker) arrived(r reading, en *env) reading {
	if r.path == "" || r.t.IsError() || !en.hasFacts() {
		return r
	}
	r.typed = c.narrow(en, r.path, r.typed)
	return r
}

// present makes r not null, for reading a part of it. Where it may be null and
// nothing catches that it reports so and returns false.
func (c *checker) present(r *reading, at hcl.Range, en *env, part string) bool {
	if r.t.IsError() {
		return false
	}
	if !r.mayBeNull() {
		return true
	}
	if !en.forgives() || r.t.Underlying().Kind() == types.Null {
		// One guard around an expression is enough for all that it reads of the same.
		if text := c.text(r.at); !slices.Contains(c.nulls, text) {
			c.readOfNull(*r, at, part)
			if c.muted == 0 {
				c.nulls = append(c.nulls, text)
			}
		}
		if c.rec == nil || c.muted > 0 {
			return false
		}
		// Who looks wants to know what can be read all the same.
	}
	r.t = types.WithoutNull(r.t)
	return true
}

// join appends a step to a path that is known.
func join(path, step string) string {
	if path == "" {
		return ""
	}
	return path + step
}
