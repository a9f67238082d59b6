package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/service"
)

// options are how this command line loads projects.
func (g *globals) options() project.Options {
	return project.Options{Root: g.project, Version: version}
}

// load loads the project that the working directory, or --project, is in.
func (g *globals) load() (*project.Project, error) {
	at := g.project
	if at == "" {
		at = "."
	}
	return project.Load(at, g.options())
}

// environment is what connections are resolved against.
func environment(p *project.Project) (service.Environment, error) {
	self, err := os.Executable()
	if err != nil {
		return service.Environment{}, err
	}
	return service.Environment{ProjectRoot: p.Root, Binary: self, Lookup: os.LookupEnv}, nil
}

// newService returns the service of a project.
func newService(p *project.Project, stderr func(connection, line string)) (*service.Service, error) {
	env, err := environment(p)
	if err != nil {
		return nil, err
	}
	return service.New(p, service.Options{Environment: env, Version: version, Stderr: stderr}), nil
}

// openJournal opens the project's journal for reading.
func openJournal(cmd *cobra.Command, g *globals) (*journal.Store, error) {
	p, err := g.load()
	if err != nil {
		return nil, err
	}
	store, err := journal.Open(cmd.Context(), filepath.Join(p.Root, service.StateFolder), journal.Options{ReadOnly: true})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, journal.ErrNoJournal) {
		return nil, errors.New("nothing has run in this project yet: there is no journal in " + service.StateFolder)
	}
	return store, err
}

// writeDiagnostics shows findings to a person, with files named from the
// working directory, so that a terminal can open them.
func writeDiagnostics(w io.Writer, p *project.Project, list diag.List) error {
	rel := fromHere(p.Root)
	shown := make(diag.List, len(list))
	for i, d := range list {
		d.Range = rename(d.Range, rel)
		d.Related = append([]diag.Related(nil), d.Related...)
		for j := range d.Related {
			d.Related[j].Range = rename(d.Related[j].Range, rel)
		}
		shown[i] = d
	}
	width := 0
	if f, ok := w.(*os.File); ok {
		if cells, _, err := term.GetSize(int(f.Fd())); err == nil {
			width = cells
		}
	}
	return diag.WriteText(w, shown, diag.TextOptions{
		Source: func(file string) []byte {
			name, err := filepath.Rel(filepath.FromSlash(rel), filepath.FromSlash(file))
			if err != nil {
				name = file
			}
			return p.Source(filepath.ToSlash(name))
		},
		Color: styleOf(w).on,
		Width: width,
	})
}

func rename(r diag.Range, prefix string) diag.Range {
	if r.File != "" {
		r.File = filepath.ToSlash(filepath.Join(prefix, r.File))
	}
	return r
}

// fromHere returns the path of root from the working directory, with forward
// slashes; root itself where there is none.
func fromHere(root string) string {
	here, err := os.Getwd()
	if err != nil {
		return root
	}
	if resolved, err := filepath.EvalSymlinks(here); err == nil {
		if r, err := filepath.EvalSymlinks(root); err == nil {
			here, root = resolved, r
		}
	}
	rel, err := filepath.Rel(here, root)
	if err != nil {
		return root
	}
	return filepath.ToSlash(rel)
}

// errorsOf returns the errors of a list.
func errorsOf(list diag.List) diag.List {
	var out diag.List
	for _, d := range list {
		if d.Severity == diag.Error {
			out = append(out, d)
		}
	}
	return out
}

// closeAfter closes the service and keeps the first error.
func closeAfter(s *service.Service, err *error) {
	if closeErr := s.Close(); *err == nil && closeErr != nil && !errors.Is(closeErr, context.DeadlineExceeded) {
		*err = failed(closeErr)
	}
}
