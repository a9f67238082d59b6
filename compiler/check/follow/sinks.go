package follow

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

func always(mark, *types.Type) bool { return true }

// report adds a finding about a mark that reached what it should not. before and after
// are the sentences around the way.
func (a *analysis) report(code diag.Code, m *mark, e expr.Expr, before, after string) {
	at := m.at
	if within := e.Range(); at.Filename != within.Filename || at.Start.Byte < within.Start.Byte || at.End.Byte > within.End.Byte {
		at = within
	}
	d := diag.New(code, at, "%s: %s. %s", before, m.path(), after)
	hops, _ := m.hops()
	for _, h := range hops {
		if h.at != at {
			d = d.With(h.at, "%s", h.text)
		}
	}
	a.found = append(a.found, d)
}

// maxHops is how many places of a way are shown: where it begins, and the last ones.
const maxHops = 12

// hops returns the way of a mark, its origin first, and whether places are left out
// after that.
func (m *mark) hops() (out []*hop, cut bool) {
	h := m.way
	for ; h != nil && len(out) < maxHops-1; h = h.from {
		out = append(out, h)
	}
	switch {
	case h == nil:
	case h.from == nil:
		out = append(out, h)
	default:
		out, cut = append(out, h.head), true
	}
	slices.Reverse(out)
	return out, cut
}

// path returns the way of a mark in one line.
func (m *mark) path() string {
	hops, cut := m.hops()
	var names []string
	if len(hops) == 0 || hops[0].name != m.origin {
		names = append(names, m.origin)
	}
	for i, h := range hops {
		names = append(names, h.name)
		if i == 0 && cut {
			names = append(names, "…")
		}
	}
	return strings.Join(names, " → ")
}

// forbid reports a sensitive value in an expression that may hold none.
func (a *analysis) forbid(code diag.Code, s *step, e expr.Expr, self, args *shape, before, after string) {
	if m := a.in(s, e, self, args).first(Sensitive, nil, always); m != nil {
		a.report(code, m, e, before, after)
	}
}

const (
	// ending is how every way can be ended.
	ending   = "end its way with declassify(…, \"reason\") where everybody may see it"
	instead  = "Take it out, or " + ending + "."
	nameText = "Use something else, or " + ending + "."
)

// messages looks at the messages of inputs.
func (a *analysis) messages() {
	for _, in := range a.flow.Syntax.Inputs {
		for _, v := range in.Validations {
			a.forbid(codeMessage, nil, v.ErrorMessage, nil, nil, "This message would show a sensitive value", instead)
		}
	}
	if c := a.flow.Syntax.Concurrency; c != nil && c.Key != nil {
		a.forbid(codeName, nil, c.Key.Expr, nil, nil, "The key of runs is shown, and this one has a sensitive value", nameText)
	}
}

// results looks at the outputs of the workflow.
func (a *analysis) results() {
	for _, o := range a.flow.Syntax.Outputs {
		if isTrue(o.Sensitive) {
			continue
		}
		a.forbid(codeOutput, nil, o.Value, nil, nil, "The output \""+o.Name.Text+"\" would show a sensitive value", "Give the output sensitive = true, so that it is masked, take the value out, or "+ending+".")
	}
}

// sinks looks at what a step shows and sends.
func (a *analysis) sinks(s *step) {
	y := s.Syntax
	if y.Key != nil {
		a.forbid(codeName, s, y.Key.Expr, nil, nil, "The keys of elements are shown, and this one has a sensitive value", nameText)
	}
	if q := y.Ask; q != nil {
		for _, at := range []*syntax.Attribute{q.Message, q.Choices, q.Approvers} {
			if at != nil {
				a.forbid(codeMessage, s, at.Expr, nil, nil, "This question would show a sensitive value", instead)
			}
		}
	}
	if y.URI != nil {
		a.forbid(codeUnnamed, s, y.URI.Expr, nil, nil, "A uri is written to logs on its way, and this one has a sensitive value", nameText)
	}
	args := a.attribute(s, y.Args, nil, nil)
	if len(y.Asserts) > 0 {
		self := a.one(s)
		for _, as := range y.Asserts {
			a.forbid(codeMessage, s, as.ErrorMessage, self, args, "This message would show a sensitive value", instead)
		}
	}
	if y.Args != nil {
		a.arguments(s, y.Args.Expr)
	}
	for _, u := range y.Undo {
		if u.Args != nil {
			a.unnamed(s, u.Args.Expr, a.one(s), args)
		}
	}
}

// arguments looks at what is given to a tool or a workflow.
func (a *analysis) arguments(s *step, e expr.Expr) {
	if child := childOf(a.flow, s.Syntax); child != nil {
		a.childInputs(s, e, child)
		return
	}
	a.unnamed(s, e, nil, nil)
}

// unnamed reports a sensitive value among arguments that are not written one by
// one: nobody sees there that it is sent.
func (a *analysis) unnamed(s *step, e expr.Expr, self, args *shape) {
	const before = "A sensitive value goes to a source here that no argument names"
	const after = "Write the arguments as an object, args = { NAME = VALUE }, so that one sees which of them has it."
	lit, ok := unparen(e.Node).(*hclsyntax.ObjectConsExpr)
	if !ok {
		a.forbid(codeUnnamed, s, e, self, args, before, after)
		return
	}
	for _, it := range lit.Items {
		if k, isKey := it.KeyExpr.(*hclsyntax.ObjectConsKeyExpr); isKey {
			if _, literal := e.Sub(k).ObjectKey(k); !literal {
				a.forbid(codeUnnamed, s, e.Sub(it.KeyExpr), self, args, "The name of an argument has a sensitive value", after)
			}
		}
	}
}

// childInputs reports a sensitive value that becomes an input that is not.
func (a *analysis) childInputs(s *step, e expr.Expr, child *syntax.Workflow) {
	lit, ok := unparen(e.Node).(*hclsyntax.ObjectConsExpr)
	given := a.in(s, e, nil, nil)
	for _, in := range child.Inputs {
		if isTrue(in.Sensitive) {
			continue
		}
		m := given.part(in.Name.Text).first(Sensitive, nil, always)
		if m == nil {
			continue
		}
		where := e
		if ok {
			for _, it := range lit.Items {
				if k, isKey := it.KeyExpr.(*hclsyntax.ObjectConsKeyExpr); isKey {
					if name, literal := e.Sub(k).ObjectKey(k); literal && name == in.Name.Text {
						where = e.Sub(it.ValueExpr)
					}
				}
			}
		}
		a.report(codeChild, m, where, "The input \""+in.Name.Text+"\" of workflow \""+child.Name.Text+"\" is not sensitive, and a sensitive value is given for it", "Give the input sensitive = true, or "+ending+".")
		last := &a.found[len(a.found)-1]
		*last = last.With(in.Header, "The input.")
	}
}

func unparen(x node) node {
	for {
		p, ok := x.(*hclsyntax.ParenthesesExpr)
		if !ok {
			return x
		}
		x = p.Expression
	}
}
