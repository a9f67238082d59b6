package lsp

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/lda-wf/wfc/lsp/document"
	"github.com/lda-wf/wfc/lsp/feature"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// initialize begins the session.
func (s *Server) initialize(m *protocol.Message) (any, error) {
	p, err := initializeParams(m)
	if err != nil {
		return nil, err
	}
	s.client = &workspace.Client{
		ClientCapabilities: p.Capabilities,
		Encoding:           document.Negotiate(p.Capabilities.General.PositionEncodings),
		Version:            s.options.Version,
		Suggests:           p.ClientInfo != nil && suggests(p.ClientInfo.Name),
	}
	s.workspace = workspace.New(s.client)
	folders := p.WorkspaceFolders
	if len(folders) == 0 {
		switch {
		case p.RootURI != "":
			folders = []protocol.WorkspaceFolder{{URI: p.RootURI}}
		case p.RootPath != "":
			folders = []protocol.WorkspaceFolder{{URI: document.URI(p.RootPath)}}
		}
	}
	s.workspace.SetFolders(folders, nil)
	s.publisher = newPublisher(s)
	s.phase = initialized
	return protocol.InitializeResult{
		Capabilities: s.capabilities(),
		ServerInfo:   protocol.ServerInfo{Name: "wfc", Version: s.options.Version},
	}, nil
}

// suggests reports whether a client is VS Code, by one of the names that it goes by, or one
// that has its commands.
func suggests(client string) bool {
	for _, name := range []string{"Visual Studio Code", "Code - ", "VSCodium", "Cursor", "Windsurf", "coc.nvim"} {
		if strings.HasPrefix(client, name) {
			return true
		}
	}
	return false
}

// initializeParams reads the parameters. What a client says of itself in another
// form than the protocol's counts as not said, rather than that it gets no server.
func initializeParams(m *protocol.Message) (protocol.InitializeParams, error) {
	var p protocol.InitializeParams
	if m.Params == nil {
		return p, protocol.Errorf(protocol.InvalidParams, "initialize has no parameters.")
	}
	err := json.Unmarshal(m.Params, &p)
	var form *json.UnmarshalTypeError
	if err != nil && (!errors.As(err, &form) || form.Field == "") {
		return p, protocol.Errorf(protocol.InvalidParams, "The parameters of initialize are not as the protocol has them: %v.", err)
	}
	return p, nil
}

// capabilities is what the server says that it can do: how documents are kept,
// and what the features are.
func (s *Server) capabilities() map[string]any {
	out := map[string]any{
		"positionEncoding": s.client.Encoding,
		"textDocumentSync": map[string]any{"openClose": true, "change": 2, "save": map[string]any{"includeText": false}},
		"workspace": map[string]any{
			"workspaceFolders": map[string]any{"supported": true, "changeNotifications": true},
		},
	}
	for _, f := range feature.All() {
		if f.Capability == "" {
			continue
		}
		out[f.Capability] = true
		if f.Options != nil {
			if o := f.Options(s.client); o != nil {
				out[f.Capability] = o
			} else {
				delete(out, f.Capability)
			}
		}
	}
	return out
}

// watch asks the client to say when files on disk change that match patterns.
func (s *Server) watch(patterns ...string) {
	if !s.client.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		return
	}
	var o protocol.DidChangeWatchedFilesRegistrationOptions
	for _, pattern := range patterns {
		o.Watchers = append(o.Watchers, protocol.FileSystemWatcher{GlobPattern: pattern})
	}
	s.ask("client/registerCapability", protocol.RegistrationParams{Registrations: []protocol.Registration{{
		ID: "files " + strings.Join(patterns, " "), Method: "workspace/didChangeWatchedFiles", RegisterOptions: o,
	}}})
}
