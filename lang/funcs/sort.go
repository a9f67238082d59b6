package funcs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

func init() {
	register(Lists,
		&Func{
			Name:    "sort",
			Params:  []Param{{"list", types.ListOf(types.UnionOf(types.StringType, types.NumberType))}},
			Result:  anyList,
			Infer:   inferSort,
			Call:    callSort,
			Doc:     "Sorts strings by their code points, or numbers by their value. Objects are sorted by `sort_by`.",
			Example: `[sort(["b", "a", "B"]), sort([10, 9, 1.5])]`,
			Gives:   `[["B","a","b"],[1.5,9,10]]`,
		},
		&Func{
			Name:     "sort_by",
			Params:   []Param{{"list", types.ListOf(anyMap)}, {"name", types.StringType}},
			Variadic: &Param{"names", types.StringType},
			Result:   anyList,
			Infer:    inferSortBy,
			Call:     callSortBy,
			Doc: "Sorts objects or maps by one or more of their attributes, the first name counting most; a name with `-` before it sorts downwards. The attribute's values are strings, numbers or bools (false before true) of one kind; " +
				"null and absent ones come last. Equals keep their order.",
			Example: `sort_by([{ n = 2, s = "x" }, { n = 1, s = "x" }, { n = 1, s = "y" }], "-s", "n")`,
			Gives:   `[{"n":1,"s":"y"},{"n":1,"s":"x"},{"n":2,"s":"x"}]`,
		},
	)
}

func inferSort(args []Arg) (*types.Type, string, int) {
	elem := elemOf(args[0].Type)
	if !only(elem, types.StringType) && !only(elem, types.NumberType) {
		return types.ListOf(elem), fmt.Sprintf("A list is sorted that holds strings or numbers only, but this one's elements are %s.", types.Print(elem)), 0
	}
	return ok(types.ListOf(elem))
}

func callSort(args []value.Value) (value.Value, error) {
	list := args[0].AsList()
	for _, e := range list {
		if e.Kind() != list[0].Kind() {
			return value.Value{}, failArg(0, "The list has strings and numbers, which have no common order; the first of each are %s and %s.", list[0].Summary(40), e.Summary(40))
		}
	}
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, compareScalars)
	return value.OfList(sorted), nil
}

// compareScalars orders two values of one kind.
func compareScalars(a, b value.Value) int {
	switch a.Kind() {
	case value.Number:
		return a.AsNumber().Cmp(b.AsNumber())
	case value.Bool:
		switch {
		case a.AsBool() == b.AsBool():
			return 0
		case b.AsBool():
			return -1
		}
		return 1
	case value.String:
		return cmp.Compare(a.AsString(), b.AsString()) // bytes of UTF-8 are in the order of code points
	}
	return 0 // nulls
}

// sortKey is one name of sort_by.
type sortKey struct {
	name string
	down bool
}

func sortKeyOf(name string) sortKey {
	rest, down := strings.CutPrefix(name, "-")
	return sortKey{rest, down}
}

// inferSortBy checks that the elements have the named attributes, and that
// these can be ordered.
func inferSortBy(args []Arg) (*types.Type, string, int) {
	elem := elemOf(args[0].Type)
	result := types.ListOf(elem)
	for i, a := range args[1:] {
		name, constant := constText(a)
		if !constant {
			continue
		}
		k := sortKeyOf(name)
		t, known := attributeOf(elem, k.name)
		if !known {
			return result, fmt.Sprintf("The elements have no attribute %q to sort by; they are %s.", k.name, types.Print(elem)), i + 1
		}
		t = types.WithoutNull(t)
		if !only(t, types.StringType) && !only(t, types.NumberType) && !only(t, types.BoolType) {
			return result, fmt.Sprintf("The attribute %q cannot be sorted by: it must be a string, a number or a bool, always the same, but is %s.", k.name, types.Print(t)), i + 1
		}
	}
	return ok(result)
}

// attributeOf returns the type of an attribute of maps and objects, whether or
// not it may be absent; known is false where none of them can have it.
func attributeOf(t *types.Type, name string) (attr *types.Type, known bool) {
	var found []*types.Type
	for _, m := range members(t) {
		switch m = m.Underlying(); m.Kind() {
		case types.Map:
			found = append(found, m.Elem())
		case types.Object:
			if a := m.Attr(name); a != nil {
				found = append(found, a.Type)
			} else if m.Rest() != nil {
				found = append(found, m.Rest())
			}
		case types.Never:
			return types.NeverType, true
		default:
			return types.AnyType, true
		}
	}
	return join(found...), len(found) > 0
}

func callSortBy(args []value.Value) (value.Value, error) {
	list := args[0].AsList()
	keys := make([]sortKey, len(args)-1)
	for i, a := range args[1:] {
		keys[i] = sortKeyOf(a.AsString())
	}
	type row struct {
		v    value.Value
		keys []value.Value
	}
	rows := make([]row, len(list))
	first := make([]value.Value, len(keys)) // of each key, a value that is not null
	for i, e := range list {
		rows[i] = row{e, make([]value.Value, len(keys))}
		for j, k := range keys {
			v, _ := e.AsObject().Get(k.name)
			rows[i].keys[j] = v
			switch v.Kind() {
			case value.Null:
				continue
			case value.String, value.Number, value.Bool:
			default:
				return value.Value{}, failArg(j+1, "Element %d cannot be sorted by %q, which is %s.", i, k.name, show(v))
			}
			if first[j].IsNull() {
				first[j] = v
			}
			if first[j].Kind() != v.Kind() {
				return value.Value{}, failArg(j+1, "The attribute %q is a %s in one element and a %s in another (element %d), which have no common order.", k.name, first[j].Kind(), v.Kind(), i)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		for j, k := range keys {
			x, y := a.keys[j], b.keys[j]
			switch {
			case x.IsNull() != y.IsNull():
				if x.IsNull() {
					return 1
				}
				return -1
			case k.down:
				x, y = y, x
			}
			if c := compareScalars(x, y); c != 0 {
				return c
			}
		}
		return 0
	})
	sorted := make([]value.Value, len(rows))
	for i, r := range rows {
		sorted[i] = r.v
	}
	return value.OfList(sorted), nil
}
