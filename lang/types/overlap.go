package types

import "github.com/lda-wf/wfc/lang/value"

// Overlap reports whether some value may be of both types: whether comparing
// them with == makes sense, and whether a `returns` can be satisfied. It looks
// at no refinements, and is true for any. Undeclared attributes may be there,
// so two closed objects overlap unless an attribute that both require differs.
func Overlap(a, b *Type) bool { return overlap(a, b, assumed{}) }

func overlap(a, b *Type, seen assumed) bool {
	if a.kind == Named || b.kind == Named || a.name != "" && b.name != "" {
		p := pair{a.Underlying(), b.Underlying()}
		if seen[p] {
			return true
		}
		seen[p] = true
		a, b = p.a, p.b
	}
	switch {
	case a.kind == Any || b.kind == Any:
		return true
	case a.kind == Never || b.kind == Never:
		return false
	case a.kind == Union || b.kind == Union:
		for _, x := range members(a) {
			for _, y := range members(b) {
				if overlap(x, y, seen) {
					return true
				}
			}
		}
		return false
	case b.kind == Literal:
		a, b = b, a
	}
	switch a.kind {
	case Literal:
		return b.kind == Literal && value.Equal(a.lit, b.lit) || isBaseOf(b.kind, a.lit)
	case Number, Integer:
		return b.kind == Number || b.kind == Integer
	case List:
		if b.kind == Tuple {
			return overlap(b, a, seen)
		}
		return b.kind == List // both may be empty
	case Tuple:
		switch b.kind {
		case List:
			for _, x := range a.items {
				if !overlap(x, b.elem, seen) {
					return false
				}
			}
			return true
		case Tuple:
			if len(a.items) != len(b.items) {
				return false
			}
			for i := range a.items {
				if !overlap(a.items[i], b.items[i], seen) {
					return false
				}
			}
			return true
		}
		return false
	case Map:
		if b.kind == Object {
			return overlap(b, a, seen)
		}
		return b.kind == Map
	case Object:
		switch b.kind {
		case Map:
			for i := range a.attrs {
				if x := &a.attrs[i]; !x.Optional && !overlap(x.Type, b.elem, seen) {
					return false
				}
			}
			return true
		case Object:
			return objectsOverlap(a, b, seen) && objectsOverlap(b, a, seen)
		}
		return false
	}
	return a.kind == b.kind
}

// objectsOverlap reports whether no attribute that a requires excludes b.
func objectsOverlap(a, b *Type, seen assumed) bool {
	has := b.Attr
	for i := range a.attrs {
		x := &a.attrs[i]
		if x.Optional {
			continue
		}
		if y := has(x.Name); y != nil {
			if !overlap(x.Type, y.Type, seen) {
				return false
			}
		} else if b.rest != nil && !overlap(x.Type, b.rest, seen) {
			return false
		}
	}
	return true
}
