package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
)

// validate says what is wrong with a text: it is no JSON, is nested too deeply, or an
// object in it has a key twice.
func validate(text []byte, depth int) *Error {
	if len(text) == 0 {
		return Errorf(CodeParse, "The body is empty; it must be a JSON-RPC 2.0 request, or a list of them.")
	}
	if at := tooDeep(text, depth); at >= 0 {
		return Errorf(CodeInvalidRequest, "The body is nested more than %d deep at byte %d.", depth, at)
	}
	if !json.Valid(text) {
		var v json.RawMessage
		err := json.Unmarshal(text, &v)
		if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
			return Errorf(CodeParse, "The body is no JSON: %s at byte %d.", e.Error(), e.Offset)
		}
		return Errorf(CodeParse, "The body is no JSON.")
	}
	if key, found := twice(text); found {
		return Errorf(CodeInvalidRequest, "The key %q comes twice in one object.", key)
	}
	return nil
}

// tooDeep returns where text nests deeper than so many lists and objects; -1: nowhere.
// What it says of a text that is no JSON means nothing.
func tooDeep(text []byte, most int) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = endOfString(text, i) - 1
		case '[', '{':
			if depth++; depth > most {
				return i
			}
		case ']', '}':
			depth--
		}
	}
	return -1
}

// endOfString returns where the string that begins at i has ended.
func endOfString(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// member is one of an object, or an element of a list, whose key is "".
type member struct {
	key  string
	text []byte // without white space around it
}

// members are those of a valid object or list, in their order.
func members(text []byte) []member {
	var out []member
	inObject := text[0] == '{'
	for i := space(text, 1); text[i] != '}' && text[i] != ']'; {
		var m member
		if inObject {
			end := endOfString(text, i)
			m.key = unquoted(text[i:end])
			i = space(text, space(text, end)+1) // the colon
		}
		end := endOfValue(text, i)
		m.text = text[i:end:end]
		out = append(out, m)
		if i = space(text, end); text[i] == ',' {
			i = space(text, i+1)
		}
	}
	return out
}

// endOfValue returns where the valid value that begins at i has ended.
func endOfValue(text []byte, i int) int {
	switch text[i] {
	case '"':
		return endOfString(text, i)
	case '{', '[':
		for depth := 0; ; {
			switch text[i] {
			case '"':
				i = endOfString(text, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
	}
	for i < len(text) && !bytes.ContainsRune([]byte(" \t\r\n,]}"), rune(text[i])) {
		i++
	}
	return i
}

// space returns where the white space at i has ended.
func space(text []byte, i int) int {
	for text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n' {
		i++
	}
	return i
}

// unquoted is a key of valid JSON.
func unquoted(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 {
		return string(text[1 : len(text)-1])
	}
	var s string
	_ = json.Unmarshal(text, &s) // it is valid
	return s
}

// twice returns a key that an object of a valid text has twice.
func twice(text []byte) (key string, found bool) {
	var open []keys // objects and lists that have not ended
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			open = append(open, keys{object: true})
		case '[':
			open = append(open, keys{})
		case '}', ']':
			open = open[:len(open)-1]
		case '"':
			end := endOfString(text, i)
			if n := len(open); n > 0 && open[n-1].object {
				if text[space(text, end)] == ':' {
					if k := unquoted(text[i:end]); !open[n-1].add(k) {
						return k, true
					}
				}
			}
			i = end - 1
		}
	}
	return "", false
}

// keys are those of an object so far: a list while they are few, then a set.
type keys struct {
	object bool
	few    []string
	many   map[string]struct{}
}

// add reports whether a key is new.
func (k *keys) add(key string) bool {
	const most = 16 // as long as looking through a list is faster
	if k.many == nil {
		if slices.Contains(k.few, key) {
			return false
		}
		if k.few = append(k.few, key); len(k.few) > most {
			k.many = make(map[string]struct{}, 4*most)
			for _, f := range k.few {
				k.many[f] = struct{}{}
			}
		}
		return true
	}
	if _, ok := k.many[key]; ok {
		return false
	}
	k.many[key] = struct{}{}
	return true
}
