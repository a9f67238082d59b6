package graph_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/compiler/graph"
	"github.com/lda-wf/wfc/compiler/plan"
)

// example has every kind of edge and of remark.
func example() *plan.Plan {
	child := &plan.Plan{Digest: "c", Workflow: "greeting", Sources: []plan.Source{{Name: "people", Connection: "demo.main"}}, Nodes: []plan.NodeSpec{
		{ID: "look", Kind: plan.Call, Source: "people", Tool: "look", Effect: "read"},
		{ID: "greet", Kind: plan.Call, Source: "people", Tool: "greet", Effect: "write", Args: "{ who = step.look.output }", After: []string{"look"}},
	}}
	return &plan.Plan{
		Workflow: "report", Digest: "d",
		Inputs:  []plan.Input{{Name: "names", Type: "list(string)"}, {Name: "label", Type: "string"}},
		Sources: []plan.Source{{Name: "demo", Connection: "demo.main"}},
		Locals:  []plan.Local{{Name: "open", Value: "[for t in step.tasks.output : t if t.open]"}},
		Nodes: []plan.NodeSpec{
			{ID: "tasks", Kind: plan.Call, Source: "demo", Tool: "list_tasks", Effect: "read", Retry: &plan.Retry{Attempts: "3"}},
			{ID: "label", Kind: plan.Call, Source: "demo", Tool: "add_label", Effect: "write", ForEach: "local.open", OnError: []string{"*"},
				Args: "{ label = input.label }", After: []string{"tasks"}, Undo: []plan.NodeSpec{{Source: "demo", Tool: "drop_label"}}},
			{ID: "drop", Kind: plan.Call, Source: "demo", Tool: "drop", Effect: "destructive", When: "step.label[0].outcome == \"ok\" && \"<&\" != \"\"", After: []string{"label"}},
			{ID: "list", Kind: plan.Call, Source: "demo", Tool: "list_tasks", Effect: "read", After: []string{"drop"}, Loop: &plan.Loop{While: "self.output.more", Max: "5"}},
			{ID: "greet", Kind: plan.Run, Child: "c", ForEach: "input.names", After: []string{"list"}},
			{ID: "rest", Kind: plan.ValueNode, Value: "1", After: []string{"greet"}},
			{ID: "bye", Kind: plan.Call, Finally: true, Source: "demo", Tool: "greet", Effect: "read"},
		},
		Outputs:  []plan.Output{{Name: "n", Value: "length(step.greet) + length(input.names)", Type: "integer"}},
		Children: map[string]*plan.Plan{"c": child},
		Ranges:   map[string]plan.Range{"/nodes/0": {File: "a.wf.hcl", Line: 3, Column: 3}},
	}
}

func TestEdgesSayWhyOneComesAfterAnother(t *testing.T) {
	var got []string
	for _, e := range graph.Of(example()).Edges {
		text := fmt.Sprintf("%s -> %s: %s", e.From, e.To, e.Kind)
		if e.Source != "" {
			text += " " + e.Source
		}
		got = append(got, text)
	}
	want := []string{
		"input.label -> label: data",
		"tasks -> label: for_each", // through a local
		"label -> drop: when",
		"drop -> list: order demo",
		"input.names -> greet: for_each",
		"list -> greet: depends_on", // the child has a source of its own
		"greet/look -> greet/greet: data",
		"greet -> rest: depends_on",
		"rest -> bye: finally",
		"greet -> output.n: data",
		"input.names -> output.n: data",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestNodesSayWhatTheyDo(t *testing.T) {
	g := graph.Of(example())
	at := map[string]graph.Node{}
	for _, n := range g.Nodes {
		at[n.ID] = n
	}
	if n := at["tasks"]; n.Tool != "list_tasks" || n.Connections[0] != "demo.main" || n.Retry != "3" || n.Place.Line != 3 {
		t.Errorf("tasks: %+v", n)
	}
	if n := at["label"]; n.Undo[0] != "demo.drop_label" || n.ForEach != "local.open" {
		t.Errorf("label: %+v", n)
	}
	if n := at["greet/look"]; n.In != "greet" || n.Name != "look" {
		t.Errorf("greet/look: %+v", n)
	}
	if n := at["greet"]; n.Workflow != "greeting" || n.Collapsed {
		t.Errorf("greet: %+v", n)
	}
}

// Children that run children soon are more than anybody can look at.
func TestTooManyChildrenAreNotDrawn(t *testing.T) {
	p := &plan.Plan{Workflow: "w", Children: map[string]*plan.Plan{}}
	for level := range 12 {
		c := &plan.Plan{Workflow: fmt.Sprint("level", level)}
		for i := range 10 {
			n := plan.NodeSpec{ID: fmt.Sprint("s", i), Kind: plan.Run}
			if level < 11 {
				n.Child = fmt.Sprint(level + 1)
			}
			if i > 0 {
				n.After = []string{fmt.Sprint("s", i-1)}
			}
			c.Nodes = append(c.Nodes, n)
		}
		p.Children[fmt.Sprint(level)] = c
	}
	p.Nodes = []plan.NodeSpec{{ID: "first", Kind: plan.Run, Child: "0"}}
	g := graph.Of(p)
	if len(g.Nodes) > 2500 {
		t.Errorf("%d nodes", len(g.Nodes))
	}
	if !slices.ContainsFunc(g.Nodes, func(n graph.Node) bool { return n.Collapsed }) {
		t.Error("none is collapsed")
	}
}

func aRun() *graph.Run {
	begin := time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)
	end := begin.Add(90 * time.Second)
	return &graph.Run{ID: "06d3k7mx-x2f9", Status: "failed", StartedAt: begin, FinishedAt: &end, Error: "tool: the server said <no> & \x01 left", Steps: map[string]graph.Seen{
		"tasks": {State: "ok", Attempts: 2, TookMS: 1200},
		"label": {State: "error", TookMS: 61000, Elements: map[string]int{"ok": 2, "error": 1}, Error: "tool: no"},
		"drop":  {State: "skipped", TookMS: -1},
		"list":  {State: "pending", TookMS: -1},
	}}
}

// wellFormed fails if a picture is no XML.
func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v\n%s", err, svg)
		}
	}
}

