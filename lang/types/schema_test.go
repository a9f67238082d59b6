package types

import (
	"strings"
	"testing"
)

func TestFromSchema(t *testing.T) {
	for _, c := range []struct{ rule, schema, want string }{
		{"true", `true`, "any"},
		{"false", `false`, "never"},
		{"nothing said", `{}`, "any"},
		{"the simple types", `{"type":["string","null","boolean"]}`, "nullable(union(string, bool))"},
		{"integer and number", `{"type":["integer","number"]}`, "number"},
		{"const", `{"const":"a"}`, `enum("a")`},
		{"enum of mixed values", `{"enum":["a",1,1.5,true,null]}`, `nullable(enum("a", 1, 1.5, true))`},
		{"an enum's type counts", `{"type":"string","enum":["a",null,3]}`, `enum("a")`},
		{"an enum of nothing has no value", `{"type":"object","properties":{"a":{"enum":[]},"b":{"type":"string"}}}`, `object({ a = optional(never), b = optional(string) })`},
		{"numbers of an enum are exact", `{"enum":[9007199254740993]}`, `enum(9007199254740993)`},
		{"an enum of objects", `{"enum":[{"a":1},[1]]}`, `union(object({ a = enum(1) }), tuple([enum(1)]))`},

		{"properties are optional unless required", `{"type":"object","properties":{"a":{"type":"string"},"b":{}},"required":["b"]}`, "object({ a = optional(string), b = any })"},
		{"an object without properties is open", `{"type":"object"}`, "object({}, any)"},
		{"one with none is not", `{"type":"object","properties":{}}`, "object({})"},
		{"additionalProperties opens it", `{"type":"object","properties":{"a":true},"additionalProperties":{}}`, "object({ a = optional(any) }, any)"},
		{"and may have a type", `{"type":"object","properties":{"a":true},"additionalProperties":{"type":"string"}}`, "object({ a = optional(any) }, string)"},
		{"a map", `{"type":"object","additionalProperties":{"type":"string"}}`, "map(string)"},
		{"no map of nothing", `{"type":"object","additionalProperties":false}`, "object({})"},
		{"required and not listed", `{"type":"object","properties":{},"required":["a"]}`, "object({ a = any })"},
		{"required and not listed, others have a type", `{"type":"object","additionalProperties":{"type":"string"},"required":["a"]}`, "object({ a = string }, string)"},
		{"a default", `{"type":"object","properties":{"a":{"type":"integer","default":20}}}`, "object({ a = optional(integer, 20) })"},
		{"a default that is none is dropped", `{"type":"object","properties":{"a":{"type":"integer","default":"20"}}}`, "object({ a = optional(integer) })"},
		{"a default of what is required says nothing", `{"type":"object","properties":{"a":{"type":"integer","default":20}},"required":["a"]}`, "object({ a = integer })"},
		{"names that need quotes", `{"type":"object","properties":{"$meta":true,"a b":true}}`, `object({ "$meta" = optional(any), "a b" = optional(any) })`},
		{"patternProperties say what others may be", `{"type":"object","patternProperties":{"^x":{"type":"string"}},"additionalProperties":{"type":"integer"}}`, "map(union(integer, string))"},
		{"patternProperties open an object", `{"type":"object","properties":{"a":true},"patternProperties":{"^x":{"type":"string"}}}`, "object({ a = optional(any) }, any)"},

		{"a list", `{"type":"array","items":{"type":"string"}}`, "list(string)"},
		{"of what is not said", `{"type":"array"}`, "list(any)"},
		{"of nothing", `{"type":"array","items":false}`, "tuple([])"},
		{"a tuple", `{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false,"minItems":2}`, "tuple([string, integer])"},
		{"a tuple by its length", `{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"minItems":2,"maxItems":2}`, "tuple([string, integer])"},
		{"a tuple of draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"array","items":[{"type":"string"}],"additionalItems":false,"minItems":1}`, "tuple([string])"},
		{"a tuple of some length is a list", `{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"null"}}`, "list(nullable(union(string, integer)))"},

		{"anyOf", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "nullable(string)"},
		{"what stands beside anyOf holds of all", `{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[{"required":["a"]},{"properties":{"b":{"type":"integer"}},"required":["b"]}]}`, "union(object({ a = string }), object({ a = optional(string), b = integer }))"},
		{"oneOf", `{"oneOf":[{"const":1},{"const":2}]}`, "enum(1, 2)"},
		{"allOf of objects is one object", `{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"type":"object","properties":{"a":{},"b":{"type":"integer"}}}]}`, "object({ a = string, b = optional(integer) })"},
		{"allOf of what excludes each other", `{"allOf":[{"type":"string"},{"type":"integer"}]}`, "never"},
		{"allOf with a reference to a closed object", `{"type":"object","allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"object","properties":{"x":true}}}}`, "object({ x = optional(any) })"},
		{"nullable as OpenAPI has it", `{"type":"string","nullable":true}`, "nullable(string)"},
		{"no type but properties", `{"properties":{"a":{"type":"string"}}}`, "object({ a = optional(string) })"},
		{"no type but items", `{"items":{"type":"string"}}`, "list(string)"},
		{"what has no type widens", `{"type":"string","not":{"const":"a"}}`, "string"},

		{"$defs", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`, "string"},
		{"definitions", `{"$ref":"#/definitions/a","definitions":{"a":{"type":"string"}}}`, "string"},
		{"any pointer", `{"type":"object","properties":{"a":{"type":"string"},"b":{"$ref":"#/properties/a"}}}`, "object({ a = optional(string), b = optional(string) })"},
		{"escapes in pointers", `{"$ref":"#/$defs/a~1b%20~0c","$defs":{"a/b ~c":{"type":"string"}}}`, "string"},
		{"into lists", `{"anyOf":[{"type":"string"},{"$ref":"#/anyOf/0"}]}`, "string"},
		{"anchors", `{"$ref":"#name","$defs":{"a":{"$anchor":"name","type":"string"}}}`, "string"},
		{"anchors of draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#name"}},"definitions":{"a":{"$id":"#name","type":"string"}}}`, "object({ a = optional(string) })"},
		{"$id", `{"$id":"https://example.com/root","$ref":"other","$defs":{"a":{"$id":"other","type":"string"}}}`, "string"},
		{"a pointer inside of an $id", `{"$defs":{"a":{"$id":"https://example.com/a","$ref":"#/$defs/b","$defs":{"b":{"type":"string"}}}},"$ref":"https://example.com/a"}`, "string"},
		{"what stands beside $ref counts", `{"$ref":"#/$defs/a","enum":["a"],"$defs":{"a":{"type":"string"}}}`, `enum("a")`},
		{"but not in draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","enum":["a"],"definitions":{"a":{"type":"string"}}}`, "string"},
		{"a reference out of the schema", `{"$ref":"https://example.com/other.json"}`, "any"},
		{"a recursive type", `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}}}}`, "defs({ t = object({ kids = optional(list(t)) }) }, t)"},
		{"recursive types that refer to each other", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/b"}},"b":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/a"}]}}}`, "defs({ a = list(nullable(a)) }, a)"},
		{"a recursive type that is met with another", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"object","properties":{"next":{"$ref":"#/$defs/a","required":["next"]}}}}}`,
			"defs({ a = object({ next = a }) }, object({ next = optional(a) }))"},
		{"a definition that defines nothing", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"string"}]}}}`, "any"},
		{"a schema that is only itself", `{"$ref":"#"}`, "any"},
	} {
		got, report := FromSchema([]byte(c.schema))
		if report.Problem != "" {
			t.Errorf("%s: %s", c.rule, report.Problem)
			continue
		}
		if Print(got) != c.want {
			t.Errorf("%s: got %s, want %s", c.rule, Print(got), c.want)
		}
	}
}

