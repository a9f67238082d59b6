package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

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

// newService returns the service of a project. view shows what servers say, and
// the person who looks at it may be asked; nil: there is nothing to see.
func newService(p *project.Project, std streams, view *progress) (*service.Service, error) {
	env, err := environment(p)
	if err != nil {
		return nil, err
	}
	o := service.Options{Environment: env, Version: version, ProcessEnds: true}
	if view != nil {
		o.Stderr, o.Logged = view.serverStderr, view.logged
		if t := newTerminal(std, view); t != nil {
			o.Answerer = t
			if !view.silent {
				o.Ask = t.question
			}
		}
	}
	return service.New(p, o), nil
}

// openJournal opens the project's journal for reading.
func openJournal(cmd *cobra.Command, g *globals) (*journal.Store, error) {
	p, err := g.load()
	if err != nil {
		return nil, err
	}
	return journalOf(cmd.Context(), p)
}

// journalOf opens the journal of a project for reading.
func journalOf(ctx context.Context, p *project.Project) (*journal.Store, error) {
	store, err := service.Journal(ctx, filepath.Join(p.Root, service.StateFolder))
	if errors.Is(err, journal.ErrNoJournal) {
		return nil, errors.New("nothing has run in this project yet: there is no journal in " + service.StateFolder)
	}
	return store, err
}

// writeDiagnostics shows findings to a person, with files named from the
// working directory, so that a terminal can open them.
func writeDiagnostics(w io.Writer, p *project.Project, list diag.List) error {
	shown, source := fromHere(p, list)
	return writeText(w, shown, source)
}

// writeText shows findings to a person. source has the files by their names in them.
func writeText(w io.Writer, list diag.List, source func(file string) []byte) error {
	return diag.WriteText(w, list, textOptions(w, source))
}

// textOptions are those of findings that are shown at w.
func textOptions(w io.Writer, source func(file string) []byte) diag.TextOptions {
	width := 0
	if f, ok := w.(*os.File); ok {
		if cells, _, err := term.GetSize(int(f.Fd())); err == nil {
			width = cells
		}
	}
	return diag.TextOptions{Source: source, Color: styleOf(w).on, Width: width}
}

// fromHere returns findings with their files named from the working directory,
// and a function that has the sources by these names.
func fromHere(p *project.Project, list diag.List) (diag.List, func(file string) []byte) {
	here, err := os.Getwd()
	if err != nil {
		return list, p.Source
	}
	if resolved, err := filepath.EvalSymlinks(here); err == nil {
		here = resolved
	}
	root := p.Root
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved
	}
	inProject := map[string]string{"": ""} // by the name from here
	rename := func(r diag.Range) diag.Range {
		if r.File == "" {
			return r
		}
		name, err := filepath.Rel(here, filepath.Join(root, filepath.FromSlash(r.File)))
		if err != nil {
			name = filepath.Join(root, r.File)
		}
		name = filepath.ToSlash(name)
		inProject[name] = r.File
		r.File = name
		return r
	}
	out := make(diag.List, len(list))
	for i, d := range list {
		d.Range = rename(d.Range)
		d.Related = slices.Clone(d.Related)
		for j := range d.Related {
			d.Related[j].Range = rename(d.Related[j].Range)
		}
		d.Fixes = slices.Clone(d.Fixes)
		for j := range d.Fixes {
			d.Fixes[j].Edits = slices.Clone(d.Fixes[j].Edits)
			for k := range d.Fixes[j].Edits {
				d.Fixes[j].Edits[k].Range = rename(d.Fixes[j].Edits[k].Range)
			}
		}
		out[i] = d
	}
	return out, func(file string) []byte {
		name, ok := inProject[file]
		if !ok {
			return nil
		}
		return p.Source(name)
	}
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
