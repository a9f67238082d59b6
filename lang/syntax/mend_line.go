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

// What one character too few does to a line: HCL reads the lines after it as
// something else. The character is put in place of a space beside it, so that
// every other byte keeps its place.

// nameAndValue matches a line that is a name and a value without an equals sign.
var nameAndValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t]*([\pL_][\pL\pN_-]*)[ \t]+([^ \t=:{\r#/][^\r]*|\{[^\r]*\}[ \t]*)\r?$`)
})

// mendEquals mends an attribute without an equals sign, which HCL takes for a block.
func (m *mender) mendEquals(body *hclsyntax.Body, at int) bool {
	start := m.lineStart(at)
	match := nameAndValue().FindSubmatchIndex(m.text[start:m.lineEnd(at)])
	if match == nil {
		return false
	}
	name, end := string(m.text[start+match[2]:start+match[3]]), start+match[3]
	value := strings.TrimSpace(string(m.text[start+match[4] : start+match[5]]))
	in := enclosing(body, start+match[2])
	free := in != nil && in.Type == "locals"
	if len(homes(name, true)) > 0 || !free && len(homes(name, false)) == 0 {
		return false
	}
	if strings.HasSuffix(value, "{") && strings.HasPrefix(value, `"`) {
		return false // the header of a block
	}
	gap := m.r.span(end, end)
	m.r.report(diag.New(codeItemExpected, m.r.span(start+match[2], end), "Between the name of an attribute and its value stands an equals sign: %s = …", name).
		Fix("Write an equals sign", true, diag.Edit{Range: diag.RangeOf(gap), Text: " ="}))
	m.text[end] = '='
	return true
}

// enclosing is the innermost block that holds the byte at, nil at the top level.
func enclosing(body *hclsyntax.Body, at int) (in *hclsyntax.Block) {
	for _, b := range body.Blocks {
		if b.OpenBraceRange.End.Byte <= at && (at < b.CloseBraceRange.End.Byte || b.CloseBraceRange.End.Byte <= b.OpenBraceRange.End.Byte) {
			in = b
			if inner := enclosing(b.Body, at); inner != nil {
				in = inner
			}
		}
	}
	return in
}

// mendBrace mends the header of a block without labels whose opening brace is missing.
func (m *mender) mendBrace(name string, at hcl.Range) bool {
	for _, s := range homes(name, true) {
		if inner := s.blocks[name].shape; inner == nil || len(inner.labels) > 0 {
			continue
		}
		if !m.braceBelow(m.lineEnd(at.Start.Byte)) {
			return false
		}
		behind := m.r.span(at.End.Byte, at.End.Byte)
		m.r.report(diag.New(codeInvalidHeader, at, "A block has an opening brace on the line of its header: %s {", name).
			Fix("Write an opening brace", true, diag.Edit{Range: diag.RangeOf(behind), Text: " {"}))
		return true
	}
	return false
}

// mendLineBreak breaks the line before what stands at subject, where a space is.
// why says what the line break ends.
func (m *mender) mendLineBreak(subject hcl.Range, why string) bool {
	at := subject.Start.Byte
	if at == 0 || at > len(m.text) || m.text[at-1] != ' ' && m.text[at-1] != '\t' {
		return false
	}
	gap := at
	for gap > 0 && (m.text[gap-1] == ' ' || m.text[gap-1] == '\t') {
		gap--
	}
	insert := m.r.span(gap, gap)
	m.r.report(diag.New(codeMissingLineBreak, firstOf(subject), "%s", why).
		Fix("Break the line", true, diag.Edit{Range: diag.RangeOf(insert), Text: "\n"}))
	m.text[gap] = '\n'
	return true
}

// isBalanced reports whether every brace of the file is closed and none is too many.
func (m *mender) isBalanced() bool {
	tokens, _ := hclsyntax.LexConfig(m.text, m.r.name, hcl.InitialPos)
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace:
			depth++
		case hclsyntax.TokenCBrace:
			depth--
		}
	}
	return depth == 0 && bytes.IndexByte(m.text, '}') >= 0
}
