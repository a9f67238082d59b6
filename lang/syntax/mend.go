package syntax

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

// header matches the beginning of a block's header up to some place in a label.
var header = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t]*[\pL_][\pL\pN_-]*(?:[ \t]+"[^"\n]*")*[ \t]+"[^"\n]*$`)
})

// openLabel matches a header whose last label has no closing quote.
var openLabel = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([ \t]*[\pL_][\pL\pN_-]*(?:[ \t]+"[^"\n]*")*[ \t]+"[^"\n{]*?)[ \t]*(\{?)[ \t\r]*$`)
})

// halfLabel matches a header one of whose labels has no opening quote.
var halfLabel = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t]*[\pL_][\pL\pN_-]*(?:[ \t]+"[^"\n]*")*[ \t]+([\pL\pN_.-]+)"(?:[ \t]+"[^"\n]*")*[ \t]*\{[ \t\r]*$`)
})

// mendOpeningQuote mends the header of a block on the line of at, a label of which
// has no opening quote: what follows is read the wrong way round.
func (m *mender) mendOpeningQuote(at int) bool {
	if at >= len(m.text) && at > 0 {
		at = len(m.text) - 1
	}
	start := m.lineStart(at)
	match := halfLabel().FindSubmatchIndex(m.text[start:m.lineEnd(at)])
	if match == nil {
		return false
	}
	from, to := start+match[2], start+match[3]
	before := m.r.span(from, from)
	m.r.report(diag.New(codeInvalidHeader, m.r.span(from, to+1), "The label has no opening quote: write \"%s\".", m.text[from:to]).
		Fix("Write the opening quote", true, diag.Edit{Range: diag.RangeOf(before), Text: `"`}))
	m.text[from-1] = '"' // in place of the space before it
	return true
}

// inHeader reports whether at is in the header of a block.
func (m *mender) inHeader(at int) bool {
	return header().Match(m.text[m.lineStart(at):at])
}

// mendItem mends what is neither an attribute nor a block.
func (m *mender) mendItem(body *hclsyntax.Body, e *hcl.Diagnostic) bool {
	r := m.r
	at := firstOf(*e.Subject)
	start, end := e.Subject.Start.Byte, m.lineEnd(e.Subject.Start.Byte)
	found := string(e.Subject.SliceBytes(r.src))
	rest := string(bytes.TrimSpace(m.text[min(e.Subject.End.Byte, end):end]))
	if m.mendEquals(body, start) {
		return true
	}
	switch {
	case found == "}" || found == "]" || found == ")":
		r.report(m.extraBrace(body, at, found))
		return m.blank(start, start+1)
	case found == "/" && bytes.HasPrefix(m.text[start:], []byte("/*")):
		r.report(diag.New(codeItemExpected, r.span(start, start+2), "The comment that begins here has no end (*/)."))
		return m.blank(start, len(m.text))
	case e.Summary == "Invalid argument name":
		closing := bytes.IndexByte(m.text[start+1:end], '"')
		if closing < 0 {
			break
		}
		name := string(m.text[start+1 : start+1+closing])
		d := diag.New(codeItemExpected, r.span(start, start+closing+2), "The name of an attribute is written without quotes.")
		if hclsyntax.ValidIdentifier(name) {
			d = d.Fix("Remove the quotes", true, diag.Edit{Range: diag.RangeOf(r.span(start, start+closing+2)), Text: name})
			r.report(d)
			m.text[start], m.text[start+closing+1] = ' ', ' '
			return true
		}
		r.report(d)
		return m.blank(start, end)
	case hclsyntax.ValidIdentifier(found):
		for _, wrong := range []string{":", "=>", "=="} {
			if !strings.HasPrefix(rest, wrong) || strings.HasSuffix(rest, "{") && wrong == ":" && strings.Contains(rest, `"`) {
				continue
			}
			n := start + len(found) + bytes.Index(m.text[start+len(found):end], []byte(wrong))
			r.report(diag.New(codeItemExpected, r.span(n, n+len(wrong)), "Between the name of an attribute and its value stands an equals sign, not %q.", wrong).
				Fix("Write an equals sign", true, diag.Edit{Range: diag.RangeOf(r.span(n, n+len(wrong))), Text: "="}))
			copy(m.text[n:], "= "[:len(wrong)])
			return true
		}
		if rest == "" && m.mendBrace(found, *e.Subject) {
			return true
		}
		r.report(diag.New(codeItemExpected, at, "%q alone says nothing. Write an attribute (%s = VALUE) or a block (%s { … }).", found, found, found))
		m.lose(found, *e.Subject)
		return m.blank(start, end)
	}
	r.report(diag.New(codeItemExpected, at, "An attribute (name = value) or a block (type \"label\" { … }) is expected here, and %s begins neither.", m.found(*e.Subject)))
	return m.blank(m.lineStart(start), end)
}

