package syntax

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

// What is wrong in texts: that they have no end, what their backslashes say, and
// the expressions and directives in them.

// almostEnd says where a line would end a heredoc if it held no more than its marker.
func (m *mender) almostEnd(marker string, at int) string {
	for line := range bytes.Lines(m.r.src[at:]) {
		if text := bytes.TrimSpace(line); endsWith(marker, text) {
			return fmt.Sprintf(" In line %d something follows it: write that on a line of its own.", 1+bytes.Count(m.r.src[:at], []byte("\n")))
		}
		at += len(line)
	}
	return ""
}

func (m *mender) unclosedText(x extent, at hcl.Range) diag.Diagnostic {
	top, ok := x.top()
	if !ok {
		return diag.New(codeUnclosedText, at, "A text has no closing quote.")
	}
	if top.Type == hclsyntax.TokenOHeredoc {
		name := strings.TrimLeft(strings.TrimSpace(string(top.Bytes)), "<-")
		return diag.New(codeUnclosedHeredoc, m.r.span(top.start, m.lineEnd(top.start)),
			"The text that begins here ends with a line that holds only %s, and there is none.%s", name, m.almostEnd(name, top.end))
	}
	if t, ok := x.template(); ok {
		return m.interpolationAt(t, "The %s has no closing brace before the end of the text.", string(t.Bytes))
	}
	if d, ok := m.escapedQuote(m.lineStart(top.start), m.lineEnd(top.start)); ok {
		return d
	}
	return diag.New(codeUnclosedText, m.r.span(top.start, m.lineEnd(top.start)),
		"The text that begins here has no closing quote on this line. For a line break in a text write \\n, or use a heredoc: <<-EOT, the lines, and EOT alone on the last line.")
}

// textEnd matches what follows a text.
var textEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t\r]*(?:$|[]}),])`) })

// escapedQuote reports a backslash before what is meant as the closing quote of a
// text between two places of a line, as paths of Windows have at their end.
func (m *mender) escapedQuote(from, to int) (d diag.Diagnostic, ok bool) {
	open := -1
	for from < to {
		switch c := m.text[from]; {
		case c == '"' && open < 0:
			open = from
		case c == '"':
			open = -1
		case c == '\\' && open >= 0 && from+1 < to:
			if m.text[from+1] == '"' && textEnd().Match(m.text[from+2:m.lineEnd(from)]) {
				return m.doubledBackslashes(open, from), true
			}
			from++
		}
		from++
	}
	return d, false
}

// doubledBackslashes is the finding for the text that begins at open and was
// meant to end behind the backslash at last.
func (m *mender) doubledBackslashes(open, last int) diag.Diagnostic {
	var edits []diag.Edit
	var written strings.Builder
	for i := open; i <= last; i++ {
		written.WriteByte(m.text[i])
		if m.text[i] != '\\' {
			continue
		}
		written.WriteByte('\\')
		if m.text[i+1] == '\\' {
			i++ // it is doubled already
			continue
		}
		edits = append(edits, diag.Edit{Range: diag.RangeOf(m.r.span(i, i)), Text: `\`})
	}
	at := m.r.span(last, last+2)
	return diag.New(codeUnclosedText, at, `Here \" is a quote within the text, so that the text goes on behind it. For a backslash itself, as in Windows paths, write two: %s"`, written.String()).
		Fix("Write two backslashes", false, edits...)
}

func (m *mender) escape(at hcl.Range) diag.Diagnostic {
	s := string(at.SliceBytes(m.r.src))
	why := quote(s) + " is no escape sequence."
	switch {
	case strings.HasPrefix(s, `\u`):
		why = `\u must be followed by four hexadecimal digits.`
	case strings.HasPrefix(s, `\U`):
		why = `\U must be followed by eight hexadecimal digits.`
	}
	slash := at
	slash.End = slash.Start
	return diag.New(codeInvalidEscape, at,
		"%s In a text in quotes a backslash begins an escape sequence. For a backslash itself, as in Windows paths and regular expressions, write two: \\\\", why).
		Fix("Write two backslashes", false, diag.Edit{Range: diag.RangeOf(slash), Text: `\`})
}

// interpolation reports an expression in a text that is none or does not end.
func (m *mender) interpolation(x extent, at hcl.Range) diag.Diagnostic {
	t, ok := x.template()
	if !ok { // HCL points at the beginning of the text
		x.scan(m, x.end)
		if t, ok = x.template(); !ok {
			return diag.New(codeInvalidTemplate, at, "What stands between ${ and } must be one expression.")
		}
		return m.interpolationAt(t, "The %s has no closing brace before the end of the text.", string(t.Bytes))
	}
	if at.Start.Byte >= x.end || at.Start.Byte >= m.lineEnd(t.start) {
		return m.interpolationAt(t, "The %s has no closing brace.", string(t.Bytes))
	}
	return m.interpolationAt(t, "The expression after %s cannot go on with %s.", string(t.Bytes), m.found(at))
}

func (m *mender) interpolationAt(t token, what string, args ...any) diag.Diagnostic {
	opener := string(t.Bytes[:2])
	here := m.r.span(t.start, t.start+2)
	insert := here
	insert.End = insert.Start
	detail := fmt.Sprintf(what, args...) + " If this is meant for another language, such as a shell script, write " + opener[:1] + opener +
		" for the characters themselves, or keep the text in a file and read it with file(\"…\")."
	return diag.New(codeInvalidTemplate, here, "%s", detail).
		Fix("Write "+opener[:1]+opener, false, diag.Edit{Range: diag.RangeOf(insert), Text: opener[:1]})
}

// shell matches what stands behind the ${ of a shell's expansion and behind none of
// ours: ${#x}, ${@}, ${x:-d}, ${x%.*}, ${x//a/b}, ${x^^}, ${x[@]}.
var shell = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[#@*?!-]+\}|[#!]?[\pL_][\pL\pN_]*(?:\[[@*]\])?(?::[-=?+0-9]|[=#^,@%/\}]))`)
})

