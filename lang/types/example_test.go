package types

import "testing"

func TestExamples(t *testing.T) {
	for text, want := range map[string]string{
		`object({ ok = bool, pick = enum("x", "y"), n = optional(integer) })`: `{"ok":false,"pick":"x"}`,
		`list(string)`:              `[]`,
		`nullable(tuple([number]))`: `[0]`,
		`null`:                      `null`,
	} {
		if got := Example(MustParse(text)).JSON(); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
