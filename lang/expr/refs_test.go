package expr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

func TestReferences(t *testing.T) {
	for src, want := range map[string]string{
		`step.search.output.items[0].x`:       "step.search",
		`step["search"].output`:               "step.search",
		`local["a b"]`:                        "local.a b",
		`step[input.name]`:                    "step. input.name",
		`each`:                                "each.",
		`[for x in input.xs : x.a + local.b]`: "input.xs local.b",
		`[for x in x.a : x]`:                  "x.a",
		`{ for k, v in m : k => [for k in v : k] if n }`:                  "m. n.",
		`"${a.b}%{ for x in c.d }${x.y}${e.f}%{ endfor }%{if g}%{endif}"`: "a.b c.d e.f g.",
		`xs[*].a[input.i]`: "xs. input.i",
		`{ a = b.c, (d.e) = 1, "f" = 2, "${g.h}" = 3 }`: "b.c d.e g.h",
		`{ x.y = 1 }`:          "",
		`try(a.b, c.d...)`:     "a.b c.d",
		`!a.b ? -c.d : (e.f)`:  "a.b c.d e.f",
		"<<EOT\n${a.b}\nEOT\n": "a.b",
		"step.e\u0301.x":       "step.e\u0301",
	} {
		e := mustParse(t, src)
		var got []string
		for _, r := range e.Refs() {
			got = append(got, r.Root+"."+r.Name)
			if text := string(e.bytes(r.RootRange)); text != r.Root {
				t.Errorf("%s: root range is %q", src, text)
			}
			if text := string(e.bytes(r.NameRange)); text != r.Name {
				t.Errorf("%s: name range is %q", src, text)
			}
			if !strings.HasPrefix(string(e.bytes(r.Range)), r.Root) {
				t.Errorf("%s: range is %q", src, e.bytes(r.Range))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", src, got, want)
		}
	}
}

func TestStaticPaths(t *testing.T) {
	for src, want := range map[string]string{
		`connection.github.work`:    "connection github work",
		`tracker["repo/search.v2"]`: "tracker [repo/search.v2]",
		"tracker[\"cafe\u0301\"]":   "tracker [cafe\u0301]",
		`tracker[ "a\tb" ].c`:       "tracker [a\tb] c",
		`tracker`:                   "tracker",
		`env[each.key].write`:       "no",
		`a[0]`:                      "no",
		`a.0`:                       "no",
		`"a"`:                       "no",
		`f(a)`:                      "no",
		`(a.b)`:                     "no",
		`a[*]`:                      "no",
	} {
		e := mustParse(t, src)
		path, ok := e.StaticPath()
		var got []string
		for _, s := range path {
			text := s.Text
			if s.Index {
				text = "[" + text + "]"
			}
			got = append(got, text)
			if at := string(e.bytes(s.Range)); at != s.Text && !strings.Contains(src, " ") {
				t.Errorf("%s: range of %q is %q", src, s.Text, at)
			}
		}
		if !ok {
			got = []string{"no"}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", src, got, want)
		}
	}
}

func TestConstants(t *testing.T) {
	for src, want := range map[string]string{
		`null`: `null`, `true`: `true`, `1.50`: `1.50`, `007`: `7`, `00.5`: `0.5`, `-1.50`: `-1.50`, `-(2)`: `-2`, `-0`: `0`, `"a\u00e9"`: `"aé"`, `("a")`: `"a"`, `"${"a"}"`: `"a"`, `"${1e3}"`: `1e3`,
		`["a", [], {}, -1]`: `["a",[],{},-1]`, `{ b = 1, "a c" = [2], ("d") = null }`: `{"b":1,"a c":[2],"d":null}`, `{ true = 1 }`: `{"true":1}`,
		"<<-EOT\n  a\n  EOT\n": `"a\n"`, "\"cafe\u0301\"": "\"cafe\u0301\"", "{ cafe\u0301 = 1 }": "{\"cafe\u0301\":1}",
		`a`: "no", `1 + 1`: "no", `upper("a")`: "no", `"a${b}"`: "no", `{ (a) = 1 }`: "no", `{ a = 1, a = 2 }`: "no", `1e401`: "no", `[1e401]`: "no", `-a`: "no", `!true`: "no", `"%{if true}a%{endif}"`: "no",
	} {
		got := "no"
		if v, ok := mustParse(t, src).Constant(); ok {
			got = v.JSON()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", src, got, want)
		}
	}
}

func TestProblemsOfTheTextItself(t *testing.T) {
	long := strings.Repeat("1", 1001)
	for src, want := range map[string]string{
		`{ a = 1, b = 2, "a" = 3 }`:         `WFC1204 "a"`,
		`[{ a = { b = 1, b = 2, b = 3 } }]`: `WFC1204 b, WFC1204 b`,
		"{ e\u0301 = 1, \u00e9 = 2 }":       ``,
		`{ (a) = 1, (a) = 2, a = 3 }`:       ``,
		`1e401 + x[1e401]`:                  `WFC1203 1e401, WFC1203 [1e401]`,
		long:                                `WFC1203 ` + long,
		`{ a.b = 1 }`:                       `WFC1205 a.b`,
		`"${1e401}%{if true}${ { c = 1, c = 2 }.c }%{endif}"`: `WFC1203 1e401, WFC1204 c`,
		`1e400`: ``,
	} {
		e := mustParse(t, src)
		list := Problems(e)
		list.Sort()
		var got []string
		for _, d := range list {
			got = append(got, fmt.Sprintf("%s %s", d.Code, e.text(d.Range.Start.Byte, d.Range.End.Byte)))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: got %q, want %q", src, got, want)
		}
	}
}

func TestTheFirstPlaceOfADuplicateKeyIsShown(t *testing.T) {
	list := Problems(mustParse(t, `{ a = 1, a = 2 }`))
	if len(list) != 1 || len(list[0].Related) != 1 || list[0].Related[0].Range.Start.Byte != 2 || list[0].Range.Start.Byte != 9 {
		t.Errorf("%+v", list)
	}
}

func TestAnErroneousExpressionIsReadAsFarAsItGoes(t *testing.T) {
	for _, src := range []string{
		``, `step.`, `a ? b`, `"a${`, `"a${b`, `"%{if a}b"`, "<<EOT\n${a\nEOT\n", `f(a,`, `[a, b`, `{ a = `, `{ a = b, c }`, `a[`, `a["`, `[for x in`, `"\q"`, `"%{ endif }"`, `a.0.0`, "<<EOT\nabc", `::f(`, `a::b`, `"$`, `{ a.b. = 1}`,
	} {
		e, problems := Parse(src, "f")
		if !problems.HasErrors() {
			t.Errorf("%s: no error", src)
		}
		for _, d := range problems {
			if _, known := diag.Lookup(string(d.Code)); !known {
				t.Errorf("%s: %s", src, d.Code)
			}
		}
		Print(e)
		e.Refs()
		e.Constant()
		e.StaticPath()
		Problems(e)
		if n, ok := e.Node.(*hclsyntax.TemplateExpr); ok {
			e.TemplateParts(n)
		}
	}
}

// FuzzPrint checks on every text that HCL parses that the print is one line that parses to the same print.
func FuzzPrint(f *testing.F) {
	for _, s := range []string{
		`a["b"].c[0][*].d`, `"a${b}%{if c}d%{else}e%{endif}"`, "<<-EOT\n  a\n  %{for x in y~}\n  ${x}\n  %{endfor}\n  EOT\n", `{ a = 1, "b c" : f(x...) }`, `[for k, v in m : v... if k]`, `-(-1) + !a ? 1.50 : "$$$${"`, `a.*.b[0]`, `a.0.b`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		e, problems := Parse(src, "f")
		if problems.HasErrors() || len(Problems(e)) > 0 {
			Print(e)
			return
		}
		printed := Print(e)
		again, problems := Parse(printed, "print")
		if problems.HasErrors() {
			t.Fatalf("%q prints as %q: %s", src, printed, problems[0].Detail)
		}
		if twice := Print(again); twice != printed || strings.ContainsAny(printed, "\n\r") {
			t.Fatalf("%q prints as %q, then %q", src, printed, twice)
		}
	})
}