func TestSVGIsWellFormedAndSaysAll(t *testing.T) {
	g := graph.Of(example())
	g.With(aRun())
	svg := g.SVG()
	wellFormed(t, svg)
	for _, want := range []string{
		`role="img"`, "<title id=\"title\">Workflow report, run 06d3k7mx-x2f9</title>", "<desc id=\"desc\">tasks: demo.list_tasks, ok",
		"prefers-color-scheme: dark", "3 elements, 2 ok, 1 error", "ok 1.2s", "finally, after all others", "&lt;no&gt; &amp;", ">skipped<", ">demo<",
		"workflow greeting", "undo", "tolerates",
	} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("it lacks %s", want)
		}
	}
	for _, bad := range []string{"<script", "http://www.w3.org/1999/xlink", "NaN"} {
		if strings.Contains(string(svg), bad) {
			t.Errorf("it has %s", bad)
		}
	}
}

func TestNamesOfOtherLanguagesAndMarkupAreText(t *testing.T) {
	for _, tool := range []string{`</title><script>alert(1)</script>`, `"]; evil [label="`, "数据库查询", "a\x00b\ufffe", strings.Repeat("w", 4000), "`#quot;"} {
		p := &plan.Plan{Workflow: tool, Nodes: []plan.NodeSpec{{ID: "a", Kind: plan.Call, Source: "s", Tool: tool, Effect: "read"}}}
		g := graph.Of(p)
		svg := g.SVG()
		wellFormed(t, svg)
		if strings.Contains(string(svg), "<script") {
			t.Errorf("%q is markup in the SVG", tool)
		}
		if m := string(g.Mermaid()); strings.Contains(m, "<script") || strings.Count(m, `"`)%2 != 0 {
			t.Errorf("%q is markup in\n%s", tool, m)
		}
		if d := string(g.DOT()); strings.Contains(d, `label="a\ns."]; evil`) {
			t.Errorf("%q ends a label in\n%s", tool, d)
		}
	}
}

// The plans that the compiler's tests keep have all that a plan may have.
func TestPlansOfTheCompiler(t *testing.T) {
	for _, file := range []string{"../testdata/sample.json", "../testdata/sample_prod.json"} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := plan.Decode(src)
		if err != nil {
			t.Fatal(err)
		}
		g := graph.Of(p)
		ids := map[string]bool{}
		for _, n := range g.Nodes {
			if ids[n.ID] || n.In != "" && !ids[n.In] {
				t.Errorf("%s: the node %q comes twice, or before the one that it is in", file, n.ID)
			}
			ids[n.ID] = true
		}
		for _, e := range g.Edges {
			if !ids[e.From] || !ids[e.To] {
				t.Errorf("%s: an edge leads from %q to %q, and one of them is not there", file, e.From, e.To)
			}
		}
		wellFormed(t, g.SVG())
	}
}

func TestPicturesAreTheSameEachTime(t *testing.T) {
	for range 5 {
		a, b := graph.Of(example()), graph.Of(example())
		a.With(aRun())
		b.With(aRun())
		for name, print := range map[string]func(*graph.Graph) []byte{"json": (*graph.Graph).JSON, "mermaid": (*graph.Graph).Mermaid, "dot": (*graph.Graph).DOT, "svg": (*graph.Graph).SVG} {
			if !bytes.Equal(print(a), print(b)) {
				t.Errorf("%s differs", name)
			}
		}
	}
}

func TestAnEmptyWorkflowIsAPicture(t *testing.T) {
	g := graph.Of(&plan.Plan{Workflow: "nothing"})
	wellFormed(t, g.SVG())
	var out struct{ Nodes, Edges []any }
	if err := json.Unmarshal(g.JSON(), &out); err != nil || out.Nodes == nil || out.Edges == nil {
		t.Errorf("%v %s", err, g.JSON())
	}
}

// thousand is a workflow of so many steps, each of which refers to two before it.
func thousand(n int) *plan.Plan {
	p := &plan.Plan{Workflow: "large", Sources: []plan.Source{{Name: "s", Connection: "a.b"}}}
	for i := range n {
		spec := plan.NodeSpec{ID: fmt.Sprint("s", i), Kind: plan.Call, Source: "s", Tool: "t", Effect: "read"}
		if i > 0 {
			a, b := i*7/8, i/2
			spec.Args = plan.Expr(fmt.Sprintf("{ a = step.s%d.output, b = step.s%d.output }", a, b))
			if a == i {
				spec.Args = plan.Expr(fmt.Sprintf("{ b = step.s%d.output }", b))
			}
			spec.After = []string{fmt.Sprint("s", i-1)}
		}
		p.Nodes = append(p.Nodes, spec)
	}
	return p
}

func BenchmarkSVG1000(b *testing.B) {
	p := thousand(1000)
	for b.Loop() {
		graph.Of(p).SVG()
	}
}
