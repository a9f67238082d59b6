package check

import (
	"sort"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/types"
)

// Name is a name that an expression can use at a place.
type Name struct {
	Text string
	Root string // input, local, step or secret, of which it is a member; "" for what an expression begins with
	// Type is nil for the roots that are no value by themselves.
	Type     *types.Type
	Variable bool // bound by a `for`
	Fits     bool // the whole of it is what is wanted
	Cycle    bool // it needs what the place is in, so that neither could be the first
}

// memberRoots are the roots after which a name comes.
var memberRoots = map[string]bool{"input": true, "local": true, "step": true, "secret": true}

// Begin returns the names that an expression at the place of s can begin with:
// variables, the innermost first, then roots.
func (s Sight) Begin() []Name {
	var out []Name
	seen := map[string]bool{}
	for en := s.env; en != nil; en = en.up {
		if en.name == "" || seen[en.name] {
			continue
		}
		seen[en.name] = true
		n := s.try("", en.name)
		n.Variable = true
		out = append(out, n)
	}
	variables := len(out)
	for name, r := range rootNames {
		if s.place == nil || s.place.roots&r.bit == 0 || seen[name] {
			continue
		}
		if memberRoots[name] {
			out = append(out, Name{Text: name})
			continue
		}
		out = append(out, s.try("", name))
	}
	roots := out[variables:]
	sort.Slice(roots, func(i, j int) bool { return roots[i].Text < roots[j].Text })
	return out
}

// Members returns the names that come after input, local, step or secret at the
// place of s, in file order; none where the root cannot be used there.
func (s Sight) Members(root string) []Name {
	r, ok := rootNames[root]
	if !ok || s.place == nil || s.place.roots&r.bit == 0 || s.env.variable(root) != nil {
		return nil
	}
	var names []string
	switch {
	case root == "secret":
		names = keysOf(s.c.w.secrets)
	case s.f == nil:
	case root == "input":
		for _, in := range s.f.inputList {
			names = append(names, in.syn.Name.Text)
		}
	case root == "local":
		for _, l := range s.f.localList {
			names = append(names, l.syn.Name.Text)
		}
	case root == "step":
		for _, x := range s.f.stepList {
			if !x.syn.Finally || s.place.test {
				names = append(names, x.syn.Name.Text)
			}
		}
	}
	needsPlace := s.needsPlace(root)
	out := make([]Name, 0, len(names))
	for _, name := range names {
		if name == "" {
			continue
		}
		n := s.try(root, name)
		if needsPlace(name) {
			n.Cycle, n.Fits = true, false
		}
		out = append(out, n)
	}
	return out
}

// needsPlace returns what reports whether a local or a step, by its name, depends on
// the one that s stands in.
func (s Sight) needsPlace(root string) func(name string) bool {
	never := func(string) bool { return false }
	if s.f == nil || root != "local" && root != "step" {
		return never
	}
	inside := func(r hcl.Range) bool {
		return r.Filename == s.Range.Filename && r.Start.Byte <= s.Range.Start.Byte && s.Range.End.Byte <= r.End.Byte
	}
	// The nodes are of type *local and *step.
	users := map[any][]any{}
	var place any
	for _, l := range s.f.localList {
		if inside(l.syn.Expr.Range()) {
			place = l
		}
		for _, n := range l.needs {
			users[n.node()] = append(users[n.node()], l)
		}
	}
	for _, x := range s.f.stepList {
		if inside(x.syn.Range) {
			place = x
		}
		for _, n := range x.needs {
			users[n.node()] = append(users[n.node()], x)
		}
	}
	if place == nil {
		return never
	}
	depends := map[any]bool{place: true}
	for next := []any{place}; len(next) > 0; {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		for _, user := range users[n] {
			if !depends[user] {
				depends[user] = true
				next = append(next, user)
			}
		}
	}
	return func(name string) bool {
		if root == "local" {
			return depends[s.f.locals[name]]
		}
		return depends[s.f.steps[name]]
	}
}

// BlobAttributes returns what can be read of a blob; not to be changed.
func BlobAttributes() []types.Attr { return blobAttrs.Attrs() }

// CanBegin reports whether an expression at the place of s can begin with a root.
func (s Sight) CanBegin(root string) bool {
	return s.place != nil && s.place.roots&rootNames[root].bit != 0 && s.env.variable(root) == nil
}

// try finds what a name is at the place of s.
func (s Sight) try(root, name string) Name {
	out := Name{Text: name, Root: root}
	if root == "" {
		out.Type, out.Fits = s.Path(name)
	} else {
		out.Type, out.Fits = s.Path(root, name)
	}
	return out
}

// Path returns what a reading of names gives at the place of s, such as step, search,
// output, and whether it is what is wanted.
func (s Sight) Path(names ...string) (t *types.Type, fits bool) {
	// The names stand in a text of their own, where the check reads them.
	x := &hclsyntax.ScopeTraversalExpr{}
	var text []byte
	for i, name := range names {
		at := hcl.Range{Start: hcl.Pos{Byte: len(text)}, End: hcl.Pos{Byte: len(text) + len(name)}}
		text = append(text, name...)
		if i == 0 {
			x.Traversal = append(x.Traversal, hcl.TraverseRoot{Name: name, SrcRange: at})
		} else {
			x.Traversal = append(x.Traversal, hcl.TraverseAttr{Name: name, SrcRange: at})
		}
	}
	x.SrcRange = hcl.Range{End: hcl.Pos{Byte: len(text)}}
	s.silently(text, func(c *checker) {
		t = c.read(x, s.env).t
		fits = !t.IsError() && !c.expr(x, s.env, s.Want, s.subject).t.IsError()
	})
	return t, fits
}

// Step returns what is read where the last step of s, which must be a traversal with
// one, is another name, and whether that is what is wanted.
func (s Sight) Step(name string) (t *types.Type, fits bool) {
	var x hclNode
	attr := func(steps hcl.Traversal) hcl.Traversal {
		out := append(hcl.Traversal(nil), steps...)
		last := &out[len(out)-1]
		*last = hcl.TraverseAttr{Name: name, SrcRange: (*last).SourceRange()}
		return out
	}
	switch n := s.Node.(type) {
	case *hclsyntax.ScopeTraversalExpr:
		if len(n.Traversal) < 2 {
			return types.ErrorType, false
		}
		x = &hclsyntax.ScopeTraversalExpr{Traversal: attr(n.Traversal), SrcRange: n.SrcRange}
	case *hclsyntax.RelativeTraversalExpr:
		x = &hclsyntax.RelativeTraversalExpr{Source: n.Source, Traversal: attr(n.Traversal), SrcRange: n.SrcRange}
	default:
		return types.ErrorType, false
	}
	s.silently(s.source, func(c *checker) {
		t = c.read(x, s.env).t
		fits = !t.IsError() && !c.expr(x, s.env, s.Want, s.subject).t.IsError()
	})
	return t, fits
}

// Admits reports whether a value of a type is what is wanted where s stands.
func (s Sight) Admits(t *types.Type) bool {
	return s.Want == nil || types.Assignable(s.Want, t) == nil
}

// silently runs f with the checker of s as it was there.
func (s Sight) silently(source []byte, f func(*checker)) {
	c := s.c
	flow, rec, nulls, unknowns := c.f, c.rec, c.nulls, c.unknowns
	c.f, c.rec = s.f, nil
	c.at(source, s.place, func() { c.silently(func() { f(c) }) })
	c.f, c.rec, c.nulls, c.unknowns = flow, rec, nulls, unknowns
}
