package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
)

// rule is one workflow and what comes of it.
type rule struct {
	name  string
	nodes []plan.NodeSpec
	out   []string // the outputs: name, expression, …
	tools world
	want  string // the outputs
	fails string // or, how the run's failure begins: kind, then message
}

type nodes = []plan.NodeSpec

func call(id, tool, args string, with ...func(*plan.NodeSpec)) plan.NodeSpec {
	n := plan.NodeSpec{ID: id, Tool: tool, Args: plan.Expr(args)}
	for _, f := range with {
		f(&n)
	}
	return n
}

func val(id, expr string, with ...func(*plan.NodeSpec)) plan.NodeSpec {
	n := plan.NodeSpec{ID: id, Value: plan.Expr(expr)}
	for _, f := range with {
		f(&n)
	}
	return n
}

func after(names ...string) func(*plan.NodeSpec) { return func(n *plan.NodeSpec) { n.After = names } }
func when(e string) func(*plan.NodeSpec)         { return func(n *plan.NodeSpec) { n.When = plan.Expr(e) } }
func whenEach(e string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) { n.When, n.WhenEach = plan.Expr(e), true }
}
func forEach(e string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) { n.ForEach = plan.Expr(e) }
}
func key(e string) func(*plan.NodeSpec) { return func(n *plan.NodeSpec) { n.Key = plan.Expr(e) } }
func parallel(e string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) { n.MaxParallel = plan.Expr(e) }
}
func timeout(e string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) { n.Timeout = plan.Expr(e) }
}
func tolerate(kinds ...string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) { n.OnError = kinds }
}
func decode(d string) func(*plan.NodeSpec)  { return func(n *plan.NodeSpec) { n.Decode = d } }
func result(e string) func(*plan.NodeSpec)  { return func(n *plan.NodeSpec) { n.Result = plan.Expr(e) } }
func failIf(e string) func(*plan.NodeSpec)  { return func(n *plan.NodeSpec) { n.FailIf = plan.Expr(e) } }
func returns(t string) func(*plan.NodeSpec) { return func(n *plan.NodeSpec) { n.Returns = t } }
func effect(e string) func(*plan.NodeSpec)  { return func(n *plan.NodeSpec) { n.Effect = e } }
func nulls(names ...string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) { n.NullArgs = names }
}
func inputSchema(d string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) { n.InputSchema = d }
}
func outputSchema(d string) func(*plan.NodeSpec) {
	return func(n *plan.NodeSpec) { n.OutputSchema = d }
}
func typed(t string) func(*plan.NodeSpec) { return func(n *plan.NodeSpec) { n.ResultType = t } }

func run(t *testing.T, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			p := outputs(planOf(r.nodes...), r.out...)
			for i := range p.Nodes {
				p.Ranges = map[string]plan.Range{fmt.Sprintf("/nodes/%d/args", i): {File: "w.wf.hcl", Line: 7, Column: 3}}
			}
			p.Schemas = map[string]json.RawMessage{"number": raw(`{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}`)}
			ended := newSim(t, p, r.tools).begin().finish()
			switch {
			case r.fails != "" && ended.Err == nil:
				t.Errorf("it gives %s; want a failure", ended.Outputs.JSON())
			case r.fails != "":
				if got := string(ended.Err.Kind) + ": " + ended.Err.Message; !strings.HasPrefix(got, r.fails) {
					t.Errorf("it fails with\n     %s\nwant %s", got, r.fails)
				}
			case ended.Err != nil:
				t.Errorf("it fails: %s: %s", ended.Err.Kind, ended.Err.Message)
			case ended.Outputs.JSON() != r.want:
				t.Errorf("it gives\n     %s\nwant %s", ended.Outputs.JSON(), r.want)
			}
		})
	}
}

