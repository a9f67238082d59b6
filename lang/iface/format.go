package iface

import (
	"bytes"
	"slices"

	"github.com/lda-wf/wfc/lang/diag"
)

// indentation is how many spaces the content of a bracket stands further in.
const indentation = 2

// Format returns the formatted text of a *.wfi file: it moves white space only,
// and lines break where they did. name is what diagnostics call the file. Of a
// file that cannot be parsed it returns nil and what is wrong with its syntax.
// Formatting is idempotent.
func Format(name string, src []byte) ([]byte, diag.List) {
	_, all := Parse(name, src)
	var found diag.List
	for _, d := range all {
		switch d.Code {
		case codeNumber, codeKeyTwice, codeAnnotation, codePromptParam, codeURI: // of what can be laid out all the same
		default:
			found = append(found, d)
		}
	}
	if found != nil {
		return nil, found
	}
	tokens, _ := lex(newSource(name, src))
	f := formatter{src: src, tokens: tokens}
	f.run()
	return f.out.Bytes(), nil
}

// frame is a bracket that is open.
type frame struct{ outer, inner int } // the indentation of the line where it opened, and of its content

type formatter struct {
	src    []byte
	tokens []token // comments included, the end of the file last
	out    bytes.Buffer
	open   []frame
	indent int // of the line in hand
}

func (f *formatter) run() {
	if bytes.HasPrefix(f.src, []byte("\ufeff")) {
		f.out.WriteString("\ufeff")
	}
	end := "\n"
	for i, t := range f.tokens {
		if t.kind == endOfFile {
			break
		}
		switch {
		case i == 0:
			f.line(i)
		case t.breaks > 0:
			end = f.lineBreak(i)
			f.out.WriteString(end)
			if t.breaks > 1 && !f.tokens[i-1].opens() && !t.closes() {
				f.out.WriteString(end)
			}
			f.line(i)
		case f.spaced(i):
			f.out.WriteByte(' ')
		}
		f.out.Write(f.src[t.start:t.end])
		switch {
		case t.opens():
			f.open = append(f.open, frame{f.indent, f.indent + indentation})
		case t.closes() && len(f.open) > 0:
			f.open = f.open[:len(f.open)-1]
		}
	}
	if len(f.tokens) > 1 {
		f.out.WriteString(end)
	}
}

func (t token) opens() bool  { return t.is("(") || t.is("[") || t.is("{") }
func (t token) closes() bool { return t.is(")") || t.is("]") || t.is("}") }

// lineBreak returns the line break before the token i as it is written.
func (f *formatter) lineBreak(i int) string {
	gap := f.src[f.tokens[i-1].end:f.tokens[i].start]
	if n := bytes.IndexByte(gap, '\n'); n > 0 && gap[n-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// line indents the line that begins with the token i.
func (f *formatter) line(i int) {
	closed := 0
	for closed < len(f.open) && f.tokens[i+closed].closes() && (closed == 0 || f.tokens[i+closed].breaks == 0) {
		closed++
	}
	switch {
	case closed > 0:
		f.indent = f.open[len(f.open)-closed].outer
	case len(f.open) > 0:
		f.indent = f.open[len(f.open)-1].inner
	default:
		f.indent = 0
	}
	if closed == 0 && len(f.open) < 2 && f.continues(i) {
		f.indent += indentation
	}
	f.out.Write(bytes.Repeat([]byte{' '}, f.indent))
}

// continues reports whether the token i goes on with a declaration that began
// on another line.
func (f *formatter) continues(i int) bool {
	var before []token // the significant ones, the nearest first
	for j := i - 1; j >= 0 && len(before) < 2; j-- {
		if f.tokens[j].kind != comment {
			before = append(before, f.tokens[j])
		}
	}
	t := f.tokens[i]
	switch {
	case t.kind == comment, len(before) == 0:
		return false
	case t.kind == punct, before[0].is("->"), before[0].is("="), before[0].is("."):
		return true
	case len(before) < 2:
		return false
	}
	joined := before[1].is("->") || before[1].is("=") || before[1].is(".")
	return isKeyword(before[0]) && !joined || t.kind == text && before[1].word("resource")
}

// spaced reports whether a space comes before the token i on its line.
func (f *formatter) spaced(i int) bool {
	p, t := f.tokens[i-1], f.tokens[i]
	if p.kind == comment || t.kind == comment {
		return true
	}
	if t.kind == punct && slices.Contains([]string{",", ")", "]", ":", "."}, t.text) {
		return false
	}
	if p.kind == punct && slices.Contains([]string{"(", "[", ".", "-"}, p.text) {
		return false
	}
	switch {
	case t.is("("):
		return p.kind != ident && p.kind != text
	case t.is("}"):
		return !p.is("{")
	}
	return true
}
