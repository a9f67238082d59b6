package syntax

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

// translate says in wfc's words what HCL found wrong in the value of attr.
func (m *mender) translate(e *hcl.Diagnostic, attr *hclsyntax.Attribute, x extent) diag.Diagnostic {
	at := firstOf(*e.Subject)
	found := m.found(*e.Subject)
	if t, ok := x.template(); ok && m.isForeign(e, t, at) {
		return m.interpolationAt(t, "What stands between %s and } is an expression, and %s cannot be read as one.", string(t.Bytes), quote(m.rest(t)))
	}
	switch e.Summary {
	case "Invalid multi-line string", "Unterminated template string":
		return m.unclosedText(x, at)
	case "Invalid escape sequence":
		return m.escape(*e.Subject)
	case "Invalid character":
		return m.character(at, e.Detail)
	case "Extra characters after interpolation expression", "Unclosed template interpolation sequence":
		return m.interpolation(x, at)
	case "Invalid number literal":
		return diag.New("WFC1203", at, "This number cannot be used: it has too many digits, or its exponent is too large. Write it as a text in quotes if its digits are what counts.")
	case "Unsupported operator":
		return m.operator(at, found)
	case "Missing newline after argument", "Unexpected comma after argument":
		return m.lineBreak(attr, x, *e.Subject, found)
	}
	if isTemplateError(e.Summary) {
		return m.directive(e, x, at)
	}
	if t, ok := x.template(); ok && e.Summary == "Invalid expression" {
		if x.isCoalesce(found) {
			return m.coalesce(x, at)
		}
		return m.interpolationAt(t, "What stands between %s and } is an expression, and %s cannot be read as one.", string(t.Bytes), quote(m.rest(t)))
	}
	if e.Subject.Start.Byte >= x.end || e.Summary == "Missing expression" {
		if top, ok := x.top(); ok {
			return m.unclosedBracket(top)
		}
	}
	switch e.Summary {
	case "Invalid expression", "Missing expression":
		return m.missingValue(attr, x, at, found)
	case "Missing attribute value", "Missing key/value separator":
		if top, ok := x.top(); ok && m.doubled(top) {
			return diag.New(codeMissingValue, m.r.span(top.start-1, top.end), "Names stand in no braces: write input.NAME alone, and in a text \"${input.NAME}\".")
		}
		return diag.New(codeMissingValue, at, "The attributes of an object have an equals sign and a value: { name = value }. Here stands %s instead.", found)
	case "Invalid attribute name":
		return m.missingName(x, at, found)
	case "Missing item separator", "Missing argument separator", "Missing attribute separator":
		if d, ok := m.escapedQuote(m.lineStart(at.Start.Byte), at.Start.Byte); ok {
			return d
		}
		if top, ok := x.top(); ok && strings.Contains(`"}" "]" ")"`, found) {
			return m.unclosedBracket(top)
		}
		if found == `"for"` {
			return diag.New(codeSyntaxError, at, "The for stands first: a list is made with [for x in LIST : VALUE], an object with {for x in LIST : KEY => VALUE}.")
		}
		d := diag.New(codeMissingComma, at, "Before %s a comma is missing.", found)
		after := at
		after.Start = e.Subject.Start
		if x.prev.end > 0 {
			after = m.r.span(x.prev.end, x.prev.end)
		}
		after.End = after.Start
		return d.Fix("Write a comma", false, diag.Edit{Range: diag.RangeOf(after), Text: ","})
	case "Unbalanced parentheses", "Missing close bracket on index", "Unterminated function call",
		"Unterminated tuple constructor expression", "Unterminated object constructor expression",
		"Missing close bracket on splat index", "Missing closing parenthesis":
		if _, ok := x.top(); !ok { // HCL points at the opening one
			x.scan(m, x.end)
		}
		if top, ok := x.top(); ok {
			return m.unclosedBracket(top)
		}
	case "Missing false expression in conditional":
		if t, ok := x.template(); ok {
			return m.interpolationAt(t, "A condition has two results, CONDITION ? THIS : THAT, and the second one is missing.")
		}
		return diag.New(codeSyntaxError, at, "A condition has two results, CONDITION ? THIS : THAT. The second one is missing: here stands %s.", found)
	case "Invalid 'for' expression":
		return diag.New(codeSyntaxError, at, "A list is made with [for x in LIST : VALUE], an object with {for x in LIST : KEY => VALUE}; both may end with \"if CONDITION\". %s", forHint(e.Detail))
	}
	return diag.New(codeSyntaxError, at, "%s", e.Detail)
}

