package preview_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/preview"
	"github.com/lda-wf/wfc/lang/value"
)

// look returns the preview of nodes, with inputs as JSON, and its steps by name.
func look(t *testing.T, p *plan.Plan, inputs string) (*preview.Preview, map[string]preview.Step) {
	t.Helper()
	v, err := value.ParseJSON([]byte(inputs))
	if err != nil {
		t.Fatal(err)
	}
	out := preview.Of(p, v)
	if _, err := json.Marshal(out); err != nil {
		t.Fatalf("its JSON: %v", err)
	}
	steps := map[string]preview.Step{}
	for _, s := range out.Steps {
		steps[s.Step] = s
	}
	return out, steps
}

func workflow(nodes ...plan.NodeSpec) *plan.Plan {
	return &plan.Plan{
		Workflow: "w", Nodes: nodes,
		Inputs:  []plan.Input{{Name: "names", Type: "list(string)"}, {Name: "token", Type: "string", Sensitive: true}, {Name: "mode", Type: "string"}},
		Sources: []plan.Source{{Name: "s", Connection: "a.b"}, {Name: "env", Members: []plan.Member{{Key: "dev", Connection: "fs.dev"}, {Key: "prod", Connection: "fs.prod"}}}},
		Locals:  []plan.Local{{Name: "long", Value: "[for n in input.names : n if length(n) > 2]"}, {Name: "hidden", Value: "\"x${input.token}\""}},
	}
}

func call(id string, change func(*plan.NodeSpec)) plan.NodeSpec {
	n := plan.NodeSpec{ID: id, Kind: plan.Call, Source: "s", Tool: "t", Effect: "read"}
	if change != nil {
		change(&n)
	}
	return n
}

func TestWhetherAStepRuns(t *testing.T) {
	_, steps := look(t, workflow(
		call("always", nil),
		call("yes", func(n *plan.NodeSpec) { n.When = "length(input.names) > 1" }),
		call("no", func(n *plan.NodeSpec) { n.When = "length(local.long) > 5" }),
		call("later", func(n *plan.NodeSpec) { n.When = "step.always.output.ok" }),
		call("follows", func(n *plan.NodeSpec) { n.When = `step.no.outcome == "skipped"` }),
		call("settled", func(n *plan.NodeSpec) { n.When = "input.names[0] == \"Ada\" || step.always.output.ok" }),
		call("fails", func(n *plan.NodeSpec) { n.When = "input.names[9] == \"\"" }),
	), `{"names": ["Ada", "Bo"]}`)
	for id, want := range map[string]preview.Will{
		"always": preview.Runs, "yes": preview.Runs, "no": preview.Skips, "later": preview.Depends,
		"follows": preview.Runs, "settled": preview.Runs, "fails": preview.Fails,
	} {
		if got := steps[id].Will; got != want {
			t.Errorf("%s: %s, want %s (%v)", id, got, want, steps[id].Because)
		}
	}
	if b := steps["later"].Because; len(b) != 1 || b[0] != "step.always" {
		t.Errorf("later depends on %v", b)
	}
}

func TestElementsThatInputsTell(t *testing.T) {
	p, steps := look(t, workflow(
		call("each", func(n *plan.NodeSpec) {
			n.ForEach, n.Args, n.When, n.WhenEach = "input.names", "{ name = each.value, n = step.x.output }", `each.value != "Bo"`, true
		}),
		call("unknown", func(n *plan.NodeSpec) { n.ForEach, n.Args, n.Effect = "step.each", "{ a = each.value }", "write" }),
		call("none", func(n *plan.NodeSpec) { n.ForEach = "local.long" }),
	), `{"names": ["Ad", "Bo"]}`)
	e := steps["each"]
	if *e.Count != 2 || e.Elements[0].Will != preview.Runs || e.Elements[1].Will != preview.Skips || string(e.Elements[0].Args[0].Value) != `"Ad"` || e.Elements[0].Args[1].After[0] != "step.x" {
		t.Errorf("each: %+v", e)
	}
	if u := steps["unknown"]; u.Count != nil || u.Because[0] != "step.each" {
		t.Errorf("unknown: %+v", u)
	}
	if n := steps["none"]; *n.Count != 0 {
		t.Errorf("none: %+v", n)
	}
	if p.Totals.Calls["read"] != 1 || len(p.Totals.More) != 1 || p.Totals.More[0] != "write" {
		t.Errorf("totals: %+v", p.Totals)
	}
}

// What is computed of inputs alone is known to the steps after it.
func TestElementsThatCallNothingAreKnown(t *testing.T) {
	p := workflow(
		plan.NodeSpec{ID: "sizes", Kind: plan.ValueNode, ForEach: "input.names", Value: "length(each.value)", When: `each.value != "Bo"`, WhenEach: true},
		plan.NodeSpec{ID: "byname", Kind: plan.ValueNode, ForEach: "input.names", Key: "each.value", EachMap: true, Value: "length(each.value)"},
		call("use", func(n *plan.NodeSpec) {
			n.Args = `{ ran = [for s in step.sizes : s.output if s.outcome == "ok"], first = step.sizes[0].each.value, grace = step.byname["Grace"].output }`
		}),
	)
	_, steps := look(t, p, `{"names": ["Ada", "Bo", "Grace"]}`)
	var got []string
	for _, a := range steps["use"].Args {
		got = append(got, string(a.Value))
	}
	if want := "[3,5] \"Ada\" 5"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
}

