package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/registry"
)

// DeploymentStatus says whether a deployment can be run.
type DeploymentStatus string

// The statuses of deployments.
const (
	DeploymentReady DeploymentStatus = "ready"
	// DeploymentStale: the project has changed since it was saved, so that what was
	// checked then does not hold. Saving it again checks it again.
	DeploymentStale DeploymentStatus = "stale"
	// DeploymentInvalid is one of the project's files that has errors.
	DeploymentInvalid DeploymentStatus = "invalid"
)

// Policy is what a deployment says of risks; "" is the default.
type Policy struct {
	Destructive string `json:"destructive,omitempty"` // "allow", "ask" or "deny"
	Drift       string `json:"drift,omitempty"`       // "fail", "warn" or "ignore"
	InDoubt     string `json:"in_doubt,omitempty"`    // "ask", "fail" or "retry"
}

// Schedule says when a deployment runs by itself.
type Schedule struct {
	Cron     string `json:"cron"`
	Timezone string `json:"timezone,omitempty"` // "": UTC
	Overlap  string `json:"overlap,omitempty"`  // "skip", "queue" or "cancel"; "": skip
	Missed   string `json:"missed,omitempty"`   // "skip" or "run_once"; "": skip
}

// Deployment is a workflow with what it is run with: of the project's files, or saved
// with an artifact.
type Deployment struct {
	ID              string
	ReadOnly        bool   // it is of the project's files
	ArtifactID      string // "" of one of the files
	ArtifactVersion string
	Workflow        string // its name; "": there is none
	Title           string // of the workflow or the artifact; "": none
	Description     string
	Bindings        map[string]string // connection ids by logical source
	Input           value.Value       // an object: inputs that are fixed
	Policy          *Policy           // nil: the defaults
	Schedule        *Schedule         // nil: none
	Status          DeploymentStatus
	Diagnostics     Diagnostics // why it is not ready, and warnings
	// Schemas of what a run is given and gives; nil where it is not ready.
	InputSchema, OutputSchema json.RawMessage
	// Plan is what a run executes, not to be changed; nil where it is not ready.
	Plan     *plan.Plan
	Revision int64 // counts the saves, from 1; 0 of one of the files
	Created  time.Time
	Updated  time.Time
}

// Refusal says why a deployment is not run, an [Error]; nil: it is ready.
func (d *Deployment) Refusal() error {
	switch d.Status {
	case DeploymentReady:
		return nil
	case DeploymentStale:
		e := invalid(d.Diagnostics, "The deployment %q is stale: the project has changed since it was saved. Save it again", d.ID)
		e.Kind = Stale
		return e
	}
	return invalid(d.Diagnostics, "The deployment %q cannot be run, because it has errors", d.ID)
}

// SaveDeployment says what a deployment is to be.
type SaveDeployment struct {
	ID              string
	ArtifactID      string
	ArtifactVersion string            // "": the one that was made last, which is pinned then
	Bindings        map[string]string // connection ids by logical source
	Input           value.Value       // an object, or null
	Policy          *Policy
	Schedule        *Schedule
	// Revision is what the deployment must have now, so that nobody's change is
	// overwritten unseen; 0: any, or none.
	Revision int64
}

// deploymentBody is what the registry keeps of a deployment.
type deploymentBody struct {
	Format   int               `json:"format"` // 1
	Bindings map[string]string `json:"bindings,omitempty"`
	Input    json.RawMessage   `json:"input,omitempty"`
	Policy   *Policy           `json:"policy,omitempty"`
	Schedule *Schedule         `json:"schedule,omitempty"`
}

