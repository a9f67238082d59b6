package check

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

var (
	testInputsPlace = &place{noun: "the inputs of a test"}
	expectedPlace   = &place{noun: "the outputs that a test expects", roots: rootInput}
	mockErrorType   = types.UnionOf(types.StringType, types.ObjectOf([]types.Attr{
		{Name: "kind", Type: enum(syntax.Kinds...)},
		{Name: "message", Type: types.StringType, Optional: true},
		{Name: "code", Type: types.IntegerType, Optional: true},
	}, nil))
	// callsType is what a test knows of the calls that the run made, in their order.
	callsType = types.ListOf(types.ObjectOf([]types.Attr{
		{Name: "step", Type: types.StringType},
		{Name: "source", Type: types.StringType},
		{Name: "tool", Type: types.StringType},
		{Name: "args", Type: types.AnyType},
		{Name: "key", Type: types.AnyType},
	}, nil))
)

// checkTest checks a test block against the workflow that it runs.
func (c *checker) checkTest(t *syntax.Test) {
	wf := c.workflowOf(t.Workflow)
	if wf == nil {
		return
	}
	// The workflow's own check reports what is wrong in it.
	n := len(c.diags)
	c.newFlow(wf, c.w.anyBinding(wf))
	c.checkFlow()
	c.diags = c.diags[:n]
	c.testInputs(t)
	for _, m := range t.Mocks {
		c.checkMock(m)
	}
	p := &place{noun: "a test", roots: rootInput | rootStep | rootRun | rootCalls, calls: callsType, run: testRun, test: true, ended: "ok"}
	if e := t.Expect; e != nil && e.Outcome != nil {
		p.ended = e.Outcome.S
	} else if e != nil && e.Error != nil {
		p.ended = "error"
	}
	p.final = p.ended != "ok"
	if e := t.Expect; e != nil && e.Outputs != nil {
		c.expectedOutputs(e)
	}
	for _, a := range t.Asserts {
		c.check(a.Condition, p, nil, types.BoolType, assertSubject)
		c.check(a.ErrorMessage, p, nil, types.StringType, errorTextSubject)
	}
}

// anyBinding returns what the sources of a workflow are bound to that are not by
// themselves: as its first deployment has it.
func (w *world) anyBinding(wf *syntax.Workflow) map[string]bound {
	for _, d := range allDeployments(w.project) {
		if w.deployed(d) != wf {
			continue
		}
		out := w.bindings(d)
		for _, s := range wf.Sources {
			if isBound(s) {
				delete(out, s.Name.Text)
			}
		}
		return out
	}
	return nil
}

// testInputs checks the inputs that a test gives.
func (c *checker) testInputs(t *syntax.Test) {
	var e expr.Expr
	if t.Inputs != nil {
		e = t.Inputs.Expr
	}
	given, complete := c.named(e, codeUnknownInput, "input", inputsType(c.f), testInputsPlace)
	var missing []string
	for _, in := range c.f.inputList {
		if name := in.syn.Name.Text; name != "" && !given[name] && !in.optional && in.syn.Default == nil {
			missing = append(missing, name)
		}
	}
	if complete && len(missing) > 0 && !c.w.hasFinding(t.Range) {
		what := "input " + quoted(missing[0]) + " has no default, and it is"
		if len(missing) > 1 {
			what = "inputs " + quoteAll(missing) + " have no default, and they are"
		}
		c.report(diag.New(codeMissingInput, t.Header, "The %s not given here. Add it to inputs.", what))
	}
}

// expectedOutputs checks the outputs that a test expects: each is one of the
// workflow's and fits it; those that are not named are not looked at.
func (c *checker) expectedOutputs(e *syntax.Expect) {
	var outputs *types.Type
	c.silently(func() { outputs = c.outputsType() })
	c.named(e.Outputs.Expr, codeUnknownAttribute, "output", outputs, expectedPlace)
}

