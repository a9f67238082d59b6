package expr

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// templates describes the templates of a tree, in the order of the source.
func templates(tree *hclsyntax.Body, src []byte) []string {
	var all []*hclsyntax.TemplateExpr
	hclsyntax.VisitAll(tree, func(n hclsyntax.Node) hcl.Diagnostics {
		if t, ok := n.(*hclsyntax.TemplateExpr); ok && t.SrcRange.CanSliceBytes(src) {
			if c := src[t.SrcRange.Start.Byte]; c == '"' || c == '<' {
				all = append(all, t)
			}
		}
		return nil
	})
	slices.SortStableFunc(all, func(a, b *hclsyntax.TemplateExpr) int {
		return cmp.Compare(a.SrcRange.Start.Byte, b.SrcRange.Start.Byte)
	})
	var out []string
	for _, t := range all {
		out = append(out, fmt.Sprint(t.SrcRange, describeParts(Expr{Node: t, Source: src}.TemplateParts(t))))
	}
	return out
}

func describeParts(parts []Part) []string {
	var out []string
	for _, p := range parts {
		switch {
		case p.If != nil:
			out = append(out, fmt.Sprint("if ", p.If.Cond.Range(), describeParts(p.If.Then), describeParts(p.If.Else)))
		case p.For != nil:
			out = append(out, fmt.Sprint("for ", p.For.Coll.Range(), describeParts(p.For.Body)))
		case p.Expr != nil:
			out = append(out, fmt.Sprintf("%T %v", p.Expr, p.Expr.Range()))
		default:
			out = append(out, fmt.Sprintf("%q", p.Text))
		}
	}
	return out
}

// sameHidden checks that a file is the same when its texts are hidden from the parser.
func sameHidden(t *testing.T, src []byte) {
	t.Helper()
	g := guard{src: src, maxNesting: MaxNesting, maxRun: MaxRun, maxJoin: 1 << 20, maxTokens: MaxTokens, minLines: 1}
	if len(g.refusal("f")) > 0 {
		return
	}
	text := string(src)
	hidden := g.outline.Hide(src)
	if text != string(src) {
		t.Fatalf("%q is changed", text)
	}
	if len(hidden) != len(src) || strings.Count(string(hidden), "\n") != strings.Count(text, "\n") {
		t.Fatalf("%q is %q hidden", src, hidden)
	}
	whole, errs := hclsyntax.ParseConfig(src, "f", hcl.InitialPos)
	got, hiddenErrs := hclsyntax.ParseConfig(hidden, "f", hcl.InitialPos)
	restored := g.outline.Restore(got.Body.(*hclsyntax.Body), src)
	switch {
	case len(errs) > 0 && len(hiddenErrs) == 0 && restored:
		t.Fatalf("%q has errors, and none hidden as %q: %v", src, hidden, errs)
	case len(errs) == 0 && len(hiddenErrs) > 0:
		t.Fatalf("%q has errors only hidden as %q: %v", src, hidden, hiddenErrs)
	case len(errs) == 0 && restored:
		a, b := templates(whole.Body.(*hclsyntax.Body), src), templates(got.Body.(*hclsyntax.Body), src)
		if !slices.Equal(a, b) {
			t.Fatalf("%q\n%q\n%q", src, a, b)
		}
	}
}

var hiddenSeeds = []string{
	"x = <<EOT\nhello\nworld\nEOT\n",
	"x = <<-EOT\n    hello\n      world */ /* ${a}\n    more lines\n   \n    and more\n  EOT\ny = 1\n",
	"x = <<EOT\r\nhello\r\nworld\r\n EOT \r\n",
	"x = <<EOT\n\na\nbc\nhello\n\nworld\na\n\nEOT\n",
	"x = <<EOT\nhello\n%{ if a ~}\nthen this\nor that\n%{ else }\nthis one\nthat one\n%{ endif ~}\nat the end\nEOT\n",
	"x = <<EOT\n${<<IN\nhello\nworld\nIN\n}\nhello\nworld\nEOT\n",
	"x = [<<EOT\nhello\nworld\nEOT\n, { a = <<EOT\nhello\nEOT\n}]\n",
	"x = <<EOT\nno\nend\nhello\nworld\n",
	"x = <<EOT\nhello\rworld\nhello\nworld\nEOT\n",
	"x = <<EOT\ncost $5\nhello\n100%\nworld\n$${a}\nEOT\n",
	"x = <<EOT\nhällo\nwörld→\nEOT\n",
}

func TestHiddenTextsAreReadAsTheyAre(t *testing.T) {
	for _, src := range hiddenSeeds {
		sameHidden(t, []byte(src))
	}
}

func FuzzHide(f *testing.F) {
	for _, s := range hiddenSeeds {
		f.Add([]byte(s))
	}
	f.Fuzz(sameHidden)
}

// HCL's own parser takes time by the square of a text's lines: hours for these.
func TestLongTextsAreReadInLinearTime(t *testing.T) {
	const lines = 100_000
	line := strings.Repeat("word ", 8) + "\n"
	for name, src := range map[string]string{
		"closed":      "x = <<-EOT\n" + strings.Repeat(line, lines) + "EOT\n",
		"not closed":  "x = <<-EOT\n" + strings.Repeat(line, lines),
		"short lines": "x = <<-EOT\n" + strings.Repeat("a\n\n", lines) + "EOT\n",
		"dollars":     "x = <<-EOT\n" + strings.Repeat("$a\n", lines) + "EOT\n",
		"in quotes":   "x = \"" + strings.Repeat("$a %b ", lines) + "\"\n",
		"escaped":     "x = \"" + strings.Repeat("$${", lines) + "\"\n",
		"many texts":  strings.Repeat("x = \""+strings.Repeat("$", 2000)+"\"\n", 400),
	} {
		outline, refused := Scan([]byte(src), "f", false)
		if len(refused) > 0 {
			if refused[0].Code != "WFC1206" {
				t.Errorf("%s: %v", name, refused)
			}
			continue
		}
		tree, _ := hclsyntax.ParseConfig(outline.Hide([]byte(src)), "f", hcl.InitialPos)
		outline.Restore(tree.Body.(*hclsyntax.Body), []byte(src))
		if name == "closed" {
			text := tree.Body.(*hclsyntax.Body).Attributes["x"].Expr.(*hclsyntax.TemplateExpr)
			parts := Expr{Node: text, Source: []byte(src)}.TemplateParts(text)
			if len(parts) != 1 || parts[0].Text != strings.Repeat(line, lines) {
				t.Errorf("%s: %d parts", name, len(parts))
			}
		}
	}
}
