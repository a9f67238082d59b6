package workspace

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lsp/document"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// Snapshot is what the editor has open at some time, and the projects of it. It
// never changes and is safe for concurrent use. Files on disk that are not open
// are as they are when somebody looks first.
type Snapshot struct {
	Client *Client

	docs     map[protocol.DocumentURI]*Document
	projects map[string]*Project // by key
}

// Project is one state of a project: read and checked where somebody asks, once.
type Project struct {
	Root string // absolute; "": that of one document of no file

	shared  *shared
	client  *Client
	overlay map[string][]byte
	open    map[string]*Document // by name in the project: its own, and others below its root

	gate   chan struct{} // held while it is loaded
	loaded *project.Project

	findingsGate chan struct{} // held while it is checked
	findings     diag.List
	checked      bool

	texts memo // document.Text by name
	memo  memo
}

// File is a file or document with the project that it is part of.
type File struct {
	URI     protocol.DocumentURI
	Name    string         // in its project, as diagnostics and [project.Project] name it
	Text    *document.Text // as it is in this snapshot
	Version *int32         // nil: it is not open
	Project *Project
}

// Document returns an open document, or nil.
func (s *Snapshot) Document(uri protocol.DocumentURI) *Document { return s.docs[uri] }

// Documents returns the open documents, sorted by URI.
func (s *Snapshot) Documents() []*Document {
	out := make([]*Document, 0, len(s.docs))
	for _, uri := range slices.Sorted(maps.Keys(s.docs)) {
		out = append(out, s.docs[uri])
	}
	return out
}

// Projects returns the projects that have something open or are root folders of
// the client, sorted by root.
func (s *Snapshot) Projects() []*Project {
	out := make([]*Project, 0, len(s.projects))
	for _, key := range slices.Sorted(maps.Keys(s.projects)) {
		out = append(out, s.projects[key])
	}
	return out
}

// Project returns the project of a key that [Workspace.Dirty] returned, or nil.
func (s *Snapshot) Project(key string) *Project { return s.projects[key] }

// File returns a file by its URI: an open document, or a file on disk of a project
// that the snapshot has. It is nil for any other, such as an open file whose name is
// none of wfc's. The error is the context's.
func (s *Snapshot) File(ctx context.Context, uri protocol.DocumentURI) (*File, error) {
	if d := s.docs[uri]; d != nil {
		p := s.projects[d.key]
		if p == nil {
			return nil, nil
		}
		return p.file(d, p.name(d)), nil
	}
	path, ok := document.Path(uri)
	if !ok {
		return nil, nil
	}
	p := s.Owner(path)
	if p == nil {
		return nil, nil
	}
	rel, err := filepath.Rel(p.Root, path)
	if err != nil {
		return nil, nil
	}
	return p.File(ctx, filepath.ToSlash(rel))
}

// Owner returns the project that a file belongs to, by its absolute path: of those
// that the snapshot has, the one with the deepest root above it; nil: none.
func (s *Snapshot) Owner(path string) *Project {
	var best *Project
	for _, p := range s.projects {
		if p.Root != "" && within(path, p.Root) && (best == nil || len(p.Root) > len(best.Root)) {
			best = p
		}
	}
	return best
}

// name returns the name of an open document of the project.
func (p *Project) name(d *Document) string {
	if p.Root == "" {
		return d.path
	}
	rel, err := filepath.Rel(p.Root, d.path)
	if err != nil {
		return d.path
	}
	return filepath.ToSlash(rel)
}

func (p *Project) file(d *Document, name string) *File {
	return &File{URI: d.URI, Name: name, Text: d.Text, Version: &d.Version, Project: p}
}

// File returns a file of the project by its name, or nil where there is none: a
// source file, or the snapshot of a connection that was looked at. The error is the
// context's.
func (p *Project) File(ctx context.Context, name string) (*File, error) {
	if d := p.open[name]; d != nil {
		return p.file(d, name), nil
	}
	loaded, err := p.Load(ctx)
	if err != nil {
		return nil, err
	}
	text := p.text(loaded, name)
	if text == nil {
		return nil, nil
	}
	return &File{URI: p.URI(name), Name: name, Text: text, Project: p}, nil
}

// URI returns the URI of a file of the project by its name: the client's own for
// one that is open.
func (p *Project) URI(name string) protocol.DocumentURI {
	if d := p.open[name]; d != nil {
		return d.URI
	}
	return document.URI(filepath.Join(p.Root, filepath.FromSlash(name)))
}

