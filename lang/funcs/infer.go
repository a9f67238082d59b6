package funcs

import (
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// maxMembers bounds the literals and tuple items that an inferred type keeps
// one by one: beyond it, the type would cost more than it tells.
const maxMembers = 64

// The types of parameters that several functions share.
var (
	anyList    = types.ListOf(types.AnyType)
	stringList = types.ListOf(types.StringType)
	numberList = types.ListOf(types.NumberType)
	boolList   = types.ListOf(types.BoolType)
	listOfList = types.ListOf(anyList)
	anyObject  = types.ObjectOf(nil, types.AnyType)
	anyMap     = types.UnionOf(types.MapOf(types.AnyType), anyObject)
	scalar     = types.UnionOf(types.StringType, types.NumberType, types.BoolType)
	measurable = types.UnionOf(types.StringType, anyList, types.MapOf(types.AnyType), anyObject)
)

// ok is what an Infer function returns when there is no problem.
func ok(t *types.Type) (*types.Type, string, int) { return t, "", -1 }

// members returns the members of a union, else t alone, with names resolved.
func members(t *types.Type) []*types.Type {
	t = t.Underlying()
	if t.Kind() == types.Union {
		return t.Items()
	}
	return []*types.Type{t}
}

// only reports whether every value of t is of base, in the gradual sense: any
// and the type of an erroneous expression pass.
func only(t, base *types.Type) bool { return types.Assignable(base, t) == nil }

// whole reports whether every value of t is known to be an integer. Unlike
// [only] it does not take any's word.
func whole(t *types.Type) bool {
	for _, m := range members(t) {
		switch m = m.Underlying(); m.Kind() {
		case types.Integer, types.Never:
		case types.Literal:
			if m.Lit().Kind() != value.Number || !m.Lit().AsNumber().IsInteger() {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// numeric returns integer if all of ts are known to be integers, else number.
func numeric(ts ...*types.Type) *types.Type {
	for _, t := range ts {
		if !whole(t) {
			return types.NumberType
		}
	}
	return types.IntegerType
}

// join returns the smallest type that all of ts fit: literals are kept, what
// has no common type becomes a union. No types give never.
func join(ts ...*types.Type) *types.Type {
	if len(ts) == 0 {
		return types.NeverType
	}
	if len(ts) > maxMembers {
		widened := make([]*types.Type, len(ts))
		for i, t := range ts {
			widened[i] = types.Widen(t)
		}
		ts = widened
	}
	if allScalar(ts) {
		return types.UnionOf(ts...)
	}
	joined := ts[0]
	for _, t := range ts[1:] {
		next, ok := types.Join(joined, t)
		if !ok {
			return types.UnionOf(ts...)
		}
		joined = next
	}
	return joined
}

func allScalar(ts []*types.Type) bool {
	for _, t := range ts {
		for _, m := range members(t) {
			switch m.Underlying().Kind() {
			case types.Literal, types.Null, types.Bool, types.String, types.Number, types.Integer, types.Never:
			default:
				return false
			}
		}
	}
	return true
}

// elemOf returns the type of a list's elements.
func elemOf(list *types.Type) *types.Type {
	var elems []*types.Type
	for _, m := range members(list) {
		switch m = m.Underlying(); m.Kind() {
		case types.List:
			elems = append(elems, m.Elem())
		case types.Tuple:
			elems = append(elems, m.Items()...)
		case types.Never, types.Null:
		default:
			return types.AnyType
		}
	}
	return join(elems...)
}

// tupleItems returns the types of a list whose length is known, else false.
func tupleItems(list *types.Type) ([]*types.Type, bool) {
	list = list.Underlying()
	if list.Kind() != types.Tuple {
		return nil, false
	}
	return list.Items(), true
}

// valuesOf returns the type of the values of a map or object. An object that
// did not come from a constructor may have attributes that its type does not
// name, which may be anything.
func valuesOf(a Arg) *types.Type {
	var vals []*types.Type
	for _, m := range members(a.Type) {
		switch m = m.Underlying(); m.Kind() {
		case types.Map:
			vals = append(vals, m.Elem())
		case types.Object:
			if m.Rest() == nil && !exact(a, m) {
				return types.AnyType
			}
			if m.Rest() != nil {
				vals = append(vals, m.Rest())
			}
			for _, attr := range m.Attrs() {
				if attr.Unsure {
					return types.AnyType
				}
				vals = append(vals, attr.Type)
			}
		case types.Never, types.Null:
		default:
			return types.AnyType
		}
	}
	return join(vals...)
}

// exact reports whether an object has no attributes but those of its type, which
// is a member of the argument's.
func exact(a Arg, object *types.Type) bool { return object.Exact() || a.Const != nil }

// typeOfAttr returns the type of an attribute, any where it may hold what is not declared.
func typeOfAttr(a *types.Attr) *types.Type {
	if a.Unsure {
		return types.AnyType
	}
	return a.Type
}

// nullable reports whether null is among t's values; any does not count.
func nullable(t *types.Type) bool { return t.Underlying().Nullable() }

// constText returns the argument's text where it is constant.
func constText(a Arg) (string, bool) {
	if a.Const == nil || a.Const.Kind() != value.String {
		return "", false
	}
	return a.Const.AsString(), true
}

// constInt returns the argument's whole number where it is constant and small.
func constInt(a Arg) (int, bool) {
	if a.Const == nil || a.Const.Kind() != value.Number {
		return 0, false
	}
	n, ok := a.Const.AsNumber().Int64()
	if !ok || n < -maxElements || n > maxElements {
		return 0, false
	}
	return int(n), true
}

// typeOf returns the type of a constant: literals, tuples and objects of them.
// A long list is a list, so that the type stays small.
func typeOf(v value.Value) *types.Type {
	switch v.Kind() {
	case value.Null:
		return types.NullType
	case value.Bool, value.Number, value.String:
		return types.LiteralOf(v)
	case value.Blob:
		return types.BlobType
	case value.List:
		items := make([]*types.Type, len(v.AsList()))
		for i, e := range v.AsList() {
			items[i] = typeOf(e)
		}
		if len(items) > maxMembers {
			return types.ListOf(join(items...))
		}
		return types.TupleOf(items...)
	default:
		attrs := make([]types.Attr, 0, v.AsObject().Len())
		for k, e := range v.AsObject().All() {
			attrs = append(attrs, types.Attr{Name: k, Type: typeOf(e)})
		}
		return types.ExactOf(attrs)
	}
}