func TestAnAnswerBecomesOutput(t *testing.T) {
	run(t, []rule{
		{"structured content is the output",
			nodes{call("a", "t", ``)}, []string{"o", "step.a.output"},
			world{"t": give(`{"n":9007199254740993,"d":1.50}`)}, `{"o":{"n":9007199254740993,"d":1.50}}`, ""},
		{"without it the text is",
			nodes{call("a", "t", ``)}, []string{"o", "step.a.output"},
			world{"t": say("\ufeffa\r\n")}, "{\"o\":\"\ufeffa\\r\\n\"}", ""},
		{"a result has all of LANGUAGE 5",
			nodes{call("a", "t", ``)}, []string{"o", "step.a"},
			world{"t": say("hi")}, `{"o":{"outcome":"ok","output":"hi","text":"hi","content":[{"type":"text","text":"hi"}],"error":null,"attempts":1}}`, ""},
		{"decode reads the text, even beside structured content",
			nodes{call("a", "t", ``, decode("text"))}, []string{"o", "step.a.output"},
			world{"t": func(value.Value) (*Answer, *CallError) {
				a := structured(`{"n":1}`)
				a.Text = "the text"
				return a, nil
			}}, `{"o":"the text"}`, ""},
		{"decode json, behind a BOM",
			nodes{call("a", "t", ``, decode("json"))}, []string{"o", "step.a.output.n"},
			world{"t": say("\ufeff{\"n\": 1.0}")}, `{"o":1.0}`, ""},
		{"decode json of no JSON",
			nodes{call("a", "t", ``, decode("json"))}, nil,
			world{"t": say("oops")}, "", "decode: Step a failed: The answer of demo.main.t cannot be used: the text is no JSON"},
		{"decode jsonl",
			nodes{call("a", "t", ``, decode("jsonl"))}, []string{"o", "step.a.output"},
			world{"t": say("1\r\n\r\n[2]\n\"x\"")}, `{"o":[1,[2],"x"]}`, ""},
		{"decode jsonl names the line",
			nodes{call("a", "t", ``, decode("jsonl"))}, nil,
			world{"t": say("1\n{")}, "", "decode: Step a failed: The answer of demo.main.t cannot be used: line 2 is no JSON"},
		{"decode lines",
			nodes{call("a", "t", ``, decode("lines"))}, []string{"o", "step.a.output"},
			world{"t": say("a\r\n\nb\n")}, `{"o":["a","","b"]}`, ""},
		{"decode lines of nothing",
			nodes{call("a", "t", ``, decode("lines"))}, []string{"o", "step.a.output"},
			world{"t": say("")}, `{"o":[]}`, ""},
		{"decode csv",
			nodes{call("a", "t", ``, decode("csv"))}, []string{"o", "step.a.output"},
			world{"t": say("\ufeffa,b\r\n1,\"x\r\ny\"\r\n")}, `{"o":[{"a":"1","b":"x\r\ny"}]}`, ""},
		{"decode yaml",
			nodes{call("a", "t", ``, decode("yaml"))}, []string{"o", "step.a.output"},
			world{"t": say("n: 1\nl: [a]\n")}, `{"o":{"n":1,"l":["a"]}}`, ""},
		{"decode yaml of no YAML says so once",
			nodes{call("a", "t", ``, decode("yaml"))}, nil,
			world{"t": say("a: [1")}, "", "decode: Step a failed: The answer of demo.main.t cannot be used: the text is no YAML: line 1: did not find expected ',' or ']'."},
		{"decode yaml of YAML that is no value",
			nodes{call("a", "t", ``, decode("yaml"))}, nil,
			world{"t": say("a: 1\na: 2")}, "", "decode: Step a failed: The answer of demo.main.t cannot be used: the text is no YAML: at line 2 the key \"a\" comes a second time."},
		{"decode csv of no CSV",
			nodes{call("a", "t", ``, decode("csv"))}, nil,
			world{"t": say("a,b\n1")}, "", "decode: Step a failed: The answer of demo.main.t cannot be used: the text is no CSV: the row on line 2 has 1 cell, but there are 2 columns."},
		{"decode of a value that is text",
			nodes{val("a", `"[1]"`, decode("json"))}, []string{"o", "step.a.output"}, nil, `{"o":[1]}`, ""},
		{"decode of a value that is none",
			nodes{val("a", `[1]`, decode("json"))}, nil, nil, "", "decode: Step a failed: `decode` reads text; the value is [1]."},
		{"result looks at self and args",
			nodes{call("a", "t", `{ x = 1 }`, result(`{ s = self.output.n, t = self.text, a = args.x, o = self.outcome }`))}, []string{"o", "step.a.output"},
			world{"t": give(`{"n":2}`)}, `{"o":{"s":2,"t":"{\"n\":2}","a":1,"o":"ok"}}`, ""},
		{"fail_if makes a success a failure, before result",
			nodes{call("a", "t", ``, failIf(`self.output.n == 2`), result(`self.output.missing.x`))}, nil,
			world{"t": give(`{"n":2}`)}, "", "tool: Step a failed: The tool demo.main.t gave an answer that its `fail_if` calls a failure: {\"n\":2}"},
		{"fail_if that is no condition",
			nodes{call("a", "t", ``, failIf(`1`))}, nil, world{"t": give(`{}`)}, "", "expression: Step a failed: `fail_if` must be true or false"},
		{"returns looks at what result gave",
			nodes{call("a", "t", ``, result(`self.output.n`), returns("string"))}, nil,
			world{"t": give(`{"n":2}`)}, "", "decode: Step a failed: The tool demo.main.t did not give what `returns` says"},
		{"returns that holds",
			nodes{call("a", "t", ``, returns("object({ n = integer })"))}, []string{"o", "step.a.output.n"},
			world{"t": give(`{"n":2,"more":true}`)}, `{"o":2}`, ""},
		{"an error answer fails the step with the server's text",
			nodes{call("a", "t", ``, decode("json"))}, nil,
			world{"t": refuse("Access denied: /x")}, "", "tool: Step a failed: The tool demo.main.t answered with an error: Access denied: /x"},
		{"structured content that violates the output schema",
			nodes{call("a", "t", ``, outputSchema("number"))}, nil,
			world{"t": give(`{"n":"x"}`)}, "", "decode: Step a failed: The answer of demo.main.t cannot be used: it violates the tool's output schema: "},
		{"no structured content where the output schema promises it",
			nodes{call("a", "t", ``, outputSchema("number"))}, nil,
			world{"t": say("x")}, "", "decode: Step a failed: The answer of demo.main.t cannot be used: it has no structured content"},
		{"structured content that violates a type that says all",
			nodes{call("a", "t", ``, typed("object({ n = integer })"))}, nil,
			world{"t": give(`{"n":"x"}`)}, "", "decode: Step a failed: The answer of demo.main.t cannot be used: it is not what"},
	})
}

