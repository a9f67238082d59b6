package feature

import (
	"slices"

	"github.com/lda-wf/wfc/compiler/index"
)

// interfaceWords are the words that declarations of *.wfi files begin with.
var interfaceWords = []string{"interface", "type", "tool", "resource", "prompt"}

// interfaceTokens returns the tokens of a *.wfi file.
func (t *target) interfaceTokens() []token {
	named := map[int]index.Occurrence{}
	for _, o := range t.own() {
		named[o.Range.Start.Byte] = o
	}
	c := classifier{target: t}
	var out []token
	src := t.src
	for i := 0; i < len(src); {
		start := i
		switch b := src[i]; {
		case b == '#' || b == '/' && i+1 < len(src) && src[i+1] == '/':
			i = lineEnd(src, i)
			out = append(out, token{start, i, commentToken, 0})
		case b == '"':
			for i++; i < len(src) && src[i] != '"' && src[i] != '\n'; i++ {
				if src[i] == '\\' && i+1 < len(src) && src[i+1] != '\n' {
					i++
				}
			}
			if i < len(src) && src[i] == '"' {
				i++
			}
			kind := stringToken
			modifiers := uint32(0)
			if o, ok := named[start+1]; ok {
				kind, modifiers = c.symbol(o)
			}
			out = append(out, token{start, i, kind, modifiers})
		case b == '@':
			for i++; i < len(src) && isNameByte(src[i]); i++ {
			}
			out = append(out, token{start, i, decoratorToken, 0})
		case b >= '0' && b <= '9':
			for i++; i < len(src) && (isNameByte(src[i]) || src[i] == '.'); i++ {
			}
			out = append(out, token{start, i, numberToken, 0})
		case isNameByte(b):
			for i++; i < len(src) && isNameByte(src[i]); i++ {
			}
			kind, modifiers := interfaceWord(src, start, i)
			if o, ok := named[start]; ok {
				kind, modifiers = c.symbol(o)
			}
			out = append(out, token{start, i, kind, modifiers})
		default:
			i++
		}
	}
	return out
}

// interfaceWord is the type of the token that a bare name of a *.wfi file is.
func interfaceWord(src []byte, start, end int) (tokenKind, uint32) {
	word := string(src[start:end])
	next := end
	for next < len(src) && (src[next] == ' ' || src[next] == '\t') {
		next++
	}
	first := len(trimLeft(src[lineStart(src, start):start])) == 0
	switch {
	case next < len(src) && src[next] == ':':
		return parameterToken, 0
	case next < len(src) && src[next] == '=':
		return propertyToken, 0
	case first && slices.Contains(interfaceWords, word):
		return keywordToken, 0
	case slices.ContainsFunc(typeWords, func(w struct{ word, insert, doc string }) bool { return w.word == word }):
		return typeToken, libraryModifier
	}
	return variableToken, 0
}

func trimLeft(text []byte) []byte {
	for len(text) > 0 && isSpace(text[0]) {
		text = text[1:]
	}
	return text
}
