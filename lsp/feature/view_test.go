package feature_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/format"
	"github.com/lda-wf/wfc/lsp/protocol"
)

const viewed = `# A comment
# of two lines.
workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
  input "title" {
    type = string
  }
  locals {
    names = [for t in step.list.output.tasks : t.title]
  }
  step "list" {
    call = demo.list_tasks
  }
  step "add" {
    for_each = step.list.output.tasks
    call     = demo.add_label
    args = {
      task  = each.value.id
      label = "å 😀 ${input.title}"
    }
  }
  output "names" {
    value = local.‹local›names
  }
}

workflow "outer" {
  step "inner" {
    run  = workflow.‹ref›w
    args = { title = upper("x", ‹arg›) }
  }
  step "add" {
    call = demo.add_label
    args = { task = 1, label = ‹callarg›"x" }
  }
  source "demo" {
    bind = connection.demo.main
  }
}
`

func newViewed(t *testing.T) (*editor, protocol.TextDocumentIdentifier) {
	e := newEditor(t, map[string]string{"main.wf.hcl": viewed}, false)
	return e, protocol.TextDocumentIdentifier{URI: e.uri("main.wf.hcl")}
}

func TestDocumentSymbolsAreTheBlocksInEachOther(t *testing.T) {
	e, doc := newViewed(t)
	list, err := ask[[]protocol.DocumentSymbol](e, "textDocument/documentSymbol", protocol.DocumentSymbolParams{TextDocument: doc})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var walk func(depth int, list []protocol.DocumentSymbol)
	walk = func(depth int, list []protocol.DocumentSymbol) {
		for _, d := range list {
			got = append(got, strings.Repeat(" ", depth)+d.Name)
			walk(depth+1, d.Children)
		}
	}
	walk(0, list)
	if want := "w| demo| title| locals|  names| list| add| names|outer| inner| add| demo"; strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestWorkspaceSymbolsAreFoundByTheirLetters(t *testing.T) {
	e, _ := newViewed(t)
	list, err := ask[[]protocol.SymbolInformation](e, "workspace/symbol", protocol.WorkspaceSymbolParams{Query: "nms"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range list {
		got = append(got, s.Name)
	}
	if strings.Join(got, " ") != "names names" {
		t.Errorf("got %q", got)
	}
}

// lines returns the text of tokens, a line each: type, modifiers and text.
func (e *editor) tokenLines(file string, data []uint32) []string {
	names := []string{
		"keyword", "property", "string", "number", "comment", "function", "variable", "parameter", "namespace", "method",
		"type", "interface", "class", "decorator", "event",
	}
	text := e.text(file)
	var out []string
	var line, character uint32
	for i := 0; i+5 <= len(data); i += 5 {
		if data[i] > 0 {
			character = 0
		}
		line, character = line+data[i], character+data[i+1]
		start := text.Offset(protocol.Position{Line: line, Character: character})
		end := text.Offset(protocol.Position{Line: line, Character: character + data[i+2]})
		out = append(out, names[data[i+3]]+" "+e.texts[file][start:end])
	}
	return out
}

func TestSemanticTokensSayWhatNamesAre(t *testing.T) {
	e, doc := newViewed(t)
	full, err := ask[protocol.SemanticTokens](e, "textDocument/semanticTokens/full", protocol.SemanticTokensParams{TextDocument: doc})
	if err != nil {
		t.Fatal(err)
	}
	got := e.tokenLines("main.wf.hcl", full.Data)
	for _, want := range []string{
		"comment # of two lines.", "keyword workflow", "function w", "namespace demo", "property bind", "type string", "keyword for",
		"variable names", "event list", "method list_tasks", "parameter title", "string å 😀 ", "number 1", "function upper",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("there is no %q in\n%s", want, strings.Join(got, "\n"))
		}
	}
	same, err := ask[protocol.SemanticTokensDelta](e, "textDocument/semanticTokens/full/delta", protocol.SemanticTokensDeltaParams{TextDocument: doc, PreviousResultID: full.ResultID})
	if err != nil || len(same.Edits) != 0 || same.ResultID != full.ResultID {
		t.Errorf("nothing has changed: %+v, %v", same, err)
	}
	edit := []protocol.ContentChange{{Range: &protocol.Range{Start: protocol.Position{Line: 6, Character: 0}, End: protocol.Position{Line: 6, Character: 0}}, Text: "  title = \"x\"\n"}}
	if err := e.space.Change(protocol.DidChangeParams{TextDocument: protocol.VersionedTextDocumentIdentifier{URI: doc.URI, Version: 2}, ContentChanges: edit}); err != nil {
		t.Fatal(err)
	}
	delta, err := ask[protocol.SemanticTokensDelta](e, "textDocument/semanticTokens/full/delta", protocol.SemanticTokensDeltaParams{TextDocument: doc, PreviousResultID: full.ResultID})
	if err != nil || len(delta.Edits) != 1 {
		t.Fatalf("one place has changed: %+v, %v", delta, err)
	}
	x := delta.Edits[0]
	now := slices.Concat(full.Data[:x.Start], x.Data, full.Data[x.Start+x.DeleteCount:])
	again, err := ask[protocol.SemanticTokens](e, "textDocument/semanticTokens/full", protocol.SemanticTokensParams{TextDocument: doc})
	if err != nil || !slices.Equal(now, again.Data) {
		t.Errorf("the change gives other tokens than the whole: %v", err)
	}
}

func TestInlayHintsShowWhatIsWrittenNowhere(t *testing.T) {
	e, doc := newViewed(t)
	hints, err := ask[[]protocol.InlayHint](e, "textDocument/inlayHint", protocol.InlayHintParams{TextDocument: doc, Range: protocol.Range{End: protocol.Position{Line: 1000}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range hints {
		got = append(got, fmt.Sprintf("%d%s", h.Position.Line+1, h.Label))
	}
	if want := "11: list(string)|11: object({ … })|17each.value: object({ … })|24: list(string)"; strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func TestFoldingRangesAreBlocksBracketsAndComments(t *testing.T) {
	e, doc := newViewed(t)
	list, err := ask[[]protocol.FoldingRange](e, "textDocument/foldingRange", protocol.FoldingRangeParams{TextDocument: doc})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range list[:6] {
		got = append(got, fmt.Sprintf("%d-%d%s", f.StartLine+1, f.EndLine+1, f.Kind))
	}
	if want := "1-2comment 3-26 4-5 7-8 10-11 13-14"; strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func TestASelectionGrowsFromANameToTheFile(t *testing.T) {
	e, doc := newViewed(t)
	list, err := ask[[]protocol.SelectionRange](e, "textDocument/selectionRange", protocol.SelectionRangeParams{TextDocument: doc, Positions: []protocol.Position{e.at("local").Position}})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	var got []string
	text := e.text("main.wf.hcl")
	for r := &list[0]; r != nil; r = r.Parent {
		start, end := text.Offsets(r.Range)
		line, _, _ := strings.Cut(e.texts["main.wf.hcl"][start:end], "\n")
		got = append(got, line)
	}
	want := []string{"names", "local.names", "value = local.names", "", "{", `output "names" {`, "", "{", `workflow "w" {`, "# A comment"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestFormattingGivesTheEditsThatFmtMakes(t *testing.T) {
	src := "workflow \"w\" {\n  input \"a\" {\n    type=string\n      description   = \"x\"\n  }\n\n\n\n  output \"o\" {\n    value   =   1\n  }\n}\n"
	e := newEditor(t, map[string]string{"main.wf.hcl": src}, false)
	doc := protocol.TextDocumentIdentifier{URI: e.uri("main.wf.hcl")}
	edits, err := ask[[]protocol.TextEdit](e, "textDocument/formatting", protocol.DocumentFormattingParams{TextDocument: doc})
	if err != nil {
		t.Fatal(err)
	}
	got := e.edited(&protocol.WorkspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{doc.URI: edits}})["main.wf.hcl"]
	want, _ := format.Source("main.wf.hcl", []byte(src))
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	edits, err = ask[[]protocol.TextEdit](e, "textDocument/rangeFormatting", protocol.DocumentRangeFormattingParams{
		TextDocument: doc, Range: protocol.Range{Start: protocol.Position{Line: 8}, End: protocol.Position{Line: 11}},
	})
	if err != nil {
		t.Fatal(err)
	}
	got = e.edited(&protocol.WorkspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{doc.URI: edits}})["main.wf.hcl"]
	if want := strings.Replace(src, "value   =   1", "value = 1", 1); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestSignatureHelpIsOfFunctionsAndCalls(t *testing.T) {
	e, _ := newViewed(t)
	for _, x := range []struct{ mark, label, active string }{{"arg", "upper(", "0"}, {"callarg", "add_label(", "0"}} {
		got, err := ask[*protocol.SignatureHelp](e, "textDocument/signatureHelp", protocol.SignatureHelpParams{TextDocumentPositionParams: e.at(x.mark)})
		if err != nil || got == nil {
			t.Errorf("%s: %v, %v", x.mark, got, err)
			continue
		}
		if !strings.HasPrefix(got.Signatures[0].Label, x.label) || got.ActiveParameter == nil || fmt.Sprint(*got.ActiveParameter) != x.active {
			t.Errorf("%s: %+v", x.mark, got)
		}
	}
}

func TestCallHierarchyIsOfWorkflowsThatRunOthers(t *testing.T) {
	e, doc := newViewed(t)
	items, err := ask[[]protocol.CallHierarchyItem](e, "textDocument/prepareCallHierarchy", protocol.CallHierarchyPrepareParams{TextDocumentPositionParams: e.at("ref")})
	if err != nil || len(items) != 1 || items[0].Name != "w" {
		t.Fatal(items, err)
	}
	in, err := ask[[]protocol.CallHierarchyIncomingCall](e, "callHierarchy/incomingCalls", protocol.CallHierarchyParams{Item: items[0]})
	if err != nil || len(in) != 1 || in[0].From.Name != "outer" {
		t.Fatal(in, err)
	}
	out, err := ask[[]protocol.CallHierarchyOutgoingCall](e, "callHierarchy/outgoingCalls", protocol.CallHierarchyParams{Item: in[0].From})
	if err != nil || len(out) != 1 || out[0].To.Name != "w" {
		t.Fatal(out, err)
	}
	lenses, err := ask[[]protocol.CodeLens](e, "textDocument/codeLens", protocol.CodeLensParams{TextDocument: doc})
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, l := range lenses {
		titles = append(titles, l.Command.Title)
	}
	if want := "run|graph|1 reference|run|graph|0 references"; strings.Join(titles, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(titles, "|"), want)
	}
}

func TestLinksLeadToFilesAndSnapshots(t *testing.T) {
	e := newEditor(t, map[string]string{
		"main.wf.hcl": "workflow \"w\" {\n  output \"o\" {\n    value = file(\"notes.txt\")\n  }\n}\n\nconnection \"demo\" \"main\" {\n  stdio {\n    command = \"demo\"\n  }\n}\n",
		"notes.txt":   "x",
	}, false)
	links, err := ask[[]protocol.DocumentLink](e, "textDocument/documentLink", protocol.DocumentLinkParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.uri("main.wf.hcl")}})
	if err != nil || len(links) != 2 || e.name(links[0].Target) != "notes.txt" || e.name(links[1].Target) != "catalog/demo.main.json" {
		t.Errorf("got %+v, %v", links, err)
	}
}

func TestNothingIsKnownOfAFileThatIsNoneOfOurs(t *testing.T) {
	e := newEditor(t, map[string]string{"main.wf.hcl": viewed, "readme.md": "# x"}, false)
	got, err := ask[*protocol.Hover](e, "textDocument/hover", protocol.HoverParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.uri("readme.md")}}})
	if err != nil || got != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}