func TestOnErrorMakesFailuresResults(t *testing.T) {
	run(t, []rule{
		{"a tolerated kind is data",
			nodes{call("a", "t", ``, tolerate("tool"))},
			[]string{"o", "step.a.outcome", "e", "step.a.error", "t", "step.a.text", "v", "step.a.output"},
			world{"t": refuse("not found")},
			`{"o":"error","e":{"kind":"tool","message":"The tool demo.main.t answered with an error: not found","in_doubt":false},"t":"not found","v":null}`, ""},
		{"another kind fails the run",
			nodes{call("a", "t", ``, tolerate("tool"))}, nil,
			world{"t": breaks(KindTransport, SentNo)}, "", "transport: Step a failed: demo.main broke."},
		{"continue tolerates every kind",
			nodes{call("a", "t", `{ x = [1][2] }`, tolerate("*"))}, []string{"k", "step.a.error.kind", "n", "step.a.attempts"},
			world{"t": echo}, `{"k":"expression","n":0}`, ""},
		{"the code of a protocol error",
			nodes{call("a", "t", ``, tolerate("*"))}, []string{"c", "step.a.error.code"},
			world{"t": func(value.Value) (*Answer, *CallError) {
				code := -32602
				return nil, &CallError{Kind: KindProtocol, Message: "bad", Code: &code, Sent: SentYes, Answered: true}
			}}, `{"c":-32602}`, ""},
		{"a read that had no answer is not in doubt",
			nodes{call("a", "t", ``, tolerate("*"))}, []string{"d", "step.a.error.in_doubt"},
			world{"t": breaks(KindTransport, SentMaybe)}, `{"d":false}`, ""},
		{"a write that had no answer is",
			nodes{call("a", "t", ``, effect("write"), tolerate("*"))}, []string{"d", "step.a.error.in_doubt"},
			world{"t": breaks(KindTransport, SentMaybe)}, `{"d":true}`, ""},
		{"a write that was never sent is not",
			nodes{call("a", "t", ``, effect("write"), tolerate("*"))}, []string{"d", "step.a.error.in_doubt"},
			world{"t": breaks(KindTransport, SentNo)}, `{"d":false}`, ""},
		{"an idempotent write is not",
			nodes{call("a", "t", ``, effect("write"), tolerate("*"), func(n *plan.NodeSpec) { n.Idempotent = true })},
			[]string{"d", "step.a.error.in_doubt"},
			world{"t": breaks(KindTimeout, SentYes)}, `{"d":false}`, ""},
		{"an answered failure is never in doubt",
			nodes{call("a", "t", ``, effect("write"), tolerate("*"))}, []string{"d", "step.a.error.in_doubt"},
			world{"t": func(value.Value) (*Answer, *CallError) {
				return nil, &CallError{Kind: KindProtocol, Message: "bad", Sent: SentYes, Answered: true}
			}}, `{"d":false}`, ""},
		{"an effect may depend on the arguments",
			nodes{call("a", "t", `{ mode = "list" }`, effect("write"), tolerate("*"), func(n *plan.NodeSpec) { n.EffectExpr = `args.mode == "list" ? "read" : "write"` })},
			[]string{"d", "step.a.error.in_doubt"},
			world{"t": breaks(KindTransport, SentYes)}, `{"d":false}`, ""},
	})
}