// doubled reports whether a brace stands directly behind another, as templates of
// other tools have them.
func (m *mender) doubled(brace token) bool {
	return string(brace.Bytes) == "{" && brace.start > 0 && m.text[brace.start-1] == '{'
}

// forHint says what HCL misses in a for expression.
func forHint(detail string) string {
	switch {
	case strings.Contains(detail, "requires a colon"):
		return "Here the colon is missing."
	case strings.Contains(detail, "Key expression is required"):
		return "Here the key is missing."
	case strings.Contains(detail, "Key expression is not valid"):
		return "Here is a key in a list: write braces around it for an object, or leave out KEY =>."
	}
	return detail
}

// found names what stands at a place: `"x"`, "the end of the line".
func (m *mender) found(at hcl.Range) string {
	s := string(at.SliceBytes(m.r.src))
	switch {
	case at.Start.Byte >= len(m.r.src):
		return "the end of the file"
	case strings.HasPrefix(s, "\n") || strings.HasPrefix(s, "\r") || strings.HasPrefix(s, "#") || strings.HasPrefix(s, "//"):
		return "the end of the line"
	case s == `"` || strings.HasPrefix(s, "<<"):
		return "a text"
	}
	return quote(s)
}

// rest is the text from a token to the end of its line or its closing brace.
func (m *mender) rest(t token) string {
	s := string(m.text[t.end:m.lineEnd(t.end)])
	if n := strings.IndexByte(s, '}'); n >= 0 {
		s = s[:n]
	}
	return strings.TrimRight(s, "\r\" ")
}

func (m *mender) character(at hcl.Range, detail string) diag.Diagnostic {
	s := string(at.SliceBytes(m.r.src))
	switch s {
	case "'", "“", "”", "‘", "’", "„", "«", "»":
		edits := []diag.Edit{{Range: diag.RangeOf(at), Text: `"`}}
		line := m.r.src[at.End.Byte:m.lineEnd(at.End.Byte)]
		if n := strings.LastIndexAny(string(line), foreignQuotes); n >= 0 {
			_, size := utf8.DecodeRune(line[n:])
			edits = append(edits, diag.Edit{Range: diag.RangeOf(m.r.span(at.End.Byte+n, at.End.Byte+n+size)), Text: `"`})
		}
		return diag.New(codeInvalidCharacter, at, "Texts stand in straight double quotes (\"), not in %s.", s).
			Fix("Write straight double quotes", false, edits...)
	case "`":
		return diag.New(codeInvalidCharacter, at, "Texts stand in double quotes (\"), not in backquotes. A text of several lines is a heredoc: <<-EOT, the lines, and EOT alone on the last line.")
	case ";":
		return diag.New(codeInvalidCharacter, at, "A semicolon has no meaning. Attributes end with the line, and elements of a list are separated by commas.").
			Fix("Remove it", false, diag.Edit{Range: diag.RangeOf(at)})
	case "$":
		return diag.New(codeInvalidCharacter, at, "Names have no $ before them: write input.NAME, local.NAME or step.NAME.output, and in a text ${input.NAME}.")
	case "\t":
		return diag.New(codeInvalidCharacter, at, "A tab cannot stand here. Use spaces.")
	}
	for _, c := range s {
		return diag.New(codeInvalidCharacter, at, "The character %s (U+%04X) cannot stand here, only inside of a text in quotes.", quote(s), c)
	}
	return diag.New(codeInvalidCharacter, at, "%s", detail)
}

func (m *mender) operator(at hcl.Range, found string) diag.Diagnostic {
	d := diag.New(codeInvalidOperator, at, "There is no operator %s.", found)
	switch strings.Trim(found, `"`) {
	case "&":
		d.Detail = `There is no operator "&". The logical and is written &&.`
		d = d.Fix("Write &&", false, diag.Edit{Range: diag.RangeOf(at), Text: "&&"})
	case "|":
		d.Detail = `There is no operator "|". The logical or is written ||.`
		d = d.Fix("Write ||", false, diag.Edit{Range: diag.RangeOf(at), Text: "||"})
	}
	return d
}

