// Package graph has a workflow as a picture: its steps, what leads from one to
// another and why, and what a run made of them; as JSON, Mermaid, DOT and SVG. It is
// made from a plan alone, so that a run's picture is that of what ran.
//
// Its central type is Graph. It imports lang, compiler/plan and compiler/graph/layout.
package graph

import (
	"encoding/json"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
)

// FormatVersion is the version of the JSON (docs/cli.md).
const FormatVersion = "1.0"

// Kind is what a node of the picture is: one of the kinds of the plan's nodes, or
// one of these.
type Kind string

// The kinds that a plan's nodes do not have.
const (
	Input  Kind = "input"
	Output Kind = "output"
)

// EdgeKind says why something comes before something else.
type EdgeKind string

// The kinds of edges, the strongest first.
const (
	Data      EdgeKind = "data"       // its value is referred to
	Each      EdgeKind = "for_each"   // its value is what for_each goes over
	When      EdgeKind = "when"       // its value decides whether the step runs
	DependsOn EdgeKind = "depends_on" // order without data
	Order     EdgeKind = "order"      // order of effects on a source
	Finally   EdgeKind = "finally"    // after all others
)

// Graph is a workflow, or a run of one, as a picture.
type Graph struct {
	FormatVersion string `json:"format_version"`
	Workflow      string `json:"workflow"`
	Deployment    string `json:"deployment,omitempty"`
	Digest        string `json:"plan_digest"`
	Run           *Run   `json:"run,omitempty"`
	Nodes         []Node `json:"nodes"` // never nil; a node comes after the one that it is in
	Edges         []Edge `json:"edges"` // never nil
}

// Node is a step, an input or an output.
type Node struct {
	// ID is the step's name, input.NAME or output.NAME; of what a child has with the
	// step that runs the child before it: deploy/build.
	ID   string `json:"id"`
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
	In   string `json:"in,omitempty"` // the id of the node that runs the workflow that this is of; "": the workflow itself

	Type      string `json:"type,omitempty"` // of an input or output
	Sensitive bool   `json:"sensitive,omitempty"`

	Finally     bool     `json:"finally,omitempty"`
	Source      string   `json:"source,omitempty"` // logical
	Connections []string `json:"connections,omitempty"`
	Tool        string   `json:"tool,omitempty"` // or the prompt
	Effect      string   `json:"effect,omitempty"`
	Workflow    string   `json:"workflow,omitempty"` // that a step runs
	Collapsed   bool     `json:"collapsed,omitempty"`

	Asks        string   `json:"asks,omitempty"` // the message of a question, as an expression
	When        string   `json:"when,omitempty"` // the expressions, as the plan has them
	ForEach     string   `json:"for_each,omitempty"`
	Loop        *Loop    `json:"loop,omitempty"`
	Retry       string   `json:"retry,omitempty"` // how many attempts there may be
	Undo        []string `json:"undo,omitempty"`  // SOURCE.TOOL, in order
	OnError     []string `json:"on_error,omitempty"`
	MaxParallel string   `json:"max_parallel,omitempty"`

	Place *plan.Range `json:"place,omitempty"`
	Seen  *Seen       `json:"seen,omitempty"` // what became of it in the run
}

// Loop is what a step does in rounds.
type Loop struct {
	While string `json:"while"`
	Max   string `json:"max"`
}

// Edge leads from what comes first to what comes after it.
type Edge struct {
	From   string   `json:"from"`
	To     string   `json:"to"`
	Kind   EdgeKind `json:"kind"`
	Source string   `json:"source,omitempty"` // of an order of effects
}

// Run is a run of the workflow.
type Run struct {
	ID         string     `json:"run"`
	Status     string     `json:"status"`
	StartedAt  time.Time  `json:"started_at"`
	FinishedAt *time.Time `json:"finished_at,omitempty"` // nil: not yet
	Error      string     `json:"error,omitempty"`
	// Steps says what became of each, by the id of its node.
	Steps map[string]Seen `json:"-"`
}

// Seen is what became of a step in a run: of all its elements and rounds, wherever
// the workflow that it is of was run.
type Seen struct {
	State    string `json:"state"` // pending, running, ok, error, skipped, in_doubt or waiting
	Attempts int    `json:"attempts,omitempty"`
	Reused   bool   `json:"reused,omitempty"`
	// StartMS is when it began, from the run's beginning, and TookMS how long it took,
	// in milliseconds; -1: not known.
	StartMS  int64          `json:"start_ms"`
	TookMS   int64          `json:"took_ms"`
	Elements map[string]int `json:"elements,omitempty"` // how many there are by state; nil: it has none
	Rounds   int            `json:"rounds,omitempty"`
	Undone   int            `json:"undone,omitempty"` // undo blocks that were run
	Error    string         `json:"error,omitempty"`  // kind and message
}

// With puts what a run made of the workflow into its picture.
func (g *Graph) With(r *Run) {
	g.Run = r
	for i := range g.Nodes {
		if s, ok := r.Steps[g.Nodes[i].ID]; ok {
			g.Nodes[i].Seen = &s
		}
	}
}

// JSON returns the graph's JSON, indented, with a line break at the end.
func (g *Graph) JSON() []byte {
	out, err := json.MarshalIndent(g, "", "  ")
	if err != nil {
		panic(err) // it has only text and numbers
	}
	return append(out, '\n')
}
