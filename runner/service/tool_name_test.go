package service

import (
	"strings"
	"testing"
)

func TestToolNamesAreWhatClientsTake(t *testing.T) {
	for id, want := range map[string]string{"triage-prod": "triage-prod", "triage.prod": "triage_prod"} {
		if got := ToolName(id); got != want {
			t.Errorf("ToolName(%q) = %q, want %q", id, got, want)
		}
	}
}

func TestLongNamesStayApart(t *testing.T) {
	long := strings.Repeat("x", 127)
	a, b := ToolName(long+"a"), ToolName(long+"b")
	if len(a) > longestToolName || len(b) > longestToolName || a == b {
		t.Errorf("the names are %q and %q", a, b)
	}
}
