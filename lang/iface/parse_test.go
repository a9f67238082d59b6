package iface

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/types"
)

// The example of the language's page.
const issues = `# issues.wfi
interface issue_tracker {
  type issue = object({ number = integer, title = string, labels = list(string) })

  "Find issues. Newest first."
  @read
  tool search_issues(q: string, per_page: optional(integer, 20)) -> object({ items = list(issue) }, any)

  @write @idempotent
  tool add_label(number: integer, label: string) -> any

  resource readme "repo://{owner}/{name}/readme" -> string
  prompt summarise(text: string)
}
`

func TestTheExampleOfTheLanguage(t *testing.T) {
	set := read(t, issues)
	i := set.Interface("issue_tracker")
	search := i.Tool("search_issues")
	if search.Doc != "Find issues. Newest first." || search.Effect != catalog.Read || search.Idempotent {
		t.Errorf("search_issues is %+v", search)
	}
	if got, want := types.Print(search.Params), "object({ q = string, per_page = optional(integer, 20) })"; got != want {
		t.Errorf("it takes %s", got)
	}
	if got, want := types.Print(search.Result), "object({ items = list(interface.issue_tracker.issue) }, any)"; got != want {
		t.Errorf("it gives %s", got)
	}
	if label := i.Tool("add_label"); label.Effect != catalog.Write || !label.Idempotent || label.Doc != "" {
		t.Errorf("add_label is %+v", label)
	}
	if r := i.Resources[0]; r.Name.Text != "readme" || strings.Join(r.Variables(), " ") != "owner name" || r.Type != types.StringType {
		t.Errorf("readme is %+v", r)
	}
	if p := i.Prompts[0]; p.Name.Text != "summarise" || types.Print(p.Params) != "object({ text = string })" {
		t.Errorf("summarise is %+v", p)
	}
	issue, _ := set.Type([]string{"interface", "issue_tracker", "issue"})
	if got := types.Print(issue.Underlying()); got != "object({ number = integer, title = string, labels = list(string) })" {
		t.Errorf("issue is %s", got)
	}
	if got := Print(i); got != strings.ReplaceAll(strings.TrimPrefix(issues, "# issues.wfi\n"), "-> string\n  prompt", "-> string\n\n  prompt") {
		t.Errorf("it prints as\n%s", got)
	}
}

func TestWhatCanBeDeclared(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"a tool without parameters", "tool t() -> any", "tool t() -> any"},
		{"a tool whose name is no identifier", `tool "repo/search.v2"() -> any`, `tool "repo/search.v2"() -> any`},
		{"a parameter whose name is no identifier", `tool t("$meta": any, "a b": string) -> any`, `tool t("$meta": any, "a b": string) -> any`},
		{"words of the language as names", "type tool = string\n  tool type(interface: tool, prompt: resource) -> tool\n  type resource = integer", "tool type(interface: tool, prompt: resource) -> tool"},
		{"other parameters", "tool t(a: string, ...) -> any", "tool t(a: string, ...) -> any"},
		{"other parameters of a type", "tool t(...: string) -> any", "tool t(...: string) -> any"},
		{"a default that is an object", `tool t(a: optional(object({ b = optional(integer) }), { b = 1 })) -> any`, `tool t(a: optional(object({ b = optional(integer) }), { b = 1 })) -> any`},
		{"attributes a line each", "type t = object({\n    a = string\n    b = optional(bool)\n  })\n  tool x() -> t", "type t = object({ a = string, b = optional(bool) })"},
		{"trailing commas", "tool t(\n    a: string,\n  ) -> tuple([string, integer,])", "tool t(a: string) -> tuple([string, integer])"},
		{"documentation of several lines", "\"One.\"\n  \"\"\n  \"Two \\\"quoted\\\", $${x}.\"\n  tool t() -> any", "\"One.\"\n  \"\"\n  \"Two \\\"quoted\\\", $${x}.\"\n  tool t() -> any"},
		{"comments everywhere", "/* a */ tool /* b */ t( # c\n  a: string, // d\n) -> any # e", "tool t(a: string) -> any"},
		{"all on one line", "@read tool a() -> any \"Doc.\" @write tool b() -> any type c = string", "type c = string\n\n  @read\n  tool a() -> any\n\n  \"Doc.\"\n  @write\n  tool b() -> any"},
		{"a type that refers to itself", "type node = object({ value = any, children = list(node) })\n  tool t() -> node", "type node = object({ value = any, children = list(node) })"},
		{"types in any order", "tool t() -> a\n  type a = list(b)\n  type b = union(string, a)", "type b = union(string, a)"},
		{"a type of the same interface in full", "type a = string\n  tool t() -> interface.x.a", "tool t() -> a"},
		{"numbers as HCL has them", "type a = enum(-1.50, 007, 1e3, -0)", "type a = enum(-1.50, 7, 1e3, 0)"},
		{"parentheses", "type a = (list((string)))", "type a = list(string)"},
		{"a name beyond ASCII", "type größe = integer\n  tool t(größe: größe) -> any", `tool t("größe": größe) -> any`},
		{"annotations before documentation", "@destructive\n  \"Doc.\"\n  tool t() -> any", "\"Doc.\"\n  @destructive\n  tool t() -> any"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Print(read(t, "interface x {\n  "+c.src+"\n}\n").Interface("x"))
			if !strings.Contains(got, "\n  "+c.want+"\n") {
				t.Errorf("got\n%s\nwant in it\n  %s", got, c.want)
			}
		})
	}
}

