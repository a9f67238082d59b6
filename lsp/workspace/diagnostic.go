package workspace

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// documentation is where the explanations of codes are.
const documentation = "https://github.com/lda-wf/wfc/blob/main/docs/diagnostics.md"

// Pulls reports whether a client asks for diagnostics itself, and can be told when to. No
// others are sent to it then: it would show them twice.
func Pulls(c *Client) bool {
	return c.TextDocument.Diagnostic != nil && c.Workspace.Diagnostics.RefreshSupport
}

// Diagnosed is a document or file with its diagnostics.
type Diagnosed struct {
	URI         protocol.DocumentURI
	Version     *int32 // nil: it is not open
	Diagnostics []protocol.Diagnostic
}

// Diagnostics returns what check finds in a project, by file: all open files, and all
// others in which there is something. The error is the context's.
func (s *Snapshot) Diagnostics(ctx context.Context, p *Project) ([]Diagnosed, error) {
	found, err := p.Findings(ctx)
	if err != nil {
		return nil, err
	}
	loaded, err := p.Load(ctx)
	if err != nil {
		return nil, err
	}
	return s.diagnosed(p, loaded, found), nil
}

// OpenDiagnostics returns what checking the open files alone finds in them: sooner
// than Diagnostics, and perhaps less. The error is the context's.
func (s *Snapshot) OpenDiagnostics(ctx context.Context, p *Project) ([]Diagnosed, error) {
	found, part, err := p.first(ctx)
	if err != nil {
		return nil, err
	}
	return s.diagnosed(p, part, found), nil
}

// diagnosed returns findings by file, with the project as far as it is loaded.
func (s *Snapshot) diagnosed(p *Project, loaded *project.Project, found diag.List) []Diagnosed {
	var out []Diagnosed
	at := map[string]int{}
	add := func(name string) int {
		i, ok := at[name]
		if !ok {
			i = len(out)
			at[name] = i
			x := Diagnosed{URI: p.URI(name)}
			if d := p.open[name]; d != nil {
				x.Version = &d.Version
			}
			out = append(out, x)
		}
		return i
	}
	for _, name := range p.Open() {
		if s.shows(p, name) && (p.Root == "" || project.Belongs(name)) {
			add(name)
		}
	}
	for _, x := range found {
		name := x.Range.File
		if name == "" || name == "." || loaded.Source(name) == nil && !project.Belongs(name) && filepath.Ext(name) != ".json" {
			// Of no file: shown where the project begins.
			x.Range = diag.Range{File: syntax.SettingsName}
			name = syntax.SettingsName
		}
		if !s.shows(p, name) {
			continue
		}
		i := add(name)
		out[i].Diagnostics = append(out[i].Diagnostics, p.diagnostic(loaded, x))
	}
	return out
}

// shows reports whether the findings of a file are shown as this project has them:
// a file that is below two roots is the deeper one's.
func (s *Snapshot) shows(p *Project, name string) bool {
	if p.Root == "" {
		return true
	}
	if d := p.open[name]; d != nil && d.key != "" {
		return d.key == p.Root
	}
	return s.Owner(filepath.Join(p.Root, filepath.FromSlash(name))) == p
}

// diagnostic returns a finding of the project as the protocol has it.
func (p *Project) diagnostic(loaded *project.Project, x diag.Diagnostic) protocol.Diagnostic {
	l, _ := p.location(loaded, x.Range)
	d := protocol.Diagnostic{
		Range: l.Range, Severity: severities[x.Severity], Code: string(x.Code), Source: "wfc", Message: x.Detail,
		CodeDescription: &protocol.CodeDescription{Href: explanation(x)},
	}
	if d.Message == "" {
		d.Message = x.Summary
	}
	if slices.Contains(unnecessary, x.Code) {
		d.Tags = []protocol.DiagnosticTag{protocol.TagUnnecessary}
	}
	for _, r := range x.Related {
		if at, ok := p.location(loaded, r.Range); ok {
			d.RelatedInformation = append(d.RelatedInformation, protocol.DiagnosticRelatedInformation{Location: at, Message: r.Message})
		}
	}
	if p.client.TextDocument.PublishDiagnostics.DataSupport && len(x.Fixes) > 0 {
		d.Data = p.data(loaded, x)
	}
	return d
}

// fix is what Data holds of a fix.
type fix struct {
	Title   string                                       `json:"title"`
	Certain bool                                         `json:"certain"`
	Edits   map[protocol.DocumentURI][]protocol.TextEdit `json:"edits"`
}

// data is what a client sends back with a request for code actions.
func (p *Project) data(loaded *project.Project, x diag.Diagnostic) json.RawMessage {
	var fixes []fix
	for _, f := range x.Fixes {
		edits := map[protocol.DocumentURI][]protocol.TextEdit{}
		for _, e := range f.Edits {
			if at, ok := p.location(loaded, e.Range); ok {
				edits[at.URI] = append(edits[at.URI], protocol.TextEdit{Range: at.Range, NewText: e.Text})
			}
		}
		fixes = append(fixes, fix{f.Title, f.Certain, edits})
	}
	src, err := json.Marshal(map[string]any{"fixes": fixes})
	if err != nil {
		return nil // texts, numbers and lists can always be written
	}
	return src
}

// explanation is where a finding's code is explained: under a heading of which the
// page's host makes an anchor.
func explanation(x diag.Diagnostic) string {
	var b strings.Builder
	for _, c := range strings.ToLower(string(x.Code) + ": " + x.Summary) {
		switch {
		case c == ' ':
			b.WriteByte('-')
		case c == '-' || c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c):
			b.WriteRune(c)
		}
	}
	return documentation + "#" + b.String()
}

// unnecessary are the codes of what could as well not be there.
var unnecessary = []diag.Code{"WFC3301", "WFC3302", "WFC3303", "WFC3304", "WFC3305", "WFC3307"}

var severities = map[diag.Severity]protocol.DiagnosticSeverity{
	diag.Error: protocol.SeverityError, diag.Warning: protocol.SeverityWarning, diag.Info: protocol.SeverityInformation,
}