// extraBrace reports a closing bracket that closes nothing. If blocks of a
// workflow stand outside of it before, the workflow was closed too early, and
// that is the mistake.
func (m *mender) extraBrace(body *hclsyntax.Body, at hcl.Range, found string) diag.Diagnostic {
	for i, b := range body.Blocks {
		if i == 0 || workflowFile.blocks[b.Type].shape != nil || workflowShape.blocks[b.Type].shape == nil {
			continue
		}
		before := body.Blocks[i-1]
		return diag.New(codeExtraBrace, before.CloseBraceRange,
			"This %q closes %s, so that %s stands outside of it. Remove the one that is too much.", "}", describe(before), describe(b)).
			With(at, "this one closes nothing then")
	}
	return diag.New(codeExtraBrace, at, "Nothing is open that %q could close. Remove it, or write its counterpart.", found)
}

// mendHeader mends the header of a block.
func (m *mender) mendHeader(body *hclsyntax.Body, e *hcl.Diagnostic) bool {
	r := m.r
	at := e.Subject.Start.Byte
	if m.mendOpeningQuote(at) || m.mendEquals(body, at) {
		return true
	}
	start, end := m.lineStart(at), m.lineEnd(at)
	line := m.text[start:end]
	content := start + len(line) - len(bytes.TrimLeft(line, " \t"))

	if match := openLabel().FindSubmatchIndex(line); match != nil && e.Summary != "Invalid block definition" {
		r.report(diag.New(codeUnclosedText, r.span(content, start+match[3]), "The label has no closing quote."))
		if quote := start + match[3]; quote < end && quote < start+match[4] {
			m.text[quote] = '"' // the space before the brace
			return true
		}
		if next := m.text[end:]; match[4] == match[5] && bytes.HasPrefix(next, []byte("\n  ")) && m.indent(end+1) >= m.indent(start)+2 {
			copy(next, "\"{\n") // the label's quote and the brace, and the line break two bytes later
			return true
		}
		return m.blank(start, end)
	}
	switch {
	case e.Summary == "Invalid block definition" && m.found(*e.Subject) == "the end of the line":
		r.report(diag.New(codeInvalidHeader, r.span(content, start+len(bytes.TrimRight(line, " \t\r"))),
			"A block has an opening brace on the line of its header: %s {", strings.TrimSpace(string(line))))
		if m.braceBelow(end) {
			return true
		}
		for _, b := range allBlocks(body) {
			if b.TypeRange.Start.Byte == content {
				m.lost = append(m.lost, lost{at: b.TypeRange, name: b.Type, block: b})
			}
		}
		return m.blank(start, end)
	case e.Summary == "Invalid escape sequence":
		r.report(m.escape(*e.Subject))
	case e.Summary == "Invalid string literal":
		r.report(diag.New(codeInvalidHeader, *e.Subject, "A label is a constant text: it cannot hold an expression. For the character itself write it twice."))
		if closing := bytes.IndexByte(m.text[at:end], '"'); closing > 0 {
			copy(m.text[at:], bytes.Repeat([]byte("_"), closing)) // the header stays one
			return true
		}
	case e.Summary == "Argument definition required":
		r.report(diag.New(codeOneLineBlock, *e.Subject, "A block that is closed on its line may hold one attribute and no blocks. Write what is in it on lines of their own."))
		m.lose(string(e.Subject.SliceBytes(r.src)), *e.Subject) // something is there
		return m.blank(at, m.beforeLastBrace(at, end))
	case at < end && m.text[at] == ':' && len(bytes.TrimSpace(m.text[at+1:end])) == 0:
		colon := firstOf(*e.Subject)
		r.report(diag.New(codeInvalidHeader, colon, "A block begins with an opening brace, not with a colon: %s {", strings.TrimSpace(string(m.text[start:at]))).
			Fix("Write an opening brace", true, diag.Edit{Range: diag.RangeOf(colon), Text: " {"}))
		m.text[at] = '{'
		return true
	default:
		r.report(diag.New(codeInvalidHeader, firstOf(*e.Subject), "A block begins with its type, its labels in quotes and an opening brace: step \"search\" {. Here stands %s.", m.found(*e.Subject)))
	}
	if brace := bytes.LastIndexByte(m.text[at:end], '{'); brace >= 0 {
		return m.blank(at, at+brace)
	}
	return m.blank(start, end)
}