// mistake is a file with the diagnostics that it must give: the code, the text
// that the diagnostic points at, and after "~" a part of the detail.
type mistake struct {
	name, src string
	want      []string
}

// body is a file with one interface around declarations.
func body(src string) string { return "interface x {\n" + src + "\n}\n" }

func check(t *testing.T, cases []mistake) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f, found := Parse("test.wfi", []byte(c.src))
			_, more := NewSet([]*File{f})
			found = append(found, more...)
			found.Sort()
			ok := len(found) == len(c.want)
			for i := 0; ok && i < len(found); i++ {
				where, detail, _ := strings.Cut(c.want[i], " ~ ")
				ok = where == fmt.Sprintf("%s `%s`", found[i].Code, at(c.src, found[i])) && strings.Contains(found[i].Detail, detail)
			}
			if !ok {
				var got []string
				for _, d := range found {
					got = append(got, fmt.Sprintf("%s `%s` ~ %s", d.Code, at(c.src, d), d.Detail))
				}
				t.Errorf("of\n%s\ngot\n  %s\nwant\n  %s", c.src, strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}

func at(src string, d diag.Diagnostic) string {
	return src[d.Range.Start.Byte:d.Range.End.Byte]
}

func TestMistakesInDeclarations(t *testing.T) {
	check(t, []mistake{
		{"no result", body("tool t(a: string)"), []string{"WFC1501 `)` ~ -> any where nothing is known"}},
		{"no result, and another follows", body("tool t()\ntool u() -> any"), []string{"WFC1501 `)` ~ -> any"}},
		{"no parameters", body("tool t -> any"), []string{"WFC1501 `->` ~ () if it has none"}},
		{"no name", body("tool () -> any"), []string{"WFC1501 `(` ~ comes the name"}},
		{"no type of a parameter", body("tool t(a) -> any"), []string{"WFC1501 `)` ~ a colon and its type"}},
		{"a parameter with =", body("tool t(a = string) -> any"), []string{"WFC1501 `=` ~ comes after a colon"}},
		{"nothing after the colon", body("tool t(a: ) -> any"), []string{"WFC1501 `)` ~ Here a type is wanted"}},
		{"nothing after the arrow", body("tool t() ->\ntool u() -> any"), []string{"WFC1501 `->` ~ Here a type is wanted"}},
		{"no comma between parameters", body("tool t(a: string b: string) -> any"), []string{"WFC1501 `g` ~ parameters are separated by commas"}},
		{"no comma on a line of attributes", body("type t = object({ a = string b = string })"), []string{"WFC1501 `g` ~ attributes on one line"}},
		{"no comma in an enum", body("type t = enum(\"a\" \"b\")"), []string{"WFC1501 `\"` ~ arguments are separated"}},
		{"an open parenthesis", body("tool t(a: list(string) -> any"), []string{"WFC1502 `(` ~ here stands \"->\""}},
		{"an open parenthesis at the end", body("type t = list(string\ntype u = string"), []string{"WFC1502 `(` ~ when the declaration ends"}},
		{"an open brace", body("type t = object({ a = string)\ntool u() -> any"), []string{"WFC1502 `{` ~ here stands \")\""}},
		{"an open brace in the last declaration", body("type t = object({ a = string)"), []string{"WFC1502 `{`"}},
		{"a brace too many", body("type t = object({ a = string }})\ntool u() -> any"), []string{"WFC1502 `(` ~ here stands \"}\""}},
		{"too much", body("tool t() -> any any"), []string{"WFC1501 `any` ~ complete before this"}},
		{"a prompt with a result", body("prompt p() -> string"), []string{"WFC1501 `->` ~ has no type of its own"}},
		{"a resource without a URI", body("resource r -> string"), []string{"WFC1501 `->` ~ URI template, in quotes"}},
		{"a resource without a type", body("resource r \"x://y\""), []string{"WFC1501 `\"x://y\"` ~ as -> TYPE"}},
		{"a type without =", body("type t string"), []string{"WFC1501 `string` ~ as in type id = string"}},
		{"a type in quotes", body("type \"t\" = string"), []string{"WFC1501 `\"t\"` ~ without quotes"}},
		{"another word for a tool", body("tool a() -> any\nfunction t() -> any\ntool b() -> any"), []string{"WFC1503 `function` ~ Did you mean \"tool\"?"}},
		{"a misspelt word", body("tol t() -> any"), []string{"WFC1503 `tol` ~ Did you mean \"tool\"?"}},
		{"no word", body("tool a() -> any\nsearch(q: string) -> any"), []string{"WFC1503 `search` ~ Did you mean tool search?"}},
		{"no word for a type", body("issue = string\ntool a() -> issue"), []string{"WFC1503 `issue` ~ Did you mean type issue?"}},
		{"documentation of nothing", body("tool a() -> any\n\"Doc.\""), []string{"WFC1501 `\"Doc.\"` ~ belongs to no declaration"}},
		{"an annotation of nothing", body("@read"), []string{"WFC1501 `@read` ~ belongs to no declaration"}},
		{"others not last", body("tool t(..., a: string) -> any"), []string{"WFC1501 `...` ~ comes last"}},
		{"a dot and no name", body("tool t() -> interface.x."), []string{"WFC1501 `.` ~ After a dot"}},
		{"a path with arguments", body("tool t() -> a.b(string)"), []string{"WFC1501 `a.b(string)` ~ nothing in parentheses"}},
	})
}

func TestMistakesAroundInterfaces(t *testing.T) {
	check(t, []mistake{
		{"a tool outside", "tool t() -> any\n" + body("tool u() -> any"), []string{"WFC1503 `tool` ~ outside of an interface"}},
		{"a workflow", "workflow \"w\" {\n}\n", []string{"WFC1503 `workflow` ~ declares interfaces only"}},
		{"a misspelt word", "interfce x {\n}\n", []string{"WFC1503 `interfce` ~ Did you mean \"interface\"?"}},
		{"no name", "interface {\n  tool t() -> any\n}\n" + body(""), []string{"WFC1501 `{` ~ comes its name"}},
		{"a name in quotes", "interface \"x\" {\n}\n", []string{"WFC1501 `\"x\"` ~ without quotes"}},
		{"no braces", "interface x\n\ninterface y {\n}\n", []string{"WFC1501 `x` ~ in braces"}},
		{"an annotation", "@read\n" + body(""), []string{"WFC1505 `@read` ~ this is an interface"}},
		{"not closed", "interface x {\n  tool t() -> any\n\ninterface y {\n  tool t() -> any\n}\n", []string{"WFC1502 `{` ~ Write } after its last declaration"}},
		{"not closed at the end", "interface x {\n  tool t() -> any\n", []string{"WFC1502 `{` ~ Write }"}},
		{"a brace too many", body("") + "}\n", []string{"WFC1503 `}` ~ Remove the brace"}},
		{"documentation of nothing", body("") + "\"Doc.\"\n", []string{"WFC1503 `\"Doc.\"` ~ belongs to no interface"}},
		{"an interface in another", body("interface y {\n}"), []string{"WFC1502 `{`", "WFC1503 `}`"}},
		{"twice", body("") + body(""), []string{"WFC1103 `x` ~ defined in test.wfi, line 1, too"}},
	})
}

func TestMistakesInTheText(t *testing.T) {
	check(t, []mistake{
		{"curly quotes", body("“Doc.”\ntool t() -> any"), []string{"WFC1002 `“` ~ Write \"\\\"\" in its place", "WFC1002 `”`"}},
		{"an arrow", body("tool t() → any"), []string{"WFC1002 `→` ~ Write \"->\""}},
		{"a semicolon", body("tool t() -> any;"), []string{"WFC1002 `;` ~ end with their line"}},
		{"a text that is not closed", body("\"Doc.\ntool t() -> any"), []string{"WFC1005 `\"` ~ documentation of several lines"}},
		{"an escape that is none", body("\"C:\\dir\"\ntool t() -> any"), []string{"WFC1007 `\\` ~ a backslash itself"}},
		{"an expression in a text", body("\"a ${b} c\"\ntool t() -> any"), []string{"WFC1008 `${` ~ Write $${"}},
		{"a comment that is not closed", body("/* tool t() -> any"), []string{"WFC1502 `/*` ~ Write */"}},
		{"not UTF-8", "interface x {\n  \"Gr\xfc\xdfe\"\n}\n", []string{"WFC1001 `` ~ not UTF-8"}},
		{"a number out of range", body("type t = enum(1e100000000)"), []string{"WFC1203 `1e100000000`"}},
		{"an at sign alone", body("@ tool t() -> any"), []string{"WFC1505 `@` ~ the name of an annotation"}},
	})
}

func TestMistakesInMeaning(t *testing.T) {
	check(t, []mistake{
		{"an unknown type", body("tool t(a: strng) -> isue\ntype issue = string"), []string{"WFC1301 `strng` ~ Did you mean string?", "WFC1301 `isue` ~ Did you mean issue?"}},
		{"an unknown type alone", body("type t = strng"), []string{"WFC1301 `strng` ~ Did you mean string?"}},
		{"a type of another interface", body("tool t() -> interface.y.issue") + "interface y {\n  type isue = string\n}\n", []string{"WFC1301 `interface.y.issue` ~ Did you mean interface.y.isue?"}},
		{"a type of no interface", body("tool t() -> interface.y.issue"), []string{"WFC1301 `interface.y.issue` ~ There is no interface \"y\"."}},
		{"a type that lost its declaration is not unknown, too", body("type issue object({})\ntool t() -> list(issue)"), []string{"WFC1501 `object`"}},
		{"a type that stands for itself", body("type a = b\ntype b = nullable(a)\ntool t() -> list(a)"), []string{"WFC1304 `b` ~ refers to itself", "WFC1304 `nullable(a)`"}},
		{"what refers to such a type is fine", body("type a = union(b, string)\ntype b = b"), []string{"WFC1304 `b`"}},
		{"a default that does not fit", body("tool t(a: optional(level, 3)) -> any\ntype level = enum(1, 2)"), []string{"WFC1306 `3` ~ The default is not of the type"}},
		{"an object key twice", body("type t = object({ a = string, a = integer })"), []string{"WFC1204 `a`"}},
		{"a tool twice", body("tool t() -> any\ntool t() -> string"), []string{"WFC1504 `t` ~ declared on line 2 already"}},
		{"a tool and a type of one name", body("tool t() -> t\ntype t = string"), nil},
		{"a parameter twice", body("tool t(a: string, a: integer) -> any"), []string{"WFC1504 `a` ~ parameter"}},
		{"a type called like a type", body("type list = string"), []string{"WFC1506 `list`"}},
		{"two effects", body("@read @write\ntool t() -> any"), []string{"WFC1505 `@write` ~ has @read already"}},
		{"an effect twice", body("@read\n@read\ntool t() -> any"), []string{"WFC1505 `@read` ~ twice"}},
		{"an unknown annotation", body("@readonly\ntool t() -> any"), []string{"WFC1505 `@readonly` ~ Did you mean @read?"}},
		{"an annotation of a type", body("@read\ntype t = string"), []string{"WFC1505 `@read` ~ this is a type"}},
		{"a prompt with a number", body("prompt p(a: optional(integer))"), []string{"WFC1507 `optional(integer)` ~ Write string"}},
		{"a prompt with an enum of texts is fine", body("prompt p(a: enum(\"x\", \"y\"))"), nil},
		{"a URI that is none", body("resource r \"x://{a\" -> string"), []string{"WFC1508 `\"x://{a\"` ~ a brace is not closed"}},
		{"a URI without a variable", body("resource r \"x://{}\" -> string"), []string{"WFC1508 `\"x://{}\"`"}},
	})
}

// What nobody wrote must not take the process with it.
func TestFilesOfAnySizeAndDepthAreRead(t *testing.T) {
	deep := func(open, inner, shut string, n int) string {
		return body("type t = " + strings.Repeat(open, n) + inner + strings.Repeat(shut, n))
	}
	for name, src := range map[string]string{
		"nested as deep as may be":   deep("list(", "string", ")", 256),
		"nested too deeply":          deep("list(", "string", ")", 257),
		"a million parentheses":      deep("(", "string", ")", 1_000_000),
		"a million open braces":      "interface x {\n type t = " + strings.Repeat("{", 1_000_000),
		"a million interfaces":       strings.Repeat("interface x {", 300_000),
		"a million annotations":      body(strings.Repeat("@read ", 1_000_000)),
		"a long enum":                body("type t = enum(" + strings.Repeat("1,", 90_000) + "1)"),
		"a longer enum":              body("type t = enum(" + strings.Repeat("1,", 500_000) + "1)"),
		"a million commas":           strings.Repeat(",", 1_000_000),
		"more tokens than are read":  strings.Repeat(",", 3_000_000),
		"aliases in a row":           body(aliases(20_000)),
		"a text of a million dots":   body("\"" + strings.Repeat(".", 1_000_000) + "\"\ntool t() -> any"),
		"a million backslashes":      body("\"" + strings.Repeat("\\", 1_000_001) + "\"\ntool t() -> any"),
		"a million invalid letters":  strings.Repeat("§", 1_000_000),
		"invalid letters and spaces": strings.Repeat("§ ", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			f, found := Parse("test.wfi", []byte(src))
			_, more := NewSet([]*File{f})
			switch fine := name == "nested as deep as may be" || name == "a long enum" || name == "aliases in a row" || name == "a text of a million dots"; {
			case fine && len(found)+len(more) > 0:
				t.Error(found, more)
			case !fine && len(found) == 0:
				t.Error("no diagnostic")
			}
			for _, d := range append(found, more...) {
				if d.Code == codeFault {
					t.Error(d.Detail)
				}
			}
		})
	}
}

func aliases(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "type t%d = t%d\n", i, i+1)
	}
	fmt.Fprintf(&b, "type t%d = string\n", n)
	return b.String()
}
