package check

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/value"
)

var deploymentPlace = &place{noun: "the inputs of a deployment", roots: rootProject}

// checkDeployment checks a deployment against the workflow that it names. also
// has the sources that something else binds.
func (c *checker) checkDeployment(d *syntax.Deployment, also map[string]bound) {
	if d.Workflow == nil || len(d.Workflow.Path) != 2 {
		return
	}
	l := d.Workflow.Path[1]
	wf := c.w.project.Workflows[l.Text]
	if wf == nil {
		if !c.w.mayBeLost(l.Text, "") {
			c.report(unknownName(codeUnknownWorkflow, "workflow", "This project", l.Text, l.Range, c.w.project.WorkflowNames()))
		}
	}
	c.checkBindings(d, wf, also)
	if d.Schedule != nil {
		c.checkSchedule(d.Schedule)
	}
	if wf == nil {
		if d.Webhook != nil {
			c.checkWebhook(d, nil)
		}
		return
	}
	inputs := c.inputsOf(wf)
	given := c.fixedInputs(d, inputs)
	if w := d.Webhook; w != nil {
		c.checkWebhook(d, inputs)
		if w.Input != nil {
			if _, twice := given[w.Input.Text]; twice {
				c.report(diag.New(codeWrongWebhook, w.Input.Range, "The input %q receives the body of a request, and it is fixed in inputs, too. Remove one of them.", w.Input.Text).With(d.Inputs.NameRange, "It is fixed here."))
			}
		}
	}
}

// checkBindings checks that a deployment binds sources that exist to
// connections that exist, and leaves none unbound.
func (c *checker) checkBindings(d *syntax.Deployment, wf *syntax.Workflow, also map[string]bound) {
	var names []string
	have := map[string]*syntax.Source{}
	if wf != nil {
		for _, s := range wf.Sources {
			if have[s.Name.Text] == nil {
				names = append(names, s.Name.Text)
			}
			have[s.Name.Text] = s
		}
	}
	bound := map[string]syntax.Label{}
	strange := false // a name is bound that no source has: one of them is meant
	for _, b := range d.Bind {
		strange = strange || have[b.Source.Text] == nil
		conn := c.boundTo(b.Connection)
		if first, twice := bound[b.Source.Text]; twice {
			c.twice("binding of", b.Source, first)
			continue
		}
		bound[b.Source.Text] = b.Source
		if s := have[b.Source.Text]; s != nil && conn != nil {
			c.satisfied(&source{syn: s, bound: to(conn), iface: c.silentInterface(s)}, func(member) hcl.Range { return b.Connection.Range })
		}
		if s := have[b.Source.Text]; s != nil && s.Family != nil {
			c.report(diag.New(codeUnknownMember, b.Source.Range, "The source %q is a family, of which a key chooses one connection, and this is one connection. The members of a family stand in the workflow.", b.Source.Text).
				With(s.Header, "The source."))
		}
		if wf != nil && have[b.Source.Text] == nil && !c.w.mayBeLost(b.Source.Text, wf.Header.Filename) {
			c.report(unknownName(codeUnknownSource, "source", "Workflow "+quoted(wf.Name.Text), b.Source.Text, b.Source.Range, names))
		}
	}
	for _, n := range names {
		s := have[n]
		if _, ok := bound[n]; !ok && !isBound(s) && len(also[n].members) == 0 && !strange {
			c.report(diag.New(codeNoBinding, d.Header, "The source %q of workflow %q is bound to no connection: neither here nor by its own bind. Add it to bind:\n\n    bind = { %s = connection.PROVIDER.ACCOUNT }", n, wf.Name.Text, keyText(n)).
				With(s.Header, "The source."))
		}
	}
}

// inputsOf returns the inputs of a workflow, silently: its own check reports.
func (c *checker) inputsOf(wf *syntax.Workflow) []*input {
	var out []*input
	n := len(c.diags)
	for _, s := range wf.Inputs {
		in := &input{syn: s}
		c.checkInput(in)
		out = append(out, in)
	}
	c.diags = c.diags[:n]
	return out
}

