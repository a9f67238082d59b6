package expr

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// show writes the parts of a template so that texts and sequences can be told apart.
func show(e Expr, parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.Expr != nil:
			b.WriteString("‹" + Print(e.Sub(p.Expr)) + "›")
		case p.If != nil:
			b.WriteString("‹if " + Print(e.Sub(p.If.Cond)) + "›" + show(e, p.If.Then) + "‹else›" + show(e, p.If.Else) + "‹end›")
		case p.For != nil:
			b.WriteString("‹for " + p.For.ValVar + "›" + show(e, p.For.Body) + "‹end›")
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestTemplateText(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"escapes", `"a\tb\n\"\\ \u00e9\U0001F600${x}"`, "a\tb\n\"\\ é😀‹x›"},
		{"text is not normalised", "\"cafe\u0301 \\u0065\\u0301${x}\"", "cafe\u0301 e\u0301‹x›"},
		{"doubled signs", `"$${a} %%{b} $ % $a $$ ${x}"`, "${a} %{b} $ % $a $$ ‹x›"},
		{"three dollars and a brace", `"$$${a}${x}"`, "$${a}‹x›"},
		{"text of a heredoc has no escapes", "<<EOT\n\\n \\u0041 \"q\" $${a} ${x}\nEOT\n", "\\n \\u0041 \"q\" ${a} ‹x›\n"},
		{"<< keeps indentation", "<<EOT\n  a\n    b\n  EOT\n", "  a\n    b\n"},
		{"<<- takes the common indentation", "<<-EOT\n    a\n      b\n\n    c\n  EOT\n", "a\n  b\n\nc\n"},
		{"blank lines do not count", "<<-EOT\n    a\n  \n      \n    b\n    EOT\n", "a\n\n  \nb\n"},
		{"a sequence at the left edge counts", "<<-EOT\n    a\n${x}\n    EOT\n", "    a\n‹x›\n"},
		{"tabs and spaces count one each", "<<-EOT\n\t\ta\n  b\n\tEOT\n", "a\nb\n"},
		{"CRLF is kept", "<<-EOT\r\n  a\r\n\r\n    b ${x}\r\n  EOT\r\n", "a\r\n\r\n  b ‹x›\r\n"},
		{
			"indentation inside of directives", "<<-EOT\n    %{ for x in xs ~}\n    - ${x}\n      more\n    %{ endfor ~}\n    end\n    EOT\n",
			"‹for x›- ‹x›\n  more\n‹end›end\n",
		},
		{
			"indentation is counted before ~ strips", "<<-EOT\n    a\n    %{~ if c }\n      b\n    %{~ endif }\n    EOT\n",
			"a\n‹if c›  b\n‹else›‹end›",
		},
		{"a line with only a directive leaves none", "<<EOT\na\n  %{ if c }  \nb\n%{ else }\nd\n%{ endif }\nEOT\n", "a\n‹if c›b\n‹else›d\n‹end›"},
		{"several directives on a line", "<<-EOT\n  %{ for x in xs }%{ if x }\n  a\n  %{ endif }%{ endfor }\n  EOT\n", "‹for x›‹if x›a\n‹else›‹end›‹end›"},
		{"a directive beside text leaves its line", "<<EOT\na %{ if c }\nb%{ endif }\nEOT\n", "a ‹if c›\nb‹else›‹end›\n"},
		{"a sequence alone leaves its line", "<<EOT\n  ${x}\nEOT\n", "  ‹x›\n"},
		{"~ strips in quotes", `"a  ${~ x ~}  b"`, "a‹x›b"},
		{"~ strips to the end of the line", "<<EOT\na ${x ~}  \n  b\nEOT\n", "a ‹x›  b\n"},
		{"~ strips the line break before it", "<<EOT\na\n${~ x}\nEOT\n", "a‹x›\n"},
		{"a sequence of its own text", `"a${"b${x}c"}d"`, `a‹"b${x}c"›d`},
		{"heredoc in a sequence", "\"a${<<EOT\nb\nEOT\n}c\"", `a‹"b\n"›c`},
		{"conditional in a sequence", `"${a ? "b" : "c"}-"`, `‹a ? "b" : "c"›-`},
		{"comments in a sequence", `"a${ /* } */ x /* } */ }b"`, `a‹x›b`},
		{"braces in a sequence", `"a${ { b = "}" }.b }c"`, `a‹{ b = "}" }.b›c`},
		{"directives in quotes", `"%{ for k, v in m }${k}=${v}%{ if v ~}  ,%{ endif }%{ endfor }"`, `‹for v›‹k›=‹v›‹if v›,‹else›‹end›‹end›`},
		{"empty branches", `"%{ if c }%{ else }b%{ endif }"`, `‹if c›‹else›b‹end›`},
		{"nothing", `"${""}${""}"`, `‹""›‹""›`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := mustParse(t, tt.src)
			n, ok := e.Node.(*hclsyntax.TemplateExpr)
			if !ok {
				t.Fatalf("a %T", e.Node)
			}
			if got := show(e, e.TemplateParts(n)); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
			// The print says the same.
			again := mustParse(t, Print(e))
			var parts []Part
			if n, ok := again.Node.(*hclsyntax.TemplateExpr); ok {
				parts = again.TemplateParts(n)
			}
			if got := show(again, parts); got != tt.want && tt.name != "nothing" {
				t.Errorf("the print %s gives %q", Print(e), got)
			}
		})
	}
}

