package protocol

import "encoding/json"

// InitializeParams begin a session. Older clients say one root only.
type InitializeParams struct {
	ProcessID             *int64             `json:"processId"`
	ClientInfo            *ClientInfo        `json:"clientInfo,omitempty"`
	Locale                string             `json:"locale,omitempty"`
	RootPath              string             `json:"rootPath,omitempty"`
	RootURI               DocumentURI        `json:"rootUri,omitempty"`
	Capabilities          ClientCapabilities `json:"capabilities"`
	InitializationOptions json.RawMessage    `json:"initializationOptions,omitempty"`
	WorkspaceFolders      []WorkspaceFolder  `json:"workspaceFolders,omitempty"`
}

// ClientInfo is the client's name.
type ClientInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// ClientCapabilities is what wfc asks of what a client can do. All else that it says is dropped.
type ClientCapabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings,omitempty"`
	} `json:"general"`
	Workspace struct {
		WorkspaceFolders bool `json:"workspaceFolders,omitempty"`
		Configuration    bool `json:"configuration,omitempty"`
		WorkspaceEdit    struct {
			DocumentChanges    bool     `json:"documentChanges,omitempty"`
			ResourceOperations []string `json:"resourceOperations,omitempty"`
		} `json:"workspaceEdit"`
		DidChangeWatchedFiles struct {
			DynamicRegistration    bool `json:"dynamicRegistration,omitempty"`
			RelativePatternSupport bool `json:"relativePatternSupport,omitempty"`
		} `json:"didChangeWatchedFiles"`
		Diagnostics    RefreshSupport `json:"diagnostics"`
		SemanticTokens RefreshSupport `json:"semanticTokens"`
		InlayHint      RefreshSupport `json:"inlayHint"`
		CodeLens       RefreshSupport `json:"codeLens"`
	} `json:"workspace"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress,omitempty"`
		ShowDocument     struct {
			Support bool `json:"support,omitempty"`
		} `json:"showDocument"`
	} `json:"window"`
	TextDocument struct {
		Completion struct {
			CompletionItem struct {
				SnippetSupport          bool         `json:"snippetSupport,omitempty"`
				DocumentationFormat     []MarkupKind `json:"documentationFormat,omitempty"`
				LabelDetailsSupport     bool         `json:"labelDetailsSupport,omitempty"`
				PreselectSupport        bool         `json:"preselectSupport,omitempty"`
				CommitCharactersSupport bool         `json:"commitCharactersSupport,omitempty"`
				InsertTextModeSupport   struct {
					ValueSet []InsertTextMode `json:"valueSet,omitempty"`
				} `json:"insertTextModeSupport"`
			} `json:"completionItem"`
		} `json:"completion"`
		Hover struct {
			ContentFormat []MarkupKind `json:"contentFormat,omitempty"`
		} `json:"hover"`
		SignatureHelp struct {
			SignatureInformation struct {
				DocumentationFormat    []MarkupKind `json:"documentationFormat,omitempty"`
				ActiveParameterSupport bool         `json:"activeParameterSupport,omitempty"`
				ParameterInformation   struct {
					LabelOffsetSupport bool `json:"labelOffsetSupport,omitempty"`
				} `json:"parameterInformation"`
			} `json:"signatureInformation"`
		} `json:"signatureHelp"`
		Definition struct {
			LinkSupport bool `json:"linkSupport,omitempty"`
		} `json:"definition"`
		DocumentSymbol struct {
			HierarchicalDocumentSymbolSupport bool `json:"hierarchicalDocumentSymbolSupport,omitempty"`
		} `json:"documentSymbol"`
		CodeAction struct {
			CodeActionLiteralSupport *struct {
				CodeActionKind struct {
					ValueSet []CodeActionKind `json:"valueSet"`
				} `json:"codeActionKind"`
			} `json:"codeActionLiteralSupport,omitempty"`
			IsPreferredSupport bool `json:"isPreferredSupport,omitempty"`
			DataSupport        bool `json:"dataSupport,omitempty"`
			ResolveSupport     *struct {
				Properties []string `json:"properties"`
			} `json:"resolveSupport,omitempty"`
		} `json:"codeAction"`
		Rename struct {
			PrepareSupport bool `json:"prepareSupport,omitempty"`
		} `json:"rename"`
		FoldingRange struct {
			LineFoldingOnly bool   `json:"lineFoldingOnly,omitempty"`
			RangeLimit      uint32 `json:"rangeLimit,omitempty"`
		} `json:"foldingRange"`
		PublishDiagnostics struct {
			RelatedInformation     bool `json:"relatedInformation,omitempty"`
			VersionSupport         bool `json:"versionSupport,omitempty"`
			CodeDescriptionSupport bool `json:"codeDescriptionSupport,omitempty"`
			DataSupport            bool `json:"dataSupport,omitempty"`
			TagSupport             *struct {
				ValueSet []DiagnosticTag `json:"valueSet"`
			} `json:"tagSupport,omitempty"`
		} `json:"publishDiagnostics"`
		Diagnostic *struct {
			RelatedDocumentSupport bool `json:"relatedDocumentSupport,omitempty"`
		} `json:"diagnostic,omitempty"`
		SemanticTokens struct {
			TokenTypes     []string `json:"tokenTypes,omitempty"`
			TokenModifiers []string `json:"tokenModifiers,omitempty"`
		} `json:"semanticTokens"`
	} `json:"textDocument"`
}

