package funcs

import (
	"strings"

	"github.com/lda-wf/wfc/lang/value"
)

// jsonset edits text that value.ParseJSON has accepted, so that the scanner
// here need not find mistakes; it only finds where things are.

func callJSONSet(args []value.Value) (value.Value, error) {
	text := args[0].AsString()
	keys, err := splitPointer(args[1].AsString())
	if err != nil {
		return value.Value{}, &ArgError{1, err.Error()}
	}
	if _, err := jsonDecode(text); err != nil {
		return value.Value{}, &ArgError{0, err.Error()}
	}
	written, err := jsonText(args[2])
	if err != nil {
		return value.Value{}, &ArgError{2, err.Error()}
	}
	s := jsonScanner{text: text}
	if strings.HasPrefix(text, bom) {
		s.pos = len(bom)
	}
	s.space()
	at, err := s.locate(keys)
	if err != nil {
		return value.Value{}, &ArgError{1, err.Error()}
	}
	return textOf(text[:at.start] + at.before + written + text[at.end:])
}

// jsonPlace is where a value is to be written: over text[start:end], with
// before in front of it.
type jsonPlace struct {
	start, end int
	before     string
}

// jsonScanner walks over JSON text that is known to be correct.
type jsonScanner struct {
	text string
	pos  int
}

func (s *jsonScanner) space() {
	for s.pos < len(s.text) && strings.IndexByte(" \t\r\n", s.text[s.pos]) >= 0 {
		s.pos++
	}
}

// skip moves behind the value at pos.
func (s *jsonScanner) skip() {
	depth := 0
	for {
		switch s.text[s.pos] {
		case '"':
			s.skipString()
		case '{', '[':
			depth++
			s.pos++
		case '}', ']':
			depth--
			s.pos++
		case ' ', '\t', '\r', '\n', ',', ':':
			s.pos++
		default: // a number or word
			for s.pos < len(s.text) && strings.IndexByte(" \t\r\n,:]}", s.text[s.pos]) < 0 {
				s.pos++
			}
		}
		if depth == 0 {
			return
		}
	}
}

// skipString moves behind the string at pos.
func (s *jsonScanner) skipString() {
	s.pos++
	for s.text[s.pos] != '"' {
		if s.text[s.pos] == '\\' {
			s.pos++
		}
		s.pos++
	}
	s.pos++
}

// item is one element of a list, or one entry of an object, in the text.
type item struct {
	key                      string // of an entry, decoded
	begin                    int    // of the key, or of the element
	keyEnd, valueFrom, valTo int
}

// items returns the elements or entries of the list or object at pos, with
// the place of its closing bracket.
func (s *jsonScanner) items() (items []item, closing int) {
	object := s.text[s.pos] == '{'
	s.pos++
	for {
		s.space()
		switch s.text[s.pos] {
		case ']', '}':
			return items, s.pos
		case ',':
			s.pos++
			s.space()
		}
		it := item{begin: s.pos}
		if object {
			s.skipString()
			it.keyEnd = s.pos
			key, err := value.ParseJSON([]byte(s.text[it.begin:it.keyEnd]))
			if err != nil {
				panic(err) // it was parsed before
			}
			it.key = key.AsString()
			s.space()
			s.pos++ // the colon
			s.space()
		}
		it.valueFrom = s.pos
		s.skip()
		it.valTo = s.pos
		items = append(items, it)
	}
}

// locate finds the place that the pointer's keys lead to from the value at pos.
func (s *jsonScanner) locate(keys []string) (jsonPlace, error) {
	for i, k := range keys {
		last := i == len(keys)-1
		open := s.pos
		var items []item
		var closing, found int
		switch s.text[s.pos] {
		case '{':
			items, closing = s.items()
			found = len(items)
			for j, it := range items {
				if it.key == k {
					found = j // of a key that comes twice the last counts, as in jsondecode
				}
			}
			if found == len(items) && !last {
				return jsonPlace{}, fail("There is nothing at %s in the text: the object there has no key %q.", pointerOf(keys, i+1), k)
			}
		case '[':
			items, closing = s.items()
			n, isIndex := listIndex(k)
			if k == "-" && last {
				n, isIndex = len(items), true
			}
			if !isIndex {
				return jsonPlace{}, fail("There is nothing at %s in the text: a list is entered by an index such as 0, not %q.", pointerOf(keys, i+1), k)
			}
			if n > len(items) || n == len(items) && !last {
				return jsonPlace{}, fail("There is nothing at %s in the text: the list there has %d elements.", pointerOf(keys, i+1), len(items))
			}
			found = n
		default:
			s.skip()
			return jsonPlace{}, fail("There is nothing at %s in the text: what is before it is %s.", pointerOf(keys, i+1), value.OfString(s.text[open:s.pos]).Summary(60))
		}
		if found == len(items) {
			return s.behind(open, closing, items, k), nil
		}
		s.pos = items[found].valueFrom
	}
	start := s.pos
	s.skip()
	return jsonPlace{start: start, end: s.pos}, nil
}

// behind returns the place of a new last element or entry. It looks like the one before.
func (s *jsonScanner) behind(open, closing int, items []item, key string) jsonPlace {
	name := ""
	object := s.text[open] == '{'
	if object {
		name = string(value.AppendString(nil, key))
	}
	if len(items) == 0 {
		if object {
			name += ": "
		}
		return jsonPlace{start: open + 1, end: closing, before: name}
	}
	last := items[len(items)-1]
	from := open + 1
	if len(items) > 1 {
		from = items[len(items)-2].valTo
	}
	// What stands between the brackets or the comma and the last one.
	gap := s.text[from:last.begin]
	if comma := strings.IndexByte(gap, ','); comma >= 0 {
		gap = gap[comma+1:]
	}
	if object {
		colon := s.text[last.keyEnd:last.valueFrom]
		name += colon
		if len(items) == 1 && gap == "" && strings.HasSuffix(colon, " ") {
			gap = " " // {"a": 1} has no comma to learn from, but shows that it likes spaces
		}
	}
	return jsonPlace{start: last.valTo, end: last.valTo, before: "," + gap + name}
}
