package feature_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lsp/protocol"
)

// TestCompletion reads lines such as "complete MARK: !first +offered -not": what is
// offered first (since it passes the check as it stands), at all, and not; and such as
// "write MARK LABEL: line", the line once that is chosen, with a snippet's places, and
// "detail MARK LABEL: text".
func TestCompletion(t *testing.T) {
	archives(t, "completion_", func(t *testing.T, comment string, files map[string]string) {
		e := newEditor(t, files, strings.Contains(comment, "with snippets"))
		for _, x := range expectations(comment, "complete") {
			list, err := ask[*protocol.CompletionList](e, "textDocument/completion", protocol.CompletionParams{TextDocumentPositionParams: e.at(x.mark)})
			if err != nil {
				t.Fatal(err)
			}
			var all, first []string
			if list != nil {
				for _, i := range list.Items {
					all = append(all, i.Label)
					if strings.HasPrefix(i.SortText, "0") {
						first = append(first, i.Label)
					}
				}
			}
			for _, w := range x.words {
				name := w[1:]
				switch {
				case w == "nothing" && len(all) > 0:
					t.Errorf("%s\n\toffered: %q", x.line, all)
				case w[0] == '!' && !slices.Contains(first, name), w[0] == '+' && !slices.Contains(all, name):
					t.Errorf("%s\n\t%s is not offered: first %q, all %q", x.line, w, first, all[:min(len(all), 40)])
				case w[0] == '-' && slices.Contains(all, name):
					t.Errorf("%s\n\t%s is offered", x.line, name)
				}
			}
		}
		for _, x := range expectations(comment, "write") {
			i := e.offered(x.mark, x.args[0])
			if i == nil || i.TextEdit == nil {
				t.Errorf("%s\n\tis not offered", x.line)
				continue
			}
			r := i.TextEdit.Range
			text := e.text(e.marks[x.mark].file)
			src := string(text.Bytes())
			from, to := text.Offset(r.Start), text.Offset(r.End)
			line := src[strings.LastIndexByte(src[:from], '\n')+1:from] + i.TextEdit.NewText
			rest, _, _ := strings.Cut(src[to:], "\n")
			if got := strings.TrimSpace(line + rest); got != x.text {
				t.Errorf("%s\n\tgives: %s", x.line, got)
			}
		}
		for _, x := range expectations(comment, "detail") {
			if i := e.offered(x.mark, x.args[0]); i == nil || i.Detail != x.text {
				t.Errorf("%s\n\tgot %+v", x.line, i)
			}
		}
	})
}

// offered returns what completion offers at a mark under a label, or nil.
func (e *editor) offered(mark, label string) *protocol.CompletionItem {
	e.t.Helper()
	list, err := ask[*protocol.CompletionList](e, "textDocument/completion", protocol.CompletionParams{TextDocumentPositionParams: e.at(mark)})
	if err != nil {
		e.t.Fatal(err)
	}
	if list != nil {
		for _, i := range list.Items {
			if i.Label == label {
				return &i
			}
		}
	}
	return nil
}
