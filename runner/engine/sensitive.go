package engine

import (
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/expr"
)

// mark finds the nodes of a program whose results may hold something sensitive:
// what a sensitive input, a tool or the function sensitive gives, and all that is
// computed from it. What is kept of them is encrypted. It looks at whole
// references, so it errs on the side of encrypting.
func (p *Program) mark() {
	inputs := map[string]bool{}
	for _, in := range p.inputs {
		inputs[in.spec.Name] = in.spec.Sensitive
		p.sensitiveInputs = p.sensitiveInputs || in.spec.Sensitive
	}
	for _, o := range p.plan.Outputs {
		p.sensitiveOutputs = p.sensitiveOutputs || o.Sensitive
	}
	marked := map[string]bool{} // locals that were looked at
	var holds func(c code) bool
	holds = func(c code) bool {
		if c.IsZero() {
			return false
		}
		for _, r := range c.source.Refs() {
			switch r.Root {
			case "input":
				if inputs[r.Name] || r.Name == "" && p.sensitiveInputs {
					return true
				}
			case "step":
				if i, ok := p.index[r.Name]; ok && p.nodes[i].sensitive || r.Name == "" && p.holdsSensitive {
					return true
				}
			case "local":
				l := p.locals[r.Name]
				if l == nil {
					break
				}
				got, known := marked[r.Name]
				if !known {
					marked[r.Name] = false // a local that refers to itself is no program
					got = holds(l.code)
					marked[r.Name] = got
				}
				if got {
					return true
				}
			case "run":
				if r.Name == "previous" && p.sensitiveOutputs {
					return true
				}
			}
		}
		return callsSensitive(c.source.Node)
	}
	for i := range p.nodes { // those before it are marked: a node comes after what it refers to
		n := &p.nodes[i]
		n.sensitive = n.gives()
		for _, c := range n.codes() {
			n.sensitive = n.sensitive || holds(c)
		}
		p.holdsSensitive = p.holdsSensitive || n.sensitive
		clear(marked) // what a local holds depends on the steps that were marked
	}
	p.holdsSensitive = p.holdsSensitive || p.sensitiveInputs || p.sensitiveOutputs
}

// gives reports whether what the node calls or runs gives something sensitive.
func (n *node) gives() bool {
	if n.spec.Sensitive || n.child != nil && n.child.holdsSensitive {
		return true
	}
	for _, v := range n.variants {
		if v.spec.Sensitive {
			return true
		}
	}
	for _, u := range n.undo {
		if u.gives() {
			return true
		}
	}
	return false
}

// codes are the expressions of a node.
func (n *node) codes() []code {
	all := []code{
		n.sourceKey, n.value, n.uri, n.sleep, n.args, n.when, n.forEach, n.key, n.maxParallel, n.timeout, n.idleTimeout, n.deadline,
		n.result, n.failIf, n.effect, n.while, n.loopMax, n.loopDelay,
		n.retryAttempts, n.retryDelay, n.retryMaxDelay, n.retryOn, n.retryWhen,
		n.ask.message, n.ask.choices, n.ask.approvers,
	}
	for _, a := range n.asserts {
		all = append(all, a.condition, a.message)
	}
	for _, b := range n.bind {
		all = append(all, b.key)
	}
	for _, u := range n.undo {
		all = append(all, u.codes()...)
	}
	for _, v := range n.variants {
		all = append(all, v.result, v.failIf, v.effect)
	}
	return all
}

// callsSensitive reports whether an expression uses the function sensitive.
func callsSensitive(e hclsyntax.Expression) bool {
	if call, ok := e.(*hclsyntax.FunctionCallExpr); ok && call.Name == "sensitive" {
		return true
	}
	for child := range expr.Children(e) {
		if callsSensitive(child) {
			return true
		}
	}
	return false
}

// isSensitive reports whether what is told of an instance is to be kept encrypted:
// it, or a node that runs the workflow it is in, may hold something sensitive.
func (c *Core) isSensitive(at Addr) bool {
	for {
		f := c.frames[at.Frame]
		if f.prog.nodes[at.Node].sensitive {
			return true
		}
		if f.id == 0 {
			return false
		}
		at = f.parent
	}
}

// tellsSensitive reports whether the message of a failure may quote something sensitive.
func (c *Core) tellsSensitive(e *RunError) bool {
	if e == nil || !c.prog.holdsSensitive {
		return false
	}
	at, err := c.Find(e.At.Path(), e.At.Text())
	return err != nil || c.isSensitive(at)
}

// shownFailure is what people and programs that watch are told of a failure where
// its message may quote something sensitive: they see no more than is kept in the clear.
func shownFailure(f *Failure) *Failure {
	if f == nil {
		return nil
	}
	shown := *f
	shown.Message = withoutWords(f.Kind, f.Message)
	return &shown
}

// shownError is shownFailure of a run's failure.
func shownError(e *RunError) *RunError {
	shown := *e
	shown.Message = withoutWords(e.Kind, e.Message)
	return &shown
}

// withoutWords leaves of a message what cannot quote anything: of kinds that only
// wfc itself has words for all, and of an expression where it stands.
func withoutWords(kind Kind, message string) string {
	const unsaid = "What it says is sensitive and is not shown."
	switch kind {
	case KindCancelled, KindLimit, KindPolicy, KindSession:
		return message
	case KindExpression:
		if where, _, is := strings.Cut(message, ": "); is && strings.HasPrefix(where, "In ") {
			return where + ": " + unsaid
		}
	}
	return unsaid
}
