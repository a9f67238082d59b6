package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
)

type inner struct {
	Name string `json:"name" doc:"The name."`
	N    int    `json:"n,omitempty"`
}

type params struct {
	Text  string            `json:"text" doc:"A text."`
	Flag  bool              `json:"flag,omitempty"`
	Kind  string            `json:"kind,omitempty" enum:"a,b"`
	Kinds []string          `json:"kinds,omitempty" enum:"a,b"`
	Any   value.Value       `json:"any,omitzero"`
	List  []inner           `json:"list,omitempty"`
	Map   map[string]string `json:"map,omitempty"`
	Maybe *string           `json:"maybe,omitempty"`
	Page
}

func TestParametersAreTakenByTheirNamesAndTypes(t *testing.T) {
	got, err := Decode[params](json.RawMessage(`{
		"text": "ä", "flag": true, "kind": "b", "any": {"x": 1.50, "y": null}, "list": [{"name": "n"}, {"name": "m", "n": 3}],
		"map": {"a": "b"}, "maybe": null, "limit": 7}`))
	if err != nil {
		t.Fatal(err)
	}
	back, err := jsonrpc.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"text":"ä","flag":true,"kind":"b","any":{"x":1.50,"y":null},"list":[{"name":"n"},{"name":"m","n":3}],"map":{"a":"b"},"limit":7}`
	if string(back) != want {
		t.Errorf("got  %s\nwant %s", back, want)
	}
}

func TestWhatIsNotAParameterIsRefusedByItsName(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{``, `The parameter text is missing: A text.`},
		{`{}`, `The parameter text is missing: A text.`},
		{`[]`, `The parameter text is missing: A text.`},
		{`["x"]`, `Parameters are passed by name, in an object.`},
		{`{"text": 1}`, `The parameter text must be a string, and is 1.`},
		{`{"text": null}`, `The parameter text must be a string, and is null.`},
		{`{"text": "", "flag": "yes"}`, `The parameter flag must be true or false, and is "yes".`},
		{`{"text": "", "kind": "c"}`, `The parameter kind must be one of a, b, and is "c".`},
		{`{"text": "", "kinds": ["a", "c"]}`, `The parameter kinds[1] must be one of a, b, and is "c".`},
		{`{"text": "", "kind": "` + strings.Repeat("c", 1000) + `"}`, `The parameter kind must be one of a, b, and is "` + strings.Repeat("c", 100) + `…".`},
		{`{"text": "", "` + strings.Repeat("q", 1000) + `": ""}`, `There is no parameter "` + strings.Repeat("q", 100) + `…". There are: text, flag, kind, kinds, any, list, map, maybe, limit, after.`},
		{`{"text": "", "map": {"` + strings.Repeat("ä", 1000) + `": 1}}`, `The parameter map.` + strings.Repeat("ä", 100) + `… must be a string, and is 1.`},
		{`{"text": "", "list": {}}`, `The parameter list must be a list, and is {}.`},
		{`{"text": "", "list": [1]}`, `The parameter list[0] must be an object, and is 1.`},
		{`{"text": "", "list": [{"name": "a"}, {}]}`, `The parameter list[1].name is missing: The name.`},
		{`{"text": "", "list": [{"name": "a", "n": 1.5}]}`, `The parameter list[0].n must be a whole number, and is 1.5.`},
		{`{"text": "", "list": [{"name": "a", "n": 1e30}]}`, `The parameter list[0].n must be a whole number, and is 1e30.`},
		{`{"text": "", "list": [{"name": "a", "nme": 1}]}`, `There is no parameter "list[0].nme". Did you mean "name"?`},
		{`{"text": "", "map": {"a": 1}}`, `The parameter map.a must be a string, and is 1.`},
		{`{"text": "", "txet": ""}`, `There is no parameter "txet". Did you mean "text"?`},
		{`{"text": "", "qqqqqqq": ""}`, `There is no parameter "qqqqqqq". There are: text, flag, kind, kinds, any, list, map, maybe, limit, after.`},
		{`{"text": "", "any": 1e999}`, `The params: the number at byte 19 is beyond the limits`},
	} {
		_, err := Decode[params](json.RawMessage(test.text))
		e := (*jsonrpc.Error)(nil)
		if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams || e.Message != test.want && !strings.HasPrefix(e.Message, "The params: ") {
			t.Errorf("%s gives\n%v, want\n%s", test.text, err, test.want)
		}
	}
}

// What the description says of a method is what the server takes.
func TestTheDescriptionIsAnOpenRPCDocumentOfAllMethods(t *testing.T) {
	text, err := jsonrpc.Marshal(OpenRPC("1.2.3"))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		OpenRPC string
		Methods []struct {
			Name, Description string
			Params            []struct {
				Name     string
				Required bool
				Schema   json.RawMessage
			}
			Result struct{ Schema json.RawMessage }
		}
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenRPC != "1.3.2" || len(doc.Methods) != len(Methods()) {
		t.Errorf("version %s with %d methods, want %d", doc.OpenRPC, len(doc.Methods), len(Methods()))
	}
	whole, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	meta := openRPCSchema(t)
	if err := meta.Validate(whole); err != nil {
		t.Errorf("it is no OpenRPC document: %v", err)
	}
	if meta.Validate(map[string]any{"openrpc": "1.3.2", "info": map[string]any{}, "methods": []any{map[string]any{}}}) == nil {
		t.Error("anything is an OpenRPC document")
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7) // as OpenRPC says
	if err := compiler.AddResource("mem:openrpc", whole); err != nil {
		t.Fatal(err)
	}
	for name := range doc.Components.Schemas {
		if _, err := compiler.Compile("mem:openrpc#/components/schemas/" + name); err != nil {
			t.Errorf("the schema %s: %v", name, err)
		}
	}
	for _, m := range doc.Methods {
		if m.Description == "" || !strings.HasSuffix(m.Description, ".") {
			t.Errorf("%s is described as %q", m.Name, m.Description)
		}
		for _, p := range m.Params {
			if !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(p.Name) {
				t.Errorf("%s has a parameter %q, which is no snake_case", m.Name, p.Name)
			}
		}
	}
}

// openRPCSchema returns the schema of OpenRPC documents. Where it speaks of schemas it
// points to a page that is not there for tests; they are those of draft 7.
func openRPCSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("testdata/openrpc.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	const schemas = `{"allOf": [{"$ref": "http://json-schema.org/draft-07/schema#"}], "definitions": {"JSONSchemaObject": {"properties": {"$ref": {"type": "string"}}}}}`
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft7)
	for at, text := range map[string]string{"https://meta.open-rpc.org/": string(text), "https://meta.json-schema.tools": schemas, "https://meta.json-schema.tools/": schemas} {
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if o := doc.(map[string]any); o["$schema"] != nil {
			delete(o, "$schema") // that page, too
		}
		if err := compiler.AddResource(at, doc); err != nil {
			t.Fatal(err)
		}
	}
	out, err := compiler.Compile("https://meta.open-rpc.org/")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEachScopeAllowsWhatTheOnesBeforeItDo(t *testing.T) {
	all := Scopes()
	for i, have := range all {
		for j, wanted := range all {
			if have.Allows(wanted) != (i >= j) {
				t.Errorf("%s allows %s: %v", have, wanted, have.Allows(wanted))
			}
		}
		if Scope("").Allows(have) || have.Allows("") || Scope("root").Allows(have) {
			t.Errorf("an unknown scope is one")
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"text": "", "list": [{"name": "a", "n": 1}], "any": [], "limit": 5}`))
	f.Add([]byte(`{"text": "", "map": {"": ""}, "maybe": "x"}`))
	f.Add([]byte(`[1`))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Decode[params](text)
		if e := (*jsonrpc.Error)(nil); err != nil && !errors.As(err, &e) {
			t.Fatalf("%q gives an error of another kind: %v", text, err)
		}
		if err != nil {
			return
		}
		if _, err := jsonrpc.Marshal(p); err != nil {
			t.Fatal(err)
		}
	})
}
