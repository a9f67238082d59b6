// Package raw reads and replaces single values in JSON texts, and leaves all other
// bytes as they are: digits, unknown members, their order and their spelling.
//
// Its central type is [Span]. It imports the standard library only.
package raw

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Span is the place of one value in a text: from the first byte to behind the last.
// The zero Span is no value.
type Span struct{ From, To int }

// Of returns the bytes of the value, nil for the zero Span.
func (s Span) Of(text []byte) []byte {
	if s == (Span{}) {
		return nil
	}
	return text[s.From:s.To:s.To]
}

// There reports whether s is a value.
func (s Span) There() bool { return s != Span{} }

// Whole returns the place of the value that text consists of.
func Whole(text []byte) Span {
	i := space(text, 0)
	return Span{i, len(bytes.TrimRight(text, " \t\r\n"))}
}

// Members calls f for each member of the object at s, with the key as a string and
// its value's place, until f returns false. It returns false if there is no object,
// or one that is broken. A value inside is looked at no further than its end.
func Members(text []byte, s Span, f func(key string, value Span) bool) bool {
	return items(text, s, '{', f)
}

// Items calls f for each item of the array at s, likewise.
func Items(text []byte, s Span, f func(item Span) bool) bool {
	return items(text, s, '[', func(_ string, v Span) bool { return f(v) })
}

func items(text []byte, s Span, open byte, f func(string, Span) bool) bool {
	b := text[:s.To]
	i := space(b, s.From)
	if i >= len(b) || b[i] != open {
		return false
	}
	end := open + 2 // ']' is two behind '[', '}' behind '{'
	i = space(b, i+1)
	if i < len(b) && b[i] == end {
		return true
	}
	for {
		key := ""
		if open == '{' {
			if i >= len(b) || b[i] != '"' {
				return false
			}
			j := quoted(b, i)
			if j < 0 {
				return false
			}
			key = Text(b[i:j])
			if i = space(b, j); i >= len(b) || b[i] != ':' {
				return false
			}
			i = space(b, i+1)
		}
		j := value(b, i)
		if j < 0 {
			return false
		}
		if !f(key, Span{i, j}) {
			return true
		}
		if i = space(b, j); i >= len(b) {
			return false
		}
		if b[i] == end {
			return true
		}
		if b[i] != ',' {
			return false
		}
		i = space(b, i+1)
	}
}

// Find returns the place of the value that one member after the other leads to, the
// zero Span if there is none. Of members of the same name the last counts.
func Find(text []byte, s Span, path ...string) Span {
	for _, name := range path {
		found := Span{}
		Members(text, s, func(key string, v Span) bool {
			if key == name {
				found = v
			}
			return true
		})
		if s = found; !s.There() {
			return s
		}
	}
	return s
}

// Ambiguous reports whether the object at s has several members that some reader
// takes for the one called name: not all tell upper from lower case, and of two of
// the same name some take the first.
func Ambiguous(text []byte, s Span, name string) bool {
	n := 0
	Members(text, s, func(key string, _ Span) bool {
		if strings.EqualFold(key, name) {
			n++
		}
		return true
	})
	return n > 1
}

// Text decodes a JSON string; what is none is "".
func Text(b []byte) string {
	if len(b) < 2 || b[0] != '"' {
		return ""
	}
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b[1 : len(b)-1])
	}
	var s string
	_ = json.Unmarshal(b, &s)
	return s
}

// Quote returns s as a JSON string.
func Quote(s string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always can
	return bytes.TrimRight(b.Bytes(), "\n")
}

// Edit is a change of a text: what is at At becomes Text.
type Edit struct {
	At   Span
	Text []byte
}

// Insert returns the edit that makes a member the first of the object at s.
func Insert(text []byte, s Span, name string, val []byte) Edit {
	return Prepend(text, s, append(append(Quote(name), ':'), val...))
}

// Prepend returns the edit that puts members, which are raw JSON without braces, before
// those of the object at s. Of an empty object it may be made once.
func Prepend(text []byte, s Span, members []byte) Edit {
	i := space(text, s.From) + 1
	add := members[:len(members):len(members)]
	if j := space(text, i); j < len(text) && text[j] != '}' {
		add = append(add, ',')
	}
	return Edit{Span{i, i}, add}
}

// Remove returns the edit that takes the member called name, whose value is at v, out
// of its object, and false if the name is spelled in another way.
func Remove(text []byte, name string, v Span) (Edit, bool) {
	before := func(i int, c byte) int { // the index of c, which stands before i
		for i--; i >= 0 && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r'); i-- {
		}
		if i < 0 || text[i] != c {
			return -1
		}
		return i
	}
	key := []byte(`"` + name + `"`)
	colon := before(v.From, ':')
	if colon < 0 {
		return Edit{}, false
	}
	end := before(colon, '"') + 1
	start := end - len(key)
	if start < 0 || !bytes.Equal(text[start:end], key) {
		return Edit{}, false
	}
	if i := space(text, v.To); i < len(text) && text[i] == ',' {
		return Edit{At: Span{start, i + 1}}, true
	}
	if comma := before(start, ','); comma >= 0 {
		start = comma
	}
	return Edit{At: Span{start, v.To}}, true
}

// Keep returns the object at s with those of its members that keep wants, each as it is.
func Keep(text []byte, s Span, keep func(key string) bool) []byte {
	out := []byte{'{'}
	Members(text, s, func(key string, v Span) bool {
		if keep(key) {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(append(out, Quote(key)...), ':'), v.Of(text)...)
		}
		return true
	})
	return append(out, '}')
}

// Apply returns a new text with the edits made, which do not overlap. Edits at the
// same place are made in their order.
func Apply(text []byte, edits ...Edit) []byte {
	n := len(text)
	for _, e := range edits {
		n += len(e.Text) - (e.At.To - e.At.From)
	}
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.At.From - b.At.From })
	out := make([]byte, 0, n+1) // one more for the end of a line
	at := 0
	for _, e := range edits {
		out = append(out, text[at:e.At.From]...)
		out = append(out, e.Text...)
		at = e.At.To
	}
	return append(out, text[at:]...)
}

func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// quoted returns the index behind the string that begins at i, -1 if b ends in it.
func quoted(b []byte, i int) int {
	for i++; ; i++ {
		j := bytes.IndexByte(b[i:], '"')
		if j < 0 {
			return -1
		}
		i += j
		slashes := 0
		for k := i - 1; k >= 0 && b[k] == '\\'; k-- {
			slashes++
		}
		if slashes%2 == 0 {
			return i + 1
		}
	}
}

// value returns the index behind the value that begins at i, -1 if b ends in it.
func value(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return quoted(b, i)
	case '{', '[':
		for depth := 0; i < len(b); {
			switch b[i] {
			case '"':
				if i = quoted(b, i); i < 0 {
					return -1
				}
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
		return -1
	}
	start := i
	for i < len(b) && (b[i] >= '0' && b[i] <= '9' || b[i] >= 'a' && b[i] <= 'z' || b[i] == 'E' || b[i] == '-' || b[i] == '+' || b[i] == '.') {
		i++
	}
	if i == start {
		return -1
	}
	return i
}
