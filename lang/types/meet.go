package types

import "github.com/lda-wf/wfc/lang/value"

// Meet returns the type of the values that are of both types, [NeverType] where
// there are none. any gives the other. An attribute that one object declares
// and the other, being closed, does not, is kept: that is how JSON Schema's
// allOf puts objects together.
func Meet(a, b *Type) *Type {
	t, _ := meet(a, b)
	return t
}

// meet also reports whether the result holds more values than both share,
// because their refinements cannot be put into one.
func meet(a, b *Type) (t *Type, widened bool) {
	m := &meeting{done: map[pair]*Type{}}
	return m.meet(a, b), m.widened
}

type meeting struct {
	// done has a name for every pair of named types under way, so that the
	// meet of recursive types is recursive too.
	done    map[pair]*Type
	widened bool
}

func (m *meeting) meet(a, b *Type) *Type {
	switch {
	case a == b || b.kind == Any:
		return a
	case a.kind == Any:
		return b
	}
	if a.kind == Named || b.kind == Named {
		p := pair{a.Underlying(), b.Underlying()}
		if p.a == p.b {
			return a
		}
		if t := m.done[p]; t != nil {
			return t
		}
		var definition *Type
		name := a.name
		if a.kind != Named || b.kind == Named && isPath(a.name) && !isPath(b.name) {
			name = b.name
		}
		if isPath(name) {
			name = "meet" // it is no longer what the path names
		}
		named := NamedOf(name, func() *Type { return definition })
		m.done[p] = named
		definition = m.meet(p.a, p.b)
		if !mentions(definition, named) {
			delete(m.done, p)
			return definition
		}
		return named
	}
	switch {
	case a.kind == Never || b.kind == Never:
		return NeverType
	case a.kind == Union || b.kind == Union:
		var out []*Type
		for _, x := range members(a) {
			for _, y := range members(b) {
				out = append(out, m.meet(x, y))
			}
		}
		t, widened := unionOf(out)
		m.widened = m.widened || widened
		return t
	case a.kind == Literal:
		return m.literal(a, b)
	case b.kind == Literal:
		return m.literal(b, a)
	}
	t := m.structure(a, b)
	if t.kind != Never {
		if r := m.refinements(a.refine, b.refine); !r.equal(t.refine) {
			t = t.Refined(r)
		}
	}
	return t
}

// mentions reports whether named occurs in t, not looking into other names'
// definitions more than once.
func mentions(t, named *Type) bool {
	seen := map[*Type]bool{}
	var walk func(t *Type) bool
	walk = func(t *Type) bool {
		if t == named {
			return true
		}
		if seen[t] {
			return false
		}
		seen[t] = true
		found := false
		if t.kind == Named {
			if u := t.resolve(); u != nil { // nil: a meet under way further out
				found = walk(u)
			}
			return found
		}
		eachPart(t, func(x *Type) { found = found || walk(x) })
		return found
	}
	return walk(t)
}

func (m *meeting) literal(lit, t *Type) *Type {
	switch {
	case t.kind == Literal && equalValues(lit.lit, t.lit):
		return lit
	case t.kind != Literal && isBaseOf(t.kind, lit.lit) && refinementMismatch(t.refine, lit.lit) == "":
		return lit
	}
	return NeverType
}

