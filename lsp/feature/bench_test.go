package feature_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/testdata/genproject"
)

// BenchmarkFeatures is what a key stroke and a request after it take, of files of
// 1,000 and of 10,000 lines, without the transport: p50 and p95 in milliseconds.
func BenchmarkFeatures(b *testing.B) {
	for _, lines := range []int{1000, 10000} {
		b.Run(fmt.Sprint(lines), func(b *testing.B) { benchmarkFeatures(b, lines) })
	}
}

// longFile returns the name and the text of a workflow file of about so many lines.
func longFile(lines int) (name, text string) {
	for steps := lines / 10; ; steps++ {
		for n, src := range genproject.Steps(steps) {
			if strings.HasSuffix(n, ".wf.hcl") && len(src) > len(text) {
				name, text = n, string(src)
			}
		}
		if strings.Count(text, "\n") >= lines {
			return name, text
		}
	}
}

func benchmarkFeatures(b *testing.B, lines int) {
	name, text := longFile(lines)
	files := map[string]string{name: text}
	for n, src := range genproject.Steps(1) {
		if n != name {
			files[n] = string(src)
		}
	}
	e := newEditor(b, files, true)
	doc := protocol.TextDocumentIdentifier{URI: e.uri(name)}
	// The place is in the middle of the file, behind the first name of an expression there.
	at := strings.Index(text[len(text)/2:], "step.") + len(text)/2 + len("step.")
	place := protocol.TextDocumentPositionParams{TextDocument: doc, Position: e.text(name).Position(at)}
	version := int32(1)
	stroke := func(t string) {
		version++
		p := place.Position
		change := protocol.ContentChange{Range: &protocol.Range{Start: p, End: p}, Text: t}
		if t == "" {
			change.Range.End.Character++
		}
		if err := e.space.Change(protocol.DidChangeParams{
			TextDocument: protocol.VersionedTextDocumentIdentifier{URI: doc.URI, Version: version}, ContentChanges: []protocol.ContentChange{change},
		}); err != nil {
			b.Fatal(err)
		}
	}
	run := func(what, method string, params any, typed bool) {
		b.Run(what, func(b *testing.B) {
			var took []time.Duration
			n := 0
			for b.Loop() {
				if typed {
					stroke(map[bool]string{true: "x", false: ""}[n%2 == 0])
				}
				n++
				start := time.Now()
				if _, err := ask[any](e, method, params); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			if typed && n%2 == 1 {
				stroke("")
			}
			slices.Sort(took)
			ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
			b.ReportMetric(ms(took[len(took)/2]), "p50-ms")
			b.ReportMetric(ms(took[len(took)*95/100]), "p95-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
	whole := protocol.Range{End: protocol.Position{Line: uint32(lines) + 1000}}
	run("completion", "textDocument/completion", place, true)
	run("hover", "textDocument/hover", place, false)
	run("hover-after-key", "textDocument/hover", place, true)
	run("definition", "textDocument/definition", place, false)
	run("references", "textDocument/references", protocol.ReferenceParams{TextDocumentPositionParams: place}, false)
	run("formatting", "textDocument/formatting", protocol.DocumentFormattingParams{TextDocument: doc}, false)
	run("semantic-tokens", "textDocument/semanticTokens/full", protocol.SemanticTokensParams{TextDocument: doc}, false)
	run("document-symbols", "textDocument/documentSymbol", protocol.DocumentSymbolParams{TextDocument: doc}, false)
	run("inlay-hints", "textDocument/inlayHint", protocol.InlayHintParams{TextDocument: doc, Range: whole}, false)
	run("folding", "textDocument/foldingRange", protocol.FoldingRangeParams{TextDocument: doc}, false)
	run("code-actions", "textDocument/codeAction", protocol.CodeActionParams{TextDocument: doc, Range: protocol.Range{Start: place.Position, End: place.Position}}, false)
}
