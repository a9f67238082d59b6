package service

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/runner/registry"
)

// DraftStatus says whether the text of a draft could become an artifact.
type DraftStatus string

// The statuses of drafts.
const (
	DraftValid   DraftStatus = "valid"
	DraftInvalid DraftStatus = "invalid"
)

// Draft is a workspace with the source text of one workflow, judged against the
// project as it is now. Its text is foreign: it may use the connections of the
// project and declare workflows, and nothing else.
type Draft struct {
	ID          string // the workspace id
	Title       string
	Source      string
	Revision    int64 // counts the saves, from 1
	Status      DraftStatus
	Diagnostics Diagnostics // warnings, too
	Workflow    string      // the one that the text stands for; "": it is not clear
	Created     time.Time
	Updated     time.Time
}

// NewDraft says what a draft is made of.
type NewDraft struct {
	ID     string // "": one that nobody has
	Title  string
	Source string // "": empty
}

// CreateDraft makes a draft of a text, which may be empty. The error of an id that is
// taken is a [Conflict].
func (h *Host) CreateDraft(ctx context.Context, n NewDraft) (*Draft, error) {
	if err := tooLong("The text", len(n.Source)); err != nil {
		return nil, err
	}
	if err := tooLong("The title", len(n.Title)); err != nil {
		return nil, err
	}
	n.ID = cmp.Or(n.ID, "draft-"+strings.ToLower(rand.Text()[:12]))
	d, err := h.registry.CreateDraft(ctx, registry.Draft{ID: n.ID, Title: n.Title, Source: n.Source})
	if err != nil {
		return nil, draftError(n.ID, err)
	}
	return h.now().draft(d), nil
}

// CreateDraftFromFile makes a draft of the workflows of a file of the project; name is
// relative to its root, with forward slashes. Source of n does not count.
func (h *Host) CreateDraftFromFile(ctx context.Context, n NewDraft, name string) (*Draft, error) {
	f, err := h.now().file(name)
	if err != nil {
		return nil, err
	}
	n.Source = string(workflowsOf(f))
	return h.CreateDraft(ctx, n)
}

// file returns a workflow file of the project.
func (w *world) file(name string) (*syntax.File, error) {
	var names []string
	for _, f := range w.project.Files {
		if f.Name == path.Clean(name) {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return nil, unknownName("workflow file", name, names)
}

// workflowsOf returns the text of a file, without what is no workflow in it.
func workflowsOf(f *syntax.File) []byte {
	if len(f.Connections)+len(f.Providers)+len(f.Secrets)+len(f.Deployments)+len(f.Tests) == 0 {
		return f.Source
	}
	var out []byte
	for _, w := range f.Workflows {
		if len(out) > 0 {
			out = append(out, '\n')
		}
		out = append(out, blockText(f.Source, w.Range)...)
	}
	return out
}

// Draft returns a draft; the error is [NotFound] where there is none.
func (h *Host) Draft(ctx context.Context, id string) (*Draft, error) {
	d, err := h.registry.Draft(ctx, id)
	if err != nil {
		return nil, draftError(id, err)
	}
	return h.now().draft(d), nil
}

// DraftChange says what is to be changed of a draft; nil leaves a thing as it is.
type DraftChange struct {
	Title  *string
	Source *string
	// Revision is what the draft must have now, so that nobody's work is overwritten
	// unseen; 0: any.
	Revision int64
}

// UpdateDraft saves a draft, valid or not.
func (h *Host) UpdateDraft(ctx context.Context, id string, c DraftChange) (*Draft, error) {
	if c.Source != nil {
		if err := tooLong("The text", len(*c.Source)); err != nil {
			return nil, err
		}
	}
	if c.Title != nil {
		if err := tooLong("The title", len(*c.Title)); err != nil {
			return nil, err
		}
	}
	d, err := h.registry.UpdateDraft(ctx, id, c.Title, c.Source, c.Revision)
	if err != nil {
		return nil, draftError(id, err)
	}
	return h.now().draft(d), nil
}

// DeleteDraft removes a draft. Artifacts that were made of it stay.
func (h *Host) DeleteDraft(ctx context.Context, id string) error {
	return draftError(id, h.registry.DeleteDraft(ctx, id))
}

// Page says which part of a list is wanted: at most Limit entries (0: all) after the
// one with the id After ("": from the beginning).
type Page = registry.Page

// Drafts returns drafts in the order of their ids; never nil.
func (h *Host) Drafts(ctx context.Context, p Page) ([]*Draft, error) {
	kept, err := h.registry.Drafts(ctx, p)
	if err != nil {
		return nil, err
	}
	w := h.now()
	out := make([]*Draft, len(kept))
	for i, d := range kept {
		out[i] = w.draft(d)
	}
	return out, nil
}

func draftError(id string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, registry.ErrNotFound):
		return refuse(NotFound, "There is no draft %q.", shortName(id))
	case errors.Is(err, registry.ErrExists):
		return refuse(Conflict, "There is a draft %q already. Update it, or take another id.", id)
	case errors.Is(err, registry.ErrChanged):
		return refuse(Conflict, "The draft %q was saved by somebody else meanwhile: %s. Get it again, and change that.", id, strings.TrimSuffix(err.Error(), ": "+registry.ErrChanged.Error()))
	}
	return kindly(err)
}