func (m *meeting) structure(a, b *Type) *Type {
	switch a.kind {
	case Number, Integer:
		switch {
		case a.kind == b.kind, a.kind == Integer && b.kind == Number:
			return a
		case b.kind == Integer:
			return b
		}
		return NeverType
	case List:
		switch b.kind {
		case List:
			return ListOf(m.meet(a.elem, b.elem))
		case Tuple:
			return m.structure(b, a)
		}
		return NeverType
	case Tuple:
		items := make([]*Type, len(a.items))
		for i, x := range a.items {
			switch {
			case b.kind == List:
				items[i] = m.meet(x, b.elem)
			case b.kind == Tuple && len(a.items) == len(b.items):
				items[i] = m.meet(x, b.items[i])
			default:
				return NeverType
			}
			if items[i].kind == Never {
				return NeverType
			}
		}
		if len(a.items) == 0 && b.kind != List && (b.kind != Tuple || len(b.items) > 0) {
			return NeverType
		}
		return TupleOf(items...)
	case Map:
		switch b.kind {
		case Map:
			return MapOf(m.meet(a.elem, b.elem))
		case Object:
			return m.structure(b, a)
		}
		return NeverType
	case Object:
		switch b.kind {
		case Map:
			return m.objects(a, ObjectOf(nil, b.elem))
		case Object:
			return m.objects(a, b)
		}
		return NeverType
	}
	if a.kind == b.kind {
		return a
	}
	return NeverType
}

func (m *meeting) objects(a, b *Type) *Type {
	hasA, hasB := attrIndex(a), attrIndex(b)
	attrs := make([]Attr, 0, len(a.attrs)+len(b.attrs))
	for i := range a.attrs {
		x := a.attrs[i]
		if y := hasB(x.Name); y != nil {
			x.Type = m.meet(x.Type, y.Type)
			x.Optional = x.Optional && y.Optional
			if !x.Optional {
				x.Default = nil
			} else if x.Default == nil {
				x.Default = y.Default
			}
			if x.Description == "" {
				x.Description = y.Description
			}
		} else if b.rest != nil {
			x.Type = m.meet(x.Type, b.rest)
		}
		attrs = append(attrs, x)
	}
	for i := range b.attrs {
		y := b.attrs[i]
		if hasA(y.Name) != nil {
			continue
		}
		if a.rest != nil {
			y.Type = m.meet(y.Type, a.rest)
		}
		attrs = append(attrs, y)
	}
	for i := range attrs {
		if !attrs[i].Optional && attrs[i].Type.kind == Never {
			return NeverType
		}
	}
	rest := a.rest
	switch {
	case rest == nil:
		rest = b.rest
	case b.rest != nil:
		rest = m.meet(a.rest, b.rest)
	}
	return ObjectOf(attrs, rest)
}

func (m *meeting) refinements(a, b *Refinement) *Refinement {
	switch {
	case a.isZero() || a.equal(b):
		return b
	case b.isZero():
		return a
	}
	r := *a
	text := func(x *string, y string) {
		switch {
		case *x == "":
			*x = y
		case y != "" && y != *x:
			m.widened = true // both hold of the values; one can be kept
		}
	}
	text(&r.Pattern, b.Pattern)
	text(&r.Format, b.Format)
	r.UniqueItems = a.UniqueItems || b.UniqueItems
	greater(&r.MinLength, b.MinLength)
	less(&r.MaxLength, b.MaxLength)
	greater(&r.MinItems, b.MinItems)
	less(&r.MaxItems, b.MaxItems)
	greater(&r.MinProperties, b.MinProperties)
	less(&r.MaxProperties, b.MaxProperties)
	higher(&r.Minimum, b.Minimum, 1)
	higher(&r.ExclusiveMinimum, b.ExclusiveMinimum, 1)
	higher(&r.Maximum, b.Maximum, -1)
	higher(&r.ExclusiveMaximum, b.ExclusiveMaximum, -1)
	switch {
	case r.MultipleOf == nil:
		r.MultipleOf = b.MultipleOf
	case b.MultipleOf != nil && r.MultipleOf.Cmp(*b.MultipleOf) != 0:
		m.widened = true
	}
	return &r
}

func greater(x **int, y *int) {
	if y != nil && (*x == nil || *y > **x) {
		*x = y
	}
}

func less(x **int, y *int) {
	if y != nil && (*x == nil || *y < **x) {
		*x = y
	}
}

// higher keeps the bound that is further in the direction of sign.
func higher(x **value.Decimal, y *value.Decimal, sign int) {
	if y != nil && (*x == nil || y.Cmp(**x) == sign) {
		*x = y
	}
}