// SaveDeployment links an artifact to the connections of the project, checks it, and
// keeps it in place of the deployment of its id, if there is one: runs that go on
// keep their plans. Names of deployments in the project's files are a [Conflict];
// what does not check is [Invalid], and nothing is kept.
func (h *Host) SaveDeployment(ctx context.Context, s SaveDeployment) (*Deployment, error) {
	if err := registry.CheckID("a deployment", s.ID); err != nil {
		return nil, &Error{Kind: Invalid, Message: err.Error(), Cause: err}
	}
	h.changing.Lock()
	defer h.changing.Unlock()
	w := h.now()
	if w.project.Deployments[s.ID] != nil {
		return nil, readOnly(s.ID)
	}
	if other, err := h.sameTool(ctx, s.ID); err != nil {
		return nil, err
	} else if other != "" {
		return nil, refuse(Conflict, "The deployments %q and %q would both be the MCP tool %q. Take another id.", other, s.ID, ToolName(s.ID))
	}
	a, err := h.registry.Artifact(ctx, s.ArtifactID, s.ArtifactVersion)
	if err != nil {
		return nil, artifactError(s.ArtifactID, s.ArtifactVersion, err)
	}
	body := deploymentBody{Format: 1, Bindings: s.Bindings, Policy: s.Policy, Schedule: s.Schedule}
	if !s.Input.IsNull() {
		if _, err := object("input", s.Input); err != nil {
			return nil, err
		}
		body.Input = value.AppendJSON(nil, s.Input)
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	d := registry.Deployment{ID: s.ID, ArtifactID: a.ID, ArtifactVersion: a.Version, Body: raw}
	l, err := w.linkSaved(d, a)
	if err != nil {
		return nil, err
	}
	if l.plan == nil {
		return nil, invalid(l.diagnostics, "The deployment %q cannot be saved, because it does not fit", s.ID)
	}
	d.PlanDigest = l.plan.Digest
	kept, err := h.registry.SaveDeployment(ctx, d, s.Revision)
	if errors.Is(err, registry.ErrChanged) {
		return nil, refuse(Conflict, "The deployment %q was saved by somebody else meanwhile: %s. Get it again, and change that.", s.ID, strings.TrimSuffix(err.Error(), ": "+registry.ErrChanged.Error()))
	}
	if err != nil {
		return nil, kindly(err)
	}
	w.forget(s.ID)
	return w.saved(ctx, kept)
}

func readOnly(id string) error {
	return refuse(Conflict, "The deployment %q is one of the project's files, which say what it is. Change it there, or take another id.", id)
}

// text writes a deployment as a file has it.
func (b *deploymentBody) text(workflow string) ([]byte, error) {
	var s strings.Builder
	fmt.Fprintf(&s, "deployment \"saved\" {\n  workflow = workflow.%s\n", workflow)
	if len(b.Input) > 0 {
		v, err := value.ParseJSON(b.Input)
		if err != nil {
			return nil, fmt.Errorf("the input %s", value.NotTaken(err))
		}
		s.WriteString("  inputs = {\n")
		for name, a := range v.AsObject().All() {
			fmt.Fprintf(&s, "    %s = %s\n", types.Key(name), types.Notation(a))
		}
		s.WriteString("  }\n")
	}
	block := func(name string, attributes ...string) {
		fmt.Fprintf(&s, "  %s {\n", name)
		for i := 0; i < len(attributes); i += 2 {
			if attributes[i+1] != "" {
				fmt.Fprintf(&s, "    %s = %s\n", attributes[i], quoted(attributes[i+1]))
			}
		}
		s.WriteString("  }\n")
	}
	if p := b.Policy; p != nil {
		block("policy", "destructive", p.Destructive, "drift", p.Drift, "in_doubt", p.InDoubt)
	}
	if c := b.Schedule; c != nil {
		block("schedule", "cron", c.Cron, "timezone", c.Timezone, "overlap", c.Overlap, "missed", c.Missed)
	}
	s.WriteString("}\n")
	return []byte(s.String()), nil
}

// linkSaved links a deployment that was saved, or is to be, to the project as it is now.
func (w *world) linkSaved(d registry.Deployment, a registry.Artifact) (*linked, error) {
	of, err := bodyOf(a)
	if err != nil {
		return nil, err
	}
	var body deploymentBody
	if err := json.Unmarshal(d.Body, &body); err != nil || body.Format != 1 {
		return nil, fmt.Errorf("the deployment %s cannot be read: its format is %d, and this wfc knows 1 (%v)", d.ID, body.Format, err)
	}
	text, err := body.text(of.Workflow)
	if err != nil {
		return nil, &Error{Kind: Invalid, Message: sentence(err), Cause: err}
	}
	p := of.project(w, a)
	file := "deployment " + d.ID
	f, found := syntax.Parse(file, text)
	source := func(name string) []byte {
		if name == file {
			return text
		}
		return p.Source(name)
	}
	if found.HasErrors() || len(f.Deployments) != 1 {
		return &linked{diagnostics: Diagnostics{found, source}, prepared: &once[*Prepared]{}}, nil
	}
	y := f.Deployments[0]
	y.Name.Text = d.ID
	l := link(p, compiler.Target{Target: project.Target{Workflow: p.Workflows[of.Workflow], Deployment: y}, Bind: body.Bindings})
	l.diagnostics.Source = source
	return l, nil
}

// deployed is a deployment with its plan.
type deployed struct {
	Deployment
	linked *linked
}

// saved returns a deployment that was saved, as the project is now.
func (w *world) saved(ctx context.Context, d registry.Deployment) (*Deployment, error) {
	out, err := w.savedLinked(ctx, d)
	if err != nil {
		return nil, err
	}
	return out.copied(), nil
}

// copied is the deployment as callers get it, who may change what they have.
func (d *deployed) copied() *Deployment {
	out := d.Deployment
	out.Bindings = maps.Clone(d.Bindings)
	return &out
}

// savedLinked is computed once for each save: nothing but another one changes it.
func (w *world) savedLinked(ctx context.Context, d registry.Deployment) (*deployed, error) {
	// Whoever asks first must not take the answer from the others by giving up.
	ctx = context.WithoutCancel(ctx)
	return entry(w, w.deployed, fmt.Sprintf("saved %s %d", d.ID, d.Revision)).get(func() (*deployed, error) { return w.linkDeployed(ctx, d) })
}

func (w *world) linkDeployed(ctx context.Context, d registry.Deployment) (*deployed, error) {
	a, err := w.host.registry.Artifact(ctx, d.ArtifactID, d.ArtifactVersion)
	if err != nil {
		return nil, artifactError(d.ArtifactID, d.ArtifactVersion, err)
	}
	l, err := w.linkSaved(d, a)
	if err != nil {
		return nil, err
	}
	of, err := bodyOf(a)
	if err != nil {
		return nil, err
	}
	var body deploymentBody
	if err := json.Unmarshal(d.Body, &body); err != nil {
		return nil, err
	}
	out := &deployed{linked: l, Deployment: Deployment{
		ID: d.ID, ArtifactID: d.ArtifactID, ArtifactVersion: d.ArtifactVersion, Workflow: of.Workflow, Title: a.Title, Description: of.Description,
		Bindings: body.Bindings, Policy: body.Policy, Schedule: body.Schedule, Status: DeploymentReady, Diagnostics: l.diagnostics,
		Plan: l.plan, Revision: d.Revision, Created: d.Created, Updated: d.Updated,
		InputSchema: of.InputSchema, OutputSchema: of.OutputSchema, Input: value.OfObject(value.NewObject(0)),
	}}
	if len(body.Input) > 0 {
		if out.Input, err = value.ParseJSON(body.Input); err != nil {
			return nil, err
		}
	}
	drift := ""
	if body.Policy != nil {
		drift = body.Policy.Drift
	}
	switch {
	case l.plan == nil:
		out.Status = DeploymentStale
	case l.plan.Digest != d.PlanDigest && (drift == "" || drift == "fail"):
		out.Status, out.Plan = DeploymentStale, nil
		changed := diag.New(codeStale, hcl.Range{}, "What the deployment %q is made of has changed since it was saved: a connection, or the catalog of one, says something else. It fits all the same. Look at the change, and save the deployment again.", d.ID)
		out.Diagnostics = Diagnostics{append(diag.List{changed}, l.diagnostics.List...), l.diagnostics.Source}
	}
	if out.Status == DeploymentStale {
		out.InputSchema, out.OutputSchema = nil, nil
	}
	return out, nil
}

// ofFile returns a deployment of the project's files.
func (w *world) ofFile(id string) *deployed {
	d, _ := entry(w, w.deployed, "file "+id).get(func() (*deployed, error) { return w.compileFile(id), nil })
	return d
}

func (w *world) compileFile(id string) *deployed {
	y := w.project.Deployments[id]
	t := project.Target{Deployment: y}
	out := &deployed{Deployment: Deployment{ID: id, ReadOnly: true, Bindings: map[string]string{}, Status: DeploymentReady, Input: value.OfObject(value.NewObject(0))}}
	if y.Description != nil {
		out.Description = y.Description.S
	}
	if y.Workflow != nil && len(y.Workflow.Path) == 2 {
		out.Workflow = y.Workflow.Path[1].Text
		t.Workflow = w.project.Workflows[out.Workflow]
	}
	if t.Workflow != nil {
		if t.Workflow.Title != nil {
			out.Title = t.Workflow.Title.S
		}
		if out.Description == "" && t.Workflow.Description != nil {
			out.Description = t.Workflow.Description.S
		}
	}
	for _, b := range y.Bind {
		if len(b.Connection.Path) == 3 {
			out.Bindings[b.Source.Text] = b.Connection.Path[1].Text + "." + b.Connection.Path[2].Text
		}
	}
	if p := y.Policy; p != nil {
		out.Policy = &Policy{textOf(p.Destructive), textOf(p.Drift), textOf(p.InDoubt)}
	}
	if s := y.Schedule; s != nil {
		out.Schedule = &Schedule{textOf(s.Cron), textOf(s.Timezone), textOf(s.Overlap), textOf(s.Missed)}
	}
	out.linked = w.target(compiler.Target{Target: t}, "file "+id)
	out.Plan, out.Diagnostics = out.linked.plan, out.linked.diagnostics
	if out.Plan == nil {
		out.Status = DeploymentInvalid
		return out
	}
	fixed := value.NewObject(0)
	for _, in := range out.Plan.Inputs {
		if v, err := value.ParseJSON(in.Fixed); in.Fixed != nil && err == nil {
			fixed.Set(in.Name, v)
		}
	}
	out.Input = value.OfObject(fixed)
	in, gives := compiler.Interface(w.project, compiler.Target{Target: t})
	out.InputSchema, out.OutputSchema = schemaOf(in), schemaOf(gives)
	return out
}

func textOf(t *syntax.Text) string {
	if t == nil {
		return ""
	}
	return t.S
}

// target links a target of the project under a key. What callers bind that does not
// fit is not kept: there is no end to it.
func (w *world) target(t compiler.Target, key string) *linked {
	l, _ := entry(w, w.plans, key).get(func() (*linked, error) { return link(w.project, t), nil })
	if l.plan == nil && len(t.Bind) > 0 {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.plans, key)
	}
	return l
}

