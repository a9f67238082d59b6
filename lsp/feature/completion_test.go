package feature_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lsp/protocol"
)

// TestCompletion reads lines such as "complete MARK: !first +offered -not": what is
// offered first (since it passes the check as it stands), at all, and not.
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
	})
}
