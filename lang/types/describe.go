package types

import (
	"strconv"
	"strings"

	"github.com/lda-wf/wfc/lang/value"
)

// maxNamed is how many members of an enum or union a message lists in full.
const maxNamed = 8

// Describe returns t as a phrase for a sentence: "a string", "a list",
// `one of "open", "closed"`, "a number or null".
func Describe(t *Type) string {
	if t.kind == Named && isPath(t.name) {
		return t.name
	}
	t = t.Underlying()
	switch t.kind {
	case Any:
		return "anything"
	case Never:
		return "nothing"
	case Null:
		return "null"
	case Bool:
		return "a bool"
	case String:
		return "a string"
	case Number:
		return "a number"
	case Integer:
		return "an integer"
	case Literal:
		return showValue(t.lit)
	case Blob:
		return "a blob"
	case List:
		return "a list"
	case Map:
		return "a map"
	case Tuple:
		return "a list of " + strconv.Itoa(len(t.items))
	case Object:
		return "an object"
	case Union:
		return describeUnion(members(t))
	}
	return "something"
}

func describeUnion(ms []*Type) string {
	var lits, others []string
	null := false
	seen := map[string]bool{} // an enum may have thousands of members
	add := func(list *[]string, s string) {
		if !seen[s] {
			seen[s] = true
			*list = append(*list, s)
		}
	}
	for _, m := range ms {
		switch u := m.Underlying(); u.kind {
		case Null:
			null = true
		case Literal:
			add(&lits, showValue(u.lit))
		default:
			add(&others, Describe(m))
		}
	}
	if len(lits) > 0 {
		s := strings.Join(lits[:min(len(lits), maxNamed)], ", ")
		if len(lits) > maxNamed {
			s += " and " + strconv.Itoa(len(lits)-maxNamed) + " more"
		}
		if len(lits) > 1 {
			s = "one of " + s
		}
		others = append(others, s)
	}
	if null {
		others = append(others, "null")
	}
	if len(others) < 2 {
		return strings.Join(others, "")
	}
	return strings.Join(others[:len(others)-1], ", ") + " or " + others[len(others)-1]
}

// describeFor describes got where want is wanted: a literal by its kind, unless
// literals are what matters.
func describeFor(got, want *Type) string {
	got = got.Underlying()
	w := want.Underlying()
	if got.kind == Literal {
		switch {
		case w.kind == Literal, w.kind == Integer && got.lit.Kind() == value.Number:
			return showValue(got.lit)
		case w.kind == Union:
			for _, m := range members(w) {
				if u := m.Underlying(); u.kind == Literal && u.lit.Kind() == got.lit.Kind() {
					return showValue(got.lit)
				}
			}
		}
		return describeKind(got.lit)
	}
	return Describe(got)
}

// describeKind describes what kind of value v is.
func describeKind(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return "null"
	case value.Bool:
		return "a bool"
	case value.Number:
		return "a number"
	case value.String:
		return "a string"
	case value.List:
		return "a list"
	case value.Object:
		return "an object"
	}
	return "a blob"
}

// maxShown is the length in bytes up to which a message shows a value in full.
const maxShown = 60

// showValue returns a scalar value as a message shows it.
func showValue(v value.Value) string {
	s := notation(v)
	if len(s) > maxShown {
		cut := maxShown
		for cut > 0 && s[cut]&0xC0 == 0x80 {
			cut--
		}
		s = s[:cut] + "…"
		if v.Kind() == value.String {
			s += `"`
		}
	}
	return s
}
