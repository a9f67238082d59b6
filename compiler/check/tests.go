package check

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

var (
	testInputsPlace   = &place{noun: "the inputs of a test"}
	testPreviousPlace = &place{noun: "the run before that of a test"}
	expectedPlace     = &place{noun: "the outputs that a test expects", roots: rootInput}
	// mockErrorType has the kinds that a call fails with: the others are of what a step
	// does with an answer.
	mockErrorType = types.UnionOf(types.StringType, types.ObjectOf([]types.Attr{
		{Name: "kind", Type: enum("tool", "protocol", "transport", "session", "timeout", "rate_limit", "limit", "declined")},
		{Name: "message", Type: types.StringType, Optional: true},
		{Name: "code", Type: types.IntegerType, Optional: true},
		{Name: "in_doubt", Type: types.BoolType, Optional: true},
	}, nil))
	// mockContentType is the content of an answer. What is binary is in base64.
	mockContentType = types.ListOf(types.ObjectOf([]types.Attr{
		{Name: "type", Type: enum("text", "image", "audio", "resource", "resource_link")},
		{Name: "text", Type: types.StringType, Optional: true},
		{Name: "blob", Type: types.StringType, Optional: true},
		{Name: "mime_type", Type: types.StringType, Optional: true},
		{Name: "uri", Type: types.StringType, Optional: true},
		{Name: "name", Type: types.StringType, Optional: true},
	}, types.AnyType))
	// callType is what the condition of a mock knows of the call, beside its arguments.
	callType = types.ObjectOf([]types.Attr{
		{Name: "step", Type: types.StringType},
		{Name: "key", Type: types.AnyType},
		{Name: "connection", Type: types.StringType},
		{Name: "attempt", Type: types.IntegerType},
	}, nil)
	// questionType is what the condition of an answer knows of the question.
	questionType = types.ObjectOf([]types.Attr{
		{Name: "step", Type: types.StringType},
		{Name: "key", Type: types.AnyType},
		{Name: "message", Type: types.StringType},
	}, nil)
	// callsType is what a test knows of the calls that the run made, in their order.
	callsType = types.ListOf(types.ObjectOf([]types.Attr{
		{Name: "step", Type: types.StringType},
		{Name: "key", Type: types.AnyType},
		{Name: "source", Type: types.StringType},
		{Name: "connection", Type: types.StringType},
		{Name: "tool", Type: types.StringType},
		{Name: "args", Type: types.AnyType},
		{Name: "attempt", Type: types.IntegerType},
		{Name: "undo", Type: types.BoolType},
	}, nil))
)

// Test is a checked test: what running it needs to know beyond its syntax.
type Test struct {
	Syntax *syntax.Test
	// Workflow is the one that it runs; nil: it does not exist.
	Workflow *syntax.Workflow
	// Deployment is the one of it that the test names; nil: none.
	Deployment *syntax.Deployment
	// Bind has the connections, by id, of sources that are bound to none by themselves: as
	// the first deployment of the workflow binds them. Nil where the test names one.
	Bind  map[string]string
	Mocks []Mock // as in Syntax
	// Diagnostics is what is wrong with the test itself, not with the workflow.
	Diagnostics diag.List
}

// Mock is a checked mock block.
type Mock struct {
	Output *types.Type     // of what its output must be; nil: anything
	Schema json.RawMessage // the output schema of the tool; nil: none
	// Templates are the URI templates of what is read by the name of a resource template.
	Templates []string
}

// Tests returns the tests that pick chooses, in the order of the files, checked.
func Tests(p *project.Project, pick func(*syntax.Test) bool) []Test {
	w := newWorld(p)
	var out []Test
	for _, f := range p.Files {
		for _, t := range f.Tests {
			if pick(t) {
				out = append(out, Test{Syntax: t})
			}
		}
	}
	jobs := make([]job, len(out))
	for i := range out {
		jobs[i] = job{at: out[i].Syntax.Header, run: func(c *checker) { out[i] = c.checkTest(out[i].Syntax) }}
	}
	for i, found := range inParallel(w, jobs) {
		t := out[i].Syntax
		all := slices.Clone(found)
		for _, d := range p.Diagnostics {
			if d.Range.File == t.Range.Filename && d.Range.Start.Byte >= t.Range.Start.Byte && d.Range.End.Byte <= t.Range.End.Byte {
				all = append(all, d)
			}
		}
		out[i].Diagnostics = finish(p, w.withoutIgnored(all, false))
	}
	return out
}

