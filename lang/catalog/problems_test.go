package catalog

import (
	"slices"
	"testing"
)

// One broken entry must not cost the others (B01).
func TestBrokenEntryIsAProblemOfItsOwn(t *testing.T) {
	for _, c := range []struct{ rule, entry, problem string }{
		{"a text", `"a"`, `a tool: It is no object, so that it cannot be used: "a"`},
		{"null", `null`, `a tool: It is no object, so that it cannot be used: null`},
		{"a list", `[{"name": "b"}]`, `a tool: It is no object, so that it cannot be used: [{"name":"b"}]`},
		{"no name", `{"inputSchema": {}}`, `a tool: It has no name, so that it cannot be used: {"inputSchema":{}}`},
		{"an empty name", `{"name": ""}`, `a tool: Its name is no text, or an empty one, so that it cannot be used: {"name":""}`},
		{"a number for a name", `{"name": 7}`, `a tool: Its name is no text, or an empty one, so that it cannot be used: {"name":7}`},
		{"a name that another one has", `{"name": "good", "title": "Better"}`, `tool good: The server lists two tools of this name, which differ.`},
		{"the same entry again", `{"inputSchema": {"type": "object"}, "name": "good"}`, ``},
		{"a number out of range", `{"name": "b", "x": 1e999}`, `tool b: What the snapshot has of it is not JSON that wfc accepts: at byte 19 the number's exponent is beyond ±400.`},
		{"an input schema that is none", `{"name": "b", "inputSchema": "?"}`, `tool b: Of its arguments: The schema is broken at #: a schema is an object or a bool, not a string.`},
		{"null for one", `{"name": "b", "inputSchema": null}`, `tool b: Of its arguments: The schema is broken at #: a schema is an object or a bool, not null.`},
		{"a type that is none", `{"name": "b", "inputSchema": {"type": "objet"}}`, `tool b: Of its arguments: The schema is broken at #: "objet" is no type of JSON Schema.`},
		{"false for one", `{"name": "b", "inputSchema": false}`, `tool b: Its input schema is not one of an object, so that nothing can be passed.`},
		{"true for one", `{"name": "b", "inputSchema": true}`, ``},
		{"true in one", `{"name": "b", "inputSchema": {"type": "object", "properties": {"a": true, "b": {"type": "array", "items": true}}}}`, ``},
		{"a reference to nowhere", `{"name": "b", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/$defs/gone"}}}}`,
			"tool b: Of its arguments: The schema is broken at #/properties/a: nothing is at #/$defs/gone, which `$ref` leads to."},
		{"an output schema that is none", `{"name": "b", "outputSchema": 3}`, `tool b: Of its result: The schema is broken at #: a schema is an object or a bool, not a number.`},
	} {
		s, err := Import("demo.main", []byte(`{"tools": [`+c.entry+`, {"name": "good", "inputSchema": {"type": "object"}}, {"name": "other"}]}`))
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		again, err := Decode(s.Encode(), "catalog/demo.main.json")
		if err != nil {
			t.Errorf("%s: the snapshot cannot be read: %v", c.rule, err)
			continue
		}
		for _, s := range []*Snapshot{s, again} {
			if names := s.ToolNames(); !slices.Contains(names, "good") || !slices.Contains(names, "other") {
				t.Errorf("%s: the tools are %v", c.rule, names)
			}
			if got := problemsOf(s); got != c.problem {
				t.Errorf("%s: got\n%s\nwant\n%s", c.rule, got, c.problem)
			}
		}
	}
}

func TestBrokenEntriesOfTheOtherLists(t *testing.T) {
	for _, c := range []struct{ list, entry, problem string }{
		{"prompts", `3`, `a prompt: It is no object, so that it cannot be used: 3`},
		{"prompts", `{"title": "P"}`, `a prompt: It has no name, so that it cannot be used: {"title":"P"}`},
		{"prompts", `{"name": "good", "arguments": []}`, `prompt good: The server lists two prompts of this name, which differ.`},
		{"prompts", `{"name": "b", "arguments": {"a": {}}}`, `prompt b: Its arguments are no list of named arguments, so that any can be given: {"a":{}}`},
		{"resources", `true`, `a resource: It is no object, so that it cannot be used: true`},
		{"resources", `{"name": "r"}`, `resource r: It has no uri, so that it cannot be used: {"name":"r"}`},
		{"resources", `{"uri": "a://good"}`, `resource a://good: The server lists two resources of this URI, which differ.`},
		{"resources", `{"uri": "a://nameless"}`, ``},
		{"resourceTemplates", `""`, `a resource template: It is no object, so that it cannot be used: ""`},
		{"resourceTemplates", `{"uriTemplate": "b://{x}"}`, `a resource template: It has no name, so that it cannot be used: {"uriTemplate":"b://{x}"}`},
		{"resourceTemplates", `{"name": "b"}`, `resource template b: It has no uriTemplate, so that it cannot be used: {"name":"b"}`},
		{"resourceTemplates", `{"name": "good", "uriTemplate": "b://{x}"}`, `resource template good: The server lists two resource templates of this name, which differ.`},
		{"resourceTemplates", `{"name": "b", "uriTemplate": 7}`, `resource template b: Its uriTemplate is no text, or an empty one, so that it cannot be used: {"name":"b","uriTemplate":7}`},
	} {
		s, err := Import("demo.main", []byte(`{"`+c.list+`": [`+c.entry+`, {"name": "good", "uri": "a://good", "uriTemplate": "a://{good}"}], "tools": []}`))
		if err != nil {
			t.Errorf("%s %s: %v", c.list, c.entry, err)
			continue
		}
		if got := problemsOf(s); got != c.problem {
			t.Errorf("%s %s: got\n%s\nwant\n%s", c.list, c.entry, got, c.problem)
		}
		if n := len(s.Prompts) + len(s.Resources) + len(s.ResourceTemplates); n != 2 {
			t.Errorf("%s %s: %d entries", c.list, c.entry, n)
		}
	}
}

func TestListThatIsNoneLeavesTheOthers(t *testing.T) {
	s, err := Import("demo.main", []byte(`{"tools": [{"name": "a"}], "prompts": {"p": {}}, "resources": null}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tools) != 1 || len(s.Errors) != 1 || s.Errors[0] != (ListError{"prompts", `it is no list: {"p":{}}`}) {
		t.Errorf("%d tools, errors %v", len(s.Tools), s.Errors)
	}
}

func problemsOf(s *Snapshot) string {
	all := ""
	for i, p := range s.Problems() {
		if i > 0 {
			all += "\n"
		}
		all += p.String()
	}
	return all
}

// Names are a server's, and must not steer the terminal that shows them.
func TestProblemIsOneHarmlessLine(t *testing.T) {
	s := &Snapshot{Tools: objects(`{"name": "a\u001b[2J\nb\u202ec", "inputSchema": false}`)}
	if got, want := problemsOf(s), "tool a\uFFFD[2J b\uFFFDc: Its input schema is not one of an object, so that nothing can be passed."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
