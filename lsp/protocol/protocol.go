// Package protocol has the words of the Language Server Protocol: the framing
// and the JSON-RPC messages of a connection, and the types of those requests
// and notifications that wfc speaks, after LSP 3.17 (what 3.18 added is marked).
//
// Its central type is [Message]; [Reader] and [Writer] carry it. It imports
// nothing of wfc.
//
// Field names are the protocol's. A pointer, an empty list or an empty string
// is left out of the JSON unless the protocol wants it there; lists that it
// wants are never null.
package protocol

// DocumentURI is a URI as the client wrote it. It is compared as text with what
// the same client sent, and sent back unchanged.
type DocumentURI string

// Position is a place in a document. Line and Character count from 0, Character
// in code units of the encoding that was agreed on (lsp/document).
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// Range is a half-open span of a document.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a range of some document.
type Location struct {
	URI   DocumentURI `json:"uri"`
	Range Range       `json:"range"`
}

// LocationLink is a location that says what of the request's document leads to it.
type LocationLink struct {
	OriginSelectionRange *Range      `json:"originSelectionRange,omitempty"`
	TargetURI            DocumentURI `json:"targetUri"`
	TargetRange          Range       `json:"targetRange"`
	TargetSelectionRange Range       `json:"targetSelectionRange"`
}

// TextDocumentIdentifier names a document.
type TextDocumentIdentifier struct {
	URI DocumentURI `json:"uri"`
}

// VersionedTextDocumentIdentifier names one version of an open document.
type VersionedTextDocumentIdentifier struct {
	URI     DocumentURI `json:"uri"`
	Version int32       `json:"version"`
}

// OptionalVersionedTextDocumentIdentifier names a version of a document; a nil
// Version is that on disk.
type OptionalVersionedTextDocumentIdentifier struct {
	URI     DocumentURI `json:"uri"`
	Version *int32      `json:"version"`
}

// TextDocumentItem is a document with its text.
type TextDocumentItem struct {
	URI        DocumentURI `json:"uri"`
	LanguageID string      `json:"languageId"`
	Version    int32       `json:"version"`
	Text       string      `json:"text"`
}

// TextDocumentPositionParams is a place in a document.
type TextDocumentPositionParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
	Position     Position               `json:"position"`
}

// TextDocumentParams is a document, the parameters of requests about all of one.
type TextDocumentParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
}

// TextEdit replaces a range with text.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// TextDocumentEdit is edits of one version of a document.
type TextDocumentEdit struct {
	TextDocument OptionalVersionedTextDocumentIdentifier `json:"textDocument"`
	Edits        []TextEdit                              `json:"edits"`
}

// CreateFile makes a file, an operation of a workspace edit.
type CreateFile struct {
	Kind string      `json:"kind"` // "create"
	URI  DocumentURI `json:"uri"`
}

// RenameFile gives a file another name, an operation of a workspace edit.
type RenameFile struct {
	Kind   string      `json:"kind"` // "rename"
	OldURI DocumentURI `json:"oldUri"`
	NewURI DocumentURI `json:"newUri"`
}

// WorkspaceEdit is edits of several documents. Changes is for clients without
// documentChanges; one of the two is set. DocumentChanges holds
// TextDocumentEdit, CreateFile and RenameFile values.
type WorkspaceEdit struct {
	Changes         map[DocumentURI][]TextEdit `json:"changes,omitempty"`
	DocumentChanges []any                      `json:"documentChanges,omitempty"`
}

// MarkupKind is how a text is written.
type MarkupKind string

// The kinds of markup.
const (
	PlainText MarkupKind = "plaintext"
	Markdown  MarkupKind = "markdown"
)

// MarkupContent is text with its kind.
type MarkupContent struct {
	Kind  MarkupKind `json:"kind"`
	Value string     `json:"value"`
}

// Command is something that the client or the server does when it is chosen.
type Command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

// WorkspaceFolder is a root folder of the client.
type WorkspaceFolder struct {
	URI  DocumentURI `json:"uri"`
	Name string      `json:"name"`
}