func TestSensitiveValuesAndSecretsAreNotShown(t *testing.T) {
	p := workflow(
		call("a", func(n *plan.NodeSpec) {
			n.Args = `{ t = input.token, u = local.hidden, s = secret.key, v = sensitive("abc") }`
		}),
		plan.NodeSpec{ID: "v", Kind: plan.ValueNode, Value: "local.hidden"},
		call("b", func(n *plan.NodeSpec) { n.Args = `{ t = step.v.output }` }),
		plan.NodeSpec{ID: "w", Kind: plan.ValueNode, ForEach: "[input.token]", Value: "each.value"},
		call("d", func(n *plan.NodeSpec) { n.Args = `{ t = step.w[0].output }` }),
		call("c", func(n *plan.NodeSpec) { n.ForEach, n.Args = `[input.token]`, `{ t = each.value, k = each.key }` }),
	)
	p.Secrets = []plan.Secret{{Name: "key", Env: "KEY"}}
	p.Outputs = []plan.Output{{Name: "o", Value: "local.hidden"}}
	out, steps := look(t, p, `{"names": [], "token": "hunter2secret"}`)
	text, err := json.Marshal(out)
	if err != nil || strings.Contains(string(text), "hunter2") || strings.Contains(string(text), `"abc"`) && strings.Contains(string(text), `"value":"abc"`) {
		t.Errorf("%v %s", err, text)
	}
	if s := steps["a"].Args[2]; !s.Sensitive || s.After[0] != "secret.key" {
		t.Errorf("a secret: %+v", s)
	}
	if len(out.Secrets) != 1 || out.Secrets[0] != "key" {
		t.Errorf("secrets: %v", out.Secrets)
	}
}

func TestWhichConnectionAFamilyGives(t *testing.T) {
	family := func(key plan.Expr) plan.NodeSpec {
		return call("f", func(n *plan.NodeSpec) { n.Source, n.SourceKey = "env", key })
	}
	_, steps := look(t, workflow(family("input.mode")), `{"names": [], "mode": "prod"}`)
	if c := steps["f"].Connection; c != "fs.prod" {
		t.Errorf("it calls %s", c)
	}
	_, steps = look(t, workflow(family("step.x.output")), `{"names": [], "mode": "prod"}`)
	if c := steps["f"].Connection; c != "dev=fs.dev, prod=fs.prod" {
		t.Errorf("it calls %s", c)
	}
}

func TestEffectsThatArgumentsDecide(t *testing.T) {
	effect := plan.Expr(`args.mode == "list" ? "read" : "destructive"`)
	_, steps := look(t, workflow(
		call("list", func(n *plan.NodeSpec) {
			n.Effect, n.EffectExpr, n.Args = "destructive", effect, `{ mode = "list", of = step.x.output }`
		}),
		call("drop", func(n *plan.NodeSpec) { n.Effect, n.EffectExpr, n.Args = "destructive", effect, `{ mode = "drop" }` }),
		call("open", func(n *plan.NodeSpec) {
			n.Effect, n.EffectExpr, n.Args = "destructive", effect, `{ mode = step.x.output }`
		}),
	), `{"names": []}`)
	if s := steps["list"]; s.Effect != "read" || s.EffectIf {
		t.Errorf("list: %s %v", s.Effect, s.EffectIf)
	}
	if s := steps["drop"]; s.Effect != "destructive" || s.EffectIf {
		t.Errorf("drop: %s %v", s.Effect, s.EffectIf)
	}
	if s := steps["open"]; s.Effect != "destructive" || !s.EffectIf {
		t.Errorf("open: %s %v", s.Effect, s.EffectIf)
	}
}

func TestWhatIsAskedAndDenied(t *testing.T) {
	nodes := []plan.NodeSpec{
		call("drop", func(n *plan.NodeSpec) { n.Effect = "destructive" }),
		call("each", func(n *plan.NodeSpec) { n.Effect, n.ForEach = "destructive", "input.names" }),
		call("read", nil),
	}
	p := workflow(nodes...)
	p.Policy = &plan.Policy{Destructive: "ask"}
	out, steps := look(t, p, `{"names": ["a", "b"]}`)
	if out.Totals.Asks != 2 || steps["drop"].Asks == "" || !strings.Contains(steps["each"].Asks, "once") || steps["read"].Asks != "" {
		t.Errorf("asks %d, %+v", out.Totals.Asks, steps)
	}
	p.Policy.Destructive = "deny"
	if _, steps = look(t, p, `{"names": ["a", "b"]}`); steps["drop"].Will != preview.Fails {
		t.Errorf("denied: %+v", steps["drop"])
	}
}

// A child of each element soon is more than can be told.
func TestManyElementsAreCounted(t *testing.T) {
	p := workflow(plan.NodeSpec{ID: "r", Kind: plan.Run, Child: "c", ForEach: "input.names", Args: "{ n = each.value }"})
	p.Children = map[string]*plan.Plan{"c": {Workflow: "inner", Inputs: []plan.Input{{Name: "n", Type: "string"}}, Sources: []plan.Source{{Name: "s", Connection: "a.b"}}, Nodes: []plan.NodeSpec{call("x", func(n *plan.NodeSpec) { n.Args = "{ n = input.n }" })}}}
	names := make([]string, 5000)
	for i := range names {
		names[i] = "n"
	}
	src, err := json.Marshal(map[string]any{"names": names})
	if err != nil {
		t.Fatal(err)
	}
	_, steps := look(t, p, string(src))
	if s := steps["r"]; *s.Count != 5000 || len(s.Elements) != 100 || string(s.Elements[3].Steps[0].Args[0].Value) != `"n"` {
		t.Errorf("%d elements, %d told", *s.Count, len(s.Elements))
	}
}

// The plans that the compiler's tests keep have all that a plan may have; inputs that are
// not given are unknown to none of it.
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
		if out, _ := look(t, p, "{}"); len(out.Steps) != len(p.Nodes) {
			t.Errorf("%s: %d steps of %d", file, len(out.Steps), len(p.Nodes))
		}
	}
}
