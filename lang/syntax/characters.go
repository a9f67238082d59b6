package syntax

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

// What was pasted from a web page or a word processor has other characters
// where spaces and quotes should be. That is one mistake, however many of them
// there are: HCL stumbles over each, and over all that follows from it.

// foreignQuotes are quotes that other languages and word processors use.
const foreignQuotes = "'“”‘’„«»"

// maxEdits bounds the characters that one fix puts right. Of a file with more of them
// it leaves some for the next time.
const maxEdits = 1000

// mendCharacters reports spaces that are none and quotes that are none, each
// kind once for the file, and puts the right ones in their place, so that every
// other byte keeps its own. It reports whether there were any.
func (m *mender) mendCharacters() bool {
	spaces := m.mendSpaces()
	return m.mendQuotes() || spaces
}

// foreign calls f for each character outside of texts and comments that HCL
// knows nothing of. It ends where a text has no end, since what follows is read
// the wrong way round, and at a comment within a text, which has swallowed its end.
func (m *mender) foreign(f func(at, size int, c rune)) {
	tokens, _ := hclsyntax.LexConfig(m.text, m.r.name, hcl.InitialPos)
	sequences := 0 // of templates that are open
	for _, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			sequences++
		case hclsyntax.TokenTemplateSeqEnd:
			sequences--
		case hclsyntax.TokenQuotedNewline:
			return
		case hclsyntax.TokenComment:
			if sequences > 0 {
				return
			}
		}
		if t.Type == hclsyntax.TokenInvalid || t.Type == hclsyntax.TokenApostrophe {
			c, size := utf8.DecodeRune(m.text[t.Range.Start.Byte:])
			f(t.Range.Start.Byte, size, c)
		}
	}
}

func (m *mender) mendSpaces() bool {
	var edits []diag.Edit
	var first hcl.Range
	var what rune
	found := 0
	m.foreign(func(at, size int, c rune) {
		blank := unicode.Is(unicode.Zs, c)
		if !blank && (!unicode.Is(unicode.Cf, c) || m.inName(at, size)) {
			return
		}
		if found++; found <= maxEdits {
			here := m.r.span(at, at+size)
			if edits == nil {
				first, what = here, c
			}
			e := diag.Edit{Range: diag.RangeOf(here)}
			if blank {
				e.Text = " "
			}
			edits = append(edits, e)
		}
		copy(m.text[at:at+size], strings.Repeat(" ", size))
	})
	if edits == nil {
		return false
	}
	title, detail := "Write spaces", fmt.Sprintf("The character U+%04X looks like a space, and is none outside of a text in quotes: web pages and word processors write it. Write a space.", what)
	if unicode.Is(unicode.Cf, what) {
		title, detail = "Remove what cannot be seen", fmt.Sprintf("Here stands U+%04X, which cannot be seen: web pages and word processors write it. Remove it.", what)
	}
	m.r.report(diag.New(codeInvalidCharacter, first, "%s%s", detail, more(found-1)).Fix(title, true, edits...))
	return true
}

// inName reports whether the character stands within a name, which falls into
// two without it.
func (m *mender) inName(at, size int) bool {
	before, _ := utf8.DecodeLastRune(m.text[:at])
	after, _ := utf8.DecodeRune(m.text[at+size:])
	name := func(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }
	return name(before) && name(after)
}

func (m *mender) mendQuotes() bool {
	var edits []diag.Edit
	var first hcl.Range
	found := 0
	// A quote that is put right changes what the rest of its line is, a comment for example.
	for range maxMistakes {
		pairs, until := 0, 0
		m.foreign(func(at, size int, c rune) {
			if at < until || !strings.ContainsRune(foreignQuotes, c) {
				return
			}
			n := bytes.IndexAny(m.text[at+size:], foreignQuotes+"\"\n")
			if n < 0 || m.text[at+size+n] == '"' || m.text[at+size+n] == '\n' {
				return
			}
			close := at + size + n
			_, closeSize := utf8.DecodeRune(m.text[close:])
			if edits == nil {
				first = m.r.span(at, at+size)
			}
			found++
			for _, e := range [][2]int{{at, size}, {close, closeSize}} {
				if found <= maxEdits/2 {
					edits = append(edits, diag.Edit{Range: diag.RangeOf(m.r.span(e[0], e[0]+e[1])), Text: `"`})
				}
				copy(m.text[e[0]:e[0]+e[1]], strings.Repeat(" ", e[1]))
			}
			m.text[at+size-1], m.text[close] = '"', '"' // what stands between them is the text
			pairs, until = pairs+1, close+closeSize
		})
		if pairs == 0 {
			break
		}
	}
	if edits == nil {
		return false
	}
	m.r.report(diag.New(codeInvalidCharacter, first, "Texts stand in straight double quotes (\"), not in %s.%s", first.SliceBytes(m.r.src), more(found-1)).
		Fix("Write straight double quotes", false, edits...))
	return true
}

// more says that a mistake is made n times more.
func more(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " There is one more in this file."
	}
	return fmt.Sprintf(" There are %d more in this file.", n)
}
