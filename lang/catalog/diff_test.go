package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// answered is a snapshot of an answer with these tools.
func answered(t testing.TB, tool string) *Snapshot {
	t.Helper()
	s, err := Import("a.b", []byte(`{"tools": [`+tool+`]}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// shown prints changes as the tests compare them: a line each.
func shown(changes []Change) string {
	var b strings.Builder
	for _, c := range changes {
		class := "compatible"
		if c.Breaking {
			class = "breaking"
		}
		fmt.Fprintf(&b, "%s %s %s: %s\n", class, c.Kind, strings.TrimSpace(c.Name+" "+c.Path), c.Detail)
	}
	return b.String()
}

// TestWhatIsPassed: what changes of a tool's arguments break. Each case has the
// properties before and after, and what is required.
func TestWhatIsPassed(t *testing.T) {
	const base = `"q": {"type": "string"}`
	for name, c := range map[string]struct{ old, now, want string }{
		"an optional argument is added": {
			`{"properties": {` + base + `}, "required": ["q"]}`,
			`{"properties": {` + base + `, "page": {"type": "integer"}}, "required": ["q"]}`,
			"compatible argument_added t args.page: The argument is new; it may be left out.",
		},
		"a required argument is added": {
			`{"properties": {` + base + `}}`,
			`{"properties": {` + base + `, "page": {"type": "integer"}}, "required": ["page"]}`,
			"breaking argument_added t args.page: The argument is new, and must be passed.",
		},
		"an argument is removed": {
			`{"properties": {` + base + `, "page": {"type": "integer"}}}`,
			`{"properties": {` + base + `}}`,
			"breaking argument_removed t args.page: The argument is gone, and cannot be passed any more.",
		},
		"an argument is removed where any may be passed": {
			`{"properties": {` + base + `, "page": {"type": "integer"}}, "additionalProperties": true}`,
			`{"properties": {` + base + `}, "additionalProperties": true}`,
			"compatible argument_removed t args.page: The argument is not declared any more; it can still be passed, as any other.",
		},
		"an argument becomes required": {
			`{"properties": {` + base + `}}`, `{"properties": {` + base + `}, "required": ["q"]}`,
			"breaking became_required t args.q: The argument cannot be left out any more.",
		},
		"an argument becomes optional": {
			`{"properties": {` + base + `}, "required": ["q"]}`, `{"properties": {` + base + `}}`,
			"compatible became_optional t args.q: The argument can be left out now.",
		},
		"a type is widened": {
			`{"properties": {"n": {"type": "integer"}}}`, `{"properties": {"n": {"type": "number"}}}`,
			"compatible type_widened t args.n: It is number now, which allows more; it was integer.",
		},
		"a type is narrowed": {
			`{"properties": {"n": {"type": "number"}}}`, `{"properties": {"n": {"type": "integer"}}}`,
			"breaking type_narrowed t args.n: It is integer now, which allows less; it was number.",
		},
		"a type is another one": {
			`{"properties": {"n": {"type": "number"}}}`, `{"properties": {"n": {"type": "string"}}}`,
			"breaking type_changed t args.n: It is string now; it was number.",
		},
		"a type is said where anything went": {
			`{"properties": {"n": {}}}`, `{"properties": {"n": {"type": "string"}}}`,
			"breaking type_narrowed t args.n: It could be anything, and must be string now.",
		},
		"a type is said no more": {
			`{"properties": {"n": {"type": "string"}}}`, `{"properties": {"n": {}}}`,
			"compatible type_widened t args.n: It was string, and may be anything now.",
		},
		"an enum is narrowed": {
			`{"properties": {"s": {"enum": ["open", "closed", "all"]}}}`, `{"properties": {"s": {"enum": ["open"]}}}`,
			`breaking enum_narrowed t args.s: It cannot be "all" or "closed" any more.`,
		},
		"an enum is widened": {
			`{"properties": {"s": {"enum": ["open"]}}}`, `{"properties": {"s": {"enum": ["open", "closed"]}}}`,
			`compatible enum_widened t args.s: It can be "closed" now.`,
		},
		"an enum has other members": {
			`{"properties": {"s": {"enum": ["open", "closed"]}}}`, `{"properties": {"s": {"enum": ["open", "done"]}}}`,
			"breaking enum_narrowed t args.s: It cannot be \"closed\" any more.\ncompatible enum_widened t args.s: It can be \"done\" now.",
		},
		"an enum becomes any text": {
			`{"properties": {"s": {"enum": ["open"]}}}`, `{"properties": {"s": {"type": "string"}}}`,
			`compatible type_widened t args.s: It is string now, which allows more; it was enum("open").`,
		},
		"null is allowed": {
			`{"properties": {"s": {"type": "string"}}}`, `{"properties": {"s": {"type": ["string", "null"]}}}`,
			"compatible null_allowed t args.s: It can be null now.",
		},
		"null is refused": {
			`{"properties": {"s": {"type": ["string", "null"]}}}`, `{"properties": {"s": {"type": "string"}}}`,
			"breaking null_refused t args.s: It cannot be null any more.",
		},
		"an attribute inside is required": {
			`{"properties": {"o": {"type": "object", "properties": {"a b": {"type": "string"}}}}}`,
			`{"properties": {"o": {"type": "object", "properties": {"a b": {"type": "string"}}, "required": ["a b"]}}}`,
			`breaking became_required t args.o["a b"]: The attribute cannot be left out any more.`,
		},
		"elements are of another type": {
			`{"properties": {"l": {"type": "array", "items": {"type": "string"}}}}`, `{"properties": {"l": {"type": "array", "items": {"type": "integer"}}}}`,
			"breaking type_changed t args.l[*]: It is integer now; it was string.",
		},
		"a rule is tightened": {
			`{"properties": {"n": {"type": "integer", "minimum": 1, "maximum": 100}}}`, `{"properties": {"n": {"type": "integer", "minimum": 1, "maximum": 50}}}`,
			"breaking rule_tightened t args.n: maximum is 50 now; it was 100.",
		},
		"a rule is loosened": {
			`{"properties": {"s": {"type": "string", "minLength": 5, "pattern": "^a"}}}`, `{"properties": {"s": {"type": "string", "minLength": 1}}}`,
			"compatible rule_loosened t args.s: pattern is gone; it was ^a.\ncompatible rule_loosened t args.s: minLength is 1 now; it was 5.",
		},
		"a rule is new": {
			`{"properties": {"s": {"type": "string"}}}`, `{"properties": {"s": {"type": "string", "format": "uri"}}}`,
			"breaking rule_tightened t args.s: format is uri now; there was none.",
		},
		"what types do not say is new": {
			`{"properties": {` + base + `}}`, `{"properties": {` + base + `}, "dependentRequired": {"q": ["p"]}}`,
			`breaking rule_tightened t args: The schema says more of what is allowed: "dependentRequired" at # is new.`,
		},
		"what types do not say is gone": {
			`{"properties": {"q": {"type": "string", "not": {"const": "x"}}}}`, `{"properties": {` + base + `}}`,
			`compatible rule_loosened t args: The schema says less of what is allowed: "not" at #/properties/q is gone.`,
		},
		"a default changes": {
			`{"properties": {"n": {"type": "integer", "default": 20}}}`, `{"properties": {"n": {"type": "integer", "default": 50}}}`,
			"compatible default_changed t args.n: Left out it is 50 now; it was 20.",
		},
		"a description changes": {
			`{"properties": {"q": {"type": "string", "description": "x"}}}`, `{"properties": {"q": {"type": "string", "description": "y"}}}`,
			"compatible description_changed t args.q: The description of the argument has changed.",
		},
		"other arguments are accepted": {
			`{"properties": {` + base + `}, "additionalProperties": false}`, `{"properties": {` + base + `}, "additionalProperties": true}`,
			"compatible became_open t args: It takes other arguments than the declared ones now.",
		},
		"other arguments are refused": {
			`{"properties": {` + base + `}, "additionalProperties": true}`, `{"properties": {` + base + `}}`,
			"breaking became_closed t args: It takes the declared arguments only now.",
		},
		"titles and examples change": {
			`{"properties": {` + base + `}, "title": "A", "examples": [{}]}`, `{"properties": {` + base + `}, "title": "B"}`,
			"compatible other_changed t: Something has changed that no workflow depends on, such as a title, an icon or an example.",
		},
		"the same is written in another way": {
			`{"properties": {"a": {"type": ["string", "null"]}, "b": {"enum": [1, 2]}}, "required": ["a", "b"]}`,
			`{"$defs": {"A": {"anyOf": [{"type": "null"}, {"type": "string"}]}}, "properties": {"b": {"enum": [2, 1]}, "a": {"$ref": "#/$defs/A"}}, "required": ["b", "a"]}`,
			"compatible other_changed t: Something has changed that no workflow depends on, such as a title, an icon or an example.",
		},
		"sets are in another order": {
			`{"properties": {"a": {"type": ["string", "null"]}, "b": {"enum": [1, 2]}}, "required": ["a", "b"]}`,
			`{"required": ["b", "a"], "properties": {"b": {"enum": [2, 1]}, "a": {"type": ["null", "string"]}}}`,
			"",
		},
		"a recursive union becomes larger": {
			`{"$defs": {"n": {"anyOf": [{"type": "integer"}, {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}]}}, "properties": {"n": {"$ref": "#/$defs/n"}}}`,
			`{"$defs": {"n": {"anyOf": [{"type": "number"}, {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}]}}, "properties": {"n": {"$ref": "#/$defs/n"}}}`,
			"compatible type_widened t args.n: It is a number or an object now, which allows more; it was an integer or an object.",
		},
		"a rule of an alternative is tightened": {
			`{"properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 9}]}}}`,
			`{"properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "string", "maxLength": 5}]}}}`,
			"breaking type_narrowed t args.n: It is union(integer, string) now, which allows less; it was another such type.",
		},
		"a recursive type changes inside": {
			`{"$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}, "v": {"type": "integer"}}}}, "properties": {"n": {"$ref": "#/$defs/n"}}}`,
			`{"$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}, "v": {"type": "string"}}}}, "properties": {"n": {"$ref": "#/$defs/n"}}}`,
			"breaking type_changed t args.n.v: It is string now; it was integer.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tool := func(schema string) *Snapshot {
				return answered(t, `{"name": "t", "inputSchema": {"type": "object", `+strings.TrimPrefix(schema, "{")+`}`)
			}
			got := shown(Diff(tool(c.old), tool(c.now)))
			if strings.TrimSuffix(got, "\n") != c.want {
				t.Errorf("got:\n%swant:\n%s", got, c.want)
			}
		})
	}
}