// lineBreak reports what follows a complete value.
func (m *mender) lineBreak(attr *hclsyntax.Attribute, x extent, at hcl.Range, found string) diag.Diagnostic {
	written := strings.Trim(found, `"`)
	switch written {
	case "and", "or":
		op := map[string]string{"and": "&&", "or": "||"}[written]
		return diag.New(codeInvalidOperator, at, "The logical %s is written %s.", written, op).
			Fix("Write "+op, false, diag.Edit{Range: diag.RangeOf(at), Text: op})
	case "}", "]", ")":
		return diag.New(codeExtraBrace, at, "Nothing is open that %s could close. Remove it, or write its counterpart.", found)
	case "(":
		if attr.Name == "call" {
			return diag.New(codeInvalidReference, at, "A tool is named without parentheses, as SOURCE.TOOL. Its arguments stand in \"args\".")
		}
		if i := bytes.LastIndexByte(m.r.src[:at.Start.Byte], '.'); i >= 0 && hclsyntax.ValidIdentifier(string(m.r.src[i+1:at.Start.Byte])) {
			return diag.New(codeSyntaxError, at, "Values have no methods. A function stands before what it is given: upper(VALUE), not VALUE.upper().")
		}
	case "=":
		return diag.New(codeSyntaxError, at, "The attribute %q has a value already. To compare two values, write ==.", attr.Name)
	case ",":
		return diag.New(codeMissingLineBreak, at, "Attributes are separated by line breaks, not by commas.").
			Fix("Remove the comma", false, diag.Edit{Range: diag.RangeOf(at)})
	}
	if string(attr.Expr.Range().SliceBytes(m.r.src)) == "if" {
		return diag.New(codeSyntaxError, attr.Expr.Range(), "There is no if in expressions. Write CONDITION ? THIS : THAT.")
	}
	if string(attr.Expr.Range().SliceBytes(m.r.src)) == "not" {
		return diag.New(codeInvalidOperator, attr.Expr.Range(), "The logical not is written !, before its operand.")
	}
	return diag.New(codeMissingLineBreak, at, "After the value of %q a line break must follow, but here stands %s.", attr.Name, found)
}

func (m *mender) unclosedBracket(top token) diag.Diagnostic {
	closer := map[string]string{"{": "}", "[": "]", "(": ")"}[string(top.Bytes)]
	at := m.r.span(top.start, top.end)
	switch opener := string(top.Bytes); {
	case closer != "":
	case strings.HasPrefix(opener, "${"), strings.HasPrefix(opener, "%{"):
		return m.interpolationAt(top, "The %s has no closing brace.", opener)
	default: // a quote, or the first line of a heredoc
		return diag.New(codeUnclosedText, at, "The text that begins here has no end.")
	}
	return diag.New(codeUnclosedBracket, at, "The %q that opens here has no %q, or something else stands before it that does not belong there.", string(top.Bytes), closer)
}

func (m *mender) missingValue(attr *hclsyntax.Attribute, x extent, at hcl.Range, found string) diag.Diagnostic {
	switch prev := string(x.prev.Bytes); {
	case prev == "=" && x.prev.start == attr.EqualsRange.Start.Byte && strings.HasPrefix(found, "the end of"):
		return diag.New(codeMissingValue, attr.NameRange, "%q has no value.", attr.Name)
	case prev == "*" && found == `"*"`:
		return diag.New(codeInvalidOperator, m.r.span(x.prev.start, at.End.Byte), `There is no operator "**". Write the multiplication out.`)
	case x.isCoalesce(found):
		return m.coalesce(x, at)
	case found == "the end of the line" || found == "the end of the file":
		if top, ok := x.top(); ok && found == "the end of the file" {
			return m.unclosedBracket(top)
		}
		return diag.New(codeMissingValue, m.r.span(x.prev.start, x.prev.end), "After %q a value is expected, and the line ends.", prev)
	}
	switch strings.Trim(found, `"`) {
	case "}", "]", ")":
		if x.prev.Type == hclsyntax.TokenEqual || x.prev.Type == hclsyntax.TokenComma || len(x.open) == 0 {
			return diag.New(codeMissingValue, at, "A value is expected before %s.", found)
		}
	}
	return diag.New(codeMissingValue, at, "A value is expected here, and %s begins none.", found)
}

// isCoalesce reports whether the mistake is the second half of a `??`.
func (x extent) isCoalesce(found string) bool {
	return string(x.prev.Bytes) == "?" && found == `"?"`
}

func (m *mender) coalesce(x extent, at hcl.Range) diag.Diagnostic {
	return diag.New(codeInvalidOperator, m.r.span(x.prev.start, at.End.Byte), `There is no operator "??". What stands in for null is said with coalesce(VALUE, OTHER).`)
}

func (m *mender) missingName(x extent, at hcl.Range, found string) diag.Diagnostic {
	if x.prev.end > 0 {
		at = m.r.span(x.prev.start, x.prev.end)
		if string(x.prev.Bytes) != "." {
			at = m.r.span(x.prev.end-1, x.prev.end)
		}
	}
	return diag.New(codeMissingName, at, "After the dot stands the name of what is read, and here stands %s. A name that is no identifier is written in brackets: x[\"a-b.c\"].", found)
}
