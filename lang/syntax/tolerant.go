package syntax

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

const (
	// maxMistakes bounds how many syntax errors of one file are reported. More
	// of them are read by nobody: the file is something else than it should be.
	maxMistakes = 25
	// maxParsed bounds the bytes that are parsed for one file, all rounds together.
	maxParsed = 4 << 20
)

// parse reads the file's tree, as much of it as can be read; nil if nothing can.
//
// HCL's parser skips much after a mistake and reports what follows from it.
// So only its first error is believed; the mistake is blanked out in a copy
// of the text, byte for byte, and the copy is parsed again. Attributes that
// are blanked out come back as unreadable ones.
func (r *reader) parse() *hclsyntax.Body {
	if !r.isText() {
		return nil
	}
	text := r.src
	if !utf8.Valid(text) {
		text = r.mendEncoding()
		r.src = text // so that a name is the same wherever it stands
	}
	body, errs, refused := parseTree(text, r.name)
	if len(refused) > 0 {
		r.diags = append(r.diags, refused...)
		return nil
	}
	if len(errs) == 0 {
		r.settle(body, false)
		return body
	}

	r.broken = true
	m := &mender{r: r, text: bytes.Clone(text)}
	if m.mendCharacters() {
		if body, errs, refused = parseTree(m.text, r.name); len(refused) > 0 {
			return nil
		}
	}
	for range min(maxMistakes, max(1, maxParsed/(len(text)+1))) {
		first := firstMistake(errs)
		if first == nil {
			break
		}
		if !m.mend(body, first) {
			break
		}
		mended, left, refused := parseTree(m.text, r.name)
		if len(refused) > 0 {
			break // without the mistake other things are nested than before
		}
		body, errs = mended, left
	}
	m.restore(body)
	unclosed := false
	for _, e := range errs {
		switch e.Summary {
		case "Unclosed configuration block", "Unclosed configuration body":
			unclosed = true
		case "Attribute redefined":
			r.attributeTwice(body, *e.Subject)
		}
	}
	r.settle(body, unclosed)
	return body
}

// isText reports what is no text at all, UTF-16 and anything with NUL bytes, or
// one in another language as a whole. foreignDocument says which.
func (r *reader) isText() bool {
	utf16 := bytes.HasPrefix(r.src, []byte{0xff, 0xfe}) || bytes.HasPrefix(r.src, []byte{0xfe, 0xff})
	switch {
	case utf16:
		r.report(diag.New(codeNotText, r.start(), "The file is encoded as UTF-16. Save it as UTF-8 in your editor."))
	case bytes.IndexByte(r.src, 0) >= 0:
		r.report(diag.New(codeNotText, r.start(), "The file holds NUL bytes, so it is no text. Workflow files are text in UTF-8."))
	default:
		return !r.isForeign()
	}
	return false
}

// mendEncoding reports the first bytes that are not UTF-8 and returns the text
// with underscores in place of them all, so that a name stays one.
func (r *reader) mendEncoding() []byte {
	r.broken = true
	text := bytes.Clone(r.src)
	first := true
	for i := 0; i < len(text); {
		c, n := utf8.DecodeRune(text[i:])
		if c == utf8.RuneError && n == 1 {
			if first {
				r.report(diag.New(codeNotText, r.span(i, i+1), "Here are bytes that are not UTF-8: the file was saved in another encoding. Save it as UTF-8 in your editor."))
				first = false
			}
			text[i] = '_'
		}
		i += n
	}
	return text
}

// span is the range of src[start:end].
func (r *reader) span(start, end int) hcl.Range {
	return hcl.Range{Filename: r.name, Start: r.pos(start), End: r.pos(end)}
}

// pos is the place of a byte. It counts from the one before, so that places in the
// order of the file cost no more than one pass over it.
func (r *reader) pos(at int) hcl.Pos {
	at = min(at, len(r.src))
	p := r.counted
	if p.Line == 0 || at < p.Byte {
		p = hcl.InitialPos
	}
	between := r.src[p.Byte:at]
	if n := bytes.LastIndexByte(between, '\n'); n >= 0 {
		p.Line += bytes.Count(between, []byte{'\n'})
		p.Column = 1
		between = between[n+1:]
	}
	p.Column += utf8.RuneCount(between)
	p.Byte = at
	if at == len(r.src) || utf8.RuneStart(r.src[at]) {
		r.counted = p
	}
	return p
}

