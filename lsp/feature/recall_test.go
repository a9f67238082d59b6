package feature_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// TestWhatWasWrittenIsOffered takes names of the corpus away, alone and with the rest
// of their lines, as while they are typed: completion offers them again.
func TestWhatWasWrittenIsOffered(t *testing.T) {
	e, p := corpusEditor(t)
	every := 17
	if testing.Short() {
		every = 101
	}
	n := 0
	var alone, rest, tried int
	for _, f := range p.Files {
		for _, r := range check.Look(p, f.Name, 0, len(f.Source)).Readings {
			if r.Of == nil && r.Root == r.Name || r.Type.IsError() || r.Of != nil && r.Of.Underlying().Kind() == types.Any {
				continue
			}
			if n++; n%every != 0 {
				continue
			}
			start, end := r.Range.Start.Byte, r.Range.End.Byte
			if f.Source[start-1] != '.' {
				continue
			}
			tried++
			offered := func(src string) bool {
				e.change(f.Name, src)
				params := protocol.CompletionParams{}
				params.TextDocument.URI = e.uri(f.Name)
				params.Position = e.text(f.Name).Position(start)
				list, err := ask[*protocol.CompletionList](e, "textDocument/completion", params)
				e.change(f.Name, string(f.Source))
				if err != nil {
					t.Fatal(err)
				}
				return list != nil && slices.ContainsFunc(list.Items, func(i protocol.CompletionItem) bool { return i.Label == r.Name })
			}
			src := string(f.Source)
			if offered(src[:start] + src[end:]) {
				alone++
			} else {
				t.Logf("%s:%d: %s", f.Name, r.Range.Start.Line, r.Name)
			}
			line := strings.IndexByte(src[end:], '\n')
			if offered(src[:start] + src[end+line:]) {
				rest++
			} else {
				t.Logf("%s:%d: %s, without what follows", f.Name, r.Range.Start.Line, r.Name)
			}
		}
	}
	if alone < tried || rest < tried-1-tried/20 {
		t.Errorf("of %d names %d are offered in their places, and %d where the rest of the line is not written yet", tried, alone, rest)
	}
}
