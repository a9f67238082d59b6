package engine

import (
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
)

// A result over the limit fails its step and is not kept; retrying it is no use.
func TestAResultMayBeTooLarge(t *testing.T) {
	long := strings.Repeat("x", 2000)
	image := &Answer{Content: []value.Value{value.OfBlob(&value.BlobValue{MIMEType: "image/png", Size: 5000, SHA256: "ab"})}}
	for _, c := range []struct {
		name  string
		node  plan.NodeSpec
		tools world
		want  string // "": it may be
	}{
		{"a text within it", call("a", "t", ``), world{"t": say(long[:900])}, ""},
		{"a text", call("a", "t", ``), world{"t": say(long)}, "limit: Step a failed: The tool demo.main.t gave too much. The result has 2026 bytes, and `max_result` in wfc.hcl allows 1 KiB."},
		{"structured content", call("a", "t", ``), world{"t": give(`{"x":"` + long + `"}`)}, "limit: Step a failed: The tool demo.main.t gave too much."},
		{"of which a small result is made", call("a", "t", ``, result("length(self.text)")), world{"t": say(long)}, "limit:"},
		{"binary content", call("a", "t", ``), world{"t": func(value.Value) (*Answer, *CallError) { return image, nil }}, "limit: Step a failed: The tool demo.main.t gave too much. The result has 5000 bytes"},
		{"the text of an error answer", call("a", "t", ``), world{"t": func(value.Value) (*Answer, *CallError) { return &Answer{IsError: true, Text: long}, nil }}, "limit:"},
		{"a value", val("a", `"`+long+`"`), nil, "limit: Step a failed: The result has 2002 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSim(t, outputs(planOf(c.node), "o", "step.a.outcome"), c.tools)
			s.core.opts.MaxResult = 1 << 10
			ended := s.begin().finish()
			got := ""
			if ended.Err != nil {
				got = string(ended.Err.Kind) + ": " + ended.Err.Message
			}
			if (c.want == "") != (got == "") || !strings.HasPrefix(got, c.want) {
				t.Errorf("it fails with %q, want %q", got, c.want)
			}
			for _, f := range s.facts {
				if end, ok := f.(NodeEnded); ok && ended.Err != nil && (end.Text != "" || end.Content != nil || !end.Output.IsNull()) {
					t.Errorf("what is too large is kept: %+v", end)
				}
			}
		})
	}
}
