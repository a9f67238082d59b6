// Package workspace has what an editor has open, and the projects that this is
// part of: states of them that never change, computed where somebody asks.
//
// Its central types are [Workspace], which takes the editor's notifications, and
// [Snapshot], the state after some of them, which requests are answered from. It
// may import the compiler, lang, lsp/document and lsp/protocol.
package workspace

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lsp/document"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// MaxDocument is the most bytes that a document may have: as many as a file of a
// project.
const MaxDocument = 8 << 20

// Client is what is known of the client, fixed for a session.
type Client struct {
	protocol.ClientCapabilities
	Encoding document.Encoding
	Version  string // of wfc, as project.Options has it
	Suggests bool   // it knows VS Code's command to complete again; others complain of it
}

// Document is one version of an open document. It is immutable.
type Document struct {
	URI      protocol.DocumentURI
	Language string // as the client calls it, which decides where the name says nothing
	Version  int32
	Text     *document.Text

	path string // on this machine; of a document of no file its name in a project of its own
	root string // of its project; "": it is of no file, and a project of its own
	key  string // of its project in the workspace
}

// Workspace is the state of the session. It is not for concurrent use; its
// snapshots are.
type Workspace struct {
	client  *Client
	docs    map[protocol.DocumentURI]*Document
	folders map[protocol.DocumentURI]string // the client's root folders, by path
	shared  map[string]*shared              // by key of the project
	current map[string]*Project             // the states of now
	dirty   map[string]bool                 // projects of which the state of now is newer than what was last taken by Dirty
}

// shared is what all states of a project have in common.
type shared struct {
	root   string // "": one document of no file
	loader *project.Loader
	cache  *check.Cache
	keep   memo
}

// New returns a workspace without documents.
func New(c *Client) *Workspace {
	return &Workspace{
		client: c, docs: map[protocol.DocumentURI]*Document{}, folders: map[protocol.DocumentURI]string{},
		shared: map[string]*shared{}, current: map[string]*Project{}, dirty: map[string]bool{},
	}
}

// Open notes a document that the client opened; the client's text counts from now on.
func (w *Workspace) Open(item protocol.TextDocumentItem) error {
	if len(item.Text) > MaxDocument {
		return fmt.Errorf("%s has %d bytes, and documents of more than %d are not looked at", item.URI, len(item.Text), MaxDocument)
	}
	d := &Document{URI: item.URI, Language: item.LanguageID, Version: item.Version, Text: document.New([]byte(item.Text), w.client.Encoding)}
	d.path, d.root, d.key = d.place(w.overlay(), map[string]string{})
	w.docs[item.URI] = d
	w.touch(d)
	w.arrange()
	return nil
}

// Change applies changes to a document. The error says why it cannot be.
func (w *Workspace) Change(p protocol.DidChangeParams) error {
	was := w.docs[p.TextDocument.URI]
	if was == nil {
		return fmt.Errorf("%s was changed and is not open", p.TextDocument.URI)
	}
	text, err := was.Text.Apply(p.ContentChanges, MaxDocument)
	if err != nil {
		return fmt.Errorf("%s: %w", was.URI, err)
	}
	d := *was
	d.Version, d.Text = p.TextDocument.Version, text
	w.docs[d.URI] = &d
	w.touch(&d)
	return nil
}

// Close forgets a document; the file on disk counts again.
func (w *Workspace) Close(uri protocol.DocumentURI) error {
	d := w.docs[uri]
	if d == nil {
		return fmt.Errorf("%s was closed and is not open", uri)
	}
	delete(w.docs, uri)
	if d.root != "" || d.isOutside() {
		w.diskChanged(d.path)
	}
	w.touch(d)
	w.arrange()
	return nil
}

// isOutside reports whether a document is a file that is of no project.
func (d *Document) isOutside() bool { return d.key == "" }

// DiskChanged notes that files on disk may have changed; without any, that all may have.
func (w *Workspace) DiskChanged(paths ...string) {
	if len(paths) == 0 {
		for key, s := range w.shared {
			s.loader.Changed()
			w.renew(key)
		}
	}
	for _, path := range paths {
		w.diskChanged(path)
	}
	w.arrange()
}

func (w *Workspace) diskChanged(path string) {
	for key, s := range w.shared {
		if s.root != "" && within(path, s.root) {
			s.loader.Changed(path)
			w.renew(key)
		}
	}
}