func TestArguments(t *testing.T) {
	run(t, []rule{
		{"none are an empty object",
			nodes{call("a", "t", ``)}, []string{"o", "step.a.output"}, world{"t": echo}, `{"o":{}}`, ""},
		{"numbers and text pass unchanged",
			nodes{call("a", "t", `{ n = 1.50, big = 9007199254740993, s = "é\r\n" }`)}, []string{"o", "step.a.output"},
			world{"t": echo}, "{\"o\":{\"n\":1.50,\"big\":9007199254740993,\"s\":\"é\\r\\n\"}}", ""},
		{"null is left out, except where the schema takes it",
			nodes{call("a", "t", `{ x = null, y = null }`, nulls("y"))}, []string{"o", "step.a.output"},
			world{"t": echo}, `{"o":{"y":null}}`, ""},
		{"absent is left out",
			nodes{call("b", "u", ``), call("a", "t", `{ x = step.b.output.x, y = step.b.output.y }`, after("b"), nulls("x", "y"))},
			[]string{"o", "step.a.output"}, world{"t": echo, "u": give(`{"y":null}`)}, `{"o":{"y":null}}`, ""},
		{"what violates the input schema is never sent",
			nodes{call("b", "u", ``), call("a", "t", `{ n = step.b.output }`, after("b"), inputSchema("number"))}, nil,
			world{"u": give(`"one"`)}, "", "expression: Step a failed: The arguments violate the input schema of demo.main.t: "},
		{"arguments that are no object",
			nodes{call("a", "t", `[1]`)}, nil, nil, "", "expression: Step a failed: `args` must be an object; it is [1]."},
		{"a failing expression names its place",
			nodes{call("a", "t", `{ n = [1][5] }`)}, nil, nil, "", "expression: Step a failed: In `args` (w.wf.hcl:7:3): "},
		{"a timeout that is none",
			nodes{call("a", "t", ``, timeout(`"soon"`))}, nil, nil, "", "expression: Step a failed: `timeout` must be a duration"},
	})
}

func TestSkipped(t *testing.T) {
	run(t, []rule{
		{"when is false",
			nodes{call("a", "t", ``, when("false")), val("b", "step.a.outcome", after("a"))}, []string{"o", "step.b.output", "a", "step.a"}, nil,
			`{"o":"skipped","a":{"outcome":"skipped","output":null,"text":"","content":[],"error":null,"attempts":0}}`, ""},
		{"when is true",
			nodes{val("a", "1", when("1 == 1"))}, []string{"o", "step.a.output"}, nil, `{"o":1}`, ""},
		{"when that is no condition",
			nodes{val("a", "1", when(`"yes"`))}, nil, nil, "", "expression: Step a failed: `when` must be true or false; it is \"yes\"."},
		{"a fan-out that is skipped has no elements, and its for_each is not looked at",
			nodes{val("a", "1", when("false"), forEach("[1][5]"))}, []string{"o", "step.a"}, nil, `{"o":[]}`, ""},
		{"nor has one with keys",
			nodes{val("a", "1", when("false"), forEach("[1]"), key("each.value"))}, []string{"o", "step.a"}, nil, `{"o":{}}`, ""},
		{"nor one that the plan knows as a map",
			nodes{val("a", "1", when("false"), forEach("{}"), func(n *plan.NodeSpec) { n.EachMap = true })}, []string{"o", "step.a"}, nil, `{"o":{}}`, ""},
	})
}

