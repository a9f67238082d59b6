package syntax

import (
	"bytes"
	"regexp"
	"slices"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// extent is how far an attribute with a syntax error goes, and what is open in it.
type extent struct {
	end   int     // offset after the attribute
	open  []token // brackets, quotes and template sequences that are open at the mistake or at the end, whichever is first
	prev  token   // the last token before the mistake; zero: none
	start int
}

type token struct {
	hclsyntax.Token
	start, end int // offsets in the file
}

// extent finds the end of an attribute with a mistake at at. HCL cannot know
// it: after a missing bracket everything seems to belong to the attribute.
// People indent, so indentation decides: the attribute ends before the first
// line that is not indented deeper, unless that closes a bracket.
func (m *mender) extent(start, at int) extent {
	x := extent{start: start}
	line := m.lineStart(start)
	indent := start - line
	first := len(bytes.TrimLeft(m.text[line:start], " \t")) == 0
	x.end = m.lineEnd(start)
	if !first { // within a block of one line
		if n := bytes.LastIndexByte(m.text[start:x.end], '}'); n >= 0 {
			x.end = start + n
		}
	} else {
		texts := m.heredocs(start)
		var ends map[string]int                      // see lastEnds; nil: not looked for yet
		marker := heredocMarker(m.text[start:x.end]) // of one that is not closed by HCL's reading
		whole := marker != "" && wholeHeredoc().Match(m.text[start:x.end])
		for next := x.end + 1; next < len(m.text); {
			end := m.lineEnd(next)
			content := bytes.TrimLeft(m.text[next:end], " \t")
			depth := end - next - len(content)
			content = bytes.TrimRight(content, "\r ")
			if marker != "" && endsWith(marker, content) {
				x.end = end
				if whole {
					break
				}
				// It stands within brackets or a call, which go on.
				marker, next = "", end+1
				continue
			}
			if m := heredocMarker(content); m != "" {
				marker = m
			}
			inText := false
			if marker != "" {
				if ends == nil {
					ends = m.lastEnds()
				}
				// Where no line ends the heredoc, all that does not look like code is its text.
				_, closed := ends[marker]
				inText = ends[marker] > end || !closed && !looksLikeCode().Match(content)
			}
			for len(texts) > 0 && texts[0][1] <= next {
				texts = texts[1:]
			}
			inText = inText || len(texts) > 0 && texts[0][0] <= next
			switch {
			case inText || len(content) == 0 || depth > indent:
				next = end + 1
				if len(content) > 0 {
					x.end = end
				}
				continue
			case depth == indent && bytes.IndexByte([]byte("}])"), content[0]) >= 0:
				x.end = end
			}
			break
		}
	}
	x.scan(m, at)
	return x
}

// heredoc matches a line that begins a heredoc. Like the other patterns it is
// compiled at its first use: all of them would be a tenth of the start of a process.
var heredoc = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<<-?([\pL_][\pL\pN_-]*)[ \t\r]*$`) })

// heredocMarker is the name that ends the heredoc which begins on the line, "" if none does.
func heredocMarker(line []byte) string {
	if m := heredoc().FindSubmatch(line); m != nil {
		return string(m[1])
	}
	return ""
}

// lastEnds returns where the last line begins that is meant to end the heredoc of a
// marker (see [endsWith]), by marker. It may have other lines too.
func (m *mender) lastEnds() map[string]int {
	ends := map[string]int{}
	at := 0
	for line := range bytes.Lines(m.text) {
		if text := bytes.TrimRight(bytes.TrimSpace(line), " \t}]),"); len(text) > 0 && bytes.IndexByte(text, ' ') < 0 {
			ends[string(text)] = at
		}
		at += len(line)
	}
	return ends
}

// endsWith reports whether a line is meant to end the heredoc of a marker: it
// holds the marker alone, or before brackets and commas, with which it does not.
func endsWith(marker string, line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && len(bytes.Trim(rest, " \t}]),")) == 0
}

// looksLikeCode matches the beginning of an attribute or a block, and a closing bracket.
var looksLikeCode = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[\pL_][\pL\pN_-]*[ \t]*(?:=(?:[^=]|$)|(?:"[^"]*"[ \t]*)*\{)|[}\])])`)
})

// wholeHeredoc matches the first line of an attribute whose value is one heredoc.
var wholeHeredoc = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^=]*=[ \t]*<<`) })

// inHeredoc reports whether at, behind the beginning of attr, is in a text of
// several lines that belongs to it. Such a line may look like anything.
func (m *mender) inHeredoc(attr *hclsyntax.Attribute, at int) bool {
	if attr == nil {
		return false
	}
	x := m.extent(attr.NameRange.Start.Byte, at)
	return at < x.end && slices.ContainsFunc(x.open, func(t token) bool { return t.Type == hclsyntax.TokenOHeredoc })
}

// heredocs returns the offsets of the heredocs from start on that are closed.
func (m *mender) heredocs(start int) [][2]int {
	if !bytes.Contains(m.text[start:], []byte("<<")) {
		return nil
	}
	var out [][2]int
	open := -1
	tokens, _ := hclsyntax.LexConfig(m.text[start:], m.r.name, hcl.InitialPos)
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenOHeredoc:
			open = start + t.Range.Start.Byte
		case hclsyntax.TokenCHeredoc:
			if open >= 0 {
				out = append(out, [2]int{open, start + t.Range.End.Byte})
			}
			open = -1
		}
	}
	return out
}

// scan finds what is open at the mistake.
func (x *extent) scan(m *mender, at int) {
	x.open, x.prev = nil, token{}
	stop := min(at, x.end)
	if stop <= x.start {
		return
	}
	tokens, _ := hclsyntax.LexConfig(m.text[x.start:stop], m.r.name, hcl.InitialPos)
	for _, t := range tokens {
		tok := token{Token: t, start: x.start + t.Range.Start.Byte, end: x.start + t.Range.End.Byte}
		switch t.Type {
		case hclsyntax.TokenOBrace, hclsyntax.TokenOBrack, hclsyntax.TokenOParen, hclsyntax.TokenOQuote,
			hclsyntax.TokenOHeredoc, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			x.open = append(x.open, tok)
		case hclsyntax.TokenCBrace, hclsyntax.TokenCBrack, hclsyntax.TokenCParen, hclsyntax.TokenCQuote,
			hclsyntax.TokenCHeredoc, hclsyntax.TokenTemplateSeqEnd:
			if len(x.open) > 0 && tok.end > tok.start {
				x.open = x.open[:len(x.open)-1]
			}
		}
		if t.Type != hclsyntax.TokenNewline && t.Type != hclsyntax.TokenEOF && t.Type != hclsyntax.TokenComment && tok.end > tok.start {
			x.prev = tok
		}
	}
}

// top is what was opened last and is still open; ok is false where nothing is.
func (x *extent) top() (token, bool) {
	if len(x.open) == 0 {
		return token{}, false
	}
	return x.open[len(x.open)-1], true
}

// template is the innermost `${` or `%{` that is open.
func (x *extent) template() (token, bool) {
	for i := len(x.open) - 1; i >= 0; i-- {
		switch x.open[i].Type {
		case hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			return x.open[i], true
		}
	}
	return token{}, false
}
