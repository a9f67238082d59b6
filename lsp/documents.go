package lsp

import (
	"github.com/lda-wf/wfc/lsp/document"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// notification takes a notification. The error ends the session; what is wrong with
// a notification is logged, since it has no answer.
func (s *Server) notification(m *protocol.Message) error {
	switch {
	case m.Method == "exit":
		return errExit
	case s.phase != initialized:
		s.log.printf("%s was sent outside of the session and is left out.", m.Method)
		return nil
	}
	if err := s.apply(m); err != nil {
		s.logf("%s: %v", m.Method, err)
	}
	if dirty := s.workspace.Dirty(); len(dirty) > 0 {
		s.publisher.changed(s.workspace.Snapshot(), dirty)
	}
	return nil
}

// apply changes the workspace as a notification says.
func (s *Server) apply(m *protocol.Message) error {
	switch m.Method {
	case "initialized":
		s.watch("**/*.wf.hcl", "**/*.wftest.hcl", "**/*.wfi", "**/wfc.hcl", "**/catalog/*.json")
	case "textDocument/didOpen":
		return with(m, func(p protocol.DidOpenParams) error {
			s.look()
			return s.workspace.Open(p.TextDocument)
		})
	case "textDocument/didChange":
		return with(m, s.workspace.Change)
	case "textDocument/didClose":
		return with(m, func(p protocol.DidCloseParams) error { return s.workspace.Close(p.TextDocument.URI) })
	case "textDocument/didSave":
		return with(m, func(p protocol.DidSaveParams) error {
			if path, ok := document.Path(p.TextDocument.URI); ok {
				s.workspace.DiskChanged(path)
			}
			s.look()
			return nil
		})
	case "workspace/didChangeWatchedFiles":
		return with(m, func(p protocol.DidChangeWatchedFilesParams) error {
			var paths []string
			for _, c := range p.Changes {
				if path, ok := document.Path(c.URI); ok {
					paths = append(paths, path)
				}
			}
			if len(paths) > 0 {
				s.workspace.DiskChanged(paths...)
			}
			return nil
		})
	case "workspace/didChangeWorkspaceFolders":
		return with(m, func(p protocol.DidChangeWorkspaceFoldersParams) error {
			s.workspace.SetFolders(p.Event.Added, p.Event.Removed)
			return nil
		})
	case "$/cancelRequest":
		return with(m, func(p protocol.CancelParams) error {
			s.cancelCall(p.ID)
			return nil
		})
	case "workspace/didChangeConfiguration", "textDocument/willSave", "$/setTrace", "window/workDoneProgress/cancel":
		// Known, and nothing to do.
	default:
		if len(m.Method) < 2 || m.Method[:2] != "$/" { // those may be left out
			s.log.printf("The notification %s is not known.", m.Method)
		}
	}
	return nil
}

// look has files on disk looked at again: not every client says which change.
func (s *Server) look() { s.workspace.DiskChanged() }

// with calls f with the parameters of a notification.
func with[P any](m *protocol.Message, f func(P) error) error {
	p, err := protocol.Params[P](m)
	if err != nil {
		return err
	}
	return f(p)
}