// TestWhatIsGiven: what changes of a tool's result break.
func TestWhatIsGiven(t *testing.T) {
	object := func(properties, required string) string {
		return `{"type": "object", "properties": {"items": {"type": "array", "items": {"type": "object", "properties": {` + properties + `}, "required": [` + required + `]}}}}`
	}
	id := `"id": {"type": "integer"}`
	for name, c := range map[string]struct{ old, now, want string }{
		"an attribute is removed": {
			object(id+`, "title": {"type": "string"}`, ""), object(id, ""),
			"breaking attribute_removed t output.items[*].title: The attribute is gone.",
		},
		"an attribute is added": {
			object(id, ""), object(id+`, "title": {"type": "string"}`, `"title"`),
			"compatible attribute_added t output.items[*].title: The attribute is new.",
		},
		"an attribute may be absent": {
			object(id, `"id"`), object(id, ""),
			"breaking became_optional t output.items[*].id: The attribute may be absent now.",
		},
		"an attribute is always there": {
			object(id, ""), object(id, `"id"`),
			"compatible became_required t output.items[*].id: The attribute is always there now.",
		},
		"a type is widened": {
			object(id, ""), object(`"id": {"type": ["integer", "string"]}`, ""),
			"breaking type_widened t output.items[*].id: It is union(integer, string) now, which allows more; it was integer.",
		},
		"a type is narrowed": {
			object(`"id": {"type": "number"}`, ""), object(id, ""),
			"compatible type_narrowed t output.items[*].id: It is integer now, which allows less; it was number.",
		},
		"a type is said no more": {
			object(id, ""), object(`"id": {}`, ""),
			"breaking type_widened t output.items[*].id: It was integer, and may be anything now.",
		},
		"an enum is widened": {
			object(`"s": {"enum": ["a"]}`, ""), object(`"s": {"enum": ["a", "b"]}`, ""),
			`breaking enum_widened t output.items[*].s: It can be "b" now.`,
		},
		"an enum is narrowed": {
			object(`"s": {"enum": ["a", "b"]}`, ""), object(`"s": {"enum": ["a"]}`, ""),
			`breaking enum_narrowed t output.items[*].s: It cannot be "b" any more.`,
		},
		"null comes": {
			object(id, ""), object(`"id": {"type": ["integer", "null"]}`, ""),
			"breaking null_allowed t output.items[*].id: It can be null now.",
		},
		"a rule is tightened": {
			object(id, ""), object(`"id": {"type": "integer", "minimum": 1}`, ""),
			"compatible rule_tightened t output.items[*].id: minimum is 1 now; there was none.",
		},
		"a result is declared": {
			"", object(id, ""),
			"compatible result_declared t output: The tool declares its result now: an object.",
		},
		"a result is declared no more": {
			object(id, ""), "",
			"breaking result_undeclared t output: The tool does not declare its result any more; it was an object.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tool := func(schema string) *Snapshot {
				if schema != "" {
					schema = `, "outputSchema": ` + schema
				}
				return answered(t, `{"name": "t", "inputSchema": {"type": "object"}`+schema+`}`)
			}
			got := shown(Diff(tool(c.old), tool(c.now)))
			if strings.TrimSuffix(got, "\n") != c.want {
				t.Errorf("got:\n%swant:\n%s", got, c.want)
			}
		})
	}
}

