package syntax

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

func (r *reader) deployment(b *hclsyntax.Block) *Deployment {
	r.examine(deploymentShape, b.Body, b)
	d := &Deployment{
		Block:       block(b),
		Name:        r.labels(deploymentShape, b)[0],
		Description: r.text(b.Body, "description"),
		Inputs:      r.attribute(b.Body, "inputs"),
		Workflow:    r.workflowRef(b.Body.Attributes["workflow"]),
	}
	if at := b.Body.Attributes["bind"]; at != nil {
		d.Bind = r.bindings(at)
	}
	for _, c := range b.Body.Blocks {
		// A second block of a kind has its diagnostic.
		switch {
		case c.Type == "policy" && d.Policy == nil:
			d.Policy = r.policy(c)
		case c.Type == "schedule" && d.Schedule == nil:
			d.Schedule = r.schedule(c)
		case c.Type == "webhook" && d.Webhook == nil:
			d.Webhook = r.webhook(c)
		}
	}
	return d
}

// workflowRef reads an attribute that names a workflow; nil if it is not
// written or is something else.
func (r *reader) workflowRef(at *hclsyntax.Attribute) *Ref {
	if at == nil {
		return nil
	}
	return r.rooted(at.Expr, "workflow", 2, "a workflow, as workflow.NAME")
}

func (r *reader) policy(b *hclsyntax.Block) *Policy {
	r.labels(policyShape, b)
	r.examine(policyShape, b.Body, b)
	return &Policy{
		Block:       block(b),
		Destructive: r.choice(b.Body, "destructive", "allow", "ask", "deny"),
		Drift:       r.choice(b.Body, "drift", "fail", "warn", "ignore"),
		InDoubt:     r.choice(b.Body, "in_doubt", "ask", "fail", "retry"),
	}
}

func (r *reader) schedule(b *hclsyntax.Block) *Schedule {
	r.labels(scheduleShape, b)
	r.examine(scheduleShape, b.Body, b)
	return &Schedule{
		Block:    block(b),
		Cron:     r.text(b.Body, "cron"),
		Timezone: r.text(b.Body, "timezone"),
		Overlap:  r.choice(b.Body, "overlap", "skip", "queue", "cancel"),
		Missed:   r.choice(b.Body, "missed", "skip", "run_once"),
	}
}

func (r *reader) webhook(b *hclsyntax.Block) *Webhook {
	r.labels(webhookShape, b)
	r.examine(webhookShape, b.Body, b)
	w := &Webhook{
		Block:   block(b),
		Path:    r.text(b.Body, "path"),
		Secret:  r.attribute(b.Body, "secret"),
		MaxBody: r.size(b.Body, "max_body"),
	}
	if at := b.Body.Attributes["input"]; at != nil {
		w.Input = r.inputName(at)
	}
	return w
}

// inputName reads which input is meant: input.NAME, or the name in quotes.
func (r *reader) inputName(at *hclsyntax.Attribute) *Label {
	if s, ok := r.constantText(at.Expr); ok {
		return &Label{Text: s, Range: inside(unparen(at.Expr).Range())}
	}
	if ref := r.rooted(at.Expr, "input", 2, "the input that receives the body, as input.NAME"); ref != nil {
		return &ref.Path[1]
	}
	return nil
}

func (r *reader) bindings(at *hclsyntax.Attribute) []Binding {
	const want = "which connection each source is bound to, as { SOURCE = connection.PROVIDER.ACCOUNT }"
	var out []Binding
	r.named(at, "source", "bound", want, func(name Label, e hclsyntax.Expression) {
		b := Binding{Source: name}
		if ref := r.rooted(e, "connection", 3, "a connection, as connection.PROVIDER.ACCOUNT"); ref != nil {
			b.Connection = *ref
		}
		out = append(out, b)
	})
	return out
}

// named reads an object that gives each of some names something, calling add
// for each item. noun says what the names are of, done what happens to them
// (as in "is bound already"), want what stands here.
func (r *reader) named(at *hclsyntax.Attribute, noun, done, want string, add func(name Label, e hclsyntax.Expression)) {
	obj, ok := unparen(at.Expr).(*hclsyntax.ObjectConsExpr)
	if !ok {
		if !unreadable(at.Expr) {
			r.report(diag.New(codeInvalidReference, at.Expr.Range(), "Here stands %s.", want))
		}
		return
	}
	seen := map[string]hcl.Range{}
	for _, item := range obj.Items {
		name, ok := r.key(item.KeyExpr)
		if !ok {
			r.report(diag.New(codeNotConstant, item.KeyExpr.Range(), "The name of a %s cannot be computed. Write it as it is.", noun))
			continue
		}
		if first, twice := seen[name.Text]; twice {
			r.report(diag.New(codeAttributeTwice, name.Range, "The %s %q is %s already. Write it once.", noun, name.Text, done).With(first, "%s here first", done))
			continue
		}
		seen[name.Text] = name.Range
		add(name, item.ValueExpr)
	}
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
