package check

import (
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/types"
)

// roots is a set of the names an expression may begin with (LANGUAGE 3).
type roots uint16

// The roots. The function env() stands
// where project does.
const (
	rootInput roots = 1 << iota
	rootLocal
	rootStep
	rootEach
	rootSelf
	rootArgs
	rootRun
	rootSecret
	rootProject
	rootLoop
	rootCalls
	rootCall
	rootQuestion
)

// rootNames are the roots as they are written, and where each may stand.
var rootNames = map[string]struct {
	bit   roots
	where string
}{
	"input":    {rootInput, "in a workflow"},
	"local":    {rootLocal, "in a workflow, outside input blocks"},
	"step":     {rootStep, "in a workflow, outside input blocks"},
	"each":     {rootEach, "inside a step with for_each, in all but for_each itself and max_parallel"},
	"self":     {rootSelf, "in a step's result, fail_if, assert and undo, and in the conditions of loop and retry"},
	"args":     {rootArgs, "in a step's result, fail_if, assert and undo, in the conditions of loop and retry, and in the effect of a tool block"},
	"loop":     {rootLoop, "inside a step with a loop block, in what is done in each round"},
	"run":      {rootRun, "in a workflow, outside input blocks"},
	"calls":    {rootCalls, "in the assert blocks of a test"},
	"call":     {rootCall, "in the mock blocks of a test"},
	"question": {rootQuestion, "in the answer blocks of a test"},
	"secret":   {rootSecret, "in provider, connection, webhook and sampling blocks, and in a step's args"},
	"project":  {rootProject, "in provider, connection and deployment blocks"},
}

// place is where an expression stands: which roots it may use, and what those
// are that depend on the place.
type place struct {
	noun  string // "an input's validation", for messages
	roots roots

	each, self, args, loop, calls, call, question *types.Type // nil: not there

	step  *step // the step that the expression is of; nil: it is of none
	run   runKind
	test  bool   // a test, which may look at everything
	ended string // how the run of a test ends
	final bool   // a finally block: any step may have ended in any way, or not have begun
}

// checker checks the expressions of one block after the other. It is not for
// concurrent use; the world it reads is.
type checker struct {
	w *world
	f *flow // the workflow; nil in blocks outside of one

	source []byte // of the expression in hand
	place  *place
	diags  diag.List
	muted  int // findings are dropped while it is positive
	bound  int // variables bound so far

	// textual is set when the text of the expression in hand has a mistake, such as
	// a number out of range; expr.Problems says which.
	textual bool

	// trusted is the expression last looked at that reads a part of an any.
	trusted hclNode

	// Of the expression in hand: what was found to be null of which parts are read, and
	// the names that were found to be unknown. Each is said once.
	nulls, unknowns []string

	printed map[hclNode]string // canonical prints of conditions

	splats map[hcl.Range]splatted // by the ranges of the [*] that are being looked at

	// learnt counts the conditions of steps that follow from the one that is being
	// assumed; nil while none is.
	learnt *int

	late []late // what was used and cannot be run yet

	rec *recorder // of a look; nil: nobody looks
}

// report adds a finding.
func (c *checker) report(d diag.Diagnostic) {
	if c.muted == 0 {
		c.diags = append(c.diags, d)
	}
}

// at runs f for an expression of another block: with its source and place.
func (c *checker) at(source []byte, p *place, f func()) {
	s, q := c.source, c.place
	c.source, c.place = source, p
	f()
	c.source, c.place = s, q
}

// silently runs f without reporting anything.
func (c *checker) silently(f func()) {
	c.muted++
	f()
	c.muted--
}

// check checks a whole expression in its place against a wanted type (nil:
// none) and returns its type.
func (c *checker) check(e expr.Expr, p *place, en *env, want *types.Type, s *subject) (t *types.Type) {
	if e.IsZero() {
		return types.ErrorType
	}
	outer, nulls, unknowns := c.textual, c.nulls, c.unknowns
	c.textual, c.nulls, c.unknowns = false, nil, nil
	c.at(e.Source, p, func() { t = c.expr(e.Node, en, want, s).t })
	if c.textual && c.muted == 0 {
		c.diags = append(c.diags, expr.Problems(e)...)
	}
	c.textual, c.nulls, c.unknowns = outer, nulls, unknowns
	return t
}

// again reports whether an unknown name was found in the expression in hand already.
func (c *checker) again(name string) bool {
	if c.muted > 0 {
		return false
	}
	if slices.Contains(c.unknowns, name) {
		return true
	}
	c.unknowns = append(c.unknowns, name)
	return false
}

// text returns the source text of a range of the expression in hand, cut to a
// length that a message can hold.
func (c *checker) text(r hcl.Range) string {
	if r.Start.Byte < 0 || r.End.Byte > len(c.source) || r.Start.Byte > r.End.Byte {
		return "this"
	}
	for marker, s := range c.splats {
		if marker.Filename == r.Filename && marker.Start == r.Start && marker.End.Byte <= r.End.Byte {
			r.Start = s.source.Start
			return c.text(r)
		}
	}
	s := string(c.source[r.Start.Byte:r.End.Byte])
	const most = 60
	if len(s) > most {
		s = s[:most] + "…"
	}
	for i := range s {
		if s[i] == '\n' {
			return s[:i] + "…"
		}
	}
	return s
}

// splatted is what a [*] goes through.
type splatted struct {
	source hcl.Range
	t      *types.Type
}

// edit returns an edit that replaces r.
func edit(r hcl.Range, text string) diag.Edit {
	return diag.Edit{Range: diag.RangeOf(r), Text: text}
}

// before and after return edits that insert text at the ends of r.
func before(r hcl.Range, text string) diag.Edit { r.End = r.Start; return edit(r, text) }
func after(r hcl.Range, text string) diag.Edit  { r.Start = r.End; return edit(r, text) }

// sub returns a node of the expression in hand with its source.
func (c *checker) sub(x hclNode) expr.Expr { return expr.Expr{Node: x, Source: c.source} }

// keyName returns the name that a key of an object literal is where it is
// written as such.
func (c *checker) keyName(key hclNode) (string, bool) {
	k, ok := key.(*hclsyntax.ObjectConsKeyExpr)
	if !ok {
		return "", false
	}
	return c.sub(k).ObjectKey(k)
}

// localOf returns the local that an expression is the name of, or nil.
func (c *checker) localOf(x *hclsyntax.ScopeTraversalExpr, en *env) *local {
	if c.f == nil || len(x.Traversal) != 2 || x.Traversal.RootName() != "local" || en.variable("local") != nil {
		return nil
	}
	a, ok := x.Traversal[1].(hcl.TraverseAttr)
	if !ok {
		return nil
	}
	return c.f.locals[a.Name]
}

func quoted(s string) string { return strconv.Quote(s) }
