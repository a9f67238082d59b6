package types

import (
	"strconv"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/value"
)

func parseJSON(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestConforms(t *testing.T) {
	for _, c := range []struct{ rule, typ, value, says string }{
		{"any takes everything", "any", `[1, null]`, ""},
		{"1.0 is an integer", "integer", "1.0", ""},
		{"1e3 too", "integer", "1e3", ""},
		{"a fraction is none", "integer", "1.5", "1.5 where an integer is wanted"},
		{"numbers are not rounded", "enum(9007199254740993)", "9007199254740992", "9007199254740992 where 9007199254740993 is wanted"},
		{"the path is precise", "object({ items = list(object({ title = string })) })", `{"items":[{"title":"a"},{"title":3}]}`, "items[1].title: a number where a string is wanted"},
		{"missing", "object({ a = object({ b = string }) })", `{"a":{}}`, "a.b: missing where a string is wanted"},
		{"optional", "object({ a = optional(string) })", `{}`, ""},
		{"missing is not null", "object({ a = optional(string) })", `{"a":null}`, "a: null where a string is wanted"},
		{"undeclared attributes are ignored", "object({ a = string })", `{"a":"x","b":1}`, ""},
		{"others have a type", "object({ a = string }, integer)", `{"a":"x","b c":"y"}`, `["b c"]: a string where an integer is wanted`},
		{"maps", "map(bool)", `{"a":true,"b":1}`, "b: a number where a bool is wanted"},
		{"tuples", "tuple([string, integer])", `["a"]`, "1 element where 2 are wanted"},
		{"enums suggest", `enum("open", "closed")`, `"close"`, `"close" where one of "open", "closed" is wanted (did you mean "closed"?)`},
		{"enums of another kind", `enum("open", "closed")`, `1`, `a number where one of "open", "closed" is wanted`},
		{"nullable", "nullable(string)", "null", ""},
		{"unions name what is wanted", "union(string, integer)", "true", "a bool where a string or an integer is wanted"},
		{"the nearest member is reported", "union(string, object({ a = string }))", `{"a":1}`, "a: a number where a string is wanted"},
		{"literals tell members apart", `union(object({ t = enum("a"), x = string }), object({ t = enum("b"), y = string }))`, `{"t":"b","y":1}`, "y: a number where a string is wanted"},
		{"recursive types", "defs({ node = object({ v = integer, next = optional(node) }) }, node)", `{"v":1,"next":{"v":2,"next":{"v":"x"}}}`, "next.next.v: a string where an integer is wanted"},
		{"a string is no blob", "blob", `"x"`, "a string where a blob is wanted"},
		{"nothing conforms to never", "object({ a = optional(never) })", `{"a":1}`, "a: a number where nothing is wanted"},
	} {
		m := Conforms(MustParse(c.typ), parseJSON(t, c.value))
		got := ""
		if m != nil {
			got = m.Error()
			if m.Value == nil && m.Cause != Missing {
				t.Errorf("%s: the mismatch has no value", c.rule)
			}
		}
		if got != c.says {
			t.Errorf("%s: got %q, want %q", c.rule, got, c.says)
		}
	}
}

func TestPatternsOfECMA262(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		matches       bool
	}{
		{`^\d+$`, "12", true},
		{`^\d+$`, "١", false},
		{`\s`, "\u00a0", true},
		{`^\S+$`, "a\u2003b", false},
		{`^[\s]$`, "\ufeff", true},
		{`^\u00e9$`, "é", true},
		{`^\u{1F600}$`, "😀", true},
		{`^a\/b$`, "a/b", true},
		{`^\cJ$`, "\n", true},
		{`b`, "abc", true},
		{`^(?<year>\d{4})$`, "2026", true},
	} {
		re := CompilePattern(c.pattern)
		if re == nil {
			t.Errorf("%s does not compile", c.pattern)
		} else if re.MatchString(c.text) != c.matches {
			t.Errorf("%s, %q: want %v", c.pattern, c.text, c.matches)
		}
	}
	for _, pattern := range []string{`^(?!a)`, `(a)\1`, `(`} {
		if CompilePattern(pattern) != nil {
			t.Errorf("%s compiles", pattern)
		}
	}
}

func TestFormatsPassWhatMayBeMeant(t *testing.T) {
	for _, c := range []struct {
		format, text string
		holds        bool
	}{
		{"date-time", "2026-01-31T10:00:00Z", true},
		{"date-time", "2026-01-31t10:00:00.123+02:00", true},
		{"date-time", "2026-01-31 10:00:00Z", true},
		{"date-time", "2016-12-31T23:59:60Z", true},
		{"date-time", "2026-02-31T10:00:00Z", false},
		{"date-time", "2026-01-31", false},
		{"date", "2026-01-31", true},
		{"date", "31.1.2026", false},
		{"uuid", "123E4567-e89b-12d3-a456-426614174000", true},
		{"uuid", "123e4567", false},
		{"ipv4", "127.0.0.1", true},
		{"ipv4", "::1", false},
		{"ipv6", "::1", true},
		{"email", `"a b"@exämple.org`, true},
		{"email", "nobody", false},
		{"uri", "urn:isbn:1", true},
		{"uri", "not a uri", false},
		{"hostname", "anything at all", true},
	} {
		if FormatHolds(c.format, str(c.text)) != c.holds {
			t.Errorf("%s of %q: want %v", c.format, c.text, c.holds)
		}
	}
}

func TestAnEnumOfManyIsDescribedInLinearTime(t *testing.T) {
	const many = 200_000
	members := make([]*Type, many)
	for i := range members {
		members[i] = LiteralOf(value.OfString(strconv.Itoa(i)))
	}
	if got := Describe(UnionOf(members...)); !strings.HasSuffix(got, " more") {
		t.Errorf("got %.100s", got)
	}
}

func TestDescribe(t *testing.T) {
	for typ, want := range map[string]string{
		"any":                                  "anything",
		"list(string)":                         "a list",
		"tuple([string, string])":              "a list of 2",
		`enum("a")`:                            `"a"`,
		`nullable(enum("a", 3))`:               `one of "a", 3 or null`,
		"union(string, integer, list(string))": "a string, an integer or a list",
		`nullable(object({ a = string }))`:     "an object or null",
		`enum(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)`:  "one of 1, 2, 3, 4, 5, 6, 7, 8 and 2 more",
	} {
		if got := Describe(MustParse(typ)); got != want {
			t.Errorf("%s: got %q, want %q", typ, got, want)
		}
	}
	if got := Describe(NamedOf("interface.tracker.issue", func() *Type { return issue })); got != "interface.tracker.issue" {
		t.Errorf("a name: got %q", got)
	}
}