// draft judges a draft.
func (w *world) draft(d registry.Draft) *Draft {
	j := w.judge(draftFile(d.ID), []byte(d.Source))
	out := &Draft{
		ID: d.ID, Title: d.Title, Source: d.Source, Revision: d.Revision, Status: DraftValid, Created: d.Created, Updated: d.Updated,
		Diagnostics: Diagnostics{j.found, j.project.Source},
	}
	if j.main != nil {
		out.Workflow = j.main.Name.Text
	}
	if j.found.HasErrors() {
		out.Status = DraftInvalid
	}
	return out
}

// draftFile is what diagnostics call the text of a draft. No file of a project is
// likely to have the name.
func draftFile(id string) string { return "draft " + id + ".wf.hcl" }

// judged is a text from outside, judged.
type judged struct {
	project *project.Project // a closed one, of the text
	file    *syntax.File
	main    *syntax.Workflow // nil: it is not clear
	found   diag.List
}

// judge judges a text from outside against the project.
func (w *world) judge(name string, src []byte) *judged {
	j := &judged{project: w.project.Closed(project.Texts{Files: map[string][]byte{name: src}})}
	j.file = j.project.Files[slices.IndexFunc(j.project.Files, func(f *syntax.File) bool { return f.Name == name })]
	forbidden := foreign(name, src)
	var unclear diag.List
	j.main, unclear = mainWorkflow(j.file)
	if j.project.Diagnostics.HasErrors() {
		unclear = nil // what cannot be read may be the workflow
	}
	j.found = append(forbidden, unclear...)
	for _, d := range check.Project(j.project) {
		if d.Range.File == name && !within(d, forbidden) {
			j.found = append(j.found, d)
		}
	}
	j.found.Locate(j.project.Source)
	j.found.Sort()
	if j.main == nil || j.found.HasErrors() {
		return j
	}
	// The secrets that a plan has are those of its connections, whatever the text says.
	if p, _ := compiler.Compile(j.project, compiler.Target{Target: project.Target{Workflow: j.main}}); p != nil {
		of := map[string]bool{}
		for _, c := range p.Connections {
			if r, err := w.reach(c.ID); err == nil {
				for _, s := range r.Secrets {
					of[s.Name] = true
				}
			}
		}
		for _, s := range p.Secrets {
			if !of[s.Name] && p.Sampling == nil {
				j.found = append(j.found, diag.New(codeForeign, j.main.Header, "A text from outside may not name a secret, and this one uses %q.", s.Name))
			}
		}
	}
	return j
}

// within reports whether a finding is at the place of another one: what may not be
// there at all needs no second word.
func within(d diag.Diagnostic, others diag.List) bool {
	for _, o := range others {
		if o.Range.File == d.Range.File && o.Range.Start.Byte <= d.Range.Start.Byte && d.Range.Start.Byte < o.Range.End.Byte {
			return true
		}
	}
	return false
}
