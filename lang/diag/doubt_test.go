package diag

import (
	"strings"
	"testing"
)

func TestAnotherNameIsAGuessUnlessTheOneWrittenIsASlip(t *testing.T) {
	for name, c := range map[string]struct {
		src, old, new string
		certain       bool
	}{
		"a letter left out":    {"langage = 1\n", "langage", "language", true},
		"letters exchanged":    {"titel = 1\n", "titel", "title", true},
		"another separator":    {"perPage = 1\n", "perPage", "per_page", true},
		"another word":         {"get_item = 1\n", "get_item", "set_item", false},
		"a plural":             {"labels = 1\n", "labels", "label", false},
		"quotes":               {"a = \"5\"\n", "\"5\"", "5", true},
		"brackets around it":   {"a = b\n", "b", "[b]", true},
		"a call around it":     {"a = b\n", "b", "tostring(b)", true},
		"an index for a name":  {"a = b.c\n", ".c", "[\"c\"]", true},
		"nothing in its place": {"a = 1\n# x\n", "# x\n", "", true},
	} {
		start := strings.Index(c.src, c.old)
		at := Range{File: "a.wf.hcl", Start: Pos{Byte: start}, End: Pos{Byte: start + len(c.old)}}
		l := List{Diagnostic{}.Fix("mend it", true, Edit{Range: at, Text: c.new}).Fix("or so", false)}
		l.Doubt(func(string) []byte { return []byte(c.src) })
		if got := l[0].Fixes; got[0].Certain != c.certain || got[1].Certain {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestFixesOfFilesThatAreNotThereStay(t *testing.T) {
	l := List{Diagnostic{}.Fix("mend it", true, Edit{Range: Range{File: "gone", End: Pos{Byte: 3}}, Text: "x"})}
	l.Doubt(func(string) []byte { return nil })
	if !l[0].Fixes[0].Certain {
		t.Error("it is doubted")
	}
}
