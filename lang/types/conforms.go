package types

import (
	"github.com/lda-wf/wfc/lang/value"
)

// Conforms reports, with nil, that v is a value of t, refinements included.
// Attributes that a closed object type does not declare are ignored. A pattern
// that Go's engine cannot compile, and a format that is not known, pass.
func Conforms(t *Type, v value.Value) *Mismatch {
	u := t
	if t.kind == Named {
		u = t.Underlying()
	}
	switch u.kind {
	case Any:
		return nil
	case Union:
		return conformsUnion(t, v)
	case Null:
		if v.IsNull() {
			return nil
		}
	case Literal:
		if value.Equal(u.lit, v) {
			return nil
		}
		if u.lit.Kind() == v.Kind() {
			m := notMember(t, v)
			m.Value = &v
			return m
		}
	case Bool, String, Number, Integer:
		if isBaseOf(u.kind, v) {
			return refined(t, u, v)
		}
		if u.kind == Integer && v.Kind() == value.Number {
			return &Mismatch{Want: t, Value: &v, Reason: v.AsNumber().String() + " where an integer is wanted"}
		}
	case Blob:
		if v.Kind() == value.Blob {
			return nil
		}
	case List:
		if v.Kind() == value.List {
			for i, e := range v.AsList() {
				if m := Conforms(u.elem, e); m != nil {
					return m.in(indexStep(i))
				}
			}
			return refined(t, u, v)
		}
	case Tuple:
		if v.Kind() == value.List {
			es := v.AsList()
			if len(es) != len(u.items) {
				return &Mismatch{Want: t, Value: &v, Reason: lengthReason(len(es), len(u.items)), Cause: Length}
			}
			for i, e := range es {
				if m := Conforms(u.items[i], e); m != nil {
					return m.in(indexStep(i))
				}
			}
			return refined(t, u, v)
		}
	case Map:
		if v.Kind() == value.Object {
			for k, e := range v.AsObject().All() {
				if m := Conforms(u.elem, e); m != nil {
					return m.in(attrStep(k))
				}
			}
			return refined(t, u, v)
		}
	case Object:
		if v.Kind() == value.Object {
			if m := conformsObject(u, v.AsObject()); m != nil {
				return m
			}
			return refined(t, u, v)
		}
	}
	return wrongValue(t, v)
}

func wrongValue(t *Type, v value.Value) *Mismatch {
	m := &Mismatch{Want: t, Value: &v, Reason: describeKind(v) + " where " + Describe(t) + " is wanted"}
	if v.IsNull() {
		m.Cause = MayBeNull
	}
	return m
}

func refined(t, u *Type, v value.Value) *Mismatch {
	if u.refine == nil {
		return nil
	}
	if s := refinementMismatch(u.refine, v); s != "" {
		return &Mismatch{Want: t, Value: &v, Reason: s, Cause: Refined}
	}
	return nil
}

func conformsObject(t *Type, o *value.ObjectValue) *Mismatch {
	for i := range t.attrs {
		a := &t.attrs[i]
		e, ok := o.Get(a.Name)
		if !ok {
			if !a.Optional {
				return missing(a)
			}
			continue
		}
		if a.Unsure {
			continue
		}
		if m := Conforms(a.Type, e); m != nil {
			return m.in(attrStep(a.Name))
		}
	}
	if t.rest == nil || t.rest.kind == Any {
		return nil
	}
	declared := t.Attr
	for k, e := range o.All() {
		if declared(k) != nil {
			continue
		}
		if m := Conforms(t.rest, e); m != nil {
			return m.in(attrStep(k))
		}
	}
	return nil
}

func conformsUnion(t *Type, v value.Value) *Mismatch {
	ms := members(t)
	var near []tried
	for _, w := range ms {
		if !mayBe(w.Underlying(), v) {
			continue // most members of most unions
		}
		m := Conforms(w, v)
		if m == nil {
			return nil
		}
		near = append(near, triedMember(w, m))
	}
	if m := bestOf(near); m != nil {
		return m
	}
	for _, w := range ms {
		if u := w.Underlying(); u.kind == Literal && u.lit.Kind() == v.Kind() {
			m := notMember(t, v)
			m.Value = &v
			return m
		}
	}
	return wrongValue(t, v)
}

// mayBe reports whether values of the kind of v are among those of t.
func mayBe(t *Type, v value.Value) bool {
	switch t.kind {
	case Any, Union:
		return true
	case Null:
		return v.IsNull()
	case Bool, String, Number, Integer:
		return isBaseOf(t.kind, v)
	case Literal:
		return value.Equal(t.lit, v)
	case Blob:
		return v.Kind() == value.Blob
	case List, Tuple:
		return v.Kind() == value.List
	case Map, Object:
		return v.Kind() == value.Object
	}
	return false
}
