// Package format lays out wfc's source files in the one way that all of them
// have. It moves white space only: tokens, texts, heredocs and comments stay as
// they are written, and so does where lines break.
//
// Its central function is [Source]. It may import lang.
package format

import (
	"bytes"
	"path"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/syntax"
)

// Handles reports whether a file of this name is one that Source formats:
// wfc.hcl, *.wf.hcl, *.wftest.hcl and *.wfi.
func Handles(name string) bool {
	base := path.Base(name)
	return base == syntax.SettingsName || strings.HasSuffix(base, ".wf.hcl") || strings.HasSuffix(base, ".wftest.hcl") || isInterface(name)
}

// isInterface reports whether a file is in the interface language, which has a layout of its own.
func isInterface(name string) bool { return strings.HasSuffix(name, ".wfi") }

// Source returns the formatted text of a file. name decides the language, see
// [Handles], and is what diagnostics call the file. Of a file that cannot be
// parsed it returns nil and what is wrong with its syntax.
//
// Formatting is idempotent, and a formatted file means what it meant before.
func Source(name string, src []byte) ([]byte, diag.List) {
	if isInterface(name) {
		return iface.Format(name, src)
	}
	if found := mistakes(name, src); len(found) > 0 {
		return nil, found
	}
	return layOut(src), nil
}

// mistakes returns what keeps a file from being read. Shape and meaning are the
// checker's: a file with an unknown block can be laid out all the same.
func mistakes(name string, src []byte) diag.List {
	_, all := syntax.Parse(name, src)
	var out diag.List
	for _, d := range all {
		if d.Code <= lastOfSyntax || d.Code >= firstOfText {
			out = append(out, d)
		}
	}
	return out
}

// The codes that lang/syntax reports of a text, not of its shape: those up to
// the first, and those from the second on.
const (
	lastOfSyntax diag.Code = "WFC1019"
	firstOfText  diag.Code = "WFC1099"
)

// bom is the mark that some editors begin a file with. It is no token.
var bom = []byte("\ufeff")

// layOut formats a text that can be parsed.
func layOut(src []byte) []byte {
	text, marked := bytes.CutPrefix(src, bom)
	tokens, _ := hclsyntax.LexConfig(text, "", hcl.InitialPos)
	lines := split(text, tokens)
	arrange(lines)
	var out bytes.Buffer
	if marked {
		out.Write(bom)
	}
	write(&out, lines)
	if !sameTokens(tokens, out.Bytes()[len(src)-len(text):]) {
		return src // white space that means something after all: better untidy than changed
	}
	return out.Bytes()
}

// sameTokens reports whether a formatted text has the tokens that it was made of.
func sameTokens(tokens hclsyntax.Tokens, formatted []byte) bool {
	again, _ := hclsyntax.LexConfig(formatted, "", hcl.InitialPos)
	next := 0
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenNewline {
			continue
		}
		for next < len(again) && again[next].Type == hclsyntax.TokenNewline {
			next++
		}
		if next == len(again) || again[next].Type != t.Type || !bytes.Equal(trimBreak(again[next].Bytes), trimBreak(t.Bytes)) {
			return false
		}
		next++
	}
	return next == len(again)
}

// trimBreak removes the line break at the end of a text: a comment has one in
// its token, unless the file ends there.
func trimBreak(b []byte) []byte {
	b = bytes.TrimSuffix(b, []byte("\n"))
	return bytes.TrimSuffix(b, []byte("\r"))
}
