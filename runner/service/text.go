package service

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/iface"
)

// blockText returns the text of a block with the comments on the lines right above it,
// which may say what to ignore in it, and one line feed at the end.
func blockText(src []byte, at hcl.Range) []byte {
	start := at.Start.Byte - (at.Start.Column - 1)
	start = max(bytes.LastIndexByte(src[:at.Start.Byte], '\n')+1, min(max(start, 0), at.Start.Byte))
	if len(bytes.TrimSpace(src[start:at.Start.Byte])) > 0 {
		start = at.Start.Byte
	}
	for start > 0 {
		above := bytes.LastIndexByte(src[:start-1], '\n') + 1
		line := bytes.TrimSpace(src[above : start-1])
		if !bytes.HasPrefix(line, []byte("#")) && !bytes.HasPrefix(line, []byte("//")) {
			break
		}
		start = above
	}
	return append(bytes.Clone(src[start:at.End.Byte]), '\n')
}

// digestOf returns the digest of what texts mean: SHA-256 in hex. Neither layout nor
// comments count, nor how the texts are spread over files. contents are what
// file() gives.
func digestOf(main string, workflows map[string][]byte, interfaces *iface.Set, names []string, contents map[string]string) string {
	h := sha256.New()
	e := json.NewEncoder(h)
	add := func(parts ...any) { _ = e.Encode(parts) } // a hash takes everything
	add("artifact", 1, main)
	for _, name := range slices.Sorted(maps.Keys(workflows)) {
		add("workflow", name, wordsOf(workflows[name]))
	}
	for _, name := range names {
		if i := interfaces.Interface(name); i != nil {
			add("interface", name, iface.Print(i))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		add("content", name, contents[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// wordsOf returns the tokens of a text, without comments, and line breaks only where
// there is something between them.
func wordsOf(src []byte) []string {
	tokens, _ := hclsyntax.LexConfig(src, "", hcl.InitialPos)
	out := make([]string, 0, len(tokens))
	for _, t := range tokens {
		word := string(t.Bytes)
		switch t.Type {
		case hclsyntax.TokenEOF:
			continue
		case hclsyntax.TokenComment:
			if !bytes.HasSuffix(t.Bytes, []byte("\n")) {
				continue // within a line
			}
			word = "\n"
		case hclsyntax.TokenNewline:
			word = "\n"
		}
		if word == "\n" && (len(out) == 0 || out[len(out)-1] == "\n") {
			continue
		}
		out = append(out, word)
	}
	return out
}
