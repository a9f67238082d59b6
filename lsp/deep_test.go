package lsp_test

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lsp/protocol"
)

// What is nested thousands of times is one finding and no end of the process, and
// neither is what an editor asks about it.
func TestADocumentThatIsNestedDeeply(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20)) // a sixteenth of what a process has
	s := initialized(t, "", nil)
	uri := protocol.DocumentURI("untitled:a")
	const before, after = "workflow \"w\" {\n  locals {\n    a = ", "\n  }\n}\n"
	s.must(s.Open(uri, 0, before+"1"+after))
	s.codes(uri, 0)
	version := int32(0)
	for name, c := range map[string]struct{ open, middle, close string }{
		"brackets":             {"[", "", "]"},
		"brackets, open":       {"[", "", ""},
		"parentheses":          {"(", "1", ")"},
		"objects":              {"{ a = ", "1", "}"},
		"templates":            {"\"${", "1", "}\""},
		"templates, open":      {"\"${", "", ""},
		"calls":                {"length(", "", ")"},
		"negations":            {"!", "true", ""},
		"conditionals":         {"true ? ", "1", " : 1"},
		"directives":           {"\"%{ if true }", "", "%{ endif }\""},
		"loops":                {"[for x in ", "[]", " : x]"},
		"operators":            {"1 + ", "1", ""},
		"attributes":           {"", "x", ".x"},
		"indexes":              {"", "x", "[0]"},
		"splats":               {"", "x", "[*].x"},
		"blocks":               {"\n}\n}\na {\n", "", "}\n"},
		"closing brackets":     {"", "", "]"},
		"heredocs":             {"<<A\n", "", ""},
		"comments of asterisk": {"/*", "", ""},
	} {
		version++
		deep := 5_000
		if strings.HasPrefix(name, "brackets") {
			deep = 100_000
		}
		text := before + strings.Repeat(c.open, deep) + c.middle + strings.Repeat(c.close, deep) + after
		s.must(s.Change(uri, version, protocol.ContentChange{Text: text}))
		found, err := s.Diagnostics(t.Context(), uri, version)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, s.log)
		}
		if len(found) == 0 || len(found) > 100 {
			t.Errorf("%s: %d findings", name, len(found))
		}
		for _, method := range methods() {
			err := s.Call(t.Context(), method, deepParams(uri), nil)
			if e, ok := err.(*protocol.Error); err != nil && (!ok || e.Code == protocol.InternalError) {
				t.Fatalf("%s: %s: %v\n%s", name, method, err, s.log)
			}
		}
	}
}

func deepParams(uri protocol.DocumentURI) map[string]any {
	at := protocol.Position{Line: 2, Character: 50_000}
	all := protocol.Range{End: protocol.Position{Line: 100}}
	return map[string]any{
		"textDocument": protocol.TextDocumentIdentifier{URI: uri}, "position": at, "positions": []protocol.Position{at}, "range": all,
		"context": map[string]any{"diagnostics": []any{}, "includeDeclaration": true, "triggerKind": 1}, "newName": "renamed", "query": "w",
		"options": map[string]any{}, "previousResultIds": []any{}, "label": "x", "command": "x",
		"item": map[string]any{"name": "x", "uri": uri, "range": all, "selectionRange": all},
	}
}
