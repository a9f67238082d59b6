package protocol

import "encoding/json"

// FormattingOptions are what the client wants; wfc has one format and reads none.
type FormattingOptions map[string]any

// DocumentFormattingParams ask to format a document.
type DocumentFormattingParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Options      FormattingOptions      `json:"options"`
}

// DocumentRangeFormattingParams ask to format a part of a document.
type DocumentRangeFormattingParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Range        Range                  `json:"range"`
	Options      FormattingOptions      `json:"options"`
}

// CodeActionKind is a kind of code actions; a dot separates it from a narrower one.
type CodeActionKind string

// The kinds.
const (
	QuickFix        CodeActionKind = "quickfix"
	Refactor        CodeActionKind = "refactor"
	RefactorExtract CodeActionKind = "refactor.extract"
	RefactorRewrite CodeActionKind = "refactor.rewrite"
	SourceAction    CodeActionKind = "source"
	SourceFixAll    CodeActionKind = "source.fixAll"
)

// CodeActionParams ask what can be done with a range.
type CodeActionParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Range        Range                  `json:"range"`
	Context      CodeActionContext      `json:"context"`
}

// CodeActionContext says what is wanted: the diagnostics that the client shows
// there, and the kinds of actions (nil: all).
type CodeActionContext struct {
	Diagnostics []Diagnostic     `json:"diagnostics"`
	Only        []CodeActionKind `json:"only,omitempty"`
	TriggerKind uint32           `json:"triggerKind,omitempty"` // 2: not by the user
}

// CodeAction is something that can be done. Edit may be left to
// codeAction/resolve, which gets Data back.
type CodeAction struct {
	Title       string          `json:"title"`
	Kind        CodeActionKind  `json:"kind,omitempty"`
	Diagnostics []Diagnostic    `json:"diagnostics,omitempty"`
	IsPreferred bool            `json:"isPreferred,omitempty"`
	Edit        *WorkspaceEdit  `json:"edit,omitempty"`
	Command     *Command        `json:"command,omitempty"`
	Data        json.RawMessage `json:"data,omitempty"`
}

// CodeLensParams ask for the lenses of a document.
type CodeLensParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
}

// CodeLens is a command that is shown above a line. Command may be left to
// codeLens/resolve, which gets Data back.
type CodeLens struct {
	Range   Range           `json:"range"`
	Command *Command        `json:"command,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// FoldingRangeParams ask what can be folded.
type FoldingRangeParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
}

// FoldingRange is lines that can be folded. Kind is "comment", "imports",
// "region" or empty.
type FoldingRange struct {
	StartLine      uint32  `json:"startLine"`
	StartCharacter *uint32 `json:"startCharacter,omitempty"`
	EndLine        uint32  `json:"endLine"`
	EndCharacter   *uint32 `json:"endCharacter,omitempty"`
	Kind           string  `json:"kind,omitempty"`
}

// SelectionRangeParams ask how selections at places grow.
type SelectionRangeParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Positions    []Position             `json:"positions"`
}

// SelectionRange is a range, in the one that selecting more gives.
type SelectionRange struct {
	Range  Range           `json:"range"`
	Parent *SelectionRange `json:"parent,omitempty"`
}

// SemanticTokensParams ask for the tokens of a document.
type SemanticTokensParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
}

// SemanticTokensDeltaParams ask for what has changed since a result.
type SemanticTokensDeltaParams struct {
	TextDocument     TextDocumentIdentifier `json:"textDocument"`
	PreviousResultID string                 `json:"previousResultId"`
}

// SemanticTokensRangeParams ask for the tokens of a range.
type SemanticTokensRangeParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Range        Range                  `json:"range"`
}

// SemanticTokens are tokens, five numbers each.
type SemanticTokens struct {
	ResultID string   `json:"resultId,omitempty"`
	Data     []uint32 `json:"data"`
}

// SemanticTokensDelta is how tokens have changed.
type SemanticTokensDelta struct {
	ResultID string               `json:"resultId,omitempty"`
	Edits    []SemanticTokensEdit `json:"edits"`
}

// SemanticTokensEdit replaces numbers of an earlier result.
type SemanticTokensEdit struct {
	Start       uint32   `json:"start"`
	DeleteCount uint32   `json:"deleteCount"`
	Data        []uint32 `json:"data,omitempty"`
}

// SemanticTokensLegend names the types and modifiers that the numbers mean.
type SemanticTokensLegend struct {
	TokenTypes     []string `json:"tokenTypes"`
	TokenModifiers []string `json:"tokenModifiers"`
}

// InlayHintParams ask for the hints of a range.
type InlayHintParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Range        Range                  `json:"range"`
}

// InlayHintKind is what a hint says.
type InlayHintKind uint32

// The kinds.
const (
	InlayType      InlayHintKind = 1
	InlayParameter InlayHintKind = 2
)

// InlayHint is text that is shown between what is written.
type InlayHint struct {
	Position     Position       `json:"position"`
	Label        string         `json:"label"`
	Kind         InlayHintKind  `json:"kind,omitempty"`
	Tooltip      *MarkupContent `json:"tooltip,omitempty"`
	PaddingLeft  bool           `json:"paddingLeft,omitempty"`
	PaddingRight bool           `json:"paddingRight,omitempty"`
}

// ExecuteCommandParams ask to do a command of ours.
type ExecuteCommandParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments,omitempty"`
}
