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

// Letters that clients do not take are no reason for two deployments to have one tool.
func TestNamesInOtherScriptsStayApart(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{"数据", "文件", "__", "münchen", "m_nchen", "mönchen"} {
		name := ToolName(id)
		if other, twice := seen[name]; twice {
			t.Errorf("%s and %s are both the tool %s", other, id, name)
		}
		seen[name] = id
	}
}
