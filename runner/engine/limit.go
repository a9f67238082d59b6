package engine

import (
	"fmt"

	"github.com/lda-wf/wfc/lang/value"
)

// within is the end of a node whose result may not be larger than the project
// allows: then it fails, and its effect, if it has one, has happened. What is too
// large is not kept.
func (c *Core) within(n *node, end NodeEnded) NodeEnded {
	if c.opts.MaxResult <= 0 {
		return end
	}
	size := sizeOf(end.Output)
	if n.connection != "" {
		size = max(size, int64(len(end.Text))) // output often is the text
		for _, part := range end.Content {
			size = max(size, sizeOf(part))
		}
	}
	if size <= c.opts.MaxResult {
		return end
	}
	failure := &Failure{Kind: KindLimit, Message: fmt.Sprintf(
		"The result has %s, and `max_result` in wfc.hcl allows %s. Ask for less, or allow more.", bytesIn(size), bytesIn(c.opts.MaxResult))}
	if n.connection != "" {
		failure.Message = n.says("gave too much") + ". " + failure.Message
		failure.Sent = SentYes
	}
	return NodeEnded{At: end.At, Outcome: OutcomeError, Attempts: end.Attempts, Failure: failure}
}

// sizeOf is about how many bytes keeping v takes, binary content included.
func sizeOf(v value.Value) int64 {
	switch v.Kind() {
	case value.String:
		return int64(len(v.AsString())) + 2
	case value.List:
		size := int64(2)
		for _, e := range v.AsList() {
			size += sizeOf(e) + 1
		}
		return size
	case value.Object:
		size := int64(2)
		for k, a := range v.AsObject().All() {
			size += int64(len(k)) + 4 + sizeOf(a)
		}
		return size
	case value.Blob:
		return v.AsBlob().Size
	case value.Number:
		return int64(len(v.AsNumber().String()))
	}
	return 4
}

// bytesIn says a number of bytes as people do, exactly where it is a round one.
func bytesIn(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