func TestReports(t *testing.T) {
	for _, c := range []struct {
		rule, schema string
		says         string // in one entry; "exact" for none
	}{
		{"an exact type", `{"type":"object","properties":{"a":{"type":"string","pattern":"^a","format":"date"}},"required":["a"]}`, "exact"},
		{"what has no type", `{"type":"object","properties":{"a/b":{"not":{"const":1}}}}`, "#/properties/a~1b: `not` has no type"},
		{"conditions", `{"if":{"const":1},"then":{"const":2}}`, "#: `if` has no type"},
		{"a condition without consequence", `{"if":{"const":1}}`, "exact"},
		{"names of strings say nothing", `{"type":"object","propertyNames":{"type":"string"}}`, "exact"},
		{"other names do", `{"type":"object","propertyNames":{"enum":["a"]}}`, "#: `propertyNames` restricts names"},
		{"contains", `{"type":"array","contains":{"const":1}}`, "#: `contains` has no type"},
		{"a pattern that cannot be checked", `{"type":"string","pattern":"^(?!a)"}`, "#: the pattern ^(?!a) cannot be checked"},
		{"one of overlapping types", `{"oneOf":[{"type":"string"},{"type":"string","maxLength":3}]}`, "#: a value may be of one member of `oneOf` only"},
		{"one of types that do not overlap", `{"oneOf":[{"type":"string"},{"type":"null"}]}`, "exact"},
		{"a constraint without a type", `{"minimum":3}`, "#: it constrains values without saying of which `type`"},
		{"an assumed type", `{"properties":{}}`, "#: no `type` is given; it is read as an object"},
		{"an external reference", `{"$ref":"https://example.com/a"}`, "#: `$ref` leads out of the schema, to https://example.com/a"},
		{"an empty definition", `{"$ref":"#"}`, "#: it refers to itself and says nothing else"},
		{"a tuple of any length", `{"type":"array","prefixItems":[{"type":"string"}]}`, "#: its first elements have types of their own and its length is not fixed"},
	} {
		_, report := FromSchema([]byte(c.schema))
		all := append(report.Widened, report.Guarded...)
		switch {
		case c.says == "exact" && !report.Exact():
			t.Errorf("%s: got %q, closed %v, problem %q", c.rule, all, report.Closed, report.Problem)
		case c.says != "exact" && (len(all) != 1 || all[0] != c.says || report.Exact()):
			t.Errorf("%s: got %q, want %q", c.rule, all, c.says)
		}
	}
	if _, report := FromSchema([]byte(`{"type":"object","properties":{},"additionalProperties":false}`)); !report.Closed || report.Exact() {
		t.Error("what a schema forbids and a type ignores is left to the schema, but the report says that the type is exact")
	}
}