// TestWhatIsSaidOfATool: its annotations and texts.
func TestWhatIsSaidOfATool(t *testing.T) {
	for name, c := range map[string]struct{ old, now, want string }{
		"it reads no more":            {`"annotations": {"readOnlyHint": true}`, `"annotations": {"readOnlyHint": false}`, "breaking effect_changed t: Its effect is unknown now; it was read."},
		"it is destructive":           {`"annotations": {"readOnlyHint": true}`, `"annotations": {"readOnlyHint": false, "destructiveHint": true}`, "breaking effect_changed t: Its effect is destructive now; it was read."},
		"it is said to be harmless":   {`"annotations": {"destructiveHint": true}`, `"annotations": {"readOnlyHint": true}`, "breaking effect_changed t: Its effect is read now; it was destructive."},
		"it is not idempotent":        {`"annotations": {"destructiveHint": false, "idempotentHint": true}`, `"annotations": {"destructiveHint": false}`, "breaking idempotence_changed t: The server does not say any more that repeating a call does no harm (idempotentHint)."},
		"it is idempotent":            {`"annotations": {"destructiveHint": false}`, `"annotations": {"destructiveHint": false, "idempotentHint": true}`, "breaking idempotence_changed t: The server says now that repeating a call does no harm (idempotentHint)."},
		"a read is idempotent":        {`"annotations": {"readOnlyHint": true}`, `"annotations": {"readOnlyHint": true, "idempotentHint": true}`, "compatible other_changed t: Something has changed that no workflow depends on, such as a title, an icon or an example."},
		"the description changes":     {`"description": "x"`, `"description": "y"`, "compatible description_changed t: Its description has changed."},
		"the title changes":           {`"title": "x"`, `"title": "y"`, "compatible other_changed t: Something has changed that no workflow depends on, such as a title, an icon or an example."},
		"it can be a task only":       {`"x": 1`, `"execution": {"taskSupport": "required"}`, "breaking task_changed t: It can be called as a task only, which wfc does not support."},
		"its keys are in other order": {`"title": "x", "description": "y"`, `"description": "y", "title": "x"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tool := func(more string) *Snapshot {
				return answered(t, `{"name": "t", "inputSchema": {"type": "object"}, `+more+`}`)
			}
			got := shown(Diff(tool(c.old), tool(c.now)))
			if strings.TrimSuffix(got, "\n") != c.want {
				t.Errorf("got:\n%swant:\n%s", got, c.want)
			}
		})
	}
}

func TestToolsThatComeAndGo(t *testing.T) {
	old := answered(t, `{"name": "b"}, {"name": "a"}`)
	now := answered(t, `{"name": "c"}, {"name": "a"}`)
	const want = "breaking removed b: The tool is gone.\ncompatible added c: The tool is new.\n"
	if got := shown(Diff(old, now)); got != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestABrokenSchemaIsOneChange(t *testing.T) {
	old := answered(t, `{"name": "a", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}`)
	now := answered(t, `{"name": "a", "inputSchema": {"type": "object", "properties": {"q": {"$ref": "#/nowhere"}}}}`)
	got := Diff(old, now)
	if len(got) != 1 || got[0].Kind != ProblemChanged || !got[0].Breaking {
		t.Errorf("got:\n%s", shown(got))
	}
	got = Diff(now, old)
	if len(got) != 1 || got[0].Kind != ProblemChanged || got[0].Breaking {
		t.Errorf("the other way:\n%s", shown(got))
	}
}

func TestPromptsAndResources(t *testing.T) {
	of := func(src string) *Snapshot {
		s, err := Import("a.b", []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	old := of(`{"prompts": [{"name": "p", "arguments": [{"name": "a", "required": true}, {"name": "b"}]}, {"name": "q"}],
		"resources": [{"uri": "x://1", "name": "1"}, {"uri": "x://2", "name": "2", "description": "two"}],
		"resourceTemplates": [{"name": "t", "uriTemplate": "x://{id}"}]}`)
	now := of(`{"prompts": [{"name": "p", "arguments": [{"name": "a"}, {"name": "c", "required": true}]}],
		"resources": [{"uri": "x://2", "name": "2", "description": "deux"}, {"uri": "x://3", "name": "3"}],
		"resourceTemplates": [{"name": "t", "uriTemplate": "x://{owner}/{id}"}]}`)
	const want = `compatible became_optional p args.a: The argument can be left out now.
breaking argument_removed p args.b: The argument is gone, and cannot be passed any more.
breaking argument_added p args.c: The argument is new, and must be passed.
breaking removed q: The prompt is gone.
breaking removed x://1: The resource is gone.
compatible description_changed x://2: Its description has changed.
compatible added x://3: The resource is new.
compatible address_changed t: Its URI is x://{owner}/{id} now; it was x://{id}.
breaking argument_added t args.owner: The argument is new, and must be passed.
`
	if got := shown(Diff(old, now)); got != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestTheServer(t *testing.T) {
	old := &Snapshot{ServerInfo: []byte(`{"name": "s", "version": "1"}`), ProtocolVersion: "2025-06-18", Instructions: "x", Capabilities: []byte(`{"tools": {}}`)}
	now := &Snapshot{ServerInfo: []byte(`{"name": "s", "version": "2"}`), ProtocolVersion: "2025-11-25", Capabilities: []byte(`{}`)}
	const want = `compatible server_changed capabilities: What the server can do has changed.
compatible description_changed instructions: The server's instructions have changed.
compatible server_changed protocol_version: It speaks MCP 2025-11-25 now; it spoke 2025-06-18.
compatible server_changed server_info: The server is "s 2" now; it was "s 1".
`
	if got := shown(Diff(old, now)); got != want {
		t.Errorf("got:\n%s", got)
	}
}

func TestAListThatFailedIsOneChangeAndNotAllOfItsThings(t *testing.T) {
	old := answered(t, `{"name": "a"}, {"name": "b"}`)
	now := &Snapshot{Errors: []ListError{{List: "tools", Message: "out of\nmemory"}}}
	const want = "breaking list_failed tools: The server failed to list its tools: out of memory\n"
	if got := shown(Diff(old, now)); got != want {
		t.Errorf("got:\n%s", got)
	}
	if got := Diff(now, old); len(got) != 0 {
		t.Errorf("what could not be listed before is new:\n%s", shown(got))
	}
}

func TestAToolThatIsWithheldSaysWhy(t *testing.T) {
	old := answered(t, `{"name": "a"}`)
	now := &Snapshot{Withheld: []Withheld{{Tool: "a", Needs: []string{"sampling"}}}}
	const want = "breaking removed a: The tool is listed for clients that offer sampling only, and the connection does not.\n"
	if got := shown(Diff(old, now)); got != want {
		t.Errorf("got:\n%s", got)
	}
}

// The catalogs of real servers have no difference from themselves, in whatever
// order they are listed.
func TestOrderSaysNothing(t *testing.T) {
	files, err := filepath.Glob("../../testdata/catalogs/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no catalogs", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Import("a.b", src)
		if err != nil {
			t.Fatal(err)
		}
		other := &Snapshot{
			ServerInfo: s.ServerInfo, ProtocolVersion: s.ProtocolVersion, Instructions: s.Instructions, Capabilities: s.Capabilities,
			ClientCapabilities: s.ClientCapabilities, Tools: slices.Clone(s.Tools), Resources: slices.Clone(s.Resources),
			ResourceTemplates: slices.Clone(s.ResourceTemplates), Prompts: slices.Clone(s.Prompts),
		}
		for _, l := range other.lists() {
			slices.Reverse(*l.objects)
		}
		if got := Diff(s, other); len(got) > 0 {
			t.Errorf("%s:\n%s", file, shown(got))
		}
	}
}

// FuzzDiff compares whatever servers may send: it ends, and finds nothing where
// nothing has changed.
func FuzzDiff(f *testing.F) {
	f.Add([]byte(`{"type": "object", "properties": {"a": {"enum": [1, "x"]}}}`), []byte(`{"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}`))
	f.Add([]byte(`{"$ref": "#"}`), []byte(`{"anyOf": [{"$ref": "#"}, {"type": "null"}]}`))
	f.Add([]byte(`{"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"items": {"$ref": "#/$defs/b"}}]}, "b": {"oneOf": [{"$ref": "#/$defs/a"}, {"not": {}}]}}, "$ref": "#/$defs/a"}`), []byte(`true`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		of := func(schema []byte) *Snapshot {
			return &Snapshot{Tools: []Object{{Raw: []byte(`{"name": "t", "inputSchema": {"properties": {"x": ` + string(schema) + `}}, "outputSchema": ` + string(schema) + `}`)}}}
		}
		if got := Diff(of(a), of(a)); len(got) > 0 {
			t.Errorf("a difference from itself:\n%s", shown(got))
		}
		Diff(of(a), of(b))
		Diff(of(b), of(a))
	})
}
