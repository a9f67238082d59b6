package follow

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/types"
)

// trust looks at what a step gives to a connection, where connections have labels.
func (a *analysis) trust(s *step) {
	if !s.External && !s.Destructive {
		return
	}
	y := s.Syntax
	if y.URI != nil {
		a.argument(s, "uri", y.URI.Expr, nil)
	}
	if y.Args == nil {
		return
	}
	e := y.Args.Expr
	lit, ok := unparen(e.Node).(*hclsyntax.ObjectConsExpr)
	if !ok {
		a.argument(s, "", e, s.Args)
		return
	}
	for _, it := range lit.Items {
		name := ""
		if k, isKey := it.KeyExpr.(*hclsyntax.ObjectConsKeyExpr); isKey {
			name, _ = e.Sub(k).ObjectKey(k)
		}
		a.argument(s, name, e.Sub(it.ValueExpr), partType(s.Args, name))
	}
}

// argument looks at one argument, or all of them where name is "".
func (a *analysis) argument(s *step, name string, e expr.Expr, t *types.Type) {
	given := a.in(s, e, nil, nil)
	if given == nil {
		return
	}
	what := "The argument \"" + name + "\" of " + s.Tool
	if name == "" {
		what = "What is given to " + s.Tool
	}
	if s.External {
		leaves := func(m mark, t *types.Type) bool { return m.conn != s.Connection && tells(t) }
		if m := given.first(Private, t, leaves); m != nil {
			a.report(codePrivate, m, e, what+" takes private data of "+m.conn+" to "+s.Connection+", which reaches outside", "Send something else, or end it with declassify(…, \"reason\") where it may leave.")
		}
	}
	if s.Destructive && !a.flow.Approved {
		steers := func(m mark, t *types.Type) bool { return isText(t) && !a.asked(m.step, s) }
		if m := given.first(Untrusted, t, steers); m != nil {
			a.report(codeUntrusted, m, e, what+", which is destructive, is untrusted text of "+m.conn, "Whoever wrote it decides what is destroyed. Ask a person between the two with an `ask` step, take it from somewhere else, or end it with declassify(…, \"reason\") where it was looked at.")
		}
	}
}

// asked reports whether a person is asked after the step from has ended and before to begins.
func (a *analysis) asked(from string, to *step) bool {
	for q := range a.questions(to) {
		if a.waitsFor(q, from) {
			return true
		}
	}
	return false
}

// tells reports whether a value of a type can be data: a constant, a bool or
// null is none. nil is a type that is not known.
func tells(t *types.Type) bool {
	return holds(t, func(k types.Kind) bool {
		switch k {
		case types.Literal, types.Bool, types.Null, types.Never:
			return false
		}
		return true
	}, nil)
}

// isText reports whether text of anybody's can be in a value of a type.
func isText(t *types.Type) bool {
	return holds(t, func(k types.Kind) bool {
		switch k {
		case types.String, types.Any, types.Blob:
			return true
		}
		return false
	}, nil)
}

// holds reports whether is holds of the kind of a value without parts that a value
// of t can be or contain.
func holds(t *types.Type, is func(types.Kind) bool, seen []*types.Type) bool {
	if t == nil {
		return true
	}
	u := t.Underlying()
	for _, s := range seen {
		if s == u {
			return false
		}
	}
	seen = append(seen[:len(seen):len(seen)], u)
	switch u.Kind() {
	case types.List, types.Map:
		return holds(u.Elem(), is, seen)
	case types.Tuple, types.Union:
		for _, m := range u.Items() {
			if holds(m, is, seen) {
				return true
			}
		}
		return false
	case types.Object:
		if u.Rest() != nil && holds(u.Rest(), is, seen) {
			return true
		}
		for _, at := range u.Attrs() {
			if holds(at.Type, is, seen) {
				return true
			}
		}
		return false
	}
	return is(u.Kind())
}
