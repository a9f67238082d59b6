package types

import (
	"github.com/lda-wf/wfc/lang/value"
)

// pair is a question already being asked of two named types; while its answer
// is open it is assumed to be yes, which is what equality and assignability of
// infinite trees mean.
type pair struct{ a, b *Type }

type assumed map[pair]bool

// Equal reports whether a and b are the same type. The order of attributes and
// of union members, descriptions, refinements and the names of types say
// nothing: two names are equal when what they stand for is.
func Equal(a, b *Type) bool { return equal(a, b, assumed{}, false) }

// sameAsMade reports whether two types are equal as far as they are made: the
// same names, whatever they will stand for.
func sameAsMade(a, b *Type) bool { return equal(a, b, nil, false) }

// sameRefinements is [sameAsMade] with equal refinements.
func sameRefinements(a, b *Type) bool { return equal(a, b, nil, true) }

// equal opens names if seen is not nil.
func equal(a, b *Type, seen assumed, refinements bool) bool {
	if a == b {
		return true
	}
	if seen == nil && (a.kind == Named || b.kind == Named) {
		return a.kind == b.kind && a.name == b.name && isPath(a.name)
	}
	if seen != nil && (a.kind == Named || b.kind == Named || a.name != "" && b.name != "") {
		ua, ub := a.Underlying(), b.Underlying()
		if ua == ub {
			return true
		}
		p := pair{ua, ub}
		if seen[p] {
			return true
		}
		seen[p] = true
		a, b = ua, ub
	}
	if a.kind != b.kind || refinements && !a.refine.equal(b.refine) {
		return false
	}
	same := func(x, y *Type) bool {
		if x == nil || y == nil {
			return x == y
		}
		return equal(x, y, seen, refinements)
	}
	switch a.kind {
	case Literal:
		return value.Equal(a.lit, b.lit)
	case List, Map:
		return same(a.elem, b.elem)
	case Tuple:
		if len(a.items) != len(b.items) {
			return false
		}
		for i := range a.items {
			if !same(a.items[i], b.items[i]) {
				return false
			}
		}
	case Union:
		if len(a.items) != len(b.items) {
			return false
		}
		for _, x := range a.items {
			found := false
			for _, y := range b.items {
				if equal(x, y, seen.clone(), refinements) {
					found = true
					break
				}
			}
			if !found {
				return false
			}
		}
	case Object:
		if len(a.attrs) != len(b.attrs) || !same(a.rest, b.rest) {
			return false
		}
		index := b.Attr
		for i := range a.attrs {
			x := &a.attrs[i]
			y := index(x.Name)
			if y == nil || x.Optional != y.Optional || !sameDefault(x.Default, y.Default) || !same(x.Type, y.Type) {
				return false
			}
		}
	}
	return true
}

// clone keeps an assumption made for one candidate from helping another.
func (s assumed) clone() assumed {
	if s == nil {
		return nil
	}
	c := make(assumed, len(s)+1)
	for k, v := range s {
		c[k] = v
	}
	return c
}

func sameDefault(a, b *value.Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	return value.Equal(*a, *b)
}
