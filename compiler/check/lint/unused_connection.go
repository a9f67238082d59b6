package lint

import (
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

// Project returns what the rules find between the files of a project.
func Project(files []*syntax.File) diag.List { return unusedConnections(files) }

// unusedConnections reports the connections that stand in a file with workflows and
// that no source of the project and no deployment names. A file of connections only is a
// library: what it has may be for the command line.
func unusedConnections(files []*syntax.File) diag.List {
	used := map[string]bool{}
	use := func(r syntax.Ref) {
		names := make([]string, 0, 2)
		for _, l := range r.Path[min(1, len(r.Path)):] {
			names = append(names, l.Text)
		}
		used[strings.Join(names, ".")] = true
	}
	for _, f := range files {
		for _, wf := range f.Workflows {
			for _, s := range wf.Sources {
				if s.Bind != nil {
					use(*s.Bind)
				}
				if s.Family != nil {
					for _, m := range s.Family.Members {
						use(m.Connection)
					}
				}
			}
		}
		for _, d := range f.Deployments {
			for _, b := range d.Bind {
				use(b.Connection)
			}
		}
	}
	var found diag.List
	for _, f := range files {
		if len(f.Workflows) == 0 {
			continue
		}
		open := slices.ContainsFunc(f.Workflows, func(wf *syntax.Workflow) bool {
			return slices.ContainsFunc(wf.Sources, func(s *syntax.Source) bool { return s.Bind == nil && s.Family == nil })
		})
		if open {
			continue // --bind may name it
		}
		for _, c := range f.Connections {
			if !used[c.ID()] && c.Provider.Text != "" && c.Account.Text != "" {
				found = append(found, diag.New(codeUnusedConnection, c.Header, "No source and no deployment is bound to the connection %s. Bind one to it, or remove it.", c.ID()))
			}
		}
	}
	return found
}
