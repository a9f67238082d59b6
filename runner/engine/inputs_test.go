package engine

import (
	"errors"
	"testing"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
)

func TestInputs(t *testing.T) {
	inputs := []plan.Input{
		{Name: "repo", Type: "string", Validations: []plan.Condition{{
			Condition: `can(regex("^[^/]+/[^/]+$", input.repo))`, ErrorMessage: `"repo must be owner/name, not ${input.repo}."`,
		}}},
		{Name: "limit", Type: "integer", Default: raw(`20`)},
		{Name: "labels", Type: "list(object({ name = string, color = optional(string, \"red\") }))", Default: raw(`[]`)},
		{Name: "note", Type: "string", Optional: true, Validations: []plan.Condition{{Condition: `input.note != ""`, ErrorMessage: `"note is empty"`}}},
	}
	fixed := append([]plan.Input{}, inputs...)
	fixed[0].Fixed = raw(`"acme/app"`)
	for _, c := range []struct {
		name, given, want string
		inputs            []plan.Input
		fails             string
	}{
		{"defaults are filled in, what is optional stays out", `{"repo":"a/b"}`, `{"repo":"a/b","limit":20,"labels":[]}`, inputs, ""},
		{"numbers keep their text", `{"repo":"a/b","limit":2.0}`, `{"repo":"a/b","limit":2.0,"labels":[]}`, inputs, ""},
		{"defaults of attributes are filled in", `{"repo":"a/b","labels":[{"name":"x"},{"name":"y","color":"blue"}]}`,
			`{"repo":"a/b","limit":20,"labels":[{"name":"x","color":"red"},{"name":"y","color":"blue"}]}`, inputs, ""},
		{"the deployment's value stands", `{}`, `{"repo":"acme/app","limit":20,"labels":[]}`, fixed, ""},
		{"and cannot be given", `{"repo":"a/b"}`, "", fixed, `The input "repo" is set by the deployment prod and cannot be given.`},
		{"all problems are told", `{"limit":"x","lables":[]}`, "", inputs,
			"the workflow cannot run with these inputs:\n\n" +
				"  The workflow w has no input \"lables\". Did you mean \"labels\"?\n" +
				"  The input \"repo\" is missing. It must be a string.\n" +
				"  The input \"limit\" is wrong: a string where an integer is wanted."},
		{"null is no value", `{"repo":null}`, "", inputs, `The input "repo" is wrong: null where a string is wanted.`},
		{"a path leads to what is wrong", `{"repo":"a/b","labels":[{"name":1}]}`, "", inputs, `The input "labels" is wrong at labels[0].name: a number where a string is wanted.`},
		{"validations are told in the author's words", `{"repo":"x"}`, "", inputs, `The input "repo" is not valid: repo must be owner/name, not x.`},
		{"what was left out is not validated, what was given is", `{"repo":"a/b","note":""}`, "", inputs, `The input "note" is not valid: note is empty`},
		{"inputs that are no object", `[]`, "", inputs, `The inputs must be an object; they are [].`},
		{"a workflow without inputs says so", `{"x":1}`, "", nil, `The workflow w has no input "x". It has no inputs.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := planOf()
			p.Inputs, p.Deployment = c.inputs, "prod"
			given, err := value.ParseJSON([]byte(c.given))
			if err != nil {
				t.Fatal(err)
			}
			got, err := program(t, p).Inputs(given)
			if c.fails != "" {
				var e *InputError
				if !errors.As(err, &e) || len(e.Error()) < len(c.fails) || e.Error()[:len(c.fails)] != c.fails {
					t.Errorf("got  %v\nwant %s", err, c.fails)
				}
				return
			}
			if err != nil || got.JSON() != c.want {
				t.Errorf("got  %s, %v\nwant %s", got.JSON(), err, c.want)
			}
		})
	}
}

func TestAValidationThatFailsIsAProblemOfItsInput(t *testing.T) {
	p := planOf()
	p.Inputs = []plan.Input{{Name: "n", Type: "integer", Validations: []plan.Condition{
		{Condition: `[1][input.n] == 1`, ErrorMessage: `"no"`},
		{Condition: `false`, ErrorMessage: `[1][5]`},
	}}}
	given, _ := value.ParseJSON([]byte(`{"n":7}`))
	_, err := program(t, p).Inputs(given)
	var e *InputError
	if !errors.As(err, &e) || len(e.Problems) != 2 || e.Problems[0].Input != "n" || e.Problems[1].Input != "n" {
		t.Errorf("got %v", err)
	}
}

func TestAPlanThatCannotRunIsRefused(t *testing.T) {
	for name, p := range map[string]*plan.Plan{
		"text that is no expression": planOf(val("a", "1 +")),
		"a step that is there twice": planOf(val("a", "1"), val("a", "2")),
		"an unknown step":            planOf(val("a", "1", after("b"))),
		"a cycle":                    planOf(val("a", "1", after("b")), val("b", "1", after("a"))),
		"an unbound source":          {Nodes: nodes{{ID: "a", Kind: plan.Call, Source: "x", Tool: "t"}}},
		"an unknown kind":            {Nodes: nodes{{ID: "a", Kind: "teleport"}}},
		"a schema that is not there": planOf(call("a", "t", "", inputSchema("gone"))),
		"a type that is none":        planOf(val("a", "1", returns("strin"))),
	} {
		if _, err := NewProgram(p); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzDecodeText(f *testing.F) {
	for _, format := range []string{"json", "jsonl", "yaml", "csv", "lines", "text"} {
		f.Add(format, "\ufeffa: 1\r\n\"b\",[1]\n")
		f.Add(format, "{\"a\": [1, 2]}\n")
	}
	f.Fuzz(func(t *testing.T, format, text string) {
		if v, err := decodeText(format, text); err == nil && format == "text" && len(v.AsString()) < len(text)-3 {
			t.Errorf("text is lost: %q gives %q", text, v.AsString())
		}
	})
}