func TestFanOut(t *testing.T) {
	run(t, []rule{
		{"a list gives a list, in order",
			nodes{val("a", `"${each.index}${each.key}${each.value}"`, forEach(`["x", "y"]`))},
			[]string{"o", "[for r in step.a : r.output]", "e", "step.a[1].each"}, nil, `{"o":["00x","11y"],"e":{"key":1,"value":"y"}}`, ""},
		{"an object gives a map, with its keys in order",
			nodes{val("a", `"${each.index}${each.key}${each.value}"`, forEach(`{ z = "x", b = "y" }`), returns("string"))},
			[]string{"o", `[step.a["z"].output, step.a["b"].output]`, "e", `step.a["b"].each`}, nil, `{"o":["0zx","1by"],"e":{"key":"b","value":"y"}}`, ""},
		{"key gives a list's elements their names",
			nodes{val("a", `"${each.index}${each.key}"`, forEach(`[{ id = "x" }, { id = "y" }]`), key("each.value.id"))},
			[]string{"o", "{ for k, r in step.a : k => r.output }"}, nil, `{"o":{"x":"0x","y":"1y"}}`, ""},
		{"two elements with one key",
			nodes{val("a", `1`, forEach(`["x", "y", "x"]`), key("each.value"))}, nil, nil, "",
			"expression: Step a failed: The elements 0 and 2 have the same `key`, \"x\"."},
		{"a key that is no string",
			nodes{val("a", `1`, forEach(`[7]`), key("each.value"))}, nil, nil, "", "expression: Step a failed: `key` must be a string; of element 0 it is 7."},
		{"nothing to go over",
			nodes{val("a", `1`, forEach(`[]`)), val("b", "length(step.a)", after("a"))}, []string{"o", "step.b.output"}, nil, `{"o":0}`, ""},
		{"null is no list, tolerated or not",
			nodes{val("a", `1`, forEach(`null`), tolerate("*"))}, nil, nil, "", "expression: Step a failed: `for_each` must be a list, a map or an object; it is null."},
		{"when is asked for each element",
			nodes{val("a", `each.value`, forEach(`[1, 2, 3]`), whenEach("each.value != 2"))},
			[]string{"o", "[for r in step.a : r.outcome]", "v", "step.a[1].each.value"}, nil, `{"o":["ok","skipped","ok"],"v":2}`, ""},
		{"max_parallel that is none",
			nodes{val("a", `1`, forEach(`[1]`), parallel("0"))}, nil, nil, "", "expression: Step a failed: `max_parallel` must be a whole number from 1; it is 0."},
		{"tolerated elements are data",
			nodes{call("a", "t", `{ n = each.value }`, forEach(`[1, 2]`), tolerate("tool"))},
			[]string{"o", "[for r in step.a : r.outcome]"},
			world{"t": func(args value.Value) (*Answer, *CallError) {
				if n, _ := args.AsObject().Get("n"); n.JSON() == "1" {
					return refuse("no")(args)
				}
				return echo(args)
			}}, `{"o":["error","ok"]}`, ""},
		{"the first failed element fails the step, and is named",
			nodes{call("a", "t", `{ n = each.value }`, forEach(`{ de = 1, fr = 2 }`))}, nil,
			world{"t": refuse("no")}, "", "tool: Step a[\"de\"] failed: The tool demo.main.t answered with an error: no"},
	})
}

func TestNames(t *testing.T) {
	p := outputs(planOf(val("a", `"v"`)),
		"local", "local.b", "run", "[run.id, run.started_at, run.deployment]", "whole", "run", "locals", "local", "steps", "step.a.output")
	p.Locals = []plan.Local{{Name: "a", Value: "step.a.output"}, {Name: "b", Value: `"${local.a}!"`}}
	p.Deployment = "prod"
	ended := newSim(t, p, nil).begin().finish()
	want := `{"local":"v!","run":["run-1","2026-01-02T03:04:05Z","prod"],"whole":{"id":"run-1","started_at":"2026-01-02T03:04:05Z","deployment":"prod","previous":null,"errors":[]},"locals":{"a":"v","b":"v!"},"steps":"v"}`
	if ended.Err != nil || ended.Outputs.JSON() != want {
		t.Errorf("got  %v %s\nwant %s", ended.Err, ended.Outputs.JSON(), want)
	}
}

func TestAnOutputThatFailsFailsTheRun(t *testing.T) {
	for _, c := range []struct{ expr, typ, want string }{
		{"[1][5]", "", `In the output "o": `},
		{"1", "string", `The output "o" is not of its type: `},
	} {
		p := outputs(planOf(val("a", "1")), "o", c.expr)
		p.Outputs[0].Type = c.typ
		ended := newSim(t, p, nil).begin().finish()
		if ended.Status != StatusFailed || ended.Err.Kind != KindExpression || !strings.HasPrefix(ended.Err.Message, c.want) {
			t.Errorf("%s: %s %v; want %s", c.expr, ended.Status, ended.Err, c.want)
		}
	}
}
