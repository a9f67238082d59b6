package types

import "github.com/lda-wf/wfc/lang/value"

// Example returns the plainest value of a type, with the attributes that it needs, to
// show what values look like. It may miss refinements.
func Example(t *Type) value.Value { return example(t, 0) }

func example(t *Type, depth int) value.Value {
	if t == nil || depth > 6 {
		return value.OfObject(nil)
	}
	switch u := t.Underlying(); u.Kind() {
	case Bool:
		return value.OfBool(false)
	case Number, Integer:
		return value.OfInt(0)
	case String:
		return value.OfString("")
	case Literal:
		return u.Lit()
	case List:
		return value.OfList(nil)
	case Tuple:
		var items []value.Value
		for _, i := range u.Items() {
			items = append(items, example(i, depth+1))
		}
		return value.OfList(items)
	case Union:
		for _, m := range u.Items() {
			if m.Kind() != Null {
				return example(m, depth)
			}
		}
		return value.NullValue
	case Null:
		return value.NullValue
	case Object:
		o := value.NewObject(len(u.Attrs()))
		for _, a := range u.Attrs() {
			if !a.Optional {
				o.Set(a.Name, example(a.Type, depth+1))
			}
		}
		return value.OfObject(o)
	}
	return value.OfObject(nil)
}
