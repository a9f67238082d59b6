package types

// Join returns the smallest type that the values of both branches of a
// conditional fit (LANGUAGE 2, "Conditionals"): null makes it nullable, an
// empty list or object fits every list and map, an attribute that only one
// object has becomes optional, literals of one base type make an enum and fit
// their base type, integer fits number. It is false where only a union, or
// any, would do. Where a branch is any already, so is the result.
func Join(a, b *Type) (*Type, bool) { return join(a, b, assumed{}) }

func join(a, b *Type, seen assumed) (*Type, bool) {
	switch {
	case a == b:
		return a, true
	case a.isError:
		return b, true
	case b.isError:
		return a, true
	}
	if a.kind == Named || b.kind == Named {
		p := pair{a.Underlying(), b.Underlying()}
		if p.a == p.b {
			return a, true
		}
		if a.kind == Named && Equal(a, b) {
			return a, true
		}
		if b.kind == Named && Equal(a, b) {
			return b, true
		}
		if seen[p] {
			return nil, false // a type for it would have to be made up, like a union
		}
		seen[p] = true
		defer delete(seen, p)
		a, b = p.a, p.b
	}
	switch {
	case a.kind == Any || b.kind == Any:
		return AnyType, true
	case a.kind == Never:
		return b, true
	case b.kind == Never:
		return a, true
	case a.Nullable() || b.Nullable():
		t, ok := join(WithoutNull(a), WithoutNull(b), seen)
		if !ok {
			return nil, false
		}
		return UnionOf(t, NullType), true
	case a.kind == Literal || b.kind == Literal || a.kind == Union || b.kind == Union:
		return joinMembers(a, b)
	case isNumeric(a) && isNumeric(b):
		return UnionOf(a, b), true
	}
	switch a.kind {
	case List:
		return joinList(a, b, seen)
	case Tuple:
		if b.kind == Tuple && len(a.items) == len(b.items) {
			if t, ok := joinTuples(a, b, seen); ok {
				return t, true
			}
		}
		return joinList(a, b, seen)
	case Map:
		return joinMap(a, b, seen)
	case Object:
		if b.kind == Object {
			return joinObjects(a, b, seen)
		}
		if b.kind == Map {
			return joinMap(b, a, seen)
		}
	default:
		if a.kind == b.kind {
			return UnionOf(a, b), true
		}
	}
	return nil, false
}

func isNumeric(t *Type) bool { return t.kind == Number || t.kind == Integer }

// joinMembers joins two types of which one is a literal or a union: literals of
// one base type make an enum, numbers a number, and a union that is there
// already is the smallest type of its own members.
func joinMembers(a, b *Type) (*Type, bool) {
	u := UnionOf(a, b)
	if u.kind != Union {
		return u, true
	}
	literals, numeric, base := true, true, Any
	for i, m := range members(u) {
		m = m.Underlying()
		w := Widen(m)
		if isNumeric(w) {
			w = NumberType
		}
		literals = literals && m.kind == Literal && (i == 0 || w.kind == base)
		numeric = numeric && w.kind == Number
		base = w.kind
	}
	switch {
	case literals:
		return u, true
	case numeric:
		return NumberType, true // such as 1.5 beside integer
	case a.kind == Union && Assignable(a, b) == nil:
		return a, true
	case b.kind == Union && Assignable(b, a) == nil:
		return b, true
	}
	return nil, false
}

func joinTuples(a, b *Type, seen assumed) (*Type, bool) {
	items := make([]*Type, len(a.items))
	for i := range items {
		t, ok := join(a.items[i], b.items[i], seen)
		if !ok {
			return nil, false
		}
		items[i] = t
	}
	return TupleOf(items...), true
}

// joinList joins a list or tuple with another to a list.
func joinList(a, b *Type, seen assumed) (*Type, bool) {
	elem := NeverType
	for _, t := range []*Type{a, b} {
		parts := t.items
		switch t.kind {
		case List:
			parts = []*Type{t.elem}
		case Tuple:
		default:
			return nil, false
		}
		for _, x := range parts {
			var ok bool
			if elem, ok = join(elem, x, seen); !ok {
				return nil, false
			}
		}
	}
	t := ListOf(elem)
	if a.kind == List && b.kind == List && a.refine.equal(b.refine) {
		t.refine = a.refine
	}
	return t, true
}

// joinMap joins a map with a map or object to a map.
func joinMap(a, b *Type, seen assumed) (*Type, bool) {
	elem := a.elem
	parts := []*Type{b.elem}
	switch b.kind {
	case Map:
	case Object:
		parts = parts[:0]
		for i := range b.attrs {
			parts = append(parts, b.attrs[i].Type)
		}
		if b.rest != nil {
			parts = append(parts, b.rest)
		}
	default:
		return nil, false
	}
	for _, x := range parts {
		var ok bool
		if elem, ok = join(elem, x, seen); !ok {
			return nil, false
		}
	}
	t := MapOf(elem)
	if b.kind == Map && a.refine.equal(b.refine) {
		t.refine = a.refine
	}
	return t, true
}

func joinObjects(a, b *Type, seen assumed) (*Type, bool) {
	hasA, hasB := attrIndex(a), attrIndex(b)
	attrs := make([]Attr, 0, len(a.attrs)+len(b.attrs))
	// only joins an attribute of one object with what the other may have in its place.
	only := func(x *Attr, rest *Type) bool {
		n := *x
		n.Optional, n.Default = true, nil
		if rest != nil {
			t, ok := join(x.Type, rest, seen)
			if !ok {
				return false
			}
			n.Type = t
		}
		attrs = append(attrs, n)
		return true
	}
	for i := range a.attrs {
		x := &a.attrs[i]
		y := hasB(x.Name)
		if y == nil {
			if !only(x, b.rest) {
				return nil, false
			}
			continue
		}
		t, ok := join(x.Type, y.Type, seen)
		if !ok {
			return nil, false
		}
		n := Attr{Name: x.Name, Type: t, Optional: x.Optional || y.Optional, Description: x.Description}
		if n.Optional && sameDefault(x.Default, y.Default) {
			n.Default = x.Default
		}
		attrs = append(attrs, n)
	}
	for i := range b.attrs {
		if y := &b.attrs[i]; hasA(y.Name) == nil && !only(y, a.rest) {
			return nil, false
		}
	}
	rest := a.rest
	switch {
	case rest == nil:
		rest = b.rest
	case b.rest != nil:
		var ok bool
		if rest, ok = join(a.rest, b.rest, seen); !ok {
			return nil, false
		}
	}
	t := ObjectOf(attrs, rest)
	if a.refine.equal(b.refine) {
		t.refine = a.refine
	}
	return t, true
}
