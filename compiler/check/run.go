package check

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/types"
)

// runKind says what is known of a run at a place (LANGUAGE 3).
type runKind uint8

const (
	plainRun  runKind = iota
	outputRun         // its errors, too
	finalRun          // and how it ended
	testRun           // and what it gave
)

var (
	runAttrs = []types.Attr{
		{Name: "id", Type: types.StringType},
		{Name: "started_at", Type: types.StringType},
		{Name: "deployment", Type: types.NullableOf(types.StringType)},
	}
	runErrorType = types.ObjectOf([]types.Attr{
		{Name: "step", Type: types.StringType},
		{Name: "key", Type: types.AnyType},
		{Name: "kind", Type: failureType.Attr("kind").Type},
		{Name: "message", Type: types.StringType},
	}, nil)
	runErrorsType = types.ListOf(runErrorType)
)

// runType is what run reads as at a place of the workflow in hand.
func (c *checker) runType(k runKind) *types.Type {
	attrs := append([]types.Attr(nil), runAttrs...)
	attrs = append(attrs, types.Attr{Name: "previous", Type: c.previousRun()})
	if k == plainRun {
		return types.ObjectOf(attrs, nil)
	}
	attrs = append(attrs, types.Attr{Name: "errors", Type: runErrorsType})
	if k == outputRun {
		return types.ObjectOf(attrs, nil)
	}
	if k == testRun {
		return c.testRun(attrs)
	}
	ended := func(outcome string, failure *types.Type) *types.Type {
		return types.ObjectOf(append(attrs[:len(attrs):len(attrs)],
			types.Attr{Name: "outcome", Type: enum(outcome)},
			types.Attr{Name: "error", Type: failure},
		), nil)
	}
	return types.UnionOf(
		ended("ok", types.NullType),
		ended("error", runErrorType),
		ended("cancelled", types.NullableOf(runErrorType)),
	)
}

// testRun is what a test knows of the run that it made: how it is to end is known.
func (c *checker) testRun(attrs []types.Attr) *types.Type {
	failure, outputs := types.NullType, types.NullType
	switch c.place.ended {
	case "ok":
		c.silently(func() { outputs = c.outputsType() })
	case "error":
		failure = runErrorType
	default:
		failure = types.NullableOf(runErrorType)
	}
	return types.ObjectOf(append(attrs,
		types.Attr{Name: "outcome", Type: enum("ok", "error", "cancelled", "waiting")},
		types.Attr{Name: "error", Type: failure},
		types.Attr{Name: "outputs", Type: outputs},
	), nil)
}

// previousRun is the type of run.previous. The run may be of an older version of
// the workflow: of its outputs only what is said by their types is relied on,
// and each may be missing.
func (c *checker) previousRun() *types.Type {
	if c.f.previous != nil {
		return c.f.previous
	}
	var attrs []types.Attr
	seen := map[string]bool{}
	for _, o := range c.f.wf.Outputs {
		if seen[o.Name.Text] {
			continue
		}
		seen[o.Name.Text] = true
		t := types.AnyType
		if !o.Type.IsZero() {
			c.silently(func() { t = c.typeOf(o.Type) })
		}
		attrs = append(attrs, types.Attr{Name: o.Name.Text, Type: t, Optional: true})
	}
	c.f.previous = types.NullableOf(types.ObjectOf([]types.Attr{
		{Name: "id", Type: types.StringType},
		{Name: "started_at", Type: types.StringType},
		{Name: "outputs", Type: types.ObjectOf(attrs, nil)},
	}, nil))
	return c.f.previous
}

// knownOfRun reports an attribute of run that is not known at this place.
func (c *checker) knownOfRun(x *hclsyntax.ScopeTraversalExpr) bool {
	if len(x.Traversal) < 2 {
		return true
	}
	a, ok := x.Traversal[1].(hcl.TraverseAttr)
	if !ok {
		return true
	}
	switch where := ""; a.Name {
	case "errors":
		if c.place.run == plainRun {
			where = "in outputs and in finally blocks, when the steps have ended"
		}
		fallthrough
	case "outcome", "error":
		if a.Name != "errors" && c.place.run < finalRun {
			where = "in finally blocks, when the run has ended"
		}
		if where != "" {
			c.report(diag.New(codeNotHere, x.SrcRange, "\"run.%s\" cannot be used in %s. It can be used %s.", a.Name, c.place.noun, where))
			return false
		}
	}
	return true
}

// late is something that an expression uses and that cannot be run yet.
type late struct {
	what string
	at   hcl.Range
}

// isLate notes something that cannot be run yet, once for each place.
func (c *checker) isLate(what string, at hcl.Range) {
	for _, l := range c.late {
		if l.at == at {
			return
		}
	}
	c.late = append(c.late, late{what, at})
}
