package syntax

import (
	"strings"
	"testing"
	"time"
)

// Files that are no workflows, or nearly none, of some size. Each is read in a second at most.
func TestLargeFilesWithMistakesAreReadInLinearTime(t *testing.T) {
	const size = 120_000
	many := func(s string) string { return strings.Repeat(s, size/len(s)) }
	value := func(s string) string { return "workflow \"w\" {\n  output \"o\" {\n    value = " + s + "\n  }\n}\n" }
	for name, src := range map[string]string{
		"a heredoc without an end":           "workflow \"w\" {\n  output \"o\" {\n    value = <<EOT\n" + many("some words in a line\n"),
		"the same with indentation":          "workflow \"w\" {\n  output \"o\" {\n    value = <<-EOT\n" + many("      some words in a line\n"),
		"heredocs without an end":            many("x = <<EOT\n  text\n"),
		"a text without an end":              value(`"` + many("a")),
		"a comment without an end":           "/* " + many("a b\n"),
		"single quotes":                      many("'"),
		"typographic quotes on every line":   many("title = “a”\n"),
		"typographic quotes on one line":     "title = " + many("“a” "),
		"no-break spaces":                    "title\u00a0= " + strings.Repeat("\u00a0", size/2),
		"no-break spaces on every line":      many("a\u00a0= 1\n"),
		"closing braces":                     many("}\n"),
		"blocks without an end":              many("step \"a\" {\n"),
		"labels without an end":              many("step \"a {\n"),
		"attributes on one line":             "a = 1 " + many("a = 1 "),
		"blocks on one line":                 many("a {} "),
		"an attribute again and again":       many("a = 1\n"),
		"blocks of other languages":          many("resource \"a\" \"b\" {\n}\n"),
		"quotes":                             many(`"`),
		"wrong escapes":                      value(`"` + many(`\q`) + `"`),
		"sequences without an end":           value(`"` + many("${") + `"`),
		"sequences of other languages":       value("<<EOT\n" + many("${{ a }}\n") + "EOT"),
		"commas":                             value("[" + many(",") + "]"),
		"brackets that are not closed":       many("a = [\n"),
		"semicolons":                         many("a = 1;\n"),
		"carriage returns":                   many("a = 1\r"),
		"byte order marks":                   many("\ufeffa = 1\n"),
		"a name as long as the file":         many("a") + " = 1\n",
		"dollars":                            value(`"` + many("$a") + `"`),
		"short lines in a heredoc":           value("<<EOT\n" + many("a\n") + "EOT"),
		"blank lines":                        many("\n"),
		"blank lines in a list":              value("[" + many("\n") + "]"),
		"signs":                              many("@#$ %^&*() -= ;: \n"),
		"a document of another language":     many("- a: b\n"),
		"labels":                             "workflow " + many(`"a" `) + "{\n}\n",
		"misplaced blocks":                   "workflow \"w\" {\n" + many("connection \"a\" \"b\" {\n}\n") + "}\n",
		"workflow blocks that stand outside": "workflow \"w\" {\n}\n" + many("step \"a\" {\n}\n"),
	} {
		start := time.Now()
		f, _ := Parse("a.wf.hcl", []byte(src))
		if f == nil {
			t.Errorf("%s: no file", name)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s takes %v", name, took)
		} else if testing.Verbose() {
			t.Log(took.Round(time.Millisecond), name)
		}
	}
}