func TestTheSourceOfAFileIsReadAtItsOffsets(t *testing.T) {
	src := []byte("\ufeff# é\na = <<-EOT\n    x\n      ${y}\n  EOT\nb = m[\"e\u0301\"].c\n")
	file, diags := hclsyntax.ParseConfig(src, "f", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	for name, want := range map[string]string{"a": `"x\n  ${y}\n"`, "b": "m[\"e\u0301\"].c"} {
		e := Expr{Node: file.Body.(*hclsyntax.Body).Attributes[name].Expr, Source: src}
		if got := Print(e); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// TestTextsAgreeWithHCL compares the text of templates without <<-, ~ and
// directives, in which HCL's own literals are right as long as they are ASCII.
func TestTextsAgreeWithHCL(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", " ", "  ", "$", "%", "$$", "%%", "{", "}", "$${", "%%{", `\n`, `\t`, `\"`, `\\`, `\u0041`, "~", "${x}", "${ x }", "é"})
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
		src := `"` + body + `"`
		if rapid.Bool().Draw(t, "heredoc") {
			src = "<<EOT\n" + body + "\n" + strings.Join(rapid.SliceOfN(piece, 0, 5).Draw(t, "line"), "") + "\nEOT\n"
		}
		node, diags := hclsyntax.ParseExpression([]byte(src), "", hcl.InitialPos)
		if diags.HasErrors() {
			t.Skip("not HCL")
		}
		ctx := &hcl.EvalContext{Variables: map[string]cty.Value{"x": cty.StringVal("‹x›")}}
		want, diags := node.Value(ctx)
		if diags.HasErrors() || want.Type() != cty.String {
			t.Skip("pieces that make another expression, such as ${a} or ${{}}")
		}
		e := Expr{Node: node, Source: []byte(src)}
		for _, e := range []Expr{e, mustParseRapid(t, Print(e))} {
			got := "‹x›"
			if n, ok := e.Node.(*hclsyntax.TemplateExpr); ok {
				got = strings.ReplaceAll(show(e, e.TemplateParts(n)), `‹""›`, "")
			}
			if got != want.AsString() {
				t.Fatalf("%q gives %q, HCL says %q", src, got, want.AsString())
			}
		}
	})
}

func mustParseRapid(t *rapid.T, text string) Expr {
	e, problems := Parse(text, "test")
	if problems.HasErrors() {
		t.Fatalf("%s: %s", text, problems[0].Detail)
	}
	return e
}