// checkTest checks a test block against the workflow that it runs, and returns what
// running it needs to know, without Diagnostics.
func (c *checker) checkTest(t *syntax.Test) Test {
	out := Test{Syntax: t}
	wf, d := c.w.tested(t)
	if wf == nil {
		c.unknownTested(t)
		return out
	}
	binding := c.w.anyBinding(wf)
	if d != nil {
		binding = c.w.bindings(d)
	}
	out.Workflow, out.Deployment = wf, d
	for source, b := range binding {
		if d == nil && len(b.members) == 1 {
			if out.Bind == nil {
				out.Bind = map[string]string{}
			}
			out.Bind[source] = b.members[0].conn.syn.ID()
		}
	}
	// The workflow's own check reports what is wrong in it.
	n := len(c.diags)
	c.newFlow(wf, binding)
	c.checkFlow()
	c.diags = c.diags[:n]
	c.testInputs(t, d)
	if t.Previous != nil {
		c.check(t.Previous.Expr, testPreviousPlace, nil, c.testPrevious(), &subject{plain: "The run before"})
	}
	out.Mocks = make([]Mock, len(t.Mocks))
	for i, m := range t.Mocks {
		c.checkMock(m, &out.Mocks[i])
	}
	for _, a := range t.Answers {
		c.checkTestAnswer(a, d)
	}
	p := &place{noun: "a test", roots: rootInput | rootStep | rootRun | rootCalls, calls: callsType, run: testRun, test: true, ended: "ok"}
	if e := t.Expect; e != nil && e.Outcome != nil {
		p.ended = e.Outcome.S
	} else if e != nil && e.Error != nil {
		p.ended = "error"
	}
	p.final = p.ended != "ok"
	if e := t.Expect; e != nil {
		if e.Outcome != nil && e.Error != nil && e.Outcome.S != "error" {
			c.report(diag.New(codeMisfit, e.Error.Range, "A run that fails has the outcome \"error\", and this test expects %q. Remove %q or %q.", e.Outcome.S, "outcome", "error").With(e.Outcome.Range, "The outcome."))
		}
		if e.Outputs != nil && p.ended != "ok" {
			c.report(diag.New(codeMisfit, e.Outputs.NameRange, "Only a run that completes has outputs, and this test expects another end. Remove %q.", e.Outputs.Name))
		} else if e.Outputs != nil {
			c.expectedOutputs(e)
		}
	}
	for _, a := range t.Asserts {
		c.check(a.Condition, p, nil, types.BoolType, assertSubject)
		c.check(a.ErrorMessage, p, nil, types.StringType, errorTextSubject)
	}
	return out
}

