package service

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// Difference says how two runs differ. What is sensitive is not compared, since it is
// not read: it counts as the same, and is marked.
type Difference struct {
	FormatVersion string     `json:"format_version"`
	Old           RunSide    `json:"old"`
	New           RunSide    `json:"new"`
	SamePlan      bool       `json:"same_plan"`
	Plan          []PlanStep `json:"plan"`            // the steps that say something else, in the plan's order; never nil
	Inputs        []Change   `json:"inputs"`          // never nil
	Outputs       []Change   `json:"outputs"`         // never nil
	Error         *Change    `json:"error,omitempty"` // nil: both failed in the same way, or did not
	Steps         []StepPair `json:"steps"`           // those that differ, or took another time; never nil
	Same          int        `json:"same_steps"`      // parts of steps that ended in the same way
	Hidden        []string   `json:"sensitive"`       // what was not compared; never nil
	MoreSteps     int        `json:"more_steps"`      // that differ beyond those that Steps has
	TookMS        [2]int64   `json:"took_ms"`         // of both runs, in milliseconds; -1: it has not ended
	Connections   []Change   `json:"connections"`     // of sources that were bound elsewhere; never nil
}

// RunSide is one of the two runs.
type RunSide struct {
	Run        journal.RunID  `json:"run"`
	Workflow   string         `json:"workflow"`
	Deployment string         `json:"deployment,omitempty"`
	Status     journal.Status `json:"status"`
	PlanDigest string         `json:"plan_digest"`
}

// PlanStep is a step of a plan that is not the same in both.
type PlanStep struct {
	Step   string   `json:"step"`
	Change string   `json:"change"`           // "added", "removed" or "changed"
	Fields []string `json:"fields,omitempty"` // the attributes that changed
}

// Change is a value that differs. Old is nil where it is new, New where it is gone.
type Change struct {
	Path string          `json:"path"`
	Old  json.RawMessage `json:"old,omitempty"`
	New  json.RawMessage `json:"new,omitempty"`
}

// StepPair is a step, an element, a round or an undo block in both runs.
type StepPair struct {
	Step   string    `json:"step"`          // as commands name it
	Old    *StepSide `json:"old,omitempty"` // nil: that run has none
	New    *StepSide `json:"new,omitempty"`
	Differ []string  `json:"differ"`           // "outcome", "error", "attempts", "connection", "output"; never nil
	Output []Change  `json:"output,omitempty"` // where its outputs differ
}

// StepSide is what became of it in one run.
type StepSide struct {
	State    journal.State `json:"state"`
	Attempts int           `json:"attempts"`
	TookMS   int64         `json:"took_ms"` // -1: not known
	Calls    string        `json:"calls,omitempty"`
	Reused   bool          `json:"reused,omitempty"`
	Error    string        `json:"error,omitempty"` // kind and message
}

// Bounds of what is told one by one.
const (
	mostChanges = 20   // of one value
	mostPairs   = 1000 // steps and elements
)

// Diff says how two runs differ, each named by its id or a part of it.
func Diff(ctx context.Context, store *journal.Store, older, newer string) (*Difference, error) {
	a, err := sideOf(ctx, store, older)
	if err != nil {
		return nil, err
	}
	b, err := sideOf(ctx, store, newer)
	if err != nil {
		return nil, err
	}
	if a.record.Workflow != b.record.Workflow {
		return nil, fmt.Errorf("the run %s is one of the workflow %s, and %s of %s: they cannot be compared", a.record.Run, a.record.Workflow, b.record.Run, b.record.Workflow)
	}
	d := &Difference{
		FormatVersion: "1.0", Old: a.head(), New: b.head(), SamePlan: a.record.PlanDigest == b.record.PlanDigest,
		Plan: []PlanStep{}, Steps: []StepPair{}, Hidden: []string{}, TookMS: [2]int64{a.took(), b.took()},
	}
	if !d.SamePlan {
		d.Plan = planSteps(a.plan, b.plan)
	}
	d.Connections = bindings(a.plan, b.plan)
	if d.Inputs, err = d.values("inputs", a.record.Inputs, b.record.Inputs); err != nil {
		return nil, err
	}
	if d.Outputs, err = d.values("outputs", a.record.Outputs, b.record.Outputs); err != nil {
		return nil, err
	}
	if x, y := failureText(a.record.Error), failureText(b.record.Error); x != y {
		d.Error = &Change{Path: "error", Old: textOrNone(x), New: textOrNone(y)}
	}
	return d, d.pairs(a.record, b.record)
}

func failureText(f *journal.Failure) string {
	if f == nil {
		return ""
	}
	return f.Kind + ": " + f.Message
}

func textOrNone(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return value.AppendJSON(nil, value.OfString(s))
}

// values compares what two runs were given, or gave: attributes of objects.
func (d *Difference) values(what string, older, newer json.RawMessage) ([]Change, error) {
	if hidden(older) || hidden(newer) {
		d.Hidden = append(d.Hidden, what)
		return []Change{}, nil
	}
	a, err := valueOf(older)
	if err != nil {
		return nil, err
	}
	b, err := valueOf(newer)
	if err != nil {
		return nil, err
	}
	c := differences{list: []Change{}}
	c.between("", a, b)
	return c.list, nil
}

// hidden reports whether a value was left out because it is sensitive: the journal
// puts a text in the place of what else is an object.
func hidden(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' }

// valueOf reads a value of the journal; what is not there is an empty object.
func valueOf(raw json.RawMessage) (value.Value, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return value.OfObject(value.NewObject(0)), nil
	}
	return value.ParseStored(raw)
}

