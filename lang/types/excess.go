package types

import (
	"fmt"

	"github.com/lda-wf/wfc/lang/value"
)

// Excess reports an attribute of v that the type t does not declare, in what
// [Conforms] to it: where a value is what an author or a person writes, it is a mistake.
// It returns nil where there is none. The path is that of the object which has it.
func Excess(t *Type, v value.Value) *Mismatch {
	u := t.Underlying()
	switch u.kind {
	case Union:
		var first *Mismatch
		for _, m := range members(t) {
			if Conforms(m, v) != nil {
				continue
			}
			found := Excess(m, v)
			if found == nil {
				return nil
			}
			if first == nil {
				first = found
			}
		}
		return first
	case List, Tuple:
		if v.Kind() != value.List {
			return nil
		}
		for i, e := range v.AsList() {
			elem := u.elem
			if u.kind == Tuple {
				if i >= len(u.items) {
					return nil
				}
				elem = u.items[i]
			}
			if m := Excess(elem, e); m != nil {
				return m.in(indexStep(i))
			}
		}
	case Map, Object:
		if v.Kind() != value.Object {
			return nil
		}
		for k, e := range v.AsObject().All() {
			of := u.elem
			if u.kind == Object {
				of = u.rest
				if a := u.Attr(k); a != nil {
					of = a.Type
				}
			}
			if of == nil {
				return &Mismatch{Want: t, Value: &v, Cause: Undeclared, Reason: fmt.Sprintf("it has an attribute %q, and none of that name is asked for", k)}
			}
			if m := Excess(of, e); m != nil {
				return m.in(attrStep(k))
			}
		}
	}
	return nil
}
