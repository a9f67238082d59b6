package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/registry"
)

// Artifact is a version of a workflow that never changes: the closed set of texts
// that it is made of, with what it needs and gives.
type Artifact struct {
	ID, Version string
	Title       string
	Digest      string // of its meaning: layout and comments do not count
	Workflow    string // its name
	Description string
	// Required are the names of the logical sources, which a deployment binds, in the
	// order of the workflow; those that have a default are among them.
	Required []string
	Outcomes []string // how a run may end: "ok", "error"
	// InputSchema and OutputSchema are JSON Schemas of objects.
	InputSchema, OutputSchema json.RawMessage
	Files                     map[string]string // the texts, by name
	Created                   time.Time
}

// NewArtifact says what an artifact is called.
type NewArtifact struct {
	ID, Version string
	Title       string // "": that of the draft or the workflow
}

// artifactBody is what the registry keeps of an artifact. It is never changed, so
// that its meaning must not change either.
type artifactBody struct {
	Format       int               `json:"format"` // 1
	Workflow     string            `json:"workflow"`
	Description  string            `json:"description,omitempty"`
	Files        map[string]string `json:"files"`
	Contents     map[string]string `json:"contents,omitempty"` // what file() gives
	Required     []string          `json:"required_logical_sources"`
	Outcomes     []string          `json:"outcomes"`
	InputSchema  json.RawMessage   `json:"input_schema"`
	OutputSchema json.RawMessage   `json:"output_schema"`
}

// CreateArtifactFromDraft makes an artifact of a draft, which must be valid. Where
// there is one of its id and version already, the same meaning gives that one, and
// another one is a [Conflict].
func (h *Host) CreateArtifactFromDraft(ctx context.Context, draft string, n NewArtifact) (*Artifact, error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	d, err := h.registry.Draft(ctx, draft)
	if err != nil {
		return nil, draftError(draft, err)
	}
	w := h.now()
	j := w.judge(draftFile(d.ID), []byte(d.Source))
	if j.main == nil || j.found.HasErrors() {
		return nil, invalid(Diagnostics{j.found, j.project.Source}, "The draft %q is not valid, so that no artifact can be made of it", d.ID)
	}
	if n.Title == "" {
		n.Title = d.Title
	}
	return h.createArtifact(ctx, w, n, j.project, j.main)
}

// CreateArtifactFromFile makes an artifact of the workflow of a file of the project,
// with those that it runs, the interfaces that it names and the files that its
// expressions read. name is relative to the project's root. Else it is as
// [Host.CreateArtifactFromDraft].
func (h *Host) CreateArtifactFromFile(ctx context.Context, name string, n NewArtifact) (*Artifact, error) {
	if err := n.check(); err != nil {
		return nil, err
	}
	w := h.now()
	f, err := w.file(name)
	if err != nil {
		return nil, err
	}
	main, unclear := mainWorkflow(f)
	if main == nil {
		return nil, invalid(Diagnostics{unclear, w.project.Source}, "No artifact can be made of %s", f.Name)
	}
	return h.createArtifact(ctx, w, n, w.project, main)
}

func (n *NewArtifact) check() error {
	if err := errors.Join(registry.CheckID("an artifact", n.ID), registry.CheckVersion(n.Version)); err != nil {
		return &Error{Kind: Invalid, Message: err.Error(), Cause: err}
	}
	return tooLong("The title", len(n.Title))
}

func (h *Host) createArtifact(ctx context.Context, w *world, n NewArtifact, p *project.Project, main *syntax.Workflow) (*Artifact, error) {
	if n.Title == "" && main.Title != nil {
		n.Title = main.Title.S
	}
	body, digest, err := w.closed(p, main)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	kept, _, err := h.registry.CreateArtifact(ctx, registry.Artifact{ID: n.ID, Version: n.Version, Title: n.Title, Digest: digest, Body: raw})
	if errors.Is(err, registry.ErrExists) {
		return nil, refuse(Conflict, "There is an artifact %s of the version %s already, and it means something else (its digest is %.12s, and not %.12s). Artifacts never change: take another version.",
			n.ID, n.Version, kept.Digest, digest)
	}
	if err != nil {
		return nil, kindly(err)
	}
	return artifact(kept)
}

// closed returns the closed set of what a workflow of p is made of, and its digest.
func (w *world) closed(p *project.Project, main *syntax.Workflow) (*artifactBody, string, error) {
	b := &artifactBody{Format: 1, Workflow: main.Name.Text, Files: map[string]string{}, Required: []string{}, Outcomes: []string{"ok", "error"}}
	if main.Description != nil {
		b.Description = main.Description.S
	}
	workflows := map[string][]byte{}
	var interfaces []string
	var add func(*syntax.Workflow)
	add = func(y *syntax.Workflow) {
		if workflows[y.Name.Text] != nil {
			return
		}
		text := blockText(p.Source(y.Range.Filename), y.Range)
		workflows[y.Name.Text] = text
		b.Files[y.Name.Text+".wf.hcl"] = string(text)
		interfaces = interfacesIn(interfaces, wordsOf(text), p.Interfaces)
		for _, s := range slices.Concat(y.Steps, y.Finally) {
			if child := p.Workflows[childOf(s)]; child != nil {
				add(child)
			}
		}
	}
	add(main)
	interfaces = withInterfaces(p, interfaces, b.Files)
	for _, s := range main.Sources {
		b.Required = append(b.Required, s.Name.Text)
	}

	// What its expressions read is found by looking on.
	var mu sync.Mutex
	contents := map[string]string{}
	texts := project.Texts{Files: bytesOf("artifact/", b.Files), Content: func(name string) (string, error) {
		text, err := p.Content(name)
		if err == nil {
			mu.Lock()
			contents[name] = text
			mu.Unlock()
		}
		return text, err
	}}
	c := w.project.Closed(texts)
	found := check.Project(c)
	found = slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return !strings.HasPrefix(d.Range.File, "artifact/") })
	if found.HasErrors() {
		return nil, "", invalid(Diagnostics{found, c.Source}, "No artifact can be made of the workflow %s, which is not valid", b.Workflow)
	}
	target := compiler.Target{Target: project.Target{Workflow: c.Workflows[b.Workflow]}}
	compiler.Compile(c, target) // reads what the checker does not
	in, out := compiler.Interface(c, target)
	b.InputSchema, b.OutputSchema = schemaOf(in), schemaOf(out)
	if len(contents) > 0 {
		b.Contents = contents
	}
	return b, digestOf(b.Workflow, workflows, c.Interfaces, interfaces, contents), nil
}

