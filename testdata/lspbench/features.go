package main

import (
	"encoding/json"
	"fmt"

	"github.com/lda-wf/wfc/lsp/protocol"
)

// features are what an editor asks of places. The text is at rest, but for the last one.
var features = []operation{
	{"textDocument/hover", func(s *session, i int) error {
		return s.answered("textDocument/hover", protocol.HoverParams{TextDocumentPositionParams: s.place("input.limit", i, 8)})
	}},
	{"textDocument/definition", func(s *session, i int) error {
		return s.answered("textDocument/definition", protocol.DefinitionParams{TextDocumentPositionParams: s.place("input.limit", i, 8)})
	}},
	{"textDocument/references", func(s *session, i int) error {
		return s.answered("textDocument/references", protocol.ReferenceParams{TextDocumentPositionParams: s.place("input.limit", i, 8)})
	}},
	{"textDocument/formatting", func(s *session, _ int) error {
		return s.answered("textDocument/formatting", protocol.DocumentFormattingParams{TextDocument: s.document(), Options: protocol.FormattingOptions{}})
	}},
	{"textDocument/semanticTokens/full", func(s *session, _ int) error {
		return s.answered("textDocument/semanticTokens/full", protocol.SemanticTokensParams{TextDocument: s.document()})
	}},
	{"textDocument/inlayHint (50 lines)", func(s *session, i int) error {
		at := s.at("input.limit", i)
		return s.answered("textDocument/inlayHint", protocol.InlayHintParams{TextDocument: s.document(), Range: protocol.Range{
			Start: protocol.Position{Line: at.Line}, End: protocol.Position{Line: at.Line + 50},
		}})
	}},
	{"textDocument/documentSymbol", func(s *session, _ int) error {
		return s.answered("textDocument/documentSymbol", protocol.DocumentSymbolParams{TextDocument: s.document()})
	}},
	{"textDocument/codeAction", func(s *session, i int) error {
		at := s.at("input.limit", i)
		return s.answered("textDocument/codeAction", protocol.CodeActionParams{TextDocument: s.document(), Range: protocol.Range{Start: at, End: at}})
	}},
	{"key stroke → textDocument/completion", func(s *session, i int) error { return s.completion(i) }},
}

// place is a place in the document, some characters behind the beginning of a text.
func (s *session) place(text string, i, behind int) protocol.TextDocumentPositionParams {
	at := s.at(text, i)
	at.Character += uint32(behind)
	return protocol.TextDocumentPositionParams{TextDocument: s.document(), Position: at}
}

// answered asks something that there is an answer to.
func (s *session) answered(method string, params any) error {
	var out json.RawMessage
	if err := s.Call(s.ctx, method, params, &out); err != nil {
		return err
	}
	if string(out) == "null" {
		return fmt.Errorf("%s has no answer", method)
	}
	return nil
}

// completion types a letter behind "input.", is offered the input, and takes it back:
// only the first is what somebody waits for.
func (s *session) completion(i int) error {
	p := s.place("input.limit", i, len("input."))
	after := p.Position
	after.Character++
	change := func(r protocol.Range, text string) error {
		s.version++
		return s.Change(s.uri, s.version, protocol.ContentChange{Range: &r, Text: text})
	}
	if err := change(protocol.Range{Start: p.Position, End: p.Position}, "l"); err != nil {
		return err
	}
	var list protocol.CompletionList
	params := protocol.CompletionParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{TextDocument: p.TextDocument, Position: after}}
	if err := s.Call(s.ctx, "textDocument/completion", params, &list); err != nil {
		return err
	}
	if len(list.Items) == 0 {
		return fmt.Errorf("nothing is offered")
	}
	return change(protocol.Range{Start: p.Position, End: after}, "")
}