// differences collects where two values differ.
type differences struct{ list []Change }

func (c *differences) between(path string, a, b value.Value) {
	if len(c.list) >= mostChanges || value.Equal(a, b) {
		return
	}
	switch {
	case a.Kind() == value.Object && b.Kind() == value.Object:
		for k, was := range a.AsObject().All() {
			if now, ok := b.AsObject().Get(k); ok {
				c.between(attributePath(path, k), was, now)
			} else {
				c.add(attributePath(path, k), &was, nil)
			}
		}
		for k, now := range b.AsObject().All() {
			if _, ok := a.AsObject().Get(k); !ok {
				c.add(attributePath(path, k), nil, &now)
			}
		}
	case a.Kind() == value.List && b.Kind() == value.List:
		x, y := a.AsList(), b.AsList()
		for i := range max(len(x), len(y)) {
			at := fmt.Sprintf("%s[%d]", path, i)
			switch {
			case i >= len(x):
				c.add(at, nil, &y[i])
			case i >= len(y):
				c.add(at, &x[i], nil)
			default:
				c.between(at, x[i], y[i])
			}
		}
	default:
		c.add(path, &a, &b)
	}
}

func (c *differences) add(path string, a, b *value.Value) {
	if len(c.list) >= mostChanges {
		return
	}
	text := func(v *value.Value) json.RawMessage {
		if v == nil {
			return nil
		}
		return value.AppendJSON(nil, *v)
	}
	c.list = append(c.list, Change{path, text(a), text(b)})
}

func attributePath(path, name string) string {
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || (r < '0' || r > '9') && r != '-') {
			return path + "[" + value.OfString(name).JSON() + "]"
		}
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// pairs compares the steps of two runs, each with the one of the same name.
func (d *Difference) pairs(a, b *journal.RunRecord) error {
	byName := map[string]*journal.StepRecord{}
	for i := range b.Steps {
		byName[nameOf(&b.Steps[i])] = &b.Steps[i]
	}
	seen := map[string]bool{}
	for i := range a.Steps {
		name := nameOf(&a.Steps[i])
		seen[name] = true
		if err := d.pair(name, &a.Steps[i], byName[name]); err != nil {
			return err
		}
	}
	for i := range b.Steps {
		if name := nameOf(&b.Steps[i]); !seen[name] {
			if err := d.pair(name, nil, &b.Steps[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// nameOf is a step as commands name it.
func nameOf(s *journal.StepRecord) string {
	if s.Name != "" {
		return s.Name
	}
	return journal.Part{Key: string(s.Key)}.Name(s.Step)
}

func (d *Difference) pair(name string, a, b *journal.StepRecord) error {
	p := StepPair{Step: name, Old: stepSide(a), New: stepSide(b), Differ: []string{}}
	if a != nil && b != nil {
		differs := func(what string, is bool) {
			if is {
				p.Differ = append(p.Differ, what)
			}
		}
		differs("outcome", a.State != b.State)
		differs("error", p.Old.Error != p.New.Error)
		differs("attempts", a.Attempts != b.Attempts)
		differs("connection", p.Old.Calls != p.New.Calls)
		switch {
		case hidden(a.Result) || hidden(b.Result):
			d.Hidden = append(d.Hidden, "step "+name)
		case string(a.Result) != string(b.Result):
			c := differences{}
			x, err := outputOf(a.Result)
			if err != nil {
				return err
			}
			y, err := outputOf(b.Result)
			if err != nil {
				return err
			}
			c.between("", x, y)
			p.Output = c.list
			differs("output", len(c.list) > 0)
		}
	} else {
		p.Differ = append(p.Differ, "presence")
	}
	switch {
	case len(p.Differ) == 0:
		d.Same++
		if p.Old.TookMS == p.New.TookMS {
			return nil
		}
	case len(d.Steps) >= mostPairs:
		d.MoreSteps++
		return nil
	}
	if len(d.Steps) < mostPairs {
		d.Steps = append(d.Steps, p)
	}
	return nil
}

// outputOf is what a step gave: of a result as the journal has it, the output.
func outputOf(raw json.RawMessage) (value.Value, error) {
	v, err := valueOf(raw)
	if err != nil || v.Kind() != value.Object {
		return v, err
	}
	out := value.NewObject(2)
	for _, name := range []string{"output", "text"} {
		if x, ok := v.AsObject().Get(name); ok {
			out.Set(name, x)
			break
		}
	}
	return value.OfObject(out), nil
}

func stepSide(s *journal.StepRecord) *StepSide {
	if s == nil {
		return nil
	}
	out := &StepSide{State: s.State, Attempts: s.Attempts, TookMS: -1, Reused: s.Reused, Error: failureText(s.Error)}
	if s.Tool != "" {
		out.Calls = s.Connection + "." + s.Tool
	}
	if s.StartedAt != nil && s.FinishedAt != nil {
		out.TookMS = s.FinishedAt.Sub(*s.StartedAt).Milliseconds()
	}
	return out
}

// Differs reports whether the runs differ in more than the time they took.
func (d *Difference) Differs() bool {
	return d.Old.Status != d.New.Status || len(d.Plan)+len(d.Inputs)+len(d.Outputs)+len(d.Connections)+d.MoreSteps > 0 || d.Error != nil ||
		slices.ContainsFunc(d.Steps, func(p StepPair) bool { return len(p.Differ) > 0 })
}
