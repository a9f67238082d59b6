package catalog

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lda-wf/wfc/lang/types"
)

// saved returns the saved answers of real servers by file name.
func saved(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../../testdata/catalogs/*.json")
	if err != nil || len(files) < 20 {
		t.Fatalf("the saved answers are not there: %v, %v", files, err)
	}
	out := map[string][]byte{}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".json")] = src
	}
	return out
}

func mustImport(t testing.TB, src string) *Snapshot {
	t.Helper()
	s, err := Import("demo.main", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSavedAnswersOfRealServers(t *testing.T) {
	for name, src := range saved(t) {
		var answer struct{ Tools, Resources, ResourceTemplates, Prompts []json.RawMessage }
		if err := json.Unmarshal(src, &answer); err != nil {
			t.Fatal(err)
		}
		s, err := Import("demo."+name, src)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(s.Tools) != len(answer.Tools) || len(s.Resources) != len(answer.Resources) ||
			len(s.ResourceTemplates) != len(answer.ResourceTemplates) || len(s.Prompts) != len(answer.Prompts) {
			t.Errorf("%s: got %d tools, %d resources, %d templates, %d prompts of %d, %d, %d, %d", name,
				len(s.Tools), len(s.Resources), len(s.ResourceTemplates), len(s.Prompts),
				len(answer.Tools), len(answer.Resources), len(answer.ResourceTemplates), len(answer.Prompts))
		}
		file := s.Encode()
		again, err := Decode(file, "catalog/demo."+name+".json")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(file, again.Encode()) {
			t.Errorf("%s: what was read is not written as it was", name)
		}
		if s.Digest() != again.Digest() {
			t.Errorf("%s: the digest changes on the way through a file", name)
		}
		for _, n := range again.ToolNames() {
			tool := again.Tool(n)
			if tool.Problem != "" {
				t.Errorf("%s: %s: %s", name, n, tool.Problem)
			}
			for _, typ := range []*types.Type{tool.Args, tool.Output} {
				if typ == nil {
					continue
				}
				text := types.Print(typ)
				back, problems := types.Parse(text, "type", nil)
				if len(problems) > 0 || !types.Equal(typ, back) {
					t.Errorf("%s: %s: %s reads back as %s %v", name, n, text, types.Print(back), problems)
				}
			}
		}
		for _, o := range []ListingOptions{{}, {Types: true, Coverage: true}} {
			var b bytes.Buffer
			if err := again.WriteListing(&b, o); err != nil || !strings.Contains(b.String(), "demo."+name) {
				t.Errorf("%s: listing: %v", name, err)
			}
		}
	}
}

func TestEncodeGivesEqualBytesWhateverTheOrder(t *testing.T) {
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(saved(t)["server-everything"], &answer); err != nil {
		t.Fatal(err)
	}
	s := mustImport(t, string(saved(t)["server-everything"]))
	want := s.Encode()
	for range 3 {
		live := &Snapshot{Connection: s.Connection, ServerInfo: s.ServerInfo, ProtocolVersion: s.ProtocolVersion, Instructions: s.Instructions, Capabilities: s.Capabilities}
		for i, l := range s.lists() {
			for _, o := range *l.objects {
				var fields map[string]any
				dec := json.NewDecoder(bytes.NewReader(o.Raw))
				dec.UseNumber()
				if err := dec.Decode(&fields); err != nil {
					t.Fatal(err)
				}
				raw, err := json.MarshalIndent(fields, "", "\t") // other white space, too
				if err != nil {
					t.Fatal(err)
				}
				into := live.lists()[i].objects
				*into = append(*into, Object{Raw: raw})
			}
			into := *live.lists()[i].objects
			rand.Shuffle(len(into), func(i, j int) { into[i], into[j] = into[j], into[i] })
		}
		if got := live.Encode(); !bytes.Equal(got, want) {
			t.Fatalf("another order gives other bytes:\n%s", got)
		}
	}
}

func TestFileReviewsWell(t *testing.T) {
	s := mustImport(t, `{"serverInfo":{"version":"1.0","name":"demo"},"protocolVersion":"2025-11-25","capabilities":{},"tools":[
		{"name":"b","inputSchema":{"type":"object"}},
		{"name":"a","description":"Cafe\u0301 <&>","x-vendor":[1.50, 9007199254740993],
		 "inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What to look for, in the words of the documentation of the server."},"limit":{"type":"integer"}},"required":["query"]}}],
		"prompts":[{"name":"p"}]}`)
	s.Errors = []ListError{{List: "resources", Message: "Method not found"}}
	const want = `{
  "format_version": 1,
  "connection": "demo.main",
  "server_info": {"name": "demo", "version": "1.0"},
  "protocol_version": "2025-11-25",
  "capabilities": {},
  "tools": [
    {
      "digest": "DIGEST",
      "object": {
        "description": "Cafe` + "\u0301" + ` <&>",
        "inputSchema": {
          "properties": {
            "limit": {"type": "integer"},
            "query": {"description": "What to look for, in the words of the documentation of the server.", "type": "string"}
          },
          "required": ["query"],
          "type": "object"
        },
        "name": "a",
        "x-vendor": [1.50, 9007199254740993]
      }
    },
    {
      "digest": "DIGEST",
      "object": {
        "inputSchema": {"type": "object"},
        "name": "b"
      }
    }
  ],
  "resources": [],
  "resource_templates": [],
  "prompts": [
    {
      "digest": "DIGEST",
      "object": {
        "name": "p"
      }
    }
  ],
  "errors": [
    {"list": "resources", "message": "Method not found"}
  ]
}
`
	got := string(s.Encode())
	for _, o := range slices.Concat(s.Tools, s.Prompts) {
		got = strings.Replace(got, o.Digest, "DIGEST", 1)
	}
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestFilesThatCannotBeUsed(t *testing.T) {
	for _, c := range []struct{ rule, file, src, says string }{
		{"no JSON", "catalog/a.b.json", "hello", "line 1: 'h' where '{' is wanted"},
		{"empty", "catalog/a.b.json", "", "the text ends where '{' is wanted"},
		{"cut off", "catalog/a.b.json", "{\"format_version\": 1,\n\"tools\": [{\"object\": {", "line 2: the text ends before all brackets are closed"},
		{"a merge conflict", "catalog/a.b.json", "{\n<<<<<<< HEAD\n", "line 2"},
		{"more after the end", "catalog/a.b.json", `{"format_version": 1, "connection": "a.b"} x`, "more follows after the end"},
		{"a saved answer", "catalog/a.b.json", `{"connection": "a.b"}`, "is no catalog snapshot; one is made of a saved answer with `wfc catalog import`"},
		{"a later format", "catalog/a.b.json", `{"format_version": 2, "connection": "a.b"}`, "is of format 2, and this wfc knows formats up to 1"},
		{"another connection's", "catalog/a.b.json", `{"format_version": 1, "connection": "a.c"}`, `is the snapshot of the connection "a.c"`},
		{"an entry without an object", "catalog/a.b.json", `{"format_version": 1, "connection": "a.b", "tools": [{}]}`, `an entry without "object"`},
		{"a wrong field", "catalog/a.b.json", `{"format_version": "1"}`, `"format_version"`},
	} {
		_, err := Decode([]byte(c.src), c.file)
		if err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "the file "+c.file) {
			t.Errorf("%s: got %v, want %q", c.rule, err, c.says)
		}
	}
}

func TestImportTakesWhatPeopleSave(t *testing.T) {
	tool := `{"name":"a","inputSchema":{"type":"object"}}`
	for _, c := range []struct{ rule, src string }{
		{"lists by MCP's names", `{"tools":[` + tool + `]}`},
		{"a JSON-RPC response", `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + tool + `],"nextCursor":null}}`},
		{"a bare list of tools", `[` + tool + `]`},
		{"several answers", `{"result":{"tools":[` + tool + `]}}` + "\n" + `{"result":{"prompts":[]}}`},
		{"two pages, one tool on both", `{"tools":[` + tool + `]}{"tools":[` + tool + `]}`},
		{"a byte order mark", "\ufeff" + `{"tools":[` + tool + `]}`},
	} {
		s, err := Import("demo.main", []byte(c.src))
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		if names := s.ToolNames(); !slices.Equal(names, []string{"a"}) || s.FormatVersion != FormatVersion {
			t.Errorf("%s: got %v", c.rule, names)
		}
	}
	for _, c := range []struct{ rule, src, says string }{
		{"nothing", `{}`, `none of "tools"`},
		{"no JSON", `tools`, "is not JSON"},
		{"an error response", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`, `none of "tools"`},
		{"an entry that is no JSON", `{"tools":[{"name":nope}]}`, "entry 0 of the tools is none"},
		{"a server that is none", `{"tools":[],"serverInfo":3}`, "is no object: 3"},
	} {
		if _, err := Import("demo.main", []byte(c.src)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %q", c.rule, err, c.says)
		}
	}
}

func TestEffectOfAnnotations(t *testing.T) {
	for _, c := range []struct {
		annotations string
		effect      Effect
		idempotent  string
	}{
		{`{}`, Unknown, "not said"},
		{`{"readOnlyHint":true}`, Read, "not said"},
		{`{"readOnlyHint":true,"destructiveHint":true}`, Read, "not said"},
		{`{"readOnlyHint":false}`, Unknown, "not said"},
		{`{"destructiveHint":false}`, Write, "not said"},
		{`{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true}`, Write, "true"},
		{`{"destructiveHint":true,"idempotentHint":false}`, Destructive, "false"},
		{`{"readOnlyHint":"true"}`, Unknown, "not said"},
		{`null`, Unknown, "not said"},
	} {
		s := mustImport(t, `{"tools":[{"name":"a","annotations":`+c.annotations+`}]}`)
		tool := s.Tool("a")
		idempotent := "not said"
		if tool.Idempotent != nil {
			idempotent = map[bool]string{true: "true", false: "false"}[*tool.Idempotent]
		}
		if tool.Effect != c.effect || idempotent != c.idempotent {
			t.Errorf("%s: got %s, idempotent %s; want %s, %s", c.annotations, tool.Effect, idempotent, c.effect, c.idempotent)
		}
	}
}

func TestAProblemStaysWithItsTool(t *testing.T) {
	s := mustImport(t, `{"tools":[
		{"name":"good","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}},"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}},
		{"name":"broken","inputSchema":{"type":"object","properties":{"a":{"type":"strnig"}}}},
		{"name":"list","inputSchema":{"type":"array"}},
		{"name":"none"},
		{"name":"any","inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#"}},
		{"name":"map","inputSchema":{"type":"object","additionalProperties":{"type":"integer"}}},
		{"name":"ways","inputSchema":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"}},"anyOf":[{"required":["id"]},{"required":["name"]}]}},
		{"name":"twice","description":"1"},{"name":"twice","description":"2"},
		{"name":""},{"title":"nameless"},{"name":7},
		{"name":"task","execution":{"taskSupport":"required"}},
		{"name":"result","outputSchema":{"type":"strnig"}}]}`)
	for _, c := range []struct{ name, args, output, problem string }{
		{"good", "object({ a = optional(string) })", "object({ n = integer })", ""},
		{"broken", "object({}, any)", "", `Of its arguments: The schema is broken at #/properties/a: "strnig" is no type of JSON Schema.`},
		{"list", "object({}, any)", "", "Its input schema is not one of an object, so that nothing can be passed."},
		{"none", "object({}, any)", "", ""},
		{"any", "object({}, any)", "", ""},
		{"map", "object({}, integer)", "", ""},
		{"ways", "object({ id = optional(integer), name = optional(string) })", "", ""},
		{"twice", "object({}, any)", "", "The server lists two tools of this name, which differ."},
		{"task", "object({}, any)", "", ""},
		{"result", "object({}, any)", "any", `Of its result: The schema is broken at #: "strnig" is no type of JSON Schema.`},
	} {
		tool := s.Tool(c.name)
		output := ""
		if tool.Output != nil {
			output = types.Print(tool.Output)
		}
		if types.Print(tool.Args) != c.args || output != c.output || tool.Problem != c.problem || tool.TaskRequired != (c.name == "task") {
			t.Errorf("%s: got %s -> %s, problem %q, task %v", c.name, types.Print(tool.Args), output, tool.Problem, tool.TaskRequired)
		}
	}
	if got := len(s.ToolNames()); got != 10 {
		t.Errorf("%d tools can be called: %v", got, s.ToolNames())
	}
	if s.Tool("unknown") != nil {
		t.Error("a tool that is not there has a view")
	}
	if s.Tool("ways").ArgsReport.Exact() {
		t.Error("which arguments go together is left to the schema, but the report says that the type is exact")
	}
}

func TestADamagedEntryIsItsToolsProblem(t *testing.T) {
	s, err := Decode([]byte(`{"format_version":1,"connection":"demo.main","tools":[{"object":{"name":"a","inputSchema":{"type":nope}}},{"object":{"name":"b"}}]}`), "catalog/demo.main.json")
	if err != nil {
		t.Fatal(err)
	}
	if p := s.Tool("a").Problem; !strings.Contains(p, "is not JSON") {
		t.Errorf("got %q", p)
	}
	if p := s.Tool("b").Problem; p != "" {
		t.Errorf("the other tool has the problem %q", p)
	}
}

func TestViewsAreSafeForConcurrentUse(t *testing.T) {
	s := mustImport(t, string(saved(t)["server-github"]))
	var wg sync.WaitGroup
	first := make([]*Tool, 8)
	for i := range first {
		wg.Go(func() {
			for _, n := range s.ToolNames() {
				if tool := s.Tool(n); n == "create_issue" {
					first[i] = tool
				}
			}
		})
	}
	wg.Wait()
	for _, tool := range first {
		if tool == nil || tool != first[0] {
			t.Fatal("concurrent uses got different views")
		}
	}
}

func TestListing(t *testing.T) {
	s := mustImport(t, `{"serverInfo":{"name":"demo","version":"1.0"},"protocolVersion":"2025-11-25","tools":[
		{"name":"search","annotations":{"readOnlyHint":true},"description":"Find issues.\nNewest first.","inputSchema":{"type":"object","properties":{"q":{"type":"string"},"per page":{"type":"integer","default":20},"not":{"not":{}}},"required":["q"]},
		 "outputSchema":{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"title":{"type":"string"},"labels":{"type":"array","items":{"type":"string"}},"state":{"enum":["open","closed"]},"number":{"type":"integer"}},"required":["title","labels","state","number"]}}},"required":["items"]}},
		{"name":"label","annotations":{"destructiveHint":false,"idempotentHint":true},"inputSchema":{"type":"object","additionalProperties":true}},
		{"name":"evil\u001b[2J\nname","execution":{"taskSupport":"required"}},
		{"title":"nameless"}],
		"resources":[{"uri":"demo://readme","name":"readme","mimeType":"text/plain"}],
		"resourceTemplates":[{"uriTemplate":"demo://tasks/{id}","name":"task","description":"One task"}],
		"prompts":[{"name":"summarise","arguments":[{"name":"topic","required":true},{"name":"style"}]}]}`)
	s.Errors = []ListError{{List: "resource_templates", Message: "no"}}
	for _, c := range []struct {
		options ListingOptions
		want    string
	}{
		{ListingOptions{}, `demo.main (demo 1.0, MCP 2025-11-25)

Tools
  unknown            evil�[2J name(…) -> any
    ! It can be called as a task only, which wfc does not support.
  write, idempotent  label(…) -> any
  read               search(q: string, "per page": optional(integer, 20), not: optional(any)) -> object({ items = list(…
  ! a tool: It has no name, so that it cannot be used: {"title":"nameless"}

Resources
  demo://readme  text/plain  readme

Resource templates
  demo://tasks/{id}  One task

Prompts
  summarise(topic: string, style: optional(string))

Lists that the server failed to give
  resource templates: no
`},
		{ListingOptions{Types: true, Coverage: true}, `demo.main (demo 1.0, MCP 2025-11-25)

Coverage
  arguments  1 of 3 have an any in their type; 2 tools of 3 take arguments that they do not declare
  results    2 of 3 tools have no output schema, and 0 of the other 1 have an any in their type

Tools
  unknown            evil�[2J name
    args   object({}, any)
    output any, there is no output schema
    ! It can be called as a task only, which wfc does not support.
  write, idempotent  label
    args   object({}, any)
    output any, there is no output schema
  read               search
    Find issues.
    args   object({ q = string, "per page" = optional(integer, 20), not = optional(any) })
      wider than the schema at #/properties/not: ` + "`not`" + ` has no type
    output object({
      items = list(object({
        title = string,
        labels = list(string),
        state = enum("open", "closed"),
        number = integer,
      })),
    })
  ! a tool: It has no name, so that it cannot be used: {"title":"nameless"}

Resources
  demo://readme  text/plain  readme

Resource templates
  demo://tasks/{id}  One task

Prompts
  summarise(topic: string, style: optional(string))

Lists that the server failed to give
  resource templates: no
`},
	} {
		var b bytes.Buffer
		if err := s.WriteListing(&b, c.options); err != nil {
			t.Fatal(err)
		}
		if b.String() != c.want {
			t.Errorf("%+v: got\n%s\nwant\n%s", c.options, b.String(), c.want)
		}
	}
}
