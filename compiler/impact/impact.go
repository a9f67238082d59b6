// Package impact says what a change of a connection's catalog does to the
// workflows of a project.
//
// Its central function is [Of]. It may import lang, compiler/project and
// compiler/check.
package impact

import (
	"maps"
	"path/filepath"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

// Change is a change with whether it concerns the project.
type Change struct {
	catalog.Change
	// Used says that a workflow calls, reads or prompts what has changed. Where no
	// workflow uses anything of the connection, everything counts as used: whoever
	// uses it is not known then.
	Used bool `json:"used"`
}

// Impact is what a change of a catalog does.
type Impact struct {
	Changes []Change // sorted as catalog.Diff sorts them
	// Broken has the findings that the project has with the new catalog and has
	// not with the old one.
	Broken diag.List
	// Project is the project with the new catalog, for the places in Broken.
	Project *project.Project
}

// Breaks reports whether a change breaks something that is used.
func (i *Impact) Breaks() bool {
	for _, c := range i.Changes {
		if c.Breaking && c.Used {
			return true
		}
	}
	return i.Broken.HasErrors()
}

// Of compares two snapshots of a connection of a project, and checks the
// project with either. o are the options that p was loaded with. Nothing is written.
func Of(p *project.Project, o project.Options, connection string, old, now *catalog.Snapshot) (*Impact, error) {
	used := uses(p, connection)
	out := &Impact{}
	for _, c := range catalog.Diff(old, now) {
		out.Changes = append(out.Changes, Change{Change: c, Used: used.has(c)})
	}
	before, err := with(p, o, connection, old)
	if err != nil {
		return nil, err
	}
	after, err := with(p, o, connection, now)
	if err != nil {
		return nil, err
	}
	type place struct {
		code diag.Code
		file string
		byte int
	}
	had := map[place]bool{}
	for _, d := range check.Project(before) {
		had[place{d.Code, d.Range.File, d.Range.Start.Byte}] = true
	}
	for _, d := range check.Project(after) {
		if !had[place{d.Code, d.Range.File, d.Range.Start.Byte}] {
			out.Broken = append(out.Broken, d)
		}
	}
	out.Project = after
	return out, nil
}

// with loads the project as it is with a snapshot in place of its own.
func with(p *project.Project, o project.Options, connection string, s *catalog.Snapshot) (*project.Project, error) {
	if own, err := p.Snapshot(connection); err == nil && own == s {
		return p, nil
	}
	overlay := maps.Clone(o.Overlay)
	if overlay == nil {
		overlay = map[string][]byte{}
	}
	overlay[filepath.Join(p.Root, filepath.FromSlash(project.SnapshotFile(connection)))] = s.Encode()
	o.Root, o.Overlay = p.Root, overlay
	return project.Load(p.Root, o)
}

// usage is what the workflows of a project use of a connection.
type usage struct {
	names map[string]map[string]bool // by list: tools, resource_templates, prompts
	uris  bool                       // resources are read, by addresses that are known when it runs
}

func (u usage) has(c catalog.Change) bool {
	switch {
	case c.List == "" || len(u.names) == 0 && !u.uris:
		return true
	case c.List == "resources":
		return u.uris
	}
	return u.names[c.List][c.Name]
}

// uses finds what the workflows of a project use of a connection, through their
// own bindings, those of deployments, and those of workflows that run them.
func uses(p *project.Project, connection string) usage {
	b := bindings{project: p, bound: map[source]bool{}, connection: connection}
	b.collect()
	u := usage{names: map[string]map[string]bool{}}
	add := func(list string, r *syntax.Ref) {
		if u.names[list] == nil {
			u.names[list] = map[string]bool{}
		}
		u.names[list][r.Path[len(r.Path)-1].Text] = true
	}
	for _, f := range p.Files {
		for _, w := range f.Workflows {
			for _, s := range steps(w) {
				for _, undo := range s.Undo {
					if c := undo.Call; b.leads(w, c) && len(c.Path) > 1 {
						add("tools", c)
					}
				}
				switch r := s.Target(); {
				case !b.leads(w, r):
				case r == s.Read && s.URI != nil:
					u.uris = true
				case len(r.Path) < 2:
				case r == s.Call:
					add("tools", r)
				case r == s.Prompt:
					add("prompts", r)
				default:
					add("resource_templates", r)
				}
			}
		}
	}
	return u
}

func steps(w *syntax.Workflow) []*syntax.Step {
	return append(w.Steps[:len(w.Steps):len(w.Steps)], w.Finally...)
}

// source is a logical source of a workflow.
type source struct{ workflow, name string }

// bindings are the sources that may be bound to a connection.
type bindings struct {
	project    *project.Project
	connection string
	bound      map[source]bool
}

// leads reports whether what a reference names is of the connection. r may be nil.
func (b *bindings) leads(w *syntax.Workflow, r *syntax.Ref) bool {
	return r != nil && len(r.Path) > 0 && b.bound[source{w.Name.Text, r.Path[0].Text}]
}

// isConnection reports whether a reference is connection.PROVIDER.ACCOUNT of the connection.
func (b *bindings) isConnection(r syntax.Ref) bool {
	return len(r.Path) == 3 && r.Path[1].Text+"."+r.Path[2].Text == b.connection
}

func (b *bindings) collect() {
	for _, f := range b.project.Files {
		for _, w := range f.Workflows {
			for _, s := range w.Sources {
				if s.Bind != nil && b.isConnection(*s.Bind) {
					b.bound[source{w.Name.Text, s.Name.Text}] = true
				}
				if s.Family == nil {
					continue
				}
				for _, m := range s.Family.Members {
					if b.isConnection(m.Connection) {
						b.bound[source{w.Name.Text, s.Name.Text}] = true
					}
				}
			}
		}
		for _, d := range f.Deployments {
			for _, x := range d.Bind {
				if d.Workflow != nil && len(d.Workflow.Path) == 2 && b.isConnection(x.Connection) {
					b.bound[source{d.Workflow.Path[1].Text, x.Source.Text}] = true
				}
			}
		}
	}
	for b.handOn() {
	}
}

// handOn binds the sources of workflows that others run, and reports whether
// there were new ones.
func (b *bindings) handOn() bool {
	more := false
	for _, f := range b.project.Files {
		for _, w := range f.Workflows {
			for _, s := range steps(w) {
				if s.Run == nil || len(s.Run.Path) != 2 {
					continue
				}
				child := s.Run.Path[1].Text
				bind := func(name string) {
					if at := (source{child, name}); !b.bound[at] {
						b.bound[at], more = true, true
					}
				}
				handed := map[string]bool{}
				for _, x := range s.Bind {
					handed[x.Child.Text] = true
					if b.leads(w, &x.Ours) {
						bind(x.Child.Text)
					}
				}
				for _, ours := range w.Sources { // of the same name
					if at := (source{w.Name.Text, ours.Name.Text}); b.bound[at] && !handed[ours.Name.Text] && b.has(child, ours.Name.Text) {
						bind(ours.Name.Text)
					}
				}
			}
		}
	}
	return more
}

// has reports whether a workflow has a source of a name.
func (b *bindings) has(workflow, name string) bool {
	w := b.project.Workflows[workflow]
	if w == nil {
		return false
	}
	for _, s := range w.Sources {
		if s.Name.Text == name {
			return true
		}
	}
	return false
}
