package check

import (
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/value"
)

// unsafeRetries reports the retries of calls that may not be repeated: after the
// request has left they would do their work twice, so that nothing is retried then.
func (c *checker) unsafeRetries() {
	for _, s := range c.f.stepList {
		r := s.syn.Retry
		if r == nil || s.syn.Call == nil || s.tool == nil || s.effect == catalog.Read || s.unsure || repeatable(s) {
			continue
		}
		if r.On != nil && onlyUnsent(c.constantList(r.On.Expr.Node, r.On.Expr.Source)) {
			continue
		}
		id := s.source.owner()
		why := "is not read-only"
		if s.effect == catalog.Unknown {
			why = "does not say what effect it has"
		}
		c.report(diag.New(codeUnsafeRetry, r.Header, "The tool %s.%s %s, and nothing says that it may be called twice: a failure after the request has left is not retried, because its effect is unknown then. Where repeating is harmless, say so in the connection: tool %s { idempotent = true }, or idempotency_arg = \"ARGUMENT\" where the tool takes a key. Else remove retry, or write on = [\"rate_limit\"].", id, s.tool.Name, why, quoted(s.tool.Name)))
	}
}

// repeatable reports whether the snapshot or the connection's tool block says that
// a call may be repeated (DURABILITY, "One rule for repeats").
func repeatable(s *step) bool {
	if b := s.block; b != nil {
		if b.IdempotencyArg != nil {
			return true
		}
		if b.Idempotent != nil {
			return *b.Idempotent
		}
	}
	return s.tool.Idempotent != nil && *s.tool.Idempotent
}

// constantList returns the texts of a list that is written as such, nil for others.
func (c *checker) constantList(x hclNode, source []byte) (out []string) {
	c.at(source, c.place, func() {
		v := c.constant(x)
		if v == nil || v.Kind() != value.List {
			return
		}
		for _, e := range v.AsList() {
			if e.Kind() == value.String {
				out = append(out, e.AsString())
			}
		}
	})
	return out
}

// onlyUnsent reports whether nothing was done after failures of these kinds.
func onlyUnsent(kinds []string) bool {
	for _, k := range kinds {
		if k != "rate_limit" {
			return false
		}
	}
	return len(kinds) > 0
}