// braceBelow gives a header without a brace one: that of the next line, or,
// where the next line is indented, a new one. Every byte that is not space
// keeps its place.
func (m *mender) braceBelow(end int) bool {
	next := end
	for next < len(m.text) && bytes.IndexByte([]byte(" \t\r\n"), m.text[next]) >= 0 {
		next++
	}
	if next >= len(m.text) {
		return false
	}
	if m.text[next] == '{' {
		m.text[next], m.text[end] = '\n', '{'
		return true
	}
	indent := func(at int) int {
		s := m.lineStart(at)
		return len(m.text[s:]) - len(bytes.TrimLeft(m.text[s:], " \t"))
	}
	if indent(next) > indent(end-1) && end+1 < len(m.text) && m.text[end+1] == ' ' {
		m.text[end], m.text[end+1] = '{', '\n'
		return true
	}
	return false
}

// indent is the number of blanks at the beginning of at's line.
func (m *mender) indent(at int) int {
	line := m.text[m.lineStart(at):]
	return len(line) - len(bytes.TrimLeft(line, " \t"))
}

// mendOneLine mends `step "a" { x = 1, y = 2 }` and the like.
func (m *mender) mendOneLine(body *hclsyntax.Body, e *hcl.Diagnostic) bool {
	at := e.Subject.Start.Byte
	if m.mendEquals(body, at) {
		return true
	}
	end := m.lineEnd(at)
	m.r.report(diag.New(codeOneLineBlock, firstOf(*e.Subject),
		"A block that holds more than one attribute has each of them, and its closing brace, on a line of its own."))
	if m.found(*e.Subject) == "the end of the line" {
		// `step "a" { x = 1` and more lines: without the attribute it is a usual block.
		start := m.lineStart(at)
		if brace := bytes.IndexByte(m.text[start:end], '{'); brace >= 0 {
			m.loseNames(start+brace+1, end)
			return m.blank(start+brace+1, end)
		}
		return false
	}
	stop := m.beforeLastBrace(at, end)
	m.loseNames(at, stop)
	return m.blank(at, stop)
}

// beforeLastBrace is the offset of the last closing brace in text[at:end], else end.
func (m *mender) beforeLastBrace(at, end int) int {
	if n := bytes.LastIndexByte(m.text[at:end], '}'); n >= 0 {
		return at + n
	}
	return end
}

// allBlocks lists the blocks of a tree.
func allBlocks(body *hclsyntax.Body) []*hclsyntax.Block {
	var out []*hclsyntax.Block
	for _, b := range body.Blocks {
		out = append(out, b)
		out = append(out, allBlocks(b.Body)...)
	}
	return out
}
