package types

import (
	"strconv"
	"strings"

	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/value"
)

// Cause says what sort of mismatch it is, for who mends it.
type Cause uint8

// The causes.
const (
	WrongType   Cause = iota // another kind of value
	NotMember                // a literal, or a value, that an enum does not have
	MayBeNull                // null where it is not wanted
	Missing                  // a required attribute is not there
	MayBeAbsent              // a required attribute comes from an optional one
	Undeclared               // an attribute that the wanted type does not declare
	Length                   // a list of another length
	Refined                  // a refinement does not hold
)

// Mismatch says why a type is not assignable to another, or why a value does
// not conform to a type. Path leads from the outermost type to the place:
// ".items[0].title", ".labels[*]" for every element, "" for the whole.
type Mismatch struct {
	Path   string
	Want   *Type        // at Path; nil for an undeclared attribute
	Got    *Type        // at Path; nil where there is a value, or nothing
	Value  *value.Value // at Path; nil where there is a type, or nothing
	Reason string       // a phrase, such as "a number where a string is wanted"
	Cause  Cause
	// Suggestion is the name or text that was probably meant; empty for none.
	Suggestion string
}

// Error returns the place and the reason: "items[0].title: a number where a string is wanted".
func (m *Mismatch) Error() string {
	if m.Path == "" {
		return m.Reason
	}
	return strings.TrimPrefix(m.Path, ".") + ": " + m.Reason
}

// in returns m with a step put before its path.
func (m *Mismatch) in(step string) *Mismatch {
	m.Path = step + m.Path
	return m
}

// Step returns the step of a [Mismatch.Path] that leads to an attribute:
// ".title", or `["x y"]` where the name is no identifier.
func Step(name string) string { return attrStep(name) }

func attrStep(name string) string {
	if isName(name) {
		return "." + name
	}
	return "[" + notation(value.OfString(name)) + "]"
}

func indexStep(i int) string { return "[" + strconv.Itoa(i) + "]" }

// every is the path step of all elements of a list or map.
const every = "[*]"

func wrongType(want, got *Type) *Mismatch {
	return &Mismatch{Want: want, Got: got, Reason: describeFor(got, want) + " where " + Describe(want) + " is wanted"}
}

// notMember is about the literal v where literals are wanted.
func notMember(want *Type, v value.Value) *Mismatch {
	m := &Mismatch{Want: want, Reason: showValue(v) + " where " + Describe(want) + " is wanted", Cause: NotMember}
	if v.Kind() != value.String {
		return m
	}
	var have []string
	for _, x := range members(want) {
		if u := x.Underlying(); u.kind == Literal && u.lit.Kind() == value.String {
			have = append(have, u.lit.AsString())
		}
	}
	if s, ok := nearest.Name(v.AsString(), have); ok {
		m.Suggestion = s
		m.Reason += " (did you mean " + notation(value.OfString(s)) + "?)"
	}
	return m
}

func missing(want *Attr) *Mismatch {
	return &Mismatch{Path: attrStep(want.Name), Want: want.Type, Reason: "missing where " + Describe(want.Type) + " is wanted", Cause: Missing}
}

func mayBeAbsent(want *Attr, got *Type) *Mismatch {
	return &Mismatch{Path: attrStep(want.Name), Want: want.Type, Got: got, Reason: "may be absent where " + Describe(want.Type) + " is wanted", Cause: MayBeAbsent}
}

// undeclared is about the attribute name, which want does not declare.
func undeclared(want *Type, name string, got *Type) *Mismatch {
	m := &Mismatch{Path: attrStep(name), Got: got, Reason: "not a declared attribute", Cause: Undeclared}
	have := make([]string, 0, len(want.attrs))
	for i := range want.attrs {
		have = append(have, want.attrs[i].Name)
	}
	switch s, ok := nearest.Name(name, have); {
	case ok:
		m.Suggestion = s
		m.Reason += " (did you mean " + notation(value.OfString(s)) + "?)"
	case len(have) == 0:
		m.Reason += ", there are none"
	case len(have) <= maxNamed:
		m.Reason += ", there are " + strings.Join(have, ", ")
	}
	return m
}
