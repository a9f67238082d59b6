package lsp_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lsp/protocol"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// Whatever form the parameters of messages have, requests are answered, none is a
// fault of the server, and the session goes on.
func TestParametersOfAnyForm(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := initialized(t, "", nil)
		s.must(s.Open("untitled:a", 1, clean))
		whole := deepParams("untitled:a")
		for range rapid.IntRange(1, 20).Draw(r, "messages") {
			if rapid.IntRange(0, 3).Draw(r, "notification") == 0 {
				method := rapid.SampledFrom(slices.Sorted(maps.Keys(notifications))).Draw(r, "method")
				s.must(s.Notify(method, deformed(r, notifications[method])))
				continue
			}
			method := rapid.SampledFrom(methods()).Draw(r, "method")
			err := s.Call(t.Context(), method, deformed(r, whole), nil)
			if e, ok := err.(*protocol.Error); err != nil && (!ok || e.Code == protocol.InternalError) {
				r.Fatalf("%s: %v\n%s", method, err, s.log)
			}
		}
		s.must(s.Call(t.Context(), "shutdown", nil, nil))
		s.must(s.Notify("exit", nil))
		if code := <-s.exit; code != 0 {
			r.Fatalf("the exit code is %d\n%s", code, s.log)
		}
		s.finish()
	})
}

// notifications are parameters of notifications as they should be.
var notifications = map[string]any{
	"textDocument/didOpen":  protocol.DidOpenParams{TextDocument: protocol.TextDocumentItem{URI: "untitled:b", LanguageID: "wfc", Text: clean}},
	"textDocument/didClose": protocol.TextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: "untitled:a"}},
	"textDocument/didSave":  protocol.TextDocumentParams{TextDocument: protocol.TextDocumentIdentifier{URI: "untitled:a"}},
	"textDocument/didChange": protocol.DidChangeParams{
		TextDocument:   protocol.VersionedTextDocumentIdentifier{URI: "untitled:a", Version: 2},
		ContentChanges: []protocol.ContentChange{{Range: &protocol.Range{Start: protocol.Position{Line: 1, Character: 2}, End: protocol.Position{Line: 3}}, Text: "x"}, {Text: clean}},
	},
	"workspace/didChangeWatchedFiles":     protocol.DidChangeWatchedFilesParams{Changes: []protocol.FileEvent{{URI: "untitled:a", Type: 2}}},
	"workspace/didChangeWorkspaceFolders": map[string]any{"event": map[string]any{"added": []any{}, "removed": []any{}}},
	"workspace/didChangeConfiguration":    map[string]any{"settings": nil},
	"$/cancelRequest":                     map[string]any{"id": 1},
	"$/setTrace":                          map[string]any{"value": "off"},
}

// odd are values that no field expects.
var odd = []any{
	nil, true, -1, 1.5, 1e300, float64(1 << 53), "", "x", "untitled:a", "file:///%zz", "\x00", []any{}, []any{nil}, map[string]any{}, map[string]any{"line": -1},
}

// deformed returns parameters of which a part is another, or is missing.
func deformed(r *rapid.T, params any) any {
	src, err := json.Marshal(params)
	if err != nil {
		r.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(src, &v); err != nil {
		r.Fatal(err)
	}
	return deform(r, v)
}

func deform(r *rapid.T, v any) any {
	stop := rapid.IntRange(0, 3).Draw(r, "here") == 0
	switch x := v.(type) {
	case map[string]any:
		if stop || len(x) == 0 {
			break
		}
		key := rapid.SampledFrom(slices.Sorted(maps.Keys(x))).Draw(r, "key")
		if rapid.IntRange(0, 4).Draw(r, "missing") == 0 {
			delete(x, key)
		} else {
			x[key] = deform(r, x[key])
		}
		return x
	case []any:
		if stop || len(x) == 0 {
			break
		}
		i := rapid.IntRange(0, len(x)-1).Draw(r, "element")
		x[i] = deform(r, x[i])
		return x
	}
	return rapid.SampledFrom(odd).Draw(r, "value")
}
