package types

import (
	"fmt"
	"strings"
)

// Join returns the smallest type that the values of both branches of a
// conditional fit (LANGUAGE 2, "Conditionals"): null makes it nullable, an
// empty list or object fits every list and map, an attribute that only one
// object has becomes optional, literals of one base type make an enum and fit
// their base type, integer fits number. It is false where only a union, or
// any, would do. Where a branch is any already, so is the result.
func Join(a, b *Type) (*Type, bool) { return JoinAll(a, b) }

// JoinAll is [Join] for any number of branches; none make [NeverType].
func JoinAll(ts ...*Type) (*Type, bool) {
	j := joiner{}
	return j.join(ts)
}

// joiner has the joins of named types that are under way: one that needs
// itself would have to be made up, as a union would.
type joiner map[string]bool

func (j joiner) join(all []*Type) (*Type, bool) {
	ts := make([]*Type, 0, len(all))
	null := false
	for _, t := range all {
		switch u := t.Underlying(); {
		case t.isError, u.kind == Never:
			continue // it says nothing
		case u.kind == Any:
			return AnyType, true
		case u.Nullable():
			null = true
			if t = WithoutNull(t); t.kind == Never {
				continue
			}
		}
		ts = append(ts, t)
	}
	t, ok := j.present(ts, all)
	if ok && null {
		t = UnionOf(t, NullType)
	}
	return t, ok
}

// present joins types that are neither any nor null.
func (j joiner) present(ts, all []*Type) (*Type, bool) {
	if len(ts) == 0 {
		for _, t := range all {
			if t.isError {
				return ErrorType, true
			}
		}
		return NeverType, true
	}
	same := true
	for _, t := range ts[1:] {
		same = same && Equal(t, ts[0])
	}
	if same {
		t := ts[0]
		for _, u := range ts[1:] {
			if t.kind != Named {
				t, _ = loosen(t, u)
			}
		}
		return t, true
	}
	named := false
	open := make([]*Type, len(ts))
	var key strings.Builder
	for i, t := range ts {
		named = named || t.kind == Named
		open[i] = t.Underlying()
		fmt.Fprintf(&key, "%p ", open[i])
	}
	if named {
		if j[key.String()] {
			return nil, false
		}
		j[key.String()] = true
		defer delete(j, key.String())
	}
	count := map[Kind]int{}
	for _, t := range open {
		count[t.kind]++
	}
	switch n := len(open); {
	case count[List]+count[Tuple] == n:
		if count[Tuple] == n {
			if t, ok := j.tuples(open); ok {
				return t, true
			}
		}
		return j.lists(open)
	case count[Object] == n:
		return j.objects(open)
	case count[Object]+count[Map] == n:
		return j.maps(open)
	}
	return joinMembers(open)
}

// joinMembers joins what are not all lists or all objects: literals of one base
// type make an enum, numbers a number, and a union that is there already is the
// smallest type of its own members.
func joinMembers(ts []*Type) (*Type, bool) {
	u := UnionOf(ts...)
	if u.kind != Union {
		return u, true
	}
	literals, numeric, base := true, true, Any
	for i, m := range members(u) {
		m = m.Underlying()
		w := Widen(m).kind
		if w == Integer {
			w = Number
		}
		literals = literals && m.kind == Literal && (i == 0 || w == base)
		numeric = numeric && w == Number
		base = w
	}
	switch {
	case literals:
		return u, true
	case numeric:
		return NumberType, true // such as 1.5 beside integer
	}
next:
	for _, t := range ts {
		if t.kind != Union {
			continue
		}
		for _, x := range ts {
			if Assignable(t, x) != nil {
				continue next
			}
		}
		return t, true
	}
	return nil, false
}

// tuples joins tuples of one length to a tuple.
func (j joiner) tuples(ts []*Type) (*Type, bool) {
	items := make([]*Type, len(ts[0].items))
	for _, t := range ts {
		if len(t.items) != len(items) {
			return nil, false
		}
	}
	for i := range items {
		column := make([]*Type, len(ts))
		for k, t := range ts {
			column[k] = t.items[i]
		}
		var ok bool
		if items[i], ok = j.join(column); !ok {
			return nil, false
		}
	}
	return TupleOf(items...), true
}

// lists joins lists and tuples to a list.
func (j joiner) lists(ts []*Type) (*Type, bool) {
	var parts []*Type
	for _, t := range ts {
		if t.kind == List {
			parts = append(parts, t.elem)
		} else {
			parts = append(parts, t.items...)
		}
	}
	elem, ok := j.join(parts)
	if !ok {
		return nil, false
	}
	return ListOf(elem), true
}

// maps joins maps and objects to a map.
func (j joiner) maps(ts []*Type) (*Type, bool) {
	var parts []*Type
	for _, t := range ts {
		if t.kind == Map {
			parts = append(parts, t.elem)
			continue
		}
		for i := range t.attrs {
			parts = append(parts, t.attrs[i].Type)
		}
		switch {
		case t.rest != nil:
			parts = append(parts, t.rest)
		case !t.exact:
			parts = append(parts, AnyType) // what it does not declare
		}
	}
	elem, ok := j.join(parts)
	if !ok {
		return nil, false
	}
	return MapOf(elem), true
}

func (j joiner) objects(ts []*Type) (*Type, bool) {
	has := make([]func(string) *Attr, len(ts))
	var rests []*Type
	exact := true
	for i, t := range ts {
		has[i] = t.Attr
		exact = exact && t.exact
		if t.rest != nil {
			rests = append(rests, t.rest)
		}
	}
	var attrs []Attr
	done := map[string]bool{}
	for _, t := range ts {
		for i := range t.attrs {
			first := &t.attrs[i]
			if done[first.Name] {
				continue
			}
			done[first.Name] = true
			n := Attr{Name: first.Name, Optional: first.Optional, Default: first.Default, Description: first.Description, Unsure: first.Unsure}
			parts := make([]*Type, 0, len(ts))
			for k, u := range ts {
				a := has[k](first.Name)
				switch {
				case a != nil:
					parts = append(parts, a.Type)
					n.Optional = n.Optional || a.Optional
					n.Unsure = n.Unsure || a.Unsure
					if !a.Optional || !sameDefault(a.Default, n.Default) {
						n.Default = nil
					}
				default:
					// An open object may have it as well.
					n.Optional, n.Default = true, nil
					if u.rest != nil {
						parts = append(parts, u.rest)
					} else if !u.exact {
						n.Unsure = true
					}
				}
			}
			var ok bool
			if n.Type, ok = j.join(parts); !ok {
				return nil, false
			}
			attrs = append(attrs, n)
		}
	}
	var rest *Type
	if len(rests) > 0 {
		for _, t := range ts {
			if t.rest == nil && !t.exact {
				rests = append(rests, AnyType) // what it does not declare
			}
		}
		var ok bool
		if rest, ok = j.join(rests); !ok {
			return nil, false
		}
	}
	if exact {
		return ExactOf(attrs), true
	}
	return ObjectOf(attrs, rest), true
}