// unknownTested reports a workflow or a deployment that a test names and that does
// not exist. That of a deployment which names none has its diagnostic there.
func (c *checker) unknownTested(t *syntax.Test) {
	if t.Deployment == nil {
		c.workflowOf(t.Workflow)
		return
	}
	if len(t.Deployment.Path) != 2 {
		return // which has its diagnostic
	}
	have := c.w.project.Deployments
	if l := t.Deployment.Path[1]; have[l.Text] == nil && !c.w.mayBeLost(l.Text, "") {
		c.report(unknownName(codeUnknownDeployment, "deployment", "This project", l.Text, l.Range, keysOf(have)))
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

// testPrevious is the type of the run before, of which a test says what it wants to.
func (c *checker) testPrevious() *types.Type {
	attrs := append([]types.Attr(nil), types.WithoutNull(c.previousRun()).Attrs()...)
	for i := range attrs {
		attrs[i].Optional = attrs[i].Name != "outputs"
	}
	return types.ObjectOf(attrs, nil)
}

// testInputs checks the inputs that a test gives, beside those that the deployment
// that it names fixes; nil: it names none.
func (c *checker) testInputs(t *syntax.Test, d *syntax.Deployment) {
	fixed := map[string]value.Value{}
	strange := false // a name is fixed that no input has: one of them is meant
	if d != nil {
		c.silently(func() { fixed = c.fixedInputs(d, c.f.inputList) })
		if d.Inputs != nil {
			lit, ok := d.Inputs.Expr.Node.(*hclsyntax.ObjectConsExpr)
			strange = !ok || len(lit.Items) != len(fixed)
		}
	}
	var e expr.Expr
	if t.Inputs != nil {
		e = t.Inputs.Expr
	}
	given, complete := c.named(e, codeUnknownInput, "input", inputsType(c.f), testInputsPlace)
	if lit, ok := e.Node.(*hclsyntax.ObjectConsExpr); ok {
		for _, it := range lit.Items {
			var name string
			c.at(e.Source, testInputsPlace, func() { name, _ = c.keyName(it.KeyExpr) })
			if _, set := fixed[name]; set {
				c.report(diag.New(codeMisfit, it.KeyExpr.Range(), "The input %q is set by the deployment %q and cannot be given. Remove it here, or test the workflow.", name, d.Name.Text).With(d.Inputs.NameRange, "It is set here."))
			}
		}
	}
	var missing []string
	for _, in := range c.f.inputList {
		name := in.syn.Name.Text
		if _, set := fixed[name]; name != "" && !set && !given[name] && !in.optional && in.syn.Default == nil {
			missing = append(missing, name)
		}
	}
	if complete && !strange && len(missing) > 0 && !c.w.hasFinding(t.Range) {
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
	c.sawObject(e, p, t)
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
func (c *checker) checkMock(m *syntax.Mock, out *Mock) {
	src := c.mockedSource(m.Source.Text)
	if src == nil {
		if m.Source.Text != "" && !c.w.mayBeLost(m.Source.Text, c.f.file()) {
			c.report(unknownName(codeUnknownSource, "source", c.f.name(), m.Source.Text, m.Source.Range, c.mockedNames()))
		}
		return
	}
	args, output := c.mocked(src, m, out)
	out.Output = output
	p := &place{noun: "a mock block", roots: rootInput | rootArgs | rootCall, args: args, call: callType}
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
	if m.Content != nil {
		c.check(m.Content.Expr, p, en, mockContentType, &subject{plain: "The content of the mock"})
	}
	if m.Error != nil {
		c.check(m.Error.Expr, p, en, mockErrorType, &subject{plain: "The error of the mock"})
		for _, other := range []*syntax.Attribute{m.Output, m.Text, m.Content} {
			if other != nil {
				c.report(diag.New(codeMisfit, other.NameRange, "An answer is an error or a result, and this mock has both. Remove %q, or write another mock with a when.", other.Name).With(m.Error.NameRange, "The error."))
				return
			}
		}
	}
	if m.Output == nil && m.Text == nil && m.Content == nil && m.Error == nil && !c.w.hasFinding(m.Range) {
		c.report(diag.New(codeAttributeNeeded, m.Header, "The mock does not say what is answered. Write output = …, text = \"…\" or error = \"…\"."))
	}
}

// mockedSource returns the source that a mock names: one of the workflow, or one
// that a workflow that it runs has of its own. Nil: there is none.
func (c *checker) mockedSource(name string) *source {
	if s := c.f.sources[name]; s != nil {
		return s
	}
	var found *source
	c.ownSources(map[*checker]bool{}, func(s *source) {
		if found == nil && s.syn.Name.Text == name {
			found = s
		}
	})
	return found
}

// mockedNames are the names of the sources that can be mocked, sorted.
func (c *checker) mockedNames() []string {
	names := keysOf(c.f.sources)
	c.ownSources(map[*checker]bool{}, func(s *source) { names = append(names, s.syn.Name.Text) })
	slices.Sort(names)
	return slices.Compact(names)
}

// ownSources goes through the sources that the workflows that this one runs are not
// given by it.
func (c *checker) ownSources(seen map[*checker]bool, visit func(*source)) {
	for _, s := range c.f.stepList {
		if s.child == nil || s.child.checker == nil || seen[s.child.checker] {
			continue
		}
		seen[s.child.checker] = true
		for _, src := range s.child.checker.f.sourceList {
			name := src.syn.Name.Text
			_, handed := s.handed[name]
			// One of ours that is bound to nothing is handed on all the same.
			if !handed && !slices.ContainsFunc(s.syn.Bind, func(b syntax.SourceBinding) bool { return b.Child.Text == name }) {
				visit(src)
			}
		}
		s.child.checker.ownSources(seen, visit)
	}
}

// mocked returns the type of the arguments and of the structured content of what a
// mock stands for, and notes the rest of what there is to know of it. It reports a
// name that the source does not have.
func (c *checker) mocked(src *source, m *syntax.Mock, out *Mock) (args, output *types.Type) {
	args, output = types.AnyType, types.AnyType
	name := m.Tool.Text
	if len(src.members) == 0 && src.iface == nil || strings.Contains(name, "://") {
		return args, output
	}
	if src.iface != nil {
		for _, r := range src.iface.Resources {
			if r.Name.Text == name {
				out.Templates = append(out.Templates, r.URI)
			}
		}
		return c.mockDeclared(src.iface, m)
	}
	var have []string
	found := false
	for _, x := range src.members {
		snap := x.conn.open()
		if snap == nil {
			return args, output
		}
		for _, k := range []kindOf{tools, prompts, templates} {
			o, ok := k.find(x.conn, snap, name)
			if !ok {
				have = append(have, k.names(x.conn, snap)...)
				continue
			}
			if o.uri != "" {
				out.Templates = append(out.Templates, o.uri)
			}
			if found {
				break // its first member says what is checked
			}
			found = true
			if o.tool != nil && o.tool.Output != nil {
				output, out.Schema = o.tool.Output, o.tool.OutputSchema
			}
			if k.noun == "prompt" {
				output = promptType
			}
			if args = argsAs(o.args, o.args, false); o.uri != "" {
				args = withURI(args)
			}
			break
		}
	}
	if !found {
		c.report(unknownName(codeUnknownTool, "tool", "The source "+quoted(src.syn.Name.Text)+" ("+src.owner()+")", name, m.Tool.Range, have))
	}
	return args, output
}

// withURI adds to the variables of a resource template the address that they make.
func withURI(variables *types.Type) *types.Type {
	u := variables.Underlying()
	if u.Kind() != types.Object || u.Attr("uri") != nil {
		return variables
	}
	attrs := append([]types.Attr{{Name: "uri", Type: types.StringType}}, u.Attrs()...)
	return types.ObjectOf(attrs, u.Rest())
}

// checkTestAnswer checks what a person answers to a question in a test.
// of is the deployment that the test names, whose policy may ask, too; nil: none.
func (c *checker) checkTestAnswer(a *syntax.TestAnswer, of *syntax.Deployment) {
	asks, names := c.questions(of != nil && policyOf(of) == "ask")
	ask, ok := asks[a.Step.Text]
	if !ok {
		if a.Step.Text != "" && !c.w.mayBeLost(a.Step.Text, c.f.file()) {
			d := unknownName(codeUnknownStep, "question", c.f.name(), a.Step.Text, a.Step.Range, names)
			if c.f.steps[a.Step.Text] != nil {
				d = diag.New(codeUnknownStep, a.Step.Range, "The step %q asks nobody, so that nothing answers it: %s.%s", a.Step.Text, c.whyUnasked(of), listing("question", names))
			}
			c.report(d)
		}
		return
	}
	p := &place{noun: "an answer block", roots: rootInput | rootQuestion, question: questionType}
	if a.When != nil {
		c.check(a.When.Expr, p, nil, types.BoolType, &subject{plain: "The condition of the answer"})
	}
	declines := a.Decline != nil && a.Decline.B
	switch {
	case a.Data != nil && declines:
		c.report(diag.New(codeMisfit, a.Data.NameRange, "An answer is given or declined, and this block says both. Remove %q or %q.", "data", "decline"))
	case a.Data != nil:
		c.check(a.Data.Expr, p, nil, ask, &subject{plain: "The answer"})
	case !declines && !c.w.hasFinding(a.Range):
		c.report(diag.New(codeAttributeNeeded, a.Header, "The block does not say what is answered. Write data = …, or decline = true."))
	}
}

// whyUnasked says why a step without an ask block asks nobody.
func (c *checker) whyUnasked(d *syntax.Deployment) string {
	switch {
	case d == nil:
		return "its block has no ask"
	case policyOf(d) == "ask":
		return "its block has no ask, and what it calls is not destructive, so that the policy of the deployment does not ask either"
	}
	return "its block has no ask, and the policy of the deployment is not destructive = \"ask\""
}

// questions returns the types of the answers to the questions of the workflow in hand
// and of those that it runs, by the names of the steps, and these sorted. policy: it is
// asked before destructive calls, too.
func (c *checker) questions(policy bool) (asks map[string]*types.Type, names []string) {
	asks = map[string]*types.Type{}
	seen := map[*checker]bool{}
	var visit func(*checker)
	visit = func(of *checker) {
		seen[of] = true
		for _, s := range of.f.stepList {
			if y := s.syn.Ask; y != nil && asks[s.name()] == nil {
				t := types.ObjectOf(nil, nil)
				if !y.Answer.IsZero() {
					of.silently(func() { t = of.typeOf(y.Answer) })
				}
				asks[s.name()] = t
			}
			if policy && asks[s.name()] == nil && s.mayDestroy() {
				asks[s.name()] = types.ObjectOf(nil, nil)
			}
			if s.child != nil && s.child.checker != nil && !seen[s.child.checker] {
				visit(s.child.checker)
			}
		}
	}
	visit(c)
	return asks, keysOf(asks)
}

// mayDestroy reports whether a policy counts a call of the step, or one that takes back
// what it did, as destructive.
func (s *step) mayDestroy() bool {
	return s.syn.Call != nil && s.effect >= catalog.Destructive ||
		slices.ContainsFunc(s.undoEffects, func(e catalog.Effect) bool { return e >= catalog.Destructive })
}