func TestBrokenSchemas(t *testing.T) {
	for _, c := range []struct{ schema, says string }{
		{`{`, "The schema is not JSON"},
		{`[]`, "a schema is an object or a bool, not a list"},
		{`{"type":"strnig"}`, `at #: "strnig" is no type`},
		{`{"type":[]}`, "`type` is a name or a list of names"},
		{`{"properties":{"a":{"enum":"x"}}}`, "at #/properties/a/enum: `enum` is a list of values, not a string"},
		{`{"properties":[]}`, "`properties` is an object, not a list"},
		{`{"type":"object","required":"a"}`, "`required` is a list of names, not a string"},
		{`{"anyOf":[]}`, "`anyOf` has no members"},
		{`{"anyOf":{}}`, "`anyOf` is a list, not an object"},
		{`{"$ref":"#/$defs/none"}`, "nothing is at #/$defs/none"},
		{`{"$ref":3}`, "`$ref` is a string, not a number"},
		{`{"type":"string","minLength":-1}`, "`minLength` is a whole number from 0"},
		{`{"type":"number","minimum":"1"}`, "`minimum` is a number, not a string"},
		{`{"type":"number","multipleOf":0}`, "`multipleOf` is more than 0"},
		{`{"type":"number","minimum":1e100000000}`, "The schema is not JSON"},
		{`{"items":{"items":{"items":7}}}`, "at #/items/items/items: a schema is an object or a bool, not a number"},
	} {
		got, report := FromSchema([]byte(c.schema))
		if got.Kind() != Any || !strings.Contains(report.Problem, c.says) || !strings.HasSuffix(report.Problem, ".") {
			t.Errorf("%s: got %s, %q; want any, %q", c.schema, Print(got), report.Problem, c.says)
		}
	}
}

func TestRefinementsRideAlong(t *testing.T) {
	typ, _ := FromSchema([]byte(`{"type":"object","properties":{
		"key":{"type":"string","pattern":"^[A-Z]+-\\d+$","maxLength":6},
		"limit":{"type":"integer","minimum":1,"exclusiveMaximum":101,"multipleOf":5},
		"tags":{"type":"array","items":{"type":"string","minLength":1},"minItems":1,"maxItems":2,"uniqueItems":true},
		"when":{"type":"string","format":"date-time"},
		"any":{"type":"object","maxProperties":1},
		"old":{"type":"number","exclusiveMinimum":true,"minimum":3}}}`))
	for _, c := range []struct{ value, says string }{
		{`{"key":"AB-12","limit":100,"tags":["a","b"],"when":"2026-01-31T10:00:00Z","any":{"x":1},"old":3.1}`, ""},
		{`{"key":"ab-12"}`, `key: "ab-12" does not match the pattern ^[A-Z]+-\d+$`},
		{`{"key":"ABC-123"}`, `key: 7 characters where at most 6 are wanted`},
		{`{"limit":0}`, `limit: 0 where at least 1 is wanted`},
		{`{"limit":101}`, `limit: 101 where less than 101 is wanted`},
		{`{"limit":7}`, `limit: 7 where a multiple of 5 is wanted`},
		{`{"limit":5.5}`, `limit: 5.5 where an integer is wanted`},
		{`{"tags":[]}`, `tags: 0 elements where at least 1 is wanted`},
		{`{"tags":["a","b","c"]}`, `tags: 3 elements where at most 2 are wanted`},
		{`{"tags":["a","a"]}`, `tags: the elements 0 and 1 are equal where all must differ`},
		{`{"tags":["a",""]}`, `tags[1]: an empty string where one of at least 1 character is wanted`},
		{`{"when":"tomorrow"}`, `when: "tomorrow" is not of the format date-time`},
		{`{"any":{"x":1,"y":2}}`, `any: 2 attributes where at most 1 is wanted`},
		{`{"old":3}`, `old: 3 where more than 3 is wanted`},
	} {
		m := Conforms(typ, parseJSON(t, c.value))
		got := ""
		if m != nil {
			got = m.Error()
		}
		if got != c.says {
			t.Errorf("%s: got %q, want %q", c.value, got, c.says)
		}
	}
	// A constant of the program is judged when it compiles.
	if m := Assignable(typ, obj(req("limit", lit(num("7"))))); m == nil || m.Error() != "limit: 7 where a multiple of 5 is wanted" {
		t.Errorf("a constant: got %v", m)
	}
}