// fixedInputs checks the inputs that a deployment fixes and returns their values.
func (c *checker) fixedInputs(d *syntax.Deployment, inputs []*input) map[string]value.Value {
	given := map[string]value.Value{}
	if d.Inputs == nil {
		c.missingInputs(d, inputs, given)
		return given
	}
	e := d.Inputs.Expr
	lit, ok := e.Node.(*hclsyntax.ObjectConsExpr)
	if !ok {
		if _, broken := e.Node.(*hclsyntax.ExprSyntaxError); !broken {
			c.report(diag.New(codeNotConstant, e.Range(), "The inputs of a deployment are written as an object: inputs = { NAME = VALUE }."))
		}
		return given
	}
	complete := true
	if c.rec != nil {
		c.sawObject(e, deploymentPlace, inputsType(&flow{inputList: inputs}))
	}
	c.at(e.Source, deploymentPlace, func() {
		for _, it := range lit.Items {
			name, known := c.keyName(it.KeyExpr)
			if !known {
				c.report(diag.New(codeNotConstant, it.KeyExpr.Range(), "The name of an input is written as it is, not computed."))
				complete = false
				continue
			}
			complete = c.fixedInput(name, it, e, inputs, given) && complete
		}
	})
	if complete {
		c.missingInputs(d, inputs, given)
	}
	return given
}

// fixedInput checks one input; false where it is not known which it is meant to be.
func (c *checker) fixedInput(name string, it hclsyntax.ObjectConsItem, e expr.Expr, inputs []*input, given map[string]value.Value) bool {
	var names []string
	for _, in := range inputs {
		if in.syn.Name.Text != name {
			names = append(names, in.syn.Name.Text)
			continue
		}
		given[name] = value.NullValue
		if x := e.Sub(it.ValueExpr); readsEnvironment(x.Node) {
			// Its value is known when the connection, or the run, begins.
			c.check(x, deploymentPlace, nil, in.typ, &subject{plain: "The input " + quoted(name)})
			c.isLate("env", x.Range())
			return true
		}
		if v := c.constantOf(e.Sub(it.ValueExpr), deploymentPlace, in.typ, &subject{plain: "The input " + quoted(name)}); v != nil {
			given[name] = *v
		}
		return true
	}
	d := unknownName(codeUnknownInput, "input", "The workflow", name, it.KeyExpr.Range(), names)
	c.report(d)
	return false
}

// readsEnvironment reports whether an expression reads the environment or the
// place of the project, which no check does.
func readsEnvironment(x hclNode) bool {
	if mentionsRoot(x, "project") {
		return true
	}
	found := false
	_ = hclsyntax.VisitAll(x, func(n hclsyntax.Node) hcl.Diagnostics {
		call, ok := n.(*hclsyntax.FunctionCallExpr)
		found = found || ok && call.Name == "env"
		return nil
	})
	return found
}

// missingInputs reports the inputs that nobody gives to the runs that the deployment
// starts by itself. Whoever else runs it can give them.
func (c *checker) missingInputs(d *syntax.Deployment, inputs []*input, given map[string]value.Value) {
	if d.Schedule == nil && d.Webhook == nil {
		return
	}
	if w := d.Webhook; w != nil && w.Input != nil && !slices.ContainsFunc(inputs, func(in *input) bool { return in.syn.Name.Text == w.Input.Text }) {
		return // it is not known which input it gives, which is reported
	}
	var missing []string
	for _, in := range inputs {
		if d.Webhook != nil && d.Webhook.Input != nil && d.Webhook.Input.Text == in.syn.Name.Text {
			continue
		}
		if _, ok := given[in.syn.Name.Text]; ok || in.optional || in.syn.Default != nil || in.syn.Name.Text == "" {
			continue
		}
		missing = append(missing, in.syn.Name.Text)
	}
	if len(missing) == 0 {
		return
	}
	noun, has, is, them := "input", "has", "it is", "it"
	if len(missing) > 1 {
		noun, has, is, them = "inputs", "have", "they are", "them"
	}
	c.report(diag.New(codeMissingInput, d.Header, "%s", fmt.Sprintf("The %s %s %s no default, and %s not given here: the runs that this deployment starts by itself fail. Add %s to inputs.", noun, quoteAll(missing), has, is, them)))
}