// within reports whether a path is root or below it.
func within(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// SetFolders adds and removes root folders of the client.
func (w *Workspace) SetFolders(added, removed []protocol.WorkspaceFolder) {
	for _, f := range removed {
		delete(w.folders, f.URI)
	}
	for _, f := range added {
		if path, ok := document.Path(f.URI); ok {
			w.folders[f.URI] = path
		}
	}
	w.arrange()
}

// touch makes the projects that a document is part of have a new state.
func (w *Workspace) touch(d *Document) {
	for key, p := range w.current {
		if key == d.key || p.Root != "" && d.path != "" && within(d.path, p.Root) {
			w.renew(key)
		}
	}
}

// renew makes a project have a new state.
func (w *Workspace) renew(key string) {
	delete(w.current, key)
	w.dirty[key] = true
}

// arrange finds out anew which document is of which project, and makes the states
// of now of all projects.
func (w *Workspace) arrange() {
	overlay := w.overlay()
	roots := map[string]string{}  // by folder
	wanted := map[string]string{} // roots by key
	for uri, d := range w.docs {
		path, root, key := d.place(overlay, roots)
		if key != d.key || root != d.root || path != d.path {
			n := *d
			n.path, n.root, n.key = path, root, key
			w.docs[uri] = &n
			w.renew(key)
			d = &n
		}
		if d.key != "" {
			wanted[d.key] = d.root
		}
	}
	for _, folder := range w.folders {
		if root, ok := project.MarkedRoot(folder, overlay); ok {
			wanted[root] = root
		}
	}
	for key := range w.shared {
		if _, ok := wanted[key]; !ok {
			delete(w.shared, key)
			delete(w.current, key)
			w.dirty[key] = true
		}
	}
	for key, root := range wanted {
		if w.shared[key] == nil {
			w.shared[key] = &shared{root: root, loader: project.NewLoader(root, w.client.Version), cache: check.NewCache()}
			w.dirty[key] = true
		}
	}
}

// place finds out which project a document is of. roots are those found already, by
// folder: to look for one takes several looks at the disk.
func (d *Document) place(overlay map[string][]byte, roots map[string]string) (path, root, key string) {
	if file, ok := document.Path(d.URI); ok {
		if !project.Belongs(file) {
			return file, "", ""
		}
		folder := filepath.Dir(file)
		root, known := roots[folder]
		if !known {
			root = project.Root(file, overlay)
			roots[folder] = root
		}
		return file, root, root
	}
	// Alone: by the name that says what it is.
	name := string(d.URI)
	if i := strings.IndexAny(name, "?#"); i >= 0 {
		name = name[:i]
	}
	name = name[strings.LastIndexAny(name, "/:")+1:]
	language := strings.ToLower(d.Language)
	switch {
	case project.Belongs(name):
	case strings.Contains(language, "wfi") || strings.Contains(language, "interface"):
		name = "untitled.wfi"
	case strings.Contains(language, "test"):
		name = "untitled" + syntax.TestSuffix
	default:
		name = "untitled.wf.hcl"
	}
	return name, "", string(d.URI)
}

// overlay returns the texts of the open files by path.
func (w *Workspace) overlay() map[string][]byte {
	out := make(map[string][]byte, len(w.docs))
	for _, d := range w.docs {
		if d.key == "" || d.root != "" { // it is a file
			out[d.path] = d.Text.Bytes()
		}
	}
	return out
}

// Snapshot returns the state of now. It costs little where little has changed.
func (w *Workspace) Snapshot() *Snapshot {
	var overlay map[string][]byte
	for key, s := range w.shared {
		if w.current[key] != nil {
			continue
		}
		if overlay == nil {
			overlay = w.overlay()
		}
		w.current[key] = w.state(key, s, overlay)
	}
	return &Snapshot{Client: w.client, docs: maps.Clone(w.docs), projects: maps.Clone(w.current)}
}

// state returns a new state of a project.
func (w *Workspace) state(key string, s *shared, overlay map[string][]byte) *Project {
	p := &Project{shared: s, client: w.client, open: map[string]*Document{}, gate: make(chan struct{}, 1), findingsGate: make(chan struct{}, 1)}
	for _, d := range w.docs {
		if d.key == key && d.root == "" { // alone
			p.open[d.path] = d
			p.overlay = map[string][]byte{d.path: d.Text.Bytes()}
			return p
		}
	}
	p.Root, p.overlay = key, overlay
	for _, d := range w.docs {
		if d.path != "" && (d.root != "" || d.key == "") && within(d.path, key) {
			if rel, err := filepath.Rel(key, d.path); err == nil {
				p.open[filepath.ToSlash(rel)] = d
			}
		}
	}
	return p
}

// Dirty returns the keys of the projects that have changed since it was last
// called, sorted: those that are gone, too.
func (w *Workspace) Dirty() []string {
	out := slices.Sorted(maps.Keys(w.dirty))
	clear(w.dirty)
	return out
}
