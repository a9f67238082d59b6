package protocol

import "encoding/json"

// CompletionParams ask what may stand at a place.
type CompletionParams struct {
	TextDocumentPositionParams
	Context *CompletionContext `json:"context,omitempty"`
}

// CompletionContext says how completion was asked for.
type CompletionContext struct {
	TriggerKind      CompletionTriggerKind `json:"triggerKind"`
	TriggerCharacter string                `json:"triggerCharacter,omitempty"`
}

// CompletionTriggerKind is how completion was asked for.
type CompletionTriggerKind uint32

// The ways.
const (
	CompletionInvoked          CompletionTriggerKind = 1
	CompletionTriggerCharacter CompletionTriggerKind = 2
	CompletionForIncomplete    CompletionTriggerKind = 3
)

// CompletionList is what may stand there.
type CompletionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []CompletionItem `json:"items"`
}

// CompletionItemKind decides the icon of an item.
type CompletionItemKind uint32

// The kinds of items.
const (
	CompletionText          CompletionItemKind = 1
	CompletionMethod        CompletionItemKind = 2
	CompletionFunction      CompletionItemKind = 3
	CompletionField         CompletionItemKind = 5
	CompletionVariable      CompletionItemKind = 6
	CompletionClass         CompletionItemKind = 7
	CompletionInterface     CompletionItemKind = 8
	CompletionModule        CompletionItemKind = 9
	CompletionProperty      CompletionItemKind = 10
	CompletionValue         CompletionItemKind = 12
	CompletionEnum          CompletionItemKind = 13
	CompletionKeyword       CompletionItemKind = 14
	CompletionSnippet       CompletionItemKind = 15
	CompletionFile          CompletionItemKind = 17
	CompletionReference     CompletionItemKind = 18
	CompletionEnumMember    CompletionItemKind = 20
	CompletionConstant      CompletionItemKind = 21
	CompletionStruct        CompletionItemKind = 22
	CompletionEvent         CompletionItemKind = 23
	CompletionTypeParameter CompletionItemKind = 25
)

// InsertTextFormat is how the text of an item is to be read.
type InsertTextFormat uint32

// The formats.
const (
	InsertPlain   InsertTextFormat = 1
	InsertSnippet InsertTextFormat = 2
)

// InsertTextMode is what happens to the white space of what is inserted.
type InsertTextMode uint32

// The modes.
const (
	InsertAsIs              InsertTextMode = 1
	InsertAdjustIndentation InsertTextMode = 2
)

// CompletionItemLabelDetails stand beside the label.
type CompletionItemLabelDetails struct {
	Detail      string `json:"detail,omitempty"`
	Description string `json:"description,omitempty"`
}

// CompletionItem is one thing that may stand there. Documentation may be left
// to completionItem/resolve, which gets Data back.
type CompletionItem struct {
	Label               string                      `json:"label"`
	LabelDetails        *CompletionItemLabelDetails `json:"labelDetails,omitempty"`
	Kind                CompletionItemKind          `json:"kind,omitempty"`
	Tags                []uint32                    `json:"tags,omitempty"` // 1: deprecated
	Detail              string                      `json:"detail,omitempty"`
	Documentation       *MarkupContent              `json:"documentation,omitempty"`
	Preselect           bool                        `json:"preselect,omitempty"`
	SortText            string                      `json:"sortText,omitempty"`
	FilterText          string                      `json:"filterText,omitempty"`
	InsertText          string                      `json:"insertText,omitempty"`
	InsertTextFormat    InsertTextFormat            `json:"insertTextFormat,omitempty"`
	InsertTextMode      InsertTextMode              `json:"insertTextMode,omitempty"`
	TextEdit            *TextEdit                   `json:"textEdit,omitempty"`
	AdditionalTextEdits []TextEdit                  `json:"additionalTextEdits,omitempty"`
	CommitCharacters    []string                    `json:"commitCharacters,omitempty"`
	Command             *Command                    `json:"command,omitempty"`
	Data                json.RawMessage             `json:"data,omitempty"`
}

// UnmarshalJSON reads an item that a client sends back, whose documentation may
// be a mere string.
func (i *CompletionItem) UnmarshalJSON(src []byte) error {
	type plain CompletionItem
	x := struct {
		*plain
		Documentation json.RawMessage `json:"documentation,omitempty"`
	}{plain: (*plain)(i)}
	if err := json.Unmarshal(src, &x); err != nil {
		return err
	}
	if len(x.Documentation) == 0 || string(x.Documentation) == "null" {
		return nil
	}
	i.Documentation = &MarkupContent{Kind: PlainText}
	if json.Unmarshal(x.Documentation, &i.Documentation.Value) == nil {
		return nil
	}
	return json.Unmarshal(x.Documentation, i.Documentation)
}

// HoverParams ask what something is.
type HoverParams struct{ TextDocumentPositionParams }

// Hover says what something is.
type Hover struct {
	Contents MarkupContent `json:"contents"`
	Range    *Range        `json:"range,omitempty"`
}

// SignatureHelpParams ask for the signature of what is being called.
type SignatureHelpParams struct {
	TextDocumentPositionParams
	Context *SignatureHelpContext `json:"context,omitempty"`
}

// SignatureHelpContext says how signature help was asked for.
type SignatureHelpContext struct {
	TriggerKind         uint32         `json:"triggerKind"`
	TriggerCharacter    string         `json:"triggerCharacter,omitempty"`
	IsRetrigger         bool           `json:"isRetrigger"`
	ActiveSignatureHelp *SignatureHelp `json:"activeSignatureHelp,omitempty"`
}

// SignatureHelp is signatures, one of which is being called.
type SignatureHelp struct {
	Signatures      []SignatureInformation `json:"signatures"`
	ActiveSignature uint32                 `json:"activeSignature"`
	ActiveParameter *uint32                `json:"activeParameter,omitempty"`
}

// SignatureInformation is one signature.
type SignatureInformation struct {
	Label           string                 `json:"label"`
	Documentation   *MarkupContent         `json:"documentation,omitempty"`
	Parameters      []ParameterInformation `json:"parameters,omitempty"`
	ActiveParameter *uint32                `json:"activeParameter,omitempty"`
}

// ParameterInformation is one parameter: its label is part of the signature's,
// or, as two numbers, where it stands in it (in UTF-16 code units).
type ParameterInformation struct {
	Label         any            `json:"label"` // string or [2]uint32
	Documentation *MarkupContent `json:"documentation,omitempty"`
}