// firstMistake is the first error in the text, not counting what is judged at
// the end: blocks that are not closed, and attributes that are set twice.
func firstMistake(errs hcl.Diagnostics) *hcl.Diagnostic {
	var first *hcl.Diagnostic
	for _, e := range errs {
		switch e.Summary {
		case "Unclosed configuration block", "Unclosed configuration body", "Attribute redefined":
			continue
		}
		if e.Subject != nil && (first == nil || e.Subject.Start.Byte < first.Subject.Start.Byte) {
			first = e
		}
	}
	return first
}

// attributeTwice reports an attribute that its block has already.
func (r *reader) attributeTwice(body *hclsyntax.Body, at hcl.Range) {
	name := string(at.SliceBytes(r.src))
	d := diag.New(codeAttributeTwice, at, "%q is set already. Keep one of the two.", name)
	if first := innermost(body, at.Start.Byte).Attributes[name]; first != nil {
		d = d.With(first.NameRange, "set here first")
	}
	r.report(d)
}

// innermost is the body that holds the byte at.
func innermost(body *hclsyntax.Body, at int) *hclsyntax.Body {
	for _, b := range body.Blocks {
		if b.OpenBraceRange.End.Byte <= at && at < b.CloseBraceRange.End.Byte {
			return innermost(b.Body, at)
		}
	}
	return body
}

// mender blanks out mistakes.
type mender struct {
	r    *reader
	text []byte
	lost []lost
}

// lost is something that was blanked out: an attribute, or a block's header.
type lost struct {
	at    hcl.Range // the name
	name  string
	block *hclsyntax.Block // nil: an attribute
}

// restore puts what was blanked out back into the tree, unreadable.
func (m *mender) restore(body *hclsyntax.Body) {
	for _, l := range m.lost {
		in := innermost(body, l.at.Start.Byte)
		if l.block != nil {
			i := slices.IndexFunc(in.Blocks, func(b *hclsyntax.Block) bool { return b.TypeRange.Start.Byte > l.at.Start.Byte })
			if i < 0 {
				i = len(in.Blocks)
			}
			in.Blocks = slices.Insert(in.Blocks, i, l.block)
		} else if in.Attributes[l.name] == nil {
			in.Attributes[l.name] = &hclsyntax.Attribute{
				Name: l.name, NameRange: l.at, SrcRange: l.at, EqualsRange: l.at,
				Expr: &hclsyntax.ExprSyntaxError{SrcRange: l.at},
			}
		}
	}
}

// unfinished reports whether b is a header without a body, or goes on to the
// end of the file.
func (r *reader) unfinished(b *hclsyntax.Block) bool {
	return r.broken && (b.OpenBraceRange == b.TypeRange || string(b.CloseBraceRange.SliceBytes(r.src)) != "}")
}

// blank overwrites text[start:end] with spaces, line breaks excepted, and
// reports whether that changed anything.
func (m *mender) blank(start, end int) bool {
	changed := false
	for i := start; i < min(end, len(m.text)); i++ {
		if c := m.text[i]; c != '\n' && c != '\r' && c != ' ' {
			m.text[i] = ' '
			changed = true
		}
	}
	return changed
}