// RefreshSupport is whether the client can be told to ask again.
type RefreshSupport struct {
	RefreshSupport bool `json:"refreshSupport,omitempty"`
}

// InitializeResult answers initialize. Capabilities are by their names in the
// protocol: the server's table of features puts them together.
type InitializeResult struct {
	Capabilities map[string]any `json:"capabilities"`
	ServerInfo   ServerInfo     `json:"serverInfo"`
}

// ServerInfo is the server's name.
type ServerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// DidOpenParams open a document: the client owns its text from now on.
type DidOpenParams struct {
	TextDocument TextDocumentItem `json:"textDocument"`
}

// DidChangeParams change a document.
type DidChangeParams struct {
	TextDocument   VersionedTextDocumentIdentifier `json:"textDocument"`
	ContentChanges []ContentChange                 `json:"contentChanges"`
}

// ContentChange replaces a range of a document, or all of it where Range is nil.
type ContentChange struct {
	Range *Range `json:"range,omitempty"`
	Text  string `json:"text"`
}

// DidCloseParams close a document: the file on disk counts again.
type DidCloseParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
}

// DidSaveParams say that a document was saved.
type DidSaveParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
}

// DidChangeWatchedFilesParams say which files on disk have changed.
type DidChangeWatchedFilesParams struct {
	Changes []FileEvent `json:"changes"`
}

// FileEvent is a file that was created (1), changed (2) or deleted (3).
type FileEvent struct {
	URI  DocumentURI `json:"uri"`
	Type uint32      `json:"type"`
}

// DidChangeWorkspaceFoldersParams say which roots there are now.
type DidChangeWorkspaceFoldersParams struct {
	Event struct {
		Added   []WorkspaceFolder `json:"added"`
		Removed []WorkspaceFolder `json:"removed"`
	} `json:"event"`
}

// CancelParams take back a request.
type CancelParams struct {
	ID ID `json:"id"`
}

// MessageType is how important a message is.
type MessageType uint32

// The types.
const (
	MessageError   MessageType = 1
	MessageWarning MessageType = 2
	MessageInfo    MessageType = 3
	MessageLog     MessageType = 4
)

// LogMessageParams are a line of the client's log, or a message that it shows.
type LogMessageParams struct {
	Type    MessageType `json:"type"`
	Message string      `json:"message"`
}

// RegistrationParams ask the client to send more.
type RegistrationParams struct {
	Registrations []Registration `json:"registrations"`
}

// Registration is one thing that the client is asked to send.
type Registration struct {
	ID              string `json:"id"`
	Method          string `json:"method"`
	RegisterOptions any    `json:"registerOptions,omitempty"`
}

// DidChangeWatchedFilesRegistrationOptions say which files to watch.
type DidChangeWatchedFilesRegistrationOptions struct {
	Watchers []FileSystemWatcher `json:"watchers"`
}

// FileSystemWatcher is a pattern of files.
type FileSystemWatcher struct {
	GlobPattern string `json:"globPattern"`
}

// ProgressParams report work. Token is what the client was asked to show it under.
type ProgressParams struct {
	Token any `json:"token"` // string or number
	Value any `json:"value"` // a WorkDoneProgress
}

// WorkDoneProgressCreateParams ask the client to show work.
type WorkDoneProgressCreateParams struct {
	Token string `json:"token"`
}

// WorkDoneProgress is the beginning, a step or the end of work: Kind is "begin",
// "report" or "end".
type WorkDoneProgress struct {
	Kind    string `json:"kind"`
	Title   string `json:"title,omitempty"` // of the beginning
	Message string `json:"message,omitempty"`
}