// Open returns the names of the files of the project that are open, sorted; among
// them are those below its root that are of no project, such as a snapshot.
func (p *Project) Open() []string { return slices.Sorted(maps.Keys(p.open)) }

// Load returns the project as it is in this snapshot. The error is the context's.
func (p *Project) Load(ctx context.Context) (*project.Project, error) {
	if err := hold(ctx, p.gate); err != nil {
		return nil, err
	}
	defer release(p.gate)
	if p.loaded == nil {
		loaded, err := p.shared.loader.Load(ctx, p.overlay)
		if err != nil {
			return nil, err
		}
		p.loaded = loaded
	}
	return p.loaded, nil
}

// Findings returns what check.Project finds. The error is the context's.
func (p *Project) Findings(ctx context.Context) (diag.List, error) {
	loaded, err := p.Load(ctx)
	if err != nil {
		return nil, err
	}
	if err := hold(ctx, p.findingsGate); err != nil {
		return nil, err
	}
	defer release(p.findingsGate)
	if !p.checked {
		found, err := p.shared.cache.Project(ctx, loaded)
		if err != nil {
			return nil, err
		}
		p.findings, p.checked = found, true
	}
	return p.findings, nil
}

// first returns what checking the blocks of the open files finds in these files,
// with the project as far as that needed it: sooner than Findings, and perhaps less.
// The error is the context's.
func (p *Project) first(ctx context.Context) (diag.List, *project.Project, error) {
	names := p.Open()
	part, err := p.shared.loader.Part(ctx, p.overlay, names)
	if err != nil {
		return nil, nil, err
	}
	found, err := check.NewCache().Files(ctx, part, names)
	if err != nil {
		return nil, nil, err
	}
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return !slices.Contains(names, d.Range.File) }), part, nil
}

// Files returns how many files on disk the project had when it was looked at last; 0:
// it was not yet.
func (p *Project) Files() int { return p.shared.loader.Files() }

// Location returns a place of a diagnostic or of the syntax tree as the protocol
// has it. ok is false for one that is nowhere in a file. The error is the context's.
func (p *Project) Location(ctx context.Context, r diag.Range) (l protocol.Location, ok bool, err error) {
	loaded, err := p.Load(ctx)
	if err != nil {
		return l, false, err
	}
	l, ok = p.location(loaded, r)
	return l, ok, nil
}

// location is Location with the project as far as it is loaded.
func (p *Project) location(loaded *project.Project, r diag.Range) (l protocol.Location, ok bool) {
	if r.File == "" {
		return l, false
	}
	l.URI = p.URI(r.File)
	if text := p.text(loaded, r.File); text != nil {
		l.Range = text.Range(r.Start.Byte, r.End.Byte)
	}
	return l, true
}

// text returns the text of a file, or nil where there is none of that name.
func (p *Project) text(loaded *project.Project, name string) *document.Text {
	if d := p.open[name]; d != nil {
		return d.Text
	}
	src := loaded.Source(name)
	if src == nil {
		return nil
	}
	return remember(&p.texts, name, func() *document.Text { return document.New(src, p.client.Encoding) })
}

// memo remembers what was computed once, by key.
type memo struct{ m sync.Map }

// remember returns what f returned the first time, and calls it once.
func remember[T any](m *memo, key any, f func() T) T {
	v, ok := m.m.Load(key)
	if !ok {
		v, _ = m.m.LoadOrStore(key, sync.OnceValue(func() any { return f() }))
	}
	return v.(func() any)().(T)
}

// Memo returns what f returns, computed once for this state of the project and
// key, which is a value of an own type, as the keys of contexts are.
func Memo[T any](p *Project, key any, f func() T) T { return remember(&p.memo, key, f) }

// Keep is as Memo is, for all states of the project: what it returns is shared
// between them and must be safe for concurrent use.
func Keep[T any](p *Project, key any, f func() T) T { return remember(&p.shared.keep, key, f) }

// hold waits for a gate, and release opens it again.
func hold(ctx context.Context, gate chan struct{}) error {
	select {
	case gate <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func release(gate chan struct{}) { <-gate }

// Encoding is what positions are counted in.
func (p *Project) Encoding() document.Encoding { return p.client.Encoding }
