package protocol

import "encoding/json"

// DefinitionParams ask where something is defined.
type DefinitionParams struct{ TextDocumentPositionParams }

// ReferenceParams ask where something is used.
type ReferenceParams struct {
	TextDocumentPositionParams
	Context ReferenceContext `json:"context"`
}

// ReferenceContext says what counts as a use.
type ReferenceContext struct {
	IncludeDeclaration bool `json:"includeDeclaration"`
}

// DocumentHighlightParams ask where the same thing stands in a document.
type DocumentHighlightParams struct{ TextDocumentPositionParams }

// DocumentHighlightKind is how a thing is used.
type DocumentHighlightKind uint32

// The kinds.
const (
	HighlightText  DocumentHighlightKind = 1
	HighlightRead  DocumentHighlightKind = 2
	HighlightWrite DocumentHighlightKind = 3
)

// DocumentHighlight is one such place.
type DocumentHighlight struct {
	Range Range                 `json:"range"`
	Kind  DocumentHighlightKind `json:"kind,omitempty"`
}

// PrepareRenameParams ask whether something can be renamed.
type PrepareRenameParams struct{ TextDocumentPositionParams }

// PrepareRenameResult is the range of the name and what it is now.
type PrepareRenameResult struct {
	Range       Range  `json:"range"`
	Placeholder string `json:"placeholder"`
}

// RenameParams ask to rename something.
type RenameParams struct {
	TextDocumentPositionParams
	NewName string `json:"newName"`
}

// SymbolKind decides the icon of a symbol.
type SymbolKind uint32

// The kinds of symbols.
const (
	SymbolFile          SymbolKind = 1
	SymbolModule        SymbolKind = 2
	SymbolNamespace     SymbolKind = 3
	SymbolPackage       SymbolKind = 4
	SymbolClass         SymbolKind = 5
	SymbolMethod        SymbolKind = 6
	SymbolProperty      SymbolKind = 7
	SymbolField         SymbolKind = 8
	SymbolEnum          SymbolKind = 10
	SymbolInterface     SymbolKind = 11
	SymbolFunction      SymbolKind = 12
	SymbolVariable      SymbolKind = 13
	SymbolConstant      SymbolKind = 14
	SymbolString        SymbolKind = 15
	SymbolObject        SymbolKind = 19
	SymbolKey           SymbolKind = 20
	SymbolStruct        SymbolKind = 23
	SymbolEvent         SymbolKind = 24
	SymbolTypeParameter SymbolKind = 26
)

// DocumentSymbolParams ask for the outline of a document.
type DocumentSymbolParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
}

// DocumentSymbol is one part of the outline. SelectionRange lies in Range.
type DocumentSymbol struct {
	Name           string           `json:"name"` // not empty
	Detail         string           `json:"detail,omitempty"`
	Kind           SymbolKind       `json:"kind"`
	Range          Range            `json:"range"`
	SelectionRange Range            `json:"selectionRange"`
	Children       []DocumentSymbol `json:"children,omitempty"`
}

// SymbolInformation is a part of the outline for clients that know no hierarchy,
// and a symbol of the workspace.
type SymbolInformation struct {
	Name          string     `json:"name"`
	Kind          SymbolKind `json:"kind"`
	Location      Location   `json:"location"`
	ContainerName string     `json:"containerName,omitempty"`
}

// WorkspaceSymbolParams ask for symbols that a text may mean.
type WorkspaceSymbolParams struct {
	Query string `json:"query"`
}

// CallHierarchyPrepareParams ask what can be called at a place.
type CallHierarchyPrepareParams struct{ TextDocumentPositionParams }

// CallHierarchyItem is something that calls and is called.
type CallHierarchyItem struct {
	Name           string          `json:"name"`
	Kind           SymbolKind      `json:"kind"`
	Detail         string          `json:"detail,omitempty"`
	URI            DocumentURI     `json:"uri"`
	Range          Range           `json:"range"`
	SelectionRange Range           `json:"selectionRange"`
	Data           json.RawMessage `json:"data,omitempty"`
}

// CallHierarchyParams ask who calls an item, or whom it calls.
type CallHierarchyParams struct {
	Item CallHierarchyItem `json:"item"`
}

// CallHierarchyIncomingCall is a caller and where it calls.
type CallHierarchyIncomingCall struct {
	From       CallHierarchyItem `json:"from"`
	FromRanges []Range           `json:"fromRanges"`
}

// CallHierarchyOutgoingCall is what is called and where in the caller.
type CallHierarchyOutgoingCall struct {
	To         CallHierarchyItem `json:"to"`
	FromRanges []Range           `json:"fromRanges"`
}

// DocumentLinkParams ask for the links of a document.
type DocumentLinkParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
}

// DocumentLink is a range that leads somewhere.
type DocumentLink struct {
	Range   Range       `json:"range"`
	Target  DocumentURI `json:"target,omitempty"`
	Tooltip string      `json:"tooltip,omitempty"`
}
