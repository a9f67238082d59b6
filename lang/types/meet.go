package types

import "github.com/lda-wf/wfc/lang/value"

// Meet returns the type of the values that are of both types, [NeverType] where
// there are none. any gives the other. An attribute that one object declares
// and the other, being closed, does not, is kept: that is how JSON Schema's
// allOf puts objects together.
func Meet(a, b *Type) *Type { return newMeeting().meet(a, b) }

type meeting struct {
	// done has a name for every pair of named types under way, so that the meet
	// of recursive types is recursive too; used has those that were needed.
	done map[pair]*Type
	used map[*Type]bool
	// lazies define the names that had to wait, by what they wait for; each is
	// asked until it returns true, and with true it has to give an answer.
	lazies  []func(give bool) bool
	waiting map[pair]*Type
	// budget bounds the work, since unions multiply.
	budget int
	// widened reports that the result holds more values than both types share.
	widened bool
}

// meetBudget is the number of pairs looked at: unions of a hundred members each still meet.
const meetBudget = 50_000

func newMeeting() *meeting {
	return &meeting{done: map[pair]*Type{}, used: map[*Type]bool{}, waiting: map[pair]*Type{}, budget: meetBudget}
}

func (m *meeting) meet(a, b *Type) *Type {
	switch {
	case a == b || b.kind == Any:
		return a
	case a.kind == Any:
		return b
	}
	if a.kind == Named || b.kind == Named {
		return m.named(a, b)
	}
	if m.budget--; m.budget < 0 {
		m.widened = true
		return a // a supertype of the meet
	}
	switch {
	case a.kind == Never || b.kind == Never:
		return NeverType
	case a.kind == Union || b.kind == Union:
		var out []*Type
		for _, x := range unopened(a) {
			for _, y := range unopened(b) {
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

// named meets two types of which one is a name.
func (m *meeting) named(a, b *Type) *Type {
	name := a.name
	if a.kind != Named {
		name = b.name
	}
	if isPath(name) {
		name = "meet" // it is no longer what the path names
	}
	if !isReady(a) || !isReady(b) {
		return m.lazy(name, a, b)
	}
	p := pair{a.Underlying(), b.Underlying()}
	if p.a == p.b {
		return a
	}
	if t := m.done[p]; t != nil {
		m.used[t] = true
		return t
	}
	var definition *Type
	t := &Type{kind: Named, name: name, resolve: func() *Type { return definition }, ready: func() bool { return definition != nil }}
	m.done[p] = t
	d := m.meet(p.a, p.b)
	if loops(d, t) {
		m.widened = true
		d = p.a
	}
	definition = d
	if !m.used[t] {
		return d
	}
	return t
}

// lazy returns a name for the meet of types of which one is not made yet.
func (m *meeting) lazy(name string, a, b *Type) *Type {
	key := pair{named(a), named(b)}
	if t := m.waiting[key]; t != nil {
		return t
	}
	if m.budget -= lazyCost; m.budget < 0 {
		m.widened = true
		return a // a supertype of the meet
	}
	var definition *Type
	t := &Type{kind: Named, name: name, lazy: &pair{a, b},
		resolve: func() *Type { return definition },
		ready:   func() bool { return definition != nil }}
	m.waiting[key] = t
	m.lazies = append(m.lazies, func(give bool) bool {
		switch {
		case isReady(a) && isReady(b):
			if d := m.meet(a, b); loops(d, t) {
				m.widened = true
				definition = AnyType
			} else {
				definition = d
			}
		case give:
			m.widened = true
			definition = AnyType
		}
		return definition != nil
	})
	return t
}

// lazyCost is what a name that waits takes of the budget: hundreds of them are
// not what anybody wrote.
const lazyCost = 100

// named returns what tells a type apart from others: what a name stands for,
// where that is known.
func named(t *Type) *Type {
	if isReady(t) {
		return t.Underlying()
	}
	return t
}

// settle defines all names that had to wait. Where some wait for each other,
// with nothing between, one of them is any.
func (m *meeting) settle() {
	for len(m.lazies) > 0 {
		now := m.lazies
		m.lazies = nil
		var still []func(bool) bool
		for _, f := range now {
			if !f(false) {
				still = append(still, f)
			}
		}
		if len(still) == len(now) && len(m.lazies) == 0 {
			still[0](true)
			still = still[1:]
		}
		m.lazies = append(still, m.lazies...)
	}
}

// unopened returns the members of a union, or t alone, names as they are.
func unopened(t *Type) []*Type {
	if t.kind == Union {
		return t.items
	}
	return []*Type{t}
}

// isReady reports whether what t stands for is known.
func isReady(t *Type) bool {
	for t.kind == Named {
		if t.ready != nil && !t.ready() {
			return false
		}
		t = t.resolve()
	}
	return true
}

// loops reports whether t stands for name, or a union with it, with nothing
// between: a definition that defines nothing.
func loops(t, name *Type) bool {
	seen := map[*Type]bool{}
	var walk func(t *Type) bool
	walk = func(t *Type) bool {
		switch {
		case t == name:
			return true
		case t.kind == Union:
			for _, m := range t.items {
				if walk(m) {
					return true
				}
			}
			return false
		case t.kind != Named || seen[t]:
			return false
		}
		seen[t] = true
		if t.lazy != nil {
			return walk(t.lazy.a) || walk(t.lazy.b)
		}
		return (t.ready == nil || t.ready()) && walk(t.resolve())
	}
	return walk(t)
}

func (m *meeting) literal(lit, t *Type) *Type {
	switch {
	case t.kind == Literal && value.Equal(lit.lit, t.lit):
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
	hasA, hasB := a.Attr, b.Attr
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
	// Of an open and a closed object the closed one says more.
	rest := a.rest
	switch {
	case rest == nil && b.rest != nil && b.rest.kind != Any:
		rest = b.rest
	case rest == nil, b.rest == nil && rest.kind == Any:
		rest = nil
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
