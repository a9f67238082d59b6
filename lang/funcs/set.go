package funcs

import (
	"fmt"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// Lists stand for sets: every element once, in the order in which it came first.

func init() {
	list := Param{"list", anyList}
	val := Param{"value", types.AnyType}
	register(Lists,
		&Func{
			Name:    "distinct",
			Params:  []Param{list},
			Result:  anyList,
			Infer:   inferSameElements,
			Call:    func(args []value.Value) (value.Value, error) { return setOf(args[0].AsList()) },
			Doc:     "Gives every element once, in order of first appearance. Elements are compared by content, as `==` does.",
			Example: `distinct([1, 1.0, 2, 1])`,
			Gives:   `[1,2]`,
		},
		&Func{
			Name:   "contains",
			Params: []Param{list, val},
			Result: types.BoolType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				problem, arg := neverContains(args)
				return types.BoolType, problem, arg
			},
			Call: func(args []value.Value) (value.Value, error) {
				return value.OfBool(indexOf(args[0].AsList(), args[1]) >= 0), nil
			},
			Doc:     "Says whether an element of the list equals the value.",
			Example: `contains(["a", "b"], "b")`,
			Gives:   `true`,
		},
		&Func{
			Name:   "index",
			Params: []Param{list, val},
			Result: types.IntegerType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				problem, arg := neverContains(args)
				return types.IntegerType, problem, arg
			},
			Call: func(args []value.Value) (value.Value, error) {
				i := indexOf(args[0].AsList(), args[1])
				if i < 0 {
					return value.Value{}, failArg(1, "No element of the list is %s.", args[1].Summary(60))
				}
				return value.OfInt(int64(i)), nil
			},
			Doc:     "Gives the index of the first element that equals the value; it fails where none does.",
			Example: `index(["a", "b"], "b")`,
			Gives:   `1`,
		},
		&Func{
			Name:     "setunion",
			Variadic: &Param{"lists", anyList},
			Result:   anyList,
			Infer: func(args []Arg) (*types.Type, string, int) {
				elems := make([]*types.Type, len(args))
				for i, a := range args {
					elems[i] = elemOf(a.Type)
				}
				return ok(types.ListOf(join(elems...)))
			},
			Call: func(args []value.Value) (value.Value, error) {
				all, err := callConcat(args)
				if err != nil {
					return all, err
				}
				return setOf(all.AsList())
			},
			Doc:     "Gives every element of any of the lists once.",
			Example: `setunion(["a", "b"], ["b", "c"])`,
			Gives:   `["a","b","c"]`,
		},
		&Func{
			Name:     "setintersection",
			Params:   []Param{list},
			Variadic: &Param{"lists", anyList},
			Result:   anyList,
			Infer:    inferSameElements,
			Call: func(args []value.Value) (value.Value, error) {
				kept, err := args[0].AsList(), error(nil)
				for _, arg := range args[1:] {
					if kept, err = selected(kept, arg.AsList(), true); err != nil {
						return value.Value{}, err
					}
				}
				return setOf(kept)
			},
			Doc:     "Gives every element of the first list that is in all others, once.",
			Example: `setintersection(["a", "b", "c"], ["c", "b"], ["b"])`,
			Gives:   `["b"]`,
		},
		&Func{
			Name:   "setsubtract",
			Params: []Param{list, {"without", anyList}},
			Result: anyList,
			Infer:  inferSameElements,
			Call: func(args []value.Value) (value.Value, error) {
				kept, err := selected(args[0].AsList(), args[1].AsList(), false)
				if err != nil {
					return value.Value{}, err
				}
				return setOf(kept)
			},
			Doc:     "Gives every element of the first list that is not in the second, once.",
			Example: `setsubtract(["a", "b", "c"], ["b"])`,
			Gives:   `["a","c"]`,
		},
		&Func{
			Name:     "setproduct",
			Variadic: &Param{"lists", anyList},
			Result:   listOfList,
			Infer: func(args []Arg) (*types.Type, string, int) {
				items := make([]*types.Type, len(args))
				rest := false
				for i, a := range args {
					items[i] = elemOf(a.Type)
					rest = rest || a.Rest
				}
				if rest {
					return ok(types.ListOf(types.ListOf(join(items...))))
				}
				return ok(types.ListOf(types.TupleOf(items...)))
			},
			Call:    callSetProduct,
			Doc:     "Gives every combination of one element of each list; the last list's elements change fastest.",
			Example: `setproduct(["dev", "prod"], [1, 2])`,
			Gives:   `[["dev",1],["dev",2],["prod",1],["prod",2]]`,
		},
	)
}

// neverContains says why no element of the list can equal the value.
func neverContains(args []Arg) (problem string, arg int) {
	elem, val := elemOf(args[0].Type), args[1].Type
	_, written := tupleItems(args[0].Type)
	if written && val.Underlying().Kind() == types.Literal {
		// Both are written in the workflow: a switch that happens to be off, no slip.
		elem, val = types.Widen(elem), types.Widen(val)
	}
	if elem.Underlying().Kind() == types.Never || types.Overlap(elem, val) {
		return "", -1
	}
	return fmt.Sprintf("No element of the list can be equal to this value: an element is %s, and the value is %s.",
		types.Describe(elem), types.Describe(args[1].Type)), 1
}

func indexOf(list []value.Value, v value.Value) int {
	for i, e := range list {
		if value.Equal(e, v) {
			return i
		}
	}
	return -1
}

// key returns what equal values share and others do not.
func key(v value.Value) string { return string(value.AppendCanonicalJSON(nil, v)) }

// setOf returns each element of the list once.
func setOf(list []value.Value) (value.Value, error) {
	if err := roomForJSON(list...); err != nil {
		return value.Value{}, err
	}
	seen := make(map[string]bool, len(list))
	var kept []value.Value
	for _, e := range list {
		if k := key(e); !seen[k] {
			seen[k] = true
			kept = append(kept, e)
		}
	}
	return value.OfList(kept), nil
}

// selected returns the elements of list that are among others, or those that are not.
func selected(list, others []value.Value, among bool) ([]value.Value, error) {
	if err := roomForJSON(list...); err != nil {
		return nil, err
	}
	if err := roomForJSON(others...); err != nil {
		return nil, err
	}
	keys := make(map[string]bool, len(others))
	for _, e := range others {
		keys[key(e)] = true
	}
	var kept []value.Value
	for _, e := range list {
		if keys[key(e)] == among {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

func callSetProduct(args []value.Value) (value.Value, error) {
	n := 1
	for _, arg := range args {
		n *= len(arg.AsList())
		// Every combination is a list of its own, which counts as well.
		if err := roomForElements(n * len(args)); err != nil {
			return value.Value{}, err
		}
	}
	if len(args) == 0 {
		n = 0
	}
	rows := make([]value.Value, n)
	for i := range rows {
		row := make([]value.Value, len(args))
		rest := i
		for j := len(args) - 1; j >= 0; j-- {
			list := args[j].AsList()
			row[j] = list[rest%len(list)]
			rest /= len(list)
		}
		rows[i] = value.OfList(row)
	}
	return value.OfList(rows), nil
}
