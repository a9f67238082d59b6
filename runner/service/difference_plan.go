package service

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// side is one of two runs that are compared.
type side struct {
	record *journal.RunRecord
	plan   *plan.Plan
}

func sideOf(ctx context.Context, store *journal.Store, run string) (*side, error) {
	record, err := store.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	p, err := planOf(ctx, store, record)
	return &side{record, p}, err
}

func (s *side) head() RunSide {
	return RunSide{s.record.Run, s.record.Workflow, s.record.Deployment, s.record.Status, s.record.PlanDigest}
}

// took is how long the run took, in milliseconds; -1: it has not ended.
func (s *side) took() int64 {
	if s.record.FinishedAt == nil {
		return -1
	}
	return s.record.FinishedAt.Sub(s.record.StartedAt).Milliseconds()
}

// planSteps compares the steps of two plans by name, those of their children too.
func planSteps(a, b *plan.Plan) []PlanStep {
	c := comparison{a: a, b: b, out: []PlanStep{}}
	c.plans(a, b, "")
	return c.out
}

// comparison compares two plans and their children, up to as many steps as anybody
// could look at: each step of a child may run a child of its own.
type comparison struct {
	a, b *plan.Plan
	out  []PlanStep
	seen int
}

func (c *comparison) plans(a, b *plan.Plan, path string) {
	for i := range a.Nodes {
		if c.seen++; c.seen > 10*mostPairs || len(c.out) >= mostPairs {
			return
		}
		old := &a.Nodes[i]
		now := b.Node(old.ID)
		if now == nil {
			c.out = append(c.out, PlanStep{Step: path + old.ID, Change: "removed"})
			continue
		}
		if fields := changedFields(old, now); len(fields) > 0 {
			c.out = append(c.out, PlanStep{Step: path + old.ID, Change: "changed", Fields: fields})
		}
		x, y := c.a.Children[old.Child], c.b.Children[now.Child]
		if x != nil && y != nil && old.Child != now.Child {
			c.plans(x, y, path+old.ID+"/")
		}
	}
	for i := range b.Nodes {
		if a.Node(b.Nodes[i].ID) == nil {
			c.out = append(c.out, PlanStep{Step: path + b.Nodes[i].ID, Change: "added"})
		}
	}
}

// fieldNames are what people call the fields of a plan that have another name in it.
var fieldNames = map[string]string{
	"tool_digest": "the tool's snapshot", "input_schema": "the tool's input schema", "output_schema": "the tool's output schema",
	"asserts": "assert", "result_type": "the type of its result", "effect_expr": "effect", "after": "order",
}

// changedFields names the attributes in which two steps differ, sorted. That a step runs
// a workflow of other content is told by the steps of that.
func changedFields(a, b *plan.NodeSpec) []string {
	x, y := fieldsOf(a), fieldsOf(b)
	var out []string
	note := func(name string) {
		if shown, ok := fieldNames[name]; ok {
			name = shown
		}
		out = append(out, name)
	}
	for name, raw := range x {
		if !bytes.Equal(raw, y[name]) {
			note(name)
		}
	}
	for name := range y {
		if _, ok := x[name]; !ok {
			note(name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func fieldsOf(n *plan.NodeSpec) map[string]json.RawMessage {
	src, err := json.Marshal(n)
	if err != nil {
		panic(err) // it has only text and numbers
	}
	out := map[string]json.RawMessage{}
	if err := json.Unmarshal(src, &out); err != nil {
		panic(err)
	}
	delete(out, "child")
	return out
}

// bindings says which sources are bound to other connections.
func bindings(a, b *plan.Plan) []Change {
	out := []Change{}
	bound := func(p *plan.Plan, source string) string {
		for _, s := range p.Sources {
			if s.Name != source {
				continue
			}
			if s.Connection != "" {
				return s.Connection
			}
			var ids []string
			for _, m := range s.Members {
				ids = append(ids, m.Key+"="+m.Connection)
			}
			return strings.Join(ids, ", ")
		}
		return ""
	}
	for _, s := range a.Sources {
		x, y := bound(a, s.Name), bound(b, s.Name)
		if y != "" && x != y {
			out = append(out, Change{s.Name, value.AppendJSON(nil, value.OfString(x)), value.AppendJSON(nil, value.OfString(y))})
		}
	}
	return out
}
