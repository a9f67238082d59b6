package project

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/syntax"
)

// Texts are sources that are not files of the project: a closed set, as an artifact
// has it.
type Texts struct {
	// Files are workflow and interface files by name, which says what they are by its
	// end (.wf.hcl, .wfi) and is what diagnostics call them. No file of the project
	// should have the name of one.
	Files map[string][]byte
	// Content gives what file("name") gives, or why there is no such text, as the second
	// half of a sentence; nil: there is none at all. Several goroutines may call it.
	Content func(name string) (string, error)
}

// Closed returns a project that has the connections, providers, secrets, settings and
// snapshots of p, and the workflows of t alone. Interfaces of p are there where t has
// none of their name, since connections may speak of them. Whatever t defines beside
// workflows and interfaces is not in it: who takes texts of others refuses them first.
// The diagnostics are those of t's files.
func (p *Project) Closed(t Texts) *Project {
	c := &Project{
		Root: p.Root, named: p.named, overlay: p.overlay, Settings: p.Settings,
		Providers: p.Providers, Connections: p.Connections, Secrets: p.Secrets,
		Workflows: map[string]*syntax.Workflow{}, Deployments: map[string]*syntax.Deployment{},
		sources: maps.Clone(p.sources), of: p, content: t.Content,
	}
	if c.content == nil {
		c.content = func(string) (string, error) { return "", ErrNotClosed }
	}
	for _, f := range p.Files {
		if len(f.Connections)+len(f.Providers)+len(f.Secrets) > 0 {
			c.Files = append(c.Files, &syntax.File{Name: f.Name, Source: f.Source, Providers: f.Providers, Connections: f.Connections, Secrets: f.Secrets})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Files)) {
		src := t.Files[name]
		c.sources[name] = src
		if strings.HasSuffix(name, interfaceSuffix) {
			f, found := iface.Parse(name, src)
			c.InterfaceFiles = append(c.InterfaceFiles, f)
			c.Diagnostics = append(c.Diagnostics, found...)
			continue
		}
		f, found := syntax.Parse(name, src)
		c.Diagnostics = append(c.Diagnostics, found...)
		c.Files = append(c.Files, f)
		for _, w := range f.Workflows {
			define(c, c.Workflows, "workflow", w.Name.Text, w, w.Name.Range)
		}
	}
	slices.SortFunc(c.Files, func(a, b *syntax.File) int { return strings.Compare(a.Name, b.Name) })
	own, found := iface.NewSet(c.InterfaceFiles)
	c.Diagnostics = append(c.Diagnostics, found...)
	// Files of the project that have an interface of a name of ours are left out.
	for _, f := range p.InterfaceFiles {
		alone, _ := iface.NewSet([]*iface.File{f})
		if !slices.ContainsFunc(alone.Names(), func(name string) bool { return slices.Contains(own.Names(), name) }) {
			c.InterfaceFiles = append(c.InterfaceFiles, f)
		}
	}
	c.Interfaces, _ = iface.NewSet(c.InterfaceFiles)
	c.Diagnostics.Sort()
	return c
}

// ErrNotClosed is the error of a file that a closed set of texts does not have.
var ErrNotClosed = errors.New("it is not one of the texts that belong to this workflow")