// named checks an object that gives some attributes of t values, each by
// itself, and returns which; complete says that all names are known ones.
func (c *checker) named(e expr.Expr, unknown diag.Code, noun string, t *types.Type, p *place) (given map[string]bool, complete bool) {
	given = map[string]bool{}
	if e.IsZero() {
		return given, true
	}
	lit, ok := e.Node.(*hclsyntax.ObjectConsExpr)
	if !ok {
		c.check(e, p, nil, t, &subject{plain: "What is given here"})
		return given, false
	}
	complete = true
	for _, it := range lit.Items {
		var name string
		known := false
		c.at(e.Source, p, func() { name, known = c.keyName(it.KeyExpr) })
		a := t.Attr(name)
		switch {
		case !known:
			c.report(diag.New(codeNotConstant, it.KeyExpr.Range(), "The name of an %s is written as it is, not computed.", noun))
			complete = false
			continue
		case a == nil:
			c.report(unknownName(unknown, noun, c.f.name(), name, it.KeyExpr.Range(), attrNames(t)))
			complete = false
			continue
		}
		given[name] = true
		c.check(e.Sub(it.ValueExpr), p, nil, a.Type, &subject{plain: "The " + noun + " " + quoted(name)})
	}
	return given, complete
}

// checkMock checks what a tool, a prompt or a resource of a source answers in a test.
func (c *checker) checkMock(m *syntax.Mock) {
	src := c.f.sources[m.Source.Text]
	if src == nil {
		if m.Source.Text != "" && !c.w.mayBeLost(m.Source.Text, c.f.file()) {
			c.report(unknownName(codeUnknownSource, "source", c.f.name(), m.Source.Text, m.Source.Range, keysOf(c.f.sources)))
		}
		return
	}
	args, output := c.mocked(src, m)
	p := &place{noun: "a mock block", roots: rootInput | rootArgs, args: args}
	var en *env
	if m.When != nil {
		c.check(m.When.Expr, p, nil, types.BoolType, &subject{plain: "The condition of the mock"})
		en = c.assuming(m.When.Expr, p, nil)
	}
	if m.Output != nil {
		c.check(m.Output.Expr, p, en, output, &subject{plain: "The output of the mock"})
	}
	if m.Text != nil {
		c.check(m.Text.Expr, p, en, types.StringType, &subject{plain: "The text of the mock"})
	}
	if m.Error != nil {
		c.check(m.Error.Expr, p, en, mockErrorType, &subject{plain: "The error of the mock"})
		for _, other := range []*syntax.Attribute{m.Output, m.Text} {
			if other != nil {
				c.report(diag.New(codeMisfit, other.NameRange, "An answer is an error or a result, and this mock has both. Remove %q, or write another mock with a when.", other.Name).With(m.Error.NameRange, "The error."))
				return
			}
		}
	}
	if m.Output == nil && m.Text == nil && m.Error == nil && !c.w.hasFinding(m.Range) {
		c.report(diag.New(codeAttributeNeeded, m.Header, "The mock does not say what is answered. Write output = …, text = \"…\" or error = \"…\"."))
	}
}

// mocked returns the type of the arguments and of the structured content of
// what a mock stands for, and reports a name that the source does not have.
func (c *checker) mocked(src *source, m *syntax.Mock) (args, output *types.Type) {
	args, output = types.AnyType, types.AnyType
	name := m.Tool.Text
	if len(src.members) == 0 || strings.Contains(name, "://") {
		return args, output
	}
	var have []string
	if src.iface != nil {
		return c.mockDeclared(src.iface, m)
	}
	for _, x := range src.members {
		snap := x.conn.open()
		if snap == nil {
			return args, output
		}
		for _, k := range []kindOf{tools, prompts, templates} {
			if o, ok := k.find(x.conn, snap, name); ok {
				if o.tool != nil && o.tool.Output != nil {
					output = o.tool.Output
				}
				if k.noun == "prompt" {
					output = promptType
				}
				return argsAs(o.args, o.args, false), output
			}
			have = append(have, k.names(x.conn, snap)...)
		}
	}
	c.report(unknownName(codeUnknownTool, "tool", "The source "+quoted(src.syn.Name.Text)+" ("+src.owner()+")", name, m.Tool.Range, have))
	return args, output
}