// interfacesIn appends the interfaces that a text names.
func interfacesIn(names, words []string, set *iface.Set) []string {
	for i := 2; i < len(words); i++ {
		if words[i-2] == "interface" && words[i-1] == "." && set.Interface(words[i]) != nil && !slices.Contains(names, words[i]) {
			names = append(names, words[i])
		}
	}
	return names
}

// withInterfaces adds the files in which interfaces are declared to files, and
// returns the names of all interfaces in these, sorted: one may speak of others.
func withInterfaces(p *project.Project, names []string, files map[string]string) []string {
	for i := 0; i < len(names); i++ {
		at := p.Interfaces.Interface(names[i]).Range.Filename
		if _, has := files[at]; has {
			continue
		}
		text := p.Source(at)
		files[at] = string(text)
		f, _ := iface.Parse(at, text)
		alone, _ := iface.NewSet([]*iface.File{f})
		for _, name := range alone.Names() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		// A name of another file is written before a dot.
		words := wordsOf(text)
		for j := 1; j < len(words); j++ {
			if words[j] == "." && p.Interfaces.Interface(words[j-1]) != nil && !slices.Contains(names, words[j-1]) {
				names = append(names, words[j-1])
			}
		}
		names = interfacesIn(names, words, p.Interfaces)
	}
	slices.Sort(names)
	return names
}

// bytesOf returns files with a prefix before their names, by which diagnostics tell
// them from those of the project.
func bytesOf(prefix string, files map[string]string) map[string][]byte {
	out := make(map[string][]byte, len(files))
	for name, text := range files {
		out[prefix+name] = []byte(text)
	}
	return out
}

// GetArtifact returns an artifact; version "" means the one that was made last.
func (h *Host) GetArtifact(ctx context.Context, id, version string) (*Artifact, error) {
	a, err := h.registry.Artifact(ctx, id, version)
	if err != nil {
		return nil, artifactError(id, version, err)
	}
	return artifact(a)
}

// Artifacts returns artifacts in the order of ids, versions of one in that of their
// making, never nil. id chooses those of one; "": all.
func (h *Host) Artifacts(ctx context.Context, id string, p Page) ([]*Artifact, error) {
	kept, err := h.registry.Artifacts(ctx, id, p)
	if err != nil {
		return nil, err
	}
	out := make([]*Artifact, len(kept))
	for i := range kept {
		if out[i], err = artifact(kept[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func artifactError(id, version string, err error) error {
	switch {
	case errors.Is(err, registry.ErrNotFound) && version == "":
		return refuse(NotFound, "There is no artifact %q.", shortName(id))
	case errors.Is(err, registry.ErrNotFound):
		return refuse(NotFound, "There is no artifact %q of the version %q.", shortName(id), shortName(version))
	}
	return kindly(err)
}

func artifact(a registry.Artifact) (*Artifact, error) {
	b, err := bodyOf(a)
	if err != nil {
		return nil, err
	}
	return &Artifact{
		ID: a.ID, Version: a.Version, Title: a.Title, Digest: a.Digest, Workflow: b.Workflow, Description: b.Description,
		Required: b.Required, Outcomes: b.Outcomes, InputSchema: b.InputSchema, OutputSchema: b.OutputSchema, Files: b.Files, Created: a.Created,
	}, nil
}

func bodyOf(a registry.Artifact) (*artifactBody, error) {
	var b artifactBody
	if err := json.Unmarshal(a.Body, &b); err != nil || b.Format != 1 {
		return nil, fmt.Errorf("the artifact %s %s cannot be read: its format is %d, and this wfc knows 1 (%v)", a.ID, a.Version, b.Format, err)
	}
	return &b, nil
}

// project returns the closed project of an artifact, in the world as it is now.
func (b *artifactBody) project(w *world, a registry.Artifact) *project.Project {
	return w.project.Closed(project.Texts{Files: bytesOf("artifact "+a.ID+" "+a.Version+"/", b.Files), Content: func(name string) (string, error) {
		text, ok := b.Contents[name]
		if !ok {
			return "", project.ErrNotClosed
		}
		return text, nil
	}})
}

// Schemas returns the JSON Schemas of the inputs and of the outputs of a target, both
// of objects.
func Schemas(p *project.Project, t compiler.Target) (inputs, outputs value.Value) {
	in, out := compiler.Interface(p, t)
	return types.ToSchema(in), types.ToSchema(out)
}
