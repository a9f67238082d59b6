package feature

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"hash/fnv"

	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// diagnosticOptions is what the server says to a client that it does not send
// diagnostics to on its own.
func diagnosticOptions(c *workspace.Client) any {
	if !workspace.Pulls(c) {
		return nil
	}
	return map[string]any{"identifier": "wfc", "interFileDependencies": true, "workspaceDiagnostics": true}
}

// documentDiagnostic answers with what check finds in a document.
func documentDiagnostic(ctx context.Context, s *workspace.Snapshot, p protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	var list []protocol.Diagnostic
	f, err := s.File(ctx, p.TextDocument.URI)
	if err != nil {
		return protocol.DocumentDiagnosticReport{}, err
	}
	if f != nil {
		found, err := s.Diagnostics(ctx, f.Project)
		if err != nil {
			return protocol.DocumentDiagnosticReport{}, err
		}
		for _, d := range found {
			if d.URI == p.TextDocument.URI {
				list = d.Diagnostics
			}
		}
	}
	return report(list, p.PreviousResultID), nil
}

// workspaceDiagnostic answers with what check finds in all projects that something is
// open of.
func workspaceDiagnostic(ctx context.Context, s *workspace.Snapshot, p protocol.WorkspaceDiagnosticParams) (protocol.WorkspaceDiagnosticReport, error) {
	before := map[protocol.DocumentURI]string{}
	for _, r := range p.PreviousResultIDs {
		before[r.URI] = r.Value
	}
	out := protocol.WorkspaceDiagnosticReport{Items: []protocol.WorkspaceDocumentDiagnosticReport{}}
	add := func(d workspace.Diagnosed) {
		out.Items = append(out.Items, protocol.WorkspaceDocumentDiagnosticReport{URI: d.URI, Version: d.Version, Report: report(d.Diagnostics, before[d.URI])})
		delete(before, d.URI)
	}
	for _, x := range s.Projects() {
		found, err := s.Diagnostics(ctx, x)
		if err != nil {
			return out, err
		}
		for _, d := range found {
			add(d)
		}
	}
	for _, r := range p.PreviousResultIDs { // there is nothing in these any more
		if _, has := before[r.URI]; has {
			add(workspace.Diagnosed{URI: r.URI})
		}
	}
	return out, nil
}

// report says what is found in a document, or that it is what the client has. The
// id of a result is a digest of it.
func report(list []protocol.Diagnostic, before string) protocol.DocumentDiagnosticReport {
	h := fnv.New64a()
	_ = json.NewEncoder(h).Encode(list) // a hash takes everything
	id := hex.EncodeToString(h.Sum(nil))
	if id == before {
		return protocol.DocumentDiagnosticReport{Kind: protocol.ReportUnchanged, ResultID: id}
	}
	return protocol.DocumentDiagnosticReport{Kind: protocol.ReportFull, ResultID: id, Items: list}
}
