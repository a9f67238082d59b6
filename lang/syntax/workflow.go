package syntax

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
)

func (r *reader) workflow(b *hclsyntax.Block) *Workflow {
	r.examine(workflowShape, b.Body, b)
	w := &Workflow{
		Block:       block(b),
		Name:        r.labels(workflowShape, b)[0],
		Description: r.text(b.Body, "description"),
		Title:       r.text(b.Body, "title"),
		Deadline:    r.attribute(b.Body, "deadline"),
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
			w.Steps = append(w.Steps, r.step(stepShape, c))
		case "finally":
			w.Finally = append(w.Finally, r.step(finallyShape, c))
		case "concurrency":
			if w.Concurrency == nil { // a second one has its diagnostic
				w.Concurrency = r.concurrency(c)
			}
		case "output":
			w.Outputs = append(w.Outputs, r.output(c))
		}
	}
	return w
}

func (r *reader) concurrency(b *hclsyntax.Block) *Concurrency {
	r.labels(concurrencyShape, b)
	r.examine(concurrencyShape, b.Body, b)
	return &Concurrency{
		Block:      block(b),
		Key:        r.attribute(b.Body, "key"),
		Limit:      r.attribute(b.Body, "limit"),
		OnConflict: r.choice(b.Body, "on_conflict", "queue", "cancel", "reject"),
	}
}

func (r *reader) source(b *hclsyntax.Block) *Source {
	r.examine(sourceShape, b.Body, b)
	s := &Source{
		Block:       block(b),
		Name:        r.labels(sourceShape, b)[0],
		Bind:        r.connectionRef(b.Body.Attributes["bind"]),
		Session:     r.choice(b.Body, "session", "shared", "run"),
		Description: r.text(b.Body, "description"),
	}
	s.Misbound = s.Bind == nil && b.Body.Attributes["bind"] != nil
	if at := b.Body.Attributes["interface"]; at != nil {
		s.Interface = r.rooted(at.Expr, "interface", 2, "an interface, as interface.NAME")
	}
	if at := b.Body.Attributes["family"]; at != nil {
		s.Family = r.family(at)
		if bind := b.Body.Attributes["bind"]; bind != nil {
			r.report(diag.New(codeMisfit, bind.NameRange, "%s has \"family\" and \"bind\", but it is bound to one connection or to several by key. Keep one of them.", capital(describe(b))).
				With(at.NameRange, "its connections by key"))
		}
	}
	return s
}

// family reads a source's connections by key.
func (r *reader) family(at *hclsyntax.Attribute) *Family {
	const want = "which connection each key stands for, as { dev = connection.PROVIDER.DEV, prod = connection.PROVIDER.PROD }"
	f := &Family{NameRange: at.NameRange}
	r.named(at, "member of a family", "a member", want, func(name Label, e hclsyntax.Expression) {
		if ref := r.rooted(e, "connection", 3, "a connection, as connection.PROVIDER.ACCOUNT"); ref != nil {
			f.Members = append(f.Members, Member{Key: name, Connection: *ref})
		}
	})
	return f
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
	case ok && len(ref.Path) == n && isNear(ref.Path[0].Text, root):
		at := ref.Path[0].Range
		r.report(diag.New(codeInvalidReference, e.Range(), "Here stands %s. Did you mean %q?", want, root).
			Fix("Change it to "+root, true, diag.Edit{Range: diag.RangeOf(at), Text: root}))
		ref.Path[0].Text = root
		return &ref
	case unreadable(e) || ok && r.halfTyped(ref, root, n):
	case ok && len(ref.Path) == n-1 && ref.Path[0].Text != root:
		at := ref.Range
		at.End = at.Start
		r.report(diag.New(codeInvalidReference, e.Range(), "Here stands %s.", want).
			Fix("Write \""+root+".\" before it", false, diag.Edit{Range: diag.RangeOf(at), Text: root + "."}))
	default:
		d := diag.New(codeInvalidReference, e.Range(), "Here stands %s.", want)
		if whole, is := r.quoted(e, root, n); is {
			d.Detail += " Write it without quotes: " + whole + "."
			d = d.Fix("Change it to "+whole, true, diag.Edit{Range: diag.RangeOf(e.Range()), Text: whole})
		}
		r.report(d)
	}
	return nil
}

func isNear(name, meant string) bool {
	_, near := nearest.Name(name, []string{meant})
	return near
}

// quoted reads a reference that is written in quotes, with or without its root,
// and returns it as it is written without them.
func (r *reader) quoted(e hclsyntax.Expression, root string, n int) (whole string, ok bool) {
	text, ok := r.constantText(e)
	if !ok {
		return "", false
	}
	if !strings.HasPrefix(text, root+".") {
		text = root + "." + text
	}
	parts := strings.Split(text, ".")
	for _, p := range parts {
		ok = ok && hclsyntax.ValidIdentifier(p)
	}
	return text, ok && len(parts) == n
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
		Sensitive:   r.boolean(b.Body, "sensitive"),
	}
	for _, c := range b.Body.Blocks {
		if c.Type == "validation" {
			in.Validations = append(in.Validations, r.condition(validationShape, c))
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
		Sensitive:   r.boolean(b.Body, "sensitive"),
	}
}
