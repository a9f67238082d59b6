package expr

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

func TestGuardRefusesWhatExhaustsTheParser(t *testing.T) {
	const many = 1_000_000
	nested := func(open string) string { return "x = " + strings.Repeat(open, many) }
	bombs := map[string]string{
		"digits":                  "x = " + strings.Repeat("9", many),
		"fraction":                "x = [-1." + strings.Repeat("9", many) + "]",
		"lists":                   nested("["),
		"parentheses":             nested("("),
		"calls":                   nested("f("),
		"objects":                 nested("{ a = "),
		"for lists":               nested("[for x in "),
		"for objects":             nested("{ for x in "),
		"templates":               nested(`"${`),
		"templates in heredocs":   nested("<<A\n${"),
		"not":                     nested("!"),
		"minus":                   nested("-"),
		"conditionals":            nested("a ? b : "),
		"conditionals inside":     nested("a ? "),
		"splats":                  "x = a" + strings.Repeat("[*].y", many),
		"attribute splats":        "x = a" + strings.Repeat(".*.y", many),
		"indexes":                 "x = a" + strings.Repeat("[b]", many),
		"operators":               "x = a" + strings.Repeat(" + b", many),
		"or":                      "x = a" + strings.Repeat(" || b", many),
		"operators on lines":      "x = (a" + strings.Repeat("\n + b", many) + ")",
		"lines of a for":          "x = { for k, v in m : k => a" + strings.Repeat("\n + b", many) + "}",
		"for after a comment":     "x = { # c\n /* d */ for k, v in m : k => a" + strings.Repeat("\n + b", many) + "}",
		"blocks":                  strings.Repeat("a {\n", many),
		"directives":              `x = "` + strings.Repeat("%{if a}", many) + `"`,
		"directives in a heredoc": "x = <<A\n" + strings.Repeat("%{ for a in b }\n", many) + "A\n",
		"open strings":            strings.Repeat("x = \"\n", 3) + strings.Repeat(`"${`, many),
		"after a comment":         "/* ] */ x = " + strings.Repeat("[", many),
		"an unclosed comment":     "/* x = " + strings.Repeat("[", many),
		"a wrong closer":          "x = " + strings.Repeat("[)", many),
		"minus after a letter":    "x = →" + strings.Repeat("-", many),
		"runs in levels":          "x = " + strings.Repeat(strings.Repeat("!", 900)+"(", 200),
	}
	for name, src := range bombs {
		if got := Guard([]byte(src), "f"); len(got) != 1 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestGuardAcceptsWhatPeopleWrite(t *testing.T) {
	texts := map[string]string{
		"brackets in a string":   `x = "` + strings.Repeat("[({", 5000) + `"`,
		"brackets in a heredoc":  "x = <<-EOT\n" + strings.Repeat("  [({ $${ %%{ !!!!\n", 5000) + "  EOT\ny = 1\n",
		"brackets in comments":   "# " + strings.Repeat("[({", 5000) + "\n// " + strings.Repeat("[({", 5000) + "\n/* " + strings.Repeat("[({\n", 5000) + "*/ x = 1",
		"quotes in comments":     strings.Repeat("# don't \"\n", 5000) + "x = [1]",
		"a long list":            "x = [" + strings.Repeat("-1, !a, [2], ", 5000) + "]",
		"a list of objects":      "x = [" + strings.Repeat("{ a = -1, b = [*] }, ", 5000) + "]",
		"an object on lines":     "x = {\n" + strings.Repeat("a = -1\n", 5000) + "}",
		"many blocks":            strings.Repeat("a \"b\" {\n  c = d ? -1 : !e\n}\n", 5000),
		"many directives":        "x = <<A\n" + strings.Repeat("%{ if a }b%{ else }c%{ endif }\n%{ for a in b }${a}%{ endfor }\n", 5000) + "A\n",
		"many sequences":         `x = "` + strings.Repeat(`${a["b"]} ${c}`, 5000) + `"`,
		"dashes in names":        strings.Repeat("a-b-c-d-e-f", 5000) + " = 1",
		"dashes in a heredoc":    "x = <<EOT\n" + strings.Repeat("-", 5000) + "\nEOT\n",
		"a marker with dashes":   "x = <<END-OF-TEXT\n" + strings.Repeat("[", 5000) + "\nEND-OF-TEXT\n",
		"CRLF":                   "x = <<EOT\r\n" + strings.Repeat("[\r\n", 5000) + "  EOT  \r\ny = 1\r\n",
		"a heredoc in an object": "x = { a = <<EOT\n" + strings.Repeat("[", 300) + "\nEOT\n, b = [1] }",
		"a long chain":           "x = a" + strings.Repeat(" && b == c", 400),
		"as deep as allowed":     "x = " + strings.Repeat("[", 250) + strings.Repeat("]", 250),
	}
	for name, src := range texts {
		if got := Guard([]byte(src), "f"); len(got) != 0 {
			t.Errorf("%s: %s at %v", name, got[0].Detail, got[0].Range.Start)
		}
	}
}

func TestGuardSaysWhere(t *testing.T) {
	src := "a = 1\né = " + strings.Repeat("[", 300)
	got := Guard([]byte(src), "f.wf.hcl")
	if len(got) != 1 {
		t.Fatal(got)
	}
	at := got[0].Range.Start
	if got[0].Code != "WFC1201" || got[0].Range.File != "f.wf.hcl" || at.Line != 2 || at.Column != 5+MaxNesting || src[at.Byte] != '[' {
		t.Errorf("%+v", got[0])
	}
}

// tokenCosts counts nesting and operators by HCL's own tokens, not caring for
// separators: a lower bound of what the guard must count where they are absent.
func tokenCosts(src []byte) (nesting int) {
	tokens, _ := hclsyntax.LexConfig(src, "", hcl.InitialPos)
	depth := 0
	for _, tok := range tokens {
		switch tok.Type {
		case hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl, hclsyntax.TokenOBrace:
			depth++
		case hclsyntax.TokenTemplateSeqEnd, hclsyntax.TokenCBrace:
			depth--
		}
		nesting = max(nesting, depth)
	}
	return nesting
}

// FuzzGuard checks that the scan never thinks itself in a text where HCL's scanner is in code.
func FuzzGuard(f *testing.F) {
	for _, s := range []string{
		"x = \"${ {} }\"", "<<A\n${\n\"%{if}\"}\nA\n{", "\"$${${ %%{%{", "/* { */ // {\n#{\n/* {", "\"\\\"{\\", "<<-A\r\n A \r\n{",
		"\"\n{\"{", "$$${{", "\"%$${${", "a <<b\n{\n b\n{", "~}{\"${~ ~}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if !utf8.Valid(src) || bytes.HasPrefix(src, []byte("\ufeff")) {
			return
		}
		want := tokenCosts(src)
		g := guard{src: src, maxNesting: 1 << 30, maxRun: 1 << 30}
		most := 0
		g.top = frame{kind: '{'}
		for i := 0; i < len(src); {
			switch g.top.kind {
			case '"':
				i = g.text(i)
			case '<':
				i = g.heredoc(i)
			default:
				i = g.code(i)
			}
			most = max(most, g.nesting)
		}
		if most < want {
			t.Errorf("%q: the scan counts %d levels, HCL has %d", src, most, want)
		}
	})
}

func BenchmarkGuard(b *testing.B) {
	src := []byte(strings.Repeat(`
workflow "triage" {
  description = "Label new issues and say how many there were."
  step "search" {
    call    = tracker.search_issues
    args    = { q = "repo:${input.repo} is:open", per_page = input.limit + 1 }
    timeout = "30s" # half a minute
  }
  output "labelled" {
    value = [for r in step.label : r.output.id if r.outcome == "ok"]
  }
}
`, 200))
	b.Run("guard", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		for range b.N {
			Guard(src, "f")
		}
	})
	b.Run("parse", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		for range b.N {
			hclsyntax.ParseConfig(src, "f", hcl.InitialPos)
		}
	})
}
