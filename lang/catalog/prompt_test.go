package catalog

import (
	"encoding/json"
	"testing"

	"github.com/lda-wf/wfc/lang/types"
)

func objects(raw ...string) []Object {
	var out []Object
	for _, r := range raw {
		out = append(out, Object{Raw: json.RawMessage(r)})
	}
	return out
}

func TestArgumentsOfPromptsAreTexts(t *testing.T) {
	s := &Snapshot{Prompts: objects(
		`{"name": "weather", "arguments": [{"name": "city", "required": true}, {"name": "state"}, {"name": "city"}]}`,
		`{"name": "plain"}`,
		`{"name": "odd", "arguments": "?"}`,
	)}
	for name, want := range map[string]string{
		"weather": "object({ city = string, state = optional(string) })",
		"plain":   "object({})",
		"odd":     "object({}, string)",
	} {
		if got := types.Print(s.Prompt(name).Args); got != want {
			t.Errorf("%s takes %s, want %s", name, got, want)
		}
	}
	if s.Prompt("none") != nil {
		t.Error("a prompt that is not there")
	}
}

func TestVariablesOfResourceTemplates(t *testing.T) {
	for uri, want := range map[string]string{
		"demo://tasks/{id}":                     "object({ id = string })",
		"repo://{owner}/{name}/{+path}{?ref,q}": "object({ owner = string, name = string, path = string, ref = optional(string), q = optional(string) })",
		"x://{a:3}/{list*}{#part}":              "object({ a = string, list = string, part = string })",
		"x://fixed":                             "object({})",
		"x://{}{":                               "object({})",
	} {
		raw, _ := json.Marshal(map[string]string{"name": "t", "uriTemplate": uri})
		s := &Snapshot{ResourceTemplates: objects(string(raw))}
		got := s.Template("t")
		if got.URI != uri || types.Print(got.Args) != want {
			t.Errorf("%s takes %s, want %s", uri, types.Print(got.Args), want)
		}
	}
}

func TestToolsThatNeedMoreAreKept(t *testing.T) {
	src := (&Snapshot{Connection: "a.b", Withheld: []Withheld{{"z", []string{"roots"}}, {"ask", []string{"elicitation", "sampling"}}}}).Encode()
	s, err := Decode(src, "catalog/a.b.json")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Needs("ask"); len(got) != 2 || got[1] != "sampling" {
		t.Errorf("ask needs %v", got)
	}
	if got := s.Needs("other"); got != nil {
		t.Errorf("a tool that is not withheld needs %v", got)
	}
	if again := s.Encode(); string(again) != string(src) {
		t.Errorf("read and written, it is\n%s\nand was\n%s", again, src)
	}
}
