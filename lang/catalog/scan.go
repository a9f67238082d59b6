package catalog

import (
	"bytes"
	"fmt"
)

// scanner walks JSON without decoding what nobody asked for: it finds where
// values end by their brackets and quotes. A snapshot has megabytes of schemas
// of which a project uses a few; what is wrong inside of one shows when its
// tool is used.
type scanner struct {
	src []byte
	pos int
}

// syntaxError is a place where a text is no JSON.
type syntaxError struct {
	line int
	what string
}

func (e *syntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

func (s *scanner) errorf(format string, args ...any) error {
	at := min(s.pos, len(s.src))
	return &syntaxError{line: bytes.Count(s.src[:at], []byte{'\n'}) + 1, what: fmt.Sprintf(format, args...)}
}

func (s *scanner) space() {
	for s.pos < len(s.src) {
		switch s.src[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the next byte that is no white space, 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.pos == len(s.src) {
		return 0
	}
	return s.src[s.pos]
}

func (s *scanner) expect(c byte) error {
	switch got := s.peek(); {
	case got == c:
		s.pos++
		return nil
	case s.pos == len(s.src):
		return s.errorf("the text ends where %q is wanted", c)
	default:
		return s.errorf("%q where %q is wanted", got, c)
	}
}

// end reports an error unless only white space follows.
func (s *scanner) end() error {
	if s.peek() != 0 || s.pos < len(s.src) {
		return s.errorf("more follows after the end")
	}
	return nil
}

// text skips a string and returns it with its quotes.
func (s *scanner) text() ([]byte, error) {
	if s.peek() != '"' {
		return nil, s.errorf("a string is wanted")
	}
	start := s.pos
	for i := start + 1; ; {
		q := bytes.IndexByte(s.src[i:], '"')
		if q < 0 {
			return nil, s.errorf("a string does not end")
		}
		i += q
		slashes := 0
		for s.src[i-1-slashes] == '\\' {
			slashes++
		}
		i++
		if slashes%2 == 0 {
			s.pos = i
			return s.src[start:i], nil
		}
	}
}

// value skips a value and returns its text.
func (s *scanner) value() ([]byte, error) {
	var open []byte // the brackets that have to close, innermost last
	c := s.peek()
	start := s.pos
	if c != '{' && c != '[' && c != '"' {
		for s.pos < len(s.src) && !ends(s.src[s.pos]) {
			s.pos++
		}
		if s.pos == start {
			return nil, s.errorf("a value is wanted")
		}
		return s.src[start:s.pos], nil
	}
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; c {
		case '"':
			if _, err := s.text(); err != nil {
				return nil, err
			}
		case '{', '[':
			s.pos++
			open = append(open, c+2) // '{'+2 is '}', '['+2 is ']'
		case '}', ']':
			if len(open) == 0 || open[len(open)-1] != c {
				return nil, s.errorf("%q closes nothing", c)
			}
			s.pos++
			open = open[:len(open)-1]
		default:
			s.pos++
		}
		if len(open) == 0 {
			return s.src[start:s.pos], nil
		}
	}
	return nil, s.errorf("the text ends before all brackets are closed")
}

// ends reports whether a byte ends a number, true, false or null.
func ends(c byte) bool {
	switch c {
	case ' ', '\t', '\r', '\n', ',', ']', '}':
		return true
	}
	return false
}

// object calls f for each attribute of an object, with the scanner at its
// value, which f has to skip. Keys are as they are written, without quotes:
// those that matter have no escapes.
func (s *scanner) object(f func(key string) error) error {
	return s.items('{', '}', func() error {
		key, err := s.text()
		if err != nil {
			return err
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		return f(string(key[1 : len(key)-1]))
	})
}

// list calls f for each element of a list, with the scanner at it.
func (s *scanner) list(f func() error) error { return s.items('[', ']', f) }

func (s *scanner) items(open, end byte, f func() error) error {
	if err := s.expect(open); err != nil {
		return err
	}
	if s.peek() == end {
		s.pos++
		return nil
	}
	for {
		if err := f(); err != nil {
			return err
		}
		if s.peek() == end {
			s.pos++
			return nil
		}
		if err := s.expect(','); err != nil {
			return err
		}
	}
}

// field returns the value of one attribute of an object's text, nil if it has none.
func field(raw []byte, name string) []byte {
	var found []byte
	s := scanner{src: raw}
	// What is broken has no fields; the parse of the whole says so.
	_ = s.object(func(key string) error {
		v, err := s.value()
		if err == nil && key == name {
			found = v
		}
		return err
	})
	return found
}
