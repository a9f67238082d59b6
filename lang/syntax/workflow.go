package syntax

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

func (r *reader) workflow(b *hclsyntax.Block) *Workflow {
	r.examine(workflowShape, b.Body, b)
	w := &Workflow{
		Block:       block(b),
		Name:        r.labels(workflowShape, b)[0],
		Description: r.text(b.Body, "description"),
		Title:       r.text(b.Body, "title"),
	}
	for _, c := range b.Body.Blocks {
		switch c.Type {
		case "source":
			w.Sources = append(w.Sources, r.source(c))
		case "input":
			w.Inputs = append(w.Inputs, r.input(c))
		case "locals":
			w.Locals = r.locals(w.Locals, c)
		case "step":
			w.Steps = append(w.Steps, r.step(c))
		case "output":
			w.Outputs = append(w.Outputs, r.output(c))
		}
	}
	return w
}

func (r *reader) source(b *hclsyntax.Block) *Source {
	r.examine(sourceShape, b.Body, b)
	return &Source{
		Block:       block(b),
		Name:        r.labels(sourceShape, b)[0],
		Bind:        r.connectionRef(b.Body.Attributes["bind"]),
		Session:     r.choice(b.Body, "session", "shared", "run"),
		Description: r.text(b.Body, "description"),
	}
}

// connectionRef reads an attribute that names a connection; nil if it is not
// written or is something else.
func (r *reader) connectionRef(at *hclsyntax.Attribute) *Ref {
	if at == nil {
		return nil
	}
	return r.rooted(at.Expr, "connection", 3, "a connection, as connection.PROVIDER.ACCOUNT")
}

// rooted reads a reference of n parts that begins with root. want says what is
// wanted otherwise.
func (r *reader) rooted(e hclsyntax.Expression, root string, n int, want string) *Ref {
	ref, ok := r.reference(e)
	switch {
	case ok && len(ref.Path) == n && ref.Path[0].Text == root:
		return &ref
	case unreadable(e) || ok && r.halfTyped(ref, root, n):
	case ok && len(ref.Path) == n-1 && ref.Path[0].Text != root:
		at := ref.Range
		at.End = at.Start
		r.report(diag.New(codeInvalidReference, e.Range(), "Here stands %s.", want).
			Fix("Write \""+root+".\" before it", false, diag.Edit{Range: diag.RangeOf(at), Text: root + "."}))
	default:
		r.report(diag.New(codeInvalidReference, e.Range(), "Here stands %s.", want))
	}
	return nil
}

// halfTyped reports whether ref is the beginning of a reference to root that
// lost its last parts to a syntax error, which has a diagnostic.
func (r *reader) halfTyped(ref Ref, root string, n int) bool {
	return r.broken && ref.Path[0].Text == root && len(ref.Path) < n
}

func (r *reader) input(b *hclsyntax.Block) *Input {
	r.examine(inputShape, b.Body, b)
	in := &Input{
		Block:       block(b),
		Name:        r.labels(inputShape, b)[0],
		Type:        r.value(b.Body, "type"),
		Default:     r.attribute(b.Body, "default"),
		Description: r.text(b.Body, "description"),
	}
	for _, c := range b.Body.Blocks {
		if c.Type == "validation" {
			r.labels(validationShape, c)
			r.examine(validationShape, c.Body, c)
			in.Validations = append(in.Validations, &Condition{
				Block:        block(c),
				Condition:    r.value(c.Body, "condition"),
				ErrorMessage: r.value(c.Body, "error_message"),
			})
		}
	}
	return in
}

func (r *reader) locals(into []*Local, b *hclsyntax.Block) []*Local {
	r.labels(localsShape, b)
	r.examine(localsShape, b.Body, b)
	for _, at := range inOrder(b.Body.Attributes) {
		into = append(into, &Local{Name: Label{Text: at.Name, Range: at.NameRange}, Expr: r.expr(at.Expr)})
	}
	return into
}

// inOrder returns attributes in file order; HCL keeps them in a map.
func inOrder(m hclsyntax.Attributes) []*hclsyntax.Attribute {
	out := make([]*hclsyntax.Attribute, 0, len(m))
	for _, at := range m {
		out = append(out, at)
	}
	slices.SortFunc(out, func(a, b *hclsyntax.Attribute) int { return a.NameRange.Start.Byte - b.NameRange.Start.Byte })
	return out
}

func (r *reader) output(b *hclsyntax.Block) *Output {
	r.examine(outputShape, b.Body, b)
	return &Output{
		Block:       block(b),
		Name:        r.labels(outputShape, b)[0],
		Value:       r.value(b.Body, "value"),
		Type:        r.value(b.Body, "type"),
		Description: r.text(b.Body, "description"),
	}
}

func (r *reader) deployment(b *hclsyntax.Block) *Deployment {
	r.examine(deploymentShape, b.Body, b)
	d := &Deployment{
		Block:       block(b),
		Name:        r.labels(deploymentShape, b)[0],
		Description: r.text(b.Body, "description"),
		Inputs:      r.attribute(b.Body, "inputs"),
	}
	if at := b.Body.Attributes["workflow"]; at != nil {
		d.Workflow = r.rooted(at.Expr, "workflow", 2, "a workflow, as workflow.NAME")
	}
	if at := b.Body.Attributes["bind"]; at != nil {
		d.Bind = r.bindings(at)
	}
	return d
}

func (r *reader) bindings(at *hclsyntax.Attribute) []Binding {
	obj, ok := unparen(at.Expr).(*hclsyntax.ObjectConsExpr)
	if !ok {
		if !unreadable(at.Expr) {
			r.report(diag.New(codeInvalidReference, at.Expr.Range(),
				"Here stands which connection each source is bound to, as { SOURCE = connection.PROVIDER.ACCOUNT }."))
		}
		return nil
	}
	var out []Binding
	seen := map[string]hcl.Range{}
	for _, item := range obj.Items {
		name, ok := r.key(item.KeyExpr)
		if !ok {
			r.report(diag.New(codeNotConstant, item.KeyExpr.Range(), "The name of a source cannot be computed. Write it as it stands in the workflow."))
			continue
		}
		if first, twice := seen[name.Text]; twice {
			r.report(diag.New(codeAttributeTwice, name.Range, "The source %q is bound already. Bind it once.", name.Text).With(first, "bound here first"))
			continue
		}
		seen[name.Text] = name.Range
		if ref := r.rooted(item.ValueExpr, "connection", 3, "a connection, as connection.PROVIDER.ACCOUNT"); ref != nil {
			out = append(out, Binding{Source: name, Connection: *ref})
		}
	}
	return out
}

// key reads the constant key of an object item.
func (r *reader) key(e hclsyntax.Expression) (Label, bool) {
	k, ok := e.(*hclsyntax.ObjectConsKeyExpr)
	if !ok {
		return Label{}, false
	}
	name, ok := r.expr(k.Wrapped).ObjectKey(k)
	at := k.Range()
	if _, quoted := k.Wrapped.(*hclsyntax.TemplateExpr); quoted {
		at = inside(at)
	}
	return Label{Text: name, Range: at}, ok
}
