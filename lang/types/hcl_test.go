package types

import (
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
)

var issue = obj(req("number", IntegerType), req("title", StringType))

func resolver(path []string) (*Type, string) {
	if strings.Join(path, ".") == "interface.issue_tracker.issue" {
		return NamedOf("interface.issue_tracker.issue", func() *Type { return issue }), ""
	}
	return nil, "Did you mean interface.issue_tracker.issue?"
}

func TestTheNotationReadsBackAsItPrints(t *testing.T) {
	for _, text := range []string{
		"any", "null", "bool", "string", "number", "integer", "blob", "never",
		"list(any)",
		"map(list(integer))",
		"tuple([])",
		`tuple([string, enum("a")])`,
		"object({})",
		"object({}, any)",
		`object({ a = string, b = optional(integer, 20), "c d" = optional(list(string), ["x", "$${y}"]), "for" = bool }, string)`,
		`enum("a", "b", 3)`,
		`enum(-1.50, 9007199254740993)`,
		`nullable(enum("a", "é", "e\u0301"))`,
		`nullable(union(string, blob, enum(1)))`,
		"interface.issue_tracker.issue",
		"list(interface.issue_tracker.issue)",
		"defs({ node = object({ value = string, next = optional(node) }) }, node)",
		"defs({ a = list(b), b = nullable(map(a)) }, tuple([a, b]))",
	} {
		typ, problems := Parse(text, "type", resolver)
		if len(problems) > 0 {
			t.Errorf("%s: %s", text, problems[0].Detail)
			continue
		}
		printed := Print(typ)
		want := strings.ReplaceAll(text, `e\u0301`, "e\u0301")
		if printed != want && !strings.HasPrefix(text, "defs({ a") {
			t.Errorf("%s prints as %s", text, printed)
		}
		again, problems := Parse(printed, "type", resolver)
		if len(problems) > 0 || !Equal(typ, again) {
			t.Errorf("%s prints as %s, which reads as %s", text, printed, Print(again))
		}
	}
}

func TestMistakesInTypes(t *testing.T) {
	for _, c := range []struct {
		text string
		code diag.Code
		at   string // the text that the diagnostic points at
		says string // part of the detail
	}{
		{"int", "WFC1301", "int", `Did you mean integer?`},
		{"strng", "WFC1301", "strng", `Did you mean string?`},
		{"list(array(string))", "WFC1301", "array", `Did you mean list?`},
		{"frobnicate", "WFC1301", "frobnicate", `There is no type "frobnicate".`},
		{"interface.issue_tracker.label", "WFC1301", "interface.issue_tracker.label", "There is no type interface.issue_tracker.label."},
		{"list", "WFC1302", "list", "list(string)"},
		{"list(string, number)", "WFC1302", "list(string, number)", "takes one argument"},
		{"string()", "WFC1302", "string()", "takes nothing"},
		{"object(string)", "WFC1302", "object(string)", "attributes in braces"},
		{"tuple(string)", "WFC1302", "tuple(string)", "in brackets"},
		{"list(optional(string))", "WFC1303", "optional(string)", "object({ name = optional(string) })"},
		{`"string"`, "WFC1304", `"string"`, "without quotes"},
		{`list("draft")`, "WFC1304", `"draft"`, `enum("draft")`},
		{"[string]", "WFC1304", "[string]", "list(T)"},
		{"{ a = string }", "WFC1304", "{ a = string }", "object({ … })"},
		{"list(3)", "WFC1304", "3", "enum(3)"},
		{"input.x + 1", "WFC1304", "input.x + 1", "This is no type"},
		{"union(string, 1 + 1)", "WFC1304", "1 + 1", "This is no type"},
		{"enum(open, closed)", "WFC1305", "open", "in quotes"},
		{`enum("a", null)`, "WFC1305", "null", "nullable(enum("},
		{`object({ a = optional(integer, "x") })`, "WFC1306", `"x"`, "a string where an integer is wanted"},
		{"object({ a = optional(integer, 1 + 1) })", "WFC1306", "1 + 1", "constant"},
		{"object({ a = string, a = bool })", "WFC1204", "a", "already"},
		{"defs({ a = a }, a)", "WFC1304", "a", "refers to itself"},
	} {
		_, problems := Parse(c.text, "type", resolver)
		if len(problems) == 0 {
			t.Errorf("%s: no diagnostic, want %s", c.text, c.code)
			continue
		}
		d := problems[0]
		if at := c.text[d.Range.Start.Byte:d.Range.End.Byte]; d.Code != c.code || at != c.at || !strings.Contains(d.Detail, c.says) {
			t.Errorf("%s:\ngot  %s at %q: %s\nwant %s at %q: …%s…", c.text, d.Code, at, d.Detail, c.code, c.at, c.says)
		}
		if len(problems) > 1 && c.code != "WFC1305" {
			t.Errorf("%s: one mistake gives %d diagnostics", c.text, len(problems))
		}
	}
}

func TestOptionalInputs(t *testing.T) {
	e, _ := expr.Parse("optional(list(string))", "type")
	typ, optional, problems := InputFromHCL(e, nil)
	if len(problems) > 0 || !optional || Print(typ) != "list(string)" {
		t.Errorf("got %s, optional %v, %v", Print(typ), optional, problems)
	}
	e, _ = expr.Parse("optional(integer, 3)", "type")
	if _, _, problems = InputFromHCL(e, nil); len(problems) != 1 || problems[0].Code != "WFC1302" {
		t.Errorf("a default in the type of an input: got %v, want WFC1302", problems)
	}
}

func TestIndentedPrint(t *testing.T) {
	typ := MustParse(`object({ items = list(object({ title = string, labels = list(string), state = enum("open", "closed") })), next = optional(nullable(string)) }, any)`)
	const want = `object({
  items = list(object({
    title = string,
    labels = list(string),
    state = enum("open", "closed"),
  })),
  next = optional(nullable(string)),
}, any)`
	if got := PrintIndented(typ, 60); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := MustParse(want); !Equal(typ, again) {
		t.Errorf("reads back as %s", Print(again))
	}
	if got := PrintIndented(typ, 200); strings.Contains(got, "\n") {
		t.Errorf("what fits is on one line, got\n%s", got)
	}
}