// deployment returns a deployment, of the files or saved.
func (w *world) deployment(ctx context.Context, id string) (*deployed, error) {
	if w.project.Deployments[id] != nil {
		return w.ofFile(id), nil
	}
	d, err := w.host.registry.Deployment(ctx, id)
	if errors.Is(err, registry.ErrNotFound) {
		return nil, w.noDeployment(ctx, id)
	}
	if err != nil {
		return nil, kindly(err)
	}
	return w.savedLinked(ctx, d)
}

func (w *world) noDeployment(ctx context.Context, id string) error {
	names := w.project.DeploymentNames()
	if saved, err := w.host.registry.Deployments(ctx, Page{}); err == nil {
		for _, d := range saved {
			names = append(names, d.ID)
		}
	}
	return unknownName("deployment", id, names)
}

// Deployment returns a deployment; the error is [NotFound] where there is none.
func (h *Host) Deployment(ctx context.Context, id string) (*Deployment, error) {
	d, err := h.now().deployment(ctx, id)
	if err != nil {
		return nil, err
	}
	return d.copied(), nil
}

// Deployments returns deployments, of the files and saved, in the order of their ids;
// never nil.
func (h *Host) Deployments(ctx context.Context, p Page) ([]*Deployment, error) {
	w := h.now()
	kept, err := h.registry.Deployments(ctx, Page{After: p.After})
	if err != nil {
		return nil, err
	}
	all := map[string]func() (*Deployment, error){}
	for _, id := range w.project.DeploymentNames() {
		if id > p.After {
			all[id] = func() (*Deployment, error) { return w.ofFile(id).copied(), nil }
		}
	}
	for _, d := range kept {
		if all[d.ID] == nil { // else the files have taken its name since
			all[d.ID] = func() (*Deployment, error) { return w.saved(ctx, d) }
		}
	}
	out := []*Deployment{}
	for _, id := range slices.Sorted(maps.Keys(all)) {
		if p.Limit > 0 && len(out) == p.Limit {
			break
		}
		d, err := all[id]()
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// DeleteDeployment removes a deployment that was saved. One whose runs go on or wait
// is a [Conflict], unless running is set: they end as they would, and keep its name.
func (h *Host) DeleteDeployment(ctx context.Context, id string, running bool) error {
	h.changing.Lock()
	defer h.changing.Unlock()
	w := h.now()
	if w.project.Deployments[id] != nil {
		return readOnly(id)
	}
	if _, err := h.registry.Deployment(ctx, id); err != nil {
		if errors.Is(err, registry.ErrNotFound) {
			return w.noDeployment(ctx, id)
		}
		return kindly(err)
	}
	if !running {
		runs, err := h.store.Runs(ctx, unfinishedOf(id))
		if err != nil {
			return kindly(err)
		}
		if len(runs) > 0 {
			e := refuse(Conflict, "The deployment %q has %d runs that have not ended, such as %s. Cancel them, or say that they may go on.", id, len(runs), runs[0].Run)
			e.Run = string(runs[0].Run)
			return e
		}
	}
	if err := h.registry.DeleteDeployment(ctx, id); err != nil {
		return kindly(err)
	}
	w.forget(id)
	return nil
}
