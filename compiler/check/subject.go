package check

import (
	"strconv"
	"strings"
)

// subject names what an expression is the value of, for messages: "The
// argument filter.labels[0] of demo.list_tasks". It is a chain from the
// innermost part outwards; a nil *subject is "This".
type subject struct {
	up    *subject
	attr  string // a part of up: its attribute,
	index int    // or its element; -1: any element
	isIdx bool

	noun  string // the outermost: "argument", "input", "attribute"; "": see plain
	of    string // what it belongs to: " of demo.list_tasks"
	plain string // the whole phrase, for what has no name of its own: "The condition"

	// mayBeAbsent: what takes the value may be left out, so that a reading of an
	// absent optional attribute leaves it out (LANGUAGE 2, "Missing is not null").
	mayBeAbsent bool
	// sent: the arguments go to a server, where a blob is its base64 text (LANGUAGE 5).
	sent bool
	// isValue: what it is made of is a value, null or not, so that absence ends here.
	isValue bool
}

// something is a subject without a name.
var something = &subject{plain: "This"}

// attribute returns the subject of an attribute of s.
func (s *subject) attribute(name string, optional bool) *subject {
	if s == nil {
		s = something
	}
	return &subject{up: s, attr: name, mayBeAbsent: optional}
}

// element returns the subject of an element of s; index -1 is each element.
func (s *subject) element(index int) *subject {
	if s == nil {
		s = something
	}
	return &subject{up: s, index: index, isIdx: true}
}

// isAttribute reports whether s is an attribute of an object, which is left out
// where its whole value is the reading of an absent one.
func (s *subject) isAttribute() bool { return s != nil && s.up != nil && !s.isIdx && !s.isValue }

// asValue is the subject of what s is chosen from, as a value that is there.
func (s *subject) asValue() *subject {
	if !s.isAttribute() {
		return s
	}
	v := *s
	v.isValue = true
	return &v
}

// isArguments reports whether s is the arguments of a tool as a whole.
func (s *subject) isArguments() bool { return s != nil && s.up == nil && s.noun == "argument" }

// isSent reports whether s is, or is part of, what goes to a server.
func (s *subject) isSent() bool {
	for s != nil && s.up != nil {
		s = s.up
	}
	return s != nil && s.sent
}

// phrase returns the subject as the beginning of a sentence. more is a path below it.
func (s *subject) phrase(more string) string {
	path := more
	for s != nil && s.up != nil {
		path = s.step() + path
		s = s.up
	}
	path = strings.TrimPrefix(path, ".")
	switch {
	case s == nil && path == "":
		return something.plain
	case s == nil:
		return "The part " + path + " of this"
	case s.noun != "" && path != "":
		return "The " + s.noun + " " + path + s.of
	case s.noun != "":
		return "What is given" + strings.Replace(s.of, " of ", " to ", 1)
	case path != "":
		return "The part " + path + " of " + lower(s.plain)
	}
	return s.plain
}

func (s *subject) step() string {
	switch {
	case s.isIdx && s.index < 0:
		return "[*]"
	case s.isIdx:
		return "[" + strconv.Itoa(s.index) + "]"
	case isIdentifier(s.attr):
		return "." + s.attr
	}
	return "[" + strconv.Quote(s.attr) + "]"
}

// lower returns a phrase as it stands inside a sentence.
func lower(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// isIdentifier reports whether s can be written as an attribute name without quotes.
func isIdentifier(s string) bool {
	for i, r := range s {
		switch {
		case r == '_', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= 0x80:
		case i > 0 && (r == '-' || r >= '0' && r <= '9'):
		default:
			return false
		}
	}
	return s != ""
}

// owner returns what an argument belongs to: "demo.list_tasks".
func (s *subject) owner() string { return strings.TrimPrefix(s.of, " of ") }