// mend reports the mistake e and takes it out of the text. It returns false
// where it could not, so that there is no use in parsing again.
func (m *mender) mend(body *hclsyntax.Body, e *hcl.Diagnostic) bool {
	at := e.Subject.Start.Byte
	switch e.Summary {
	case "Argument or block definition required", "Invalid argument name":
		return m.mendItem(body, e)
	case "Invalid block definition", "Argument definition required", "Invalid string literal", "Unterminated string literal":
		return m.mendHeader(body, e)
	case "Invalid single-argument block definition":
		return m.mendOneLine(body, e)
	case "Missing newline after block definition":
		if m.mendLineBreak(*e.Subject, "A block ends with a line break after its closing brace. Move what follows to the next line.") {
			return true
		}
		m.r.report(diag.New(codeMissingLineBreak, firstOf(*e.Subject), "A block ends with a line break after its closing brace. Move what follows to the next line."))
		end := m.lineEnd(at)
		m.loseNames(at, end)
		rest, _ := hclsyntax.ParseConfig(m.text[at:end], m.r.name, e.Subject.Start)
		for _, b := range rest.Body.(*hclsyntax.Body).Blocks {
			m.lost = append(m.lost, lost{at: b.TypeRange, name: b.Type, block: b})
		}
		return m.blank(at, end)
	}
	if m.mendOpeningQuote(at) {
		return true
	}
	if e.Summary == "Missing newline after argument" && m.text[min(at, len(m.text)-1)] == '}' && m.isBalanced() &&
		m.mendLineBreak(*e.Subject, "The closing brace of a block of several lines stands on a line of its own.") {
		return true
	}
	attr := lastAttribute(body, at)
	if m.inHeader(at) && !m.inHeredoc(attr, at) {
		return m.mendHeader(body, e)
	}
	if attr == nil {
		m.r.report(diag.New(codeSyntaxError, *e.Subject, "%s", e.Detail))
		return m.blank(m.lineStart(at), m.lineEnd(at))
	}
	x := m.extent(attr.NameRange.Start.Byte, at)
	m.r.report(m.translate(e, attr, x))
	if e.Summary == "Invalid attribute name" && attr.Name == "call" && m.blankDot(at) {
		return true // what is called is known so far: SOURCE
	}
	m.lose(attr.Name, attr.NameRange)
	m.loseNames(attr.NameRange.End.Byte, x.end)
	return m.blank(attr.NameRange.Start.Byte, x.end)
}

// blankDot takes out the dot before at, where nothing but a line break follows.
func (m *mender) blankDot(at int) bool {
	rest := bytes.TrimRight(m.text[:at], " \t\r\n")
	if !bytes.HasSuffix(rest, []byte(".")) {
		return false
	}
	if after := bytes.TrimLeft(m.text[at:m.lineEnd(at)], " \t"); len(after) > 0 && after[0] != '\r' && after[0] != '#' && at > len(rest) {
		return false
	}
	m.text[len(rest)-1] = ' '
	return true
}

func (m *mender) lose(name string, at hcl.Range) {
	m.lost = append(m.lost, lost{at: at, name: name})
}

// loseNames remembers the attributes that are written in text[start:end], as
// in `a = 1 b = 2`: they are not missing, only unreadable.
func (m *mender) loseNames(start, end int) {
	end = min(end, len(m.text))
	if start >= end {
		return
	}
	tokens, _ := hclsyntax.LexConfig(m.text[start:end], m.r.name, hcl.InitialPos)
	depth := 0
	for i, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			depth++
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenTemplateSeqEnd:
			depth--
		case hclsyntax.TokenIdent:
			if depth == 0 && i+1 < len(tokens) && tokens[i+1].Type == hclsyntax.TokenEqual {
				m.lose(string(t.Bytes), m.r.span(start+t.Range.Start.Byte, start+t.Range.End.Byte))
			}
		}
	}
}

// lastAttribute is the attribute that starts last before at.
func lastAttribute(body *hclsyntax.Body, at int) *hclsyntax.Attribute {
	var last *hclsyntax.Attribute
	for _, a := range body.Attributes {
		if a.NameRange.Start.Byte <= at && (last == nil || a.NameRange.Start.Byte > last.NameRange.Start.Byte) {
			last = a
		}
	}
	for _, b := range body.Blocks {
		if a := lastAttribute(b.Body, at); a != nil && (last == nil || a.NameRange.Start.Byte > last.NameRange.Start.Byte) {
			last = a
		}
	}
	return last
}

func (m *mender) lineStart(at int) int {
	return bytes.LastIndexByte(m.text[:min(at, len(m.text))], '\n') + 1
}

// lineEnd is the offset of the line break that ends at's line, or the text's end.
func (m *mender) lineEnd(at int) int {
	at = min(at, len(m.text))
	if n := bytes.IndexByte(m.text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(m.text)
}

// firstOf is the first byte of a range that may run over a line break.
func firstOf(r hcl.Range) hcl.Range {
	if r.End.Line > r.Start.Line {
		r.End = r.Start
	}
	return r
}
