package iface

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/types"
)

// tool is a tool's raw object: its schemas, and its annotations.
func tool(name, input, output, annotations string) string {
	out := fmt.Sprintf(`{"name": %q, "inputSchema": %s, "annotations": %s`, name, input, annotations)
	if output != "" {
		out += `, "outputSchema": ` + output
	}
	return out + "}"
}

func snapshot(t testing.TB, tools ...string) *catalog.Snapshot {
	t.Helper()
	s, err := catalog.Import("a.b", []byte(`{"tools": [`+strings.Join(tools, ", ")+`],
		"resources": [{"name": "r", "uri": "x://fixed"}],
		"resourceTemplates": [{"name": "t", "uriTemplate": "x://{owner}/{+path}"}],
		"prompts": [{"name": "p", "arguments": [{"name": "a", "required": true}, {"name": "b"}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s.Withheld = []catalog.Withheld{{Tool: "ask", Needs: []string{"elicitation", "sampling"}}}
	s.Errors = []catalog.ListError{{List: "prompts", Message: "it is broken."}}
	return s
}

func TestSatisfies(t *testing.T) {
	const (
		read    = `{"readOnlyHint": true}`
		write   = `{"readOnlyHint": false, "destructiveHint": false}`
		destroy = `{"destructiveHint": true}`
		nothing = `{}`
		q       = `{"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}`
		item    = `{"type": "object", "properties": {"id": {"type": "integer"}, "title": {"type": ["string", "null"]}, "more": {"type": "string"}}, "required": ["id", "title", "more"]}`
		items   = `{"type": "object", "properties": {"items": {"type": "array", "items": ` + item + `}}, "required": ["items"]}`
	)
	for _, c := range []struct {
		name, tool, declares string
		want                 []string // parts of the problems
	}{
		{"as declared", tool("t", q, items, read), "@read tool t(q: string) -> object({ items = list(object({ id = integer, title = nullable(string) })) })", nil},
		{"it gives less than is allowed", tool("t", q, items, read), "@read tool t(q: string) -> object({ items = list(object({ id = number, title = any }, any)), next = optional(string) })", nil},
		{"it may give null", tool("t", q, items, read), "@read tool t(q: string) -> object({ items = list(object({ title = string })) })", []string{"gives something else than declared: items[*].title: "}},
		{"it gives another type", tool("t", q, items, read), "@read tool t(q: string) -> object({ items = list(object({ id = string })) })", []string{"items[*].id: an integer where a string is wanted"}},
		{"it lacks what is declared", tool("t", q, items, read), "@read tool t(q: string) -> object({ total = integer })", []string{"total: missing"}},
		{"it promises nothing: a contract", tool("t", q, "", read), "@read tool t(q: string) -> object({ total = integer })", nil},
		{"what may be left out is optional", tool("t", q, items, read), "@read tool t(q: optional(string)) -> any", []string{`needs the argument "q", which the interface lets its users leave out`}},
		{"what it needs is declared", tool("t", q, items, read), "@read tool t() -> any", []string{`needs the argument "q", which the interface does not declare`}},
		{"it takes what is declared", tool("t", q, items, read), "@read tool t(q: string, state: string) -> any", []string{`takes no argument "state".`}},
		{"or something of a near name", tool("t", `{"type": "object", "properties": {"query": {"type": "string"}}}`, "", read), "@read tool t(qury: string) -> any", []string{`takes no argument "qury", but "query"`}},
		{"it takes more than is declared", tool("t", `{"type": "object", "properties": {"q": {"type": ["string", "integer"]}}}`, "", read), "@read tool t(q: string) -> any", nil},
		{"it takes less than is declared", tool("t", `{"type": "object", "properties": {"q": {"enum": ["a", "b"]}}}`, "", read), "@read tool t(q: string) -> any", []string{`The argument "q" of the tool t may be what is not taken: a string where one of "a", "b" is wanted`}},
		{"it takes any others", tool("t", `{"type": "object", "additionalProperties": {"type": "string"}}`, "", read), "@read tool t(q: string, ...: string) -> any", nil},
		{"it takes no others", tool("t", q, "", read), "@read tool t(q: string, ...) -> any", []string{"takes no other arguments"}},
		{"others of another type", tool("t", `{"type": "object", "additionalProperties": {"type": "string"}}`, "", read), "@read tool t(q: integer, ...: integer) -> any", []string{`The argument "q"`, "The other arguments of the tool t may be what is not taken"}},
		{"another default", tool("t", `{"type": "object", "properties": {"n": {"type": "integer", "default": 30}}}`, "", read), "@read tool t(n: optional(integer, 20)) -> any", []string{`"n" of the tool t is 30 where it is left out, and the interface says 20`}},
		{"a default of its own", tool("t", `{"type": "object", "properties": {"n": {"type": "integer", "default": 30}}}`, "", read), "@read tool t(n: optional(integer)) -> any", nil},
		{"a weaker effect", tool("t", q, "", read), "@write tool t(q: string) -> any", nil},
		{"a stronger effect", tool("t", q, "", write), "@read tool t(q: string) -> any", []string{"The tool t writes, and the interface declares @read."}},
		{"a destructive one", tool("t", q, "", destroy), "@write tool t(q: string) -> any", []string{"The tool t destroys, and the interface declares @write."}},
		{"an effect that nothing is said of", tool("t", q, "", nothing), "@read tool t(q: string) -> any", []string{"Nothing says what the tool t does"}},
		{"which is destructive at most", tool("t", q, "", nothing), "@destructive tool t(q: string) -> any", nil},
		{"no effect declared allows any", tool("t", q, "", destroy), "tool t(q: string) -> any", nil},
		{"not known to be idempotent", tool("t", q, "", write), "@write @idempotent tool t(q: string) -> any", []string{"idempotent = true"}},
		{"reading is", tool("t", q, "", read), "@read @idempotent tool t(q: string) -> any", nil},
		{"not there", tool("search", q, "", read), "@read tool serch(q: string) -> any", []string{`There is no tool "serch", but "search".`}},
		{"there for others", tool("t", q, "", read), "@read tool ask() -> any", []string{"only for clients that offer elicitation and sampling"}},
		{"a task", strings.TrimSuffix(tool("t", q, "", read), "}") + `, "execution": {"taskSupport": "required"}}`, "@read tool t(q: string) -> any", []string{"as a task only"}},
		{"described badly", tool("t", `{"type": "objet"}`, "", read), "@read tool t(q: string) -> any", []string{"cannot be relied on"}},
		{"a recursive result", tool("t", q, `{"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/n"}}, "required": ["v"]}}}`, read), "type n = object({ v = number, next = optional(n) })\n@read tool t(q: string) -> n", nil},
		{"a recursive result that differs below", tool("t", q, `{"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/$defs/n"}}, "required": ["v"]}}}`, read), "type n = object({ v = number, next = optional(object({ v = string })) })\n@read tool t(q: string) -> n", []string{"next.v: "}},
		{"a prompt", tool("t", q, "", read), "prompt p(a: string)", nil},
		{"a prompt that needs more", tool("t", q, "", read), "prompt p(b: string)", []string{`The prompt p needs the argument "a"`}},
		{"a prompt that is not there, of a list that failed", tool("t", q, "", read), "prompt z()", []string{`There is no prompt "z". The server failed to list its prompts: it is broken.`}},
		{"a resource", tool("t", q, "", read), `resource any_name "x://fixed" -> string`, nil},
		{"a template", tool("t", q, "", read), `resource any_name "x://{owner}/{+path}" -> string`, nil},
		{"a resource that a template may give", tool("t", q, "", read), `resource one "x://acme/a/b.md" -> string`, nil},
		{"a resource that is not there", tool("t", q, "", read), `resource one "x://fixd" -> string`, []string{`There is no resource "x://fixd", but "x://fixed".`}},
		{"a template that is not there", tool("t", q, "", read), `resource one "x://{name}" -> string`, []string{`There is no resource "x://{name}"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			i := interfaceX(t, "interface x {\n"+c.declares+"\n}\n")
			got := Satisfies(Offer{Snapshot: snapshot(t, c.tool)}, i)
			ok := len(got) == len(c.want)
			for n := 0; ok && n < len(got); n++ {
				ok = strings.Contains(got[n].Message, c.want[n])
			}
			if !ok {
				t.Errorf("got %+v\nwant %q", got, c.want)
			}
		})
	}
}

func interfaceX(t testing.TB, src string) *Interface { return read(t, src).Interface("x") }

func TestWhatAConnectionSaysCounts(t *testing.T) {
	i := interfaceX(t, "interface x {\n@read tool t(q: string, more: string) -> integer\n}\n")
	s := snapshot(t, tool("t", `{"type": "object", "properties": {"q": {"type": "string"}}}`, `{"type": "object"}`, `{}`))
	adjust := func(_ *catalog.Tool, declared *Tool, o *Offered) string {
		o.Args = types.ObjectOf(o.Args.Attrs(), types.AnyType)
		o.Output, o.Effect = types.IntegerType, catalog.Read
		return ""
	}
	if got := Satisfies(Offer{Snapshot: s, Adjust: adjust}, i); len(got) > 0 {
		t.Error(got)
	}
	denied := func(*catalog.Tool, *Tool, *Offered) string { return "It is denied." }
	if got := Satisfies(Offer{Snapshot: s, Adjust: denied}, i); len(got) != 1 || got[0].Message != "It is denied." {
		t.Error(got)
	}
}

// What a connection offers, as an interface, is what it satisfies.
func TestEveryConnectionSatisfiesWhatItOffers(t *testing.T) {
	for id, s := range catalogs(t) {
		t.Run(id, func(t *testing.T) {
			i := FromSnapshot(s)
			back := read(t, Print(i)).Interface(i.Name.Text)
			for _, p := range Satisfies(Offer{Snapshot: s}, back) {
				if !strings.Contains(p.Message, "as a task only") && !strings.Contains(p.Message, "cannot be relied on") {
					t.Errorf("line %d: %s", p.Range.Start.Line, p.Message)
				}
			}
		})
	}
}

func TestNamesOfASnapshotAreEscaped(t *testing.T) {
	raw, err := json.Marshal(map[string]any{
		"tools": []any{
			map[string]any{"name": "a\u001b[31m\"b", "description": "One.\r\n\u009bTwo ${x}.\n\n", "inputSchema": map[string]any{"type": "object", "properties": map[string]any{"x y\u202e": map[string]any{"type": "string"}}}},
			map[string]any{"name": "tool", "title": "A title", "inputSchema": map[string]any{"type": "object"}},
		},
		"resources": []any{
			map[string]any{"name": "same", "uri": "x://b"}, map[string]any{"name": "same", "uri": "x://a"}, map[string]any{"uri": "x://{open"},
			map[string]any{"name": "picture", "uri": "x://p", "mimeType": "image/png"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := catalog.Import("my-server.2 €", raw)
	if err != nil {
		t.Fatal(err)
	}
	const want = `# my-server.2 €
# The resource "x://{open" has no URI that can be used: a brace is not closed
interface my-server_2__ {
  "One."
  "\u009bTwo $${x}."
  tool "a\u001b[31m\"b"("x y\u202e": optional(string)) -> any

  "A title"
  tool tool(...) -> any

  resource picture "x://p" -> blob

  resource same "x://a" -> string

  resource same_2 "x://b" -> string
}
`
	got := Print(FromSnapshot(s))
	if got != want {
		t.Errorf("got\n%s", got)
	}
	i := read(t, got).Interface("my-server_2__")
	if i.Tools[0].Name.Text != "a\u001b[31m\"b" || i.Tools[0].Doc != "One.\n\u009bTwo ${x}." {
		t.Errorf("it reads as %+v", i.Tools[0])
	}
}

func BenchmarkParse(b *testing.B) {
	var src strings.Builder
	for _, s := range catalogs(b) {
		src.WriteString(Print(FromSnapshot(s)))
	}
	text := []byte(src.String())
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		f, found := Parse("all.wfi", text)
		if _, more := NewSet([]*File{f}); len(found)+len(more) > 0 {
			b.Fatal(found, more)
		}
	}
}

func BenchmarkFormat(b *testing.B) {
	text := []byte(Print(FromSnapshot(catalogs(b)["zereight-mcp-gitlab.main"])))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, found := Format("a.wfi", text); len(found) > 0 {
			b.Fatal(found)
		}
	}
}