// isForeign reports whether the mistake after t, a `${` or `%{`, is one that only
// another language explains: `${{ … }}` of GitHub, `${@}` and `${x:-y}` of shells.
func (m *mender) isForeign(e *hcl.Diagnostic, t token, at hcl.Range) bool {
	if e.Summary == "Invalid escape sequence" {
		return false
	}
	rest := m.text[t.end:m.lineEnd(t.end)]
	if len(rest) > 0 && rest[0] == '{' || t.Bytes[0] == '$' && shell().Match(rest) {
		return true
	}
	return e.Summary == "Invalid character" && !strings.Contains(foreignQuotes+"`;", string(at.SliceBytes(m.r.src)))
}

// isTemplateError reports whether HCL speaks of directives in texts.
func isTemplateError(summary string) bool {
	return strings.HasSuffix(summary, " directive") || strings.HasSuffix(summary, " marker") ||
		summary == "Unexpected end of template" || summary == "Invalid template directive" || summary == "Invalid template control keyword"
}

func (m *mender) directive(e *hcl.Diagnostic, x extent, at hcl.Range) diag.Diagnostic {
	what := e.Detail
	switch {
	case e.Summary == "Unexpected end of template":
		what = "The text ends here, but a directive such as %{ if } or %{ for } is not closed: %{ endif } or %{ endfor } is missing."
	case e.Summary == "Invalid template control keyword":
		what = "After %{ stands if, else, endif, for or endfor, and " + m.found(*e.Subject) + " is none of them."
	case e.Summary == "Invalid template directive":
		what = "After %{ stands if, else, endif, for or endfor, and here is none of them."
	case strings.HasPrefix(e.Summary, "Unexpected "):
		what = "There is no open %{ if } or %{ for } that this directive could belong to."
	}
	d := diag.New(codeInvalidTemplate, at, "%s", what+" Where %{ belongs to another language, write %%{ for the characters themselves, or keep the text in a file and read it with file(\"…\").")
	if t, ok := x.template(); ok && t.Bytes[0] == '%' {
		d = d.Fix("Write %%{", false, diag.Edit{Range: diag.RangeOf(m.r.span(t.start, t.start)), Text: "%"})
	}
	return d
}
