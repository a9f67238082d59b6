package funcs

import (
	"unicode/utf8"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

func init() {
	list := Param{"list", anyList}
	register(Lists,
		&Func{
			Name:    "length",
			Params:  []Param{{"value", measurable}},
			Result:  types.IntegerType,
			Call:    callLength,
			Doc:     "Gives the number of elements of a list, of entries of a map or object, or of code points of a text.",
			Example: `[length(["a", "b"]), length({ a = 1 }), length("héllo")]`,
			Gives:   `[2,1,5]`,
		},
		&Func{
			Name:     "concat",
			Variadic: &Param{"lists", anyList},
			Result:   anyList,
			Infer:    inferConcat,
			Call:     callConcat,
			Doc:      "Gives one list with the elements of all lists, in order.",
			Example:  `concat(["a"], [], ["b", "c"])`,
			Gives:    `["a","b","c"]`,
		},
		&Func{
			Name:   "flatten",
			Params: []Param{list},
			Result: anyList,
			Infer: func(args []Arg) (*types.Type, string, int) {
				return ok(types.ListOf(leafOf(elemOf(args[0].Type), 0)))
			},
			Call:    callFlatten,
			Doc:     "Replaces elements that are lists by their elements, at every depth. Where only one level is meant, `flatten1` says so and leaves lists that are data alone.",
			Example: `flatten([["a", ["b"]], "c", []])`,
			Gives:   `["a","b","c"]`,
		},
		&Func{
			Name:   "flatten1",
			Params: []Param{{"lists", listOfList}},
			Result: anyList,
			Infer: func(args []Arg) (*types.Type, string, int) {
				return ok(types.ListOf(elemOf(elemOf(args[0].Type))))
			},
			Call:    func(args []value.Value) (value.Value, error) { return callConcat(args[0].AsList()) },
			Doc:     "Gives one list with the elements of a list's lists: one level, unlike `flatten`.",
			Example: `flatten1([[1, 2], [[3]]])`,
			Gives:   `[1,2,[3]]`,
		},
		&Func{
			Name:   "reverse",
			Params: []Param{list},
			Result: anyList,
			Infer: func(args []Arg) (*types.Type, string, int) {
				items, tuple := tupleItems(args[0].Type)
				if !tuple || len(items) > maxMembers {
					return ok(types.ListOf(elemOf(args[0].Type)))
				}
				reversed := make([]*types.Type, len(items))
				for i, t := range items {
					reversed[len(items)-1-i] = t
				}
				return ok(types.TupleOf(reversed...))
			},
			Call: func(args []value.Value) (value.Value, error) {
				elems := args[0].AsList()
				reversed := make([]value.Value, len(elems))
				for i, e := range elems {
					reversed[len(elems)-1-i] = e
				}
				return value.OfList(reversed), nil
			},
			Doc:     "Gives the elements in reverse order. For text there is `strrev`.",
			Example: `reverse([1, 2, 3])`,
			Gives:   `[3,2,1]`,
		},
		&Func{
			Name:    "slice",
			Params:  []Param{list, {"start", types.IntegerType}, {"end", types.IntegerType}},
			Result:  anyList,
			Infer:   inferSameElements,
			Call:    callSlice,
			Doc:     "Gives the elements from index `start` up to, but not including, `end`; both must be within the list.",
			Example: `slice(["a", "b", "c"], 1, 3)`,
			Gives:   `["b","c"]`,
		},
		&Func{
			Name:    "element",
			Params:  []Param{list, {"index", types.IntegerType}},
			Result:  types.AnyType,
			Infer:   inferElement,
			Call:    callElement,
			Doc:     "Gives the element at an index that begins anew after the last: -1 is the last, and `length(list)` the first. It fails for the empty list.",
			Example: `[element(["a", "b", "c"], -1), element(["a", "b", "c"], 4)]`,
			Gives:   `["c","b"]`,
		},
		&Func{
			Name:    "range",
			Params:  []Param{{"limit", types.NumberType}},
			Result:  numberList,
			Call:    callRange,
			Doc:     "`range(limit)` gives the numbers from 0 to below the limit, `range(start, limit)` from a start, `range(start, limit, step)` in steps; downwards where the limit is below the start.",
			Example: `[range(3), range(1, 4), range(1, 2, 0.5), range(3, 0)]`,
			Gives:   `[[0,1,2],[1,2,3],[1,1.5],[3,2,1]]`,
			Optional: []Param{
				{"end", types.NumberType}, {"step", types.NumberType},
			},
			Infer: func(args []Arg) (*types.Type, string, int) {
				ts := make([]*types.Type, len(args))
				for i, a := range args {
					ts[i] = a.Type
				}
				return ok(types.ListOf(numeric(ts...)))
			},
		},
		&Func{
			Name:   "chunklist",
			Params: []Param{list, {"size", types.IntegerType}},
			Result: listOfList,
			Infer: func(args []Arg) (*types.Type, string, int) {
				return ok(types.ListOf(types.ListOf(elemOf(args[0].Type))))
			},
			Call:    callChunkList,
			Doc:     "Cuts a list into lists of a size, the last of which may be shorter. Size 0 puts all into one.",
			Example: `chunklist(["a", "b", "c"], 2)`,
			Gives:   `[["a","b"],["c"]]`,
		},
		&Func{
			Name:    "compact",
			Params:  []Param{{"list", types.ListOf(types.NullableOf(types.StringType))}},
			Result:  stringList,
			Infer:   inferCompact,
			Call:    callCompact,
			Doc:     "Gives the strings that are neither null nor empty.",
			Example: `compact(["a", "", null, "b"])`,
			Gives:   `["a","b"]`,
		},
		&Func{
			Name:     "coalescelist",
			Params:   []Param{list},
			Variadic: &Param{"lists", anyList},
			Result:   anyList,
			Infer: func(args []Arg) (*types.Type, string, int) {
				ts := make([]*types.Type, len(args))
				for i, a := range args {
					ts[i] = a.Type
				}
				return ok(types.ListOf(elemOf(types.UnionOf(ts...))))
			},
			Call: func(args []value.Value) (value.Value, error) {
				for _, arg := range args {
					if len(arg.AsList()) > 0 {
						return arg, nil
					}
				}
				return value.OfList(nil), nil
			},
			Doc:     "Gives the first list that is not empty, else the empty list.",
			Example: `coalescelist([], ["a"], ["b"])`,
			Gives:   `["a"]`,
		},
		&Func{
			Name:   "one",
			Params: []Param{list},
			Result: types.AnyType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				if items, tuple := tupleItems(args[0].Type); tuple && len(items) == 1 {
					return ok(items[0])
				}
				return ok(types.NullableOf(elemOf(args[0].Type)))
			},
			Call: func(args []value.Value) (value.Value, error) {
				switch elems := args[0].AsList(); len(elems) {
				case 0:
					return value.NullValue, nil
				case 1:
					return elems[0], nil
				default:
					return value.Value{}, failArg(0, "It wants a list of at most one element, but got one of %d.", len(elems))
				}
			},
			Doc:     "Gives the only element of a list, null for the empty list, and fails for more.",
			Example: `[one(["a"]), one([])]`,
			Gives:   `["a",null]`,
		},
		every("alltrue", true, "Says whether all elements are true; those of the empty list are.", `alltrue([true, 1 < 2])`, `true`),
		every("anytrue", false, "Says whether any element is true; none of the empty list is.", `anytrue([false, 1 < 2])`, `true`),
	)
}

// inferSameElements gives a list of the first argument's elements.
func inferSameElements(args []Arg) (*types.Type, string, int) {
	return ok(types.ListOf(elemOf(args[0].Type)))
}

func callLength(args []value.Value) (value.Value, error) {
	n := 0
	switch v := args[0]; v.Kind() {
	case value.String:
		n = utf8.RuneCountInString(v.AsString())
	case value.List:
		n = len(v.AsList())
	default:
		n = v.AsObject().Len()
	}
	return value.OfInt(int64(n)), nil
}

func inferConcat(args []Arg) (*types.Type, string, int) {
	var items, elems []*types.Type
	tuple := true
	for _, a := range args {
		its, isTuple := tupleItems(a.Type)
		tuple = tuple && isTuple && !a.Rest && len(items)+len(its) <= maxMembers
		items = append(items, its...)
		elems = append(elems, elemOf(a.Type))
	}
	if tuple {
		return ok(types.TupleOf(items...))
	}
	return ok(types.ListOf(join(elems...)))
}

func callConcat(args []value.Value) (value.Value, error) {
	n := 0
	for _, arg := range args {
		n += len(arg.AsList())
		if err := roomForElements(n); err != nil {
			return value.Value{}, err
		}
	}
	all := make([]value.Value, 0, n)
	for _, arg := range args {
		all = append(all, arg.AsList()...)
	}
	return value.OfList(all), nil
}

// leafOf returns the type of what remains of t when lists are opened. Recursive
// types end at any.
func leafOf(t *types.Type, depth int) *types.Type {
	if depth > maxMembers {
		return types.AnyType
	}
	var leaves []*types.Type
	for _, m := range members(t) {
		switch u := m.Underlying(); u.Kind() {
		case types.List, types.Tuple:
			leaves = append(leaves, leafOf(elemOf(u), depth+1))
		default:
			leaves = append(leaves, m)
		}
	}
	return join(leaves...)
}

func callFlatten(args []value.Value) (value.Value, error) {
	var flat []value.Value
	// Lists that hold no elements count too: nested doubling makes many of them out of few.
	budget := maxElements
	var add func(list []value.Value) error
	add = func(list []value.Value) error {
		if budget -= len(list); budget < 0 {
			return roomForElements(maxElements + 1)
		}
		for _, e := range list {
			if e.Kind() != value.List {
				flat = append(flat, e)
			} else if err := add(e.AsList()); err != nil {
				return err
			}
		}
		return nil
	}
	if err := add(args[0].AsList()); err != nil {
		return value.Value{}, err
	}
	return value.OfList(flat), nil
}

func callSlice(args []value.Value) (value.Value, error) {
	elems, start, end := args[0].AsList(), clamp(args[1]), clamp(args[2])
	switch {
	case start < 0 || start > len(elems):
		return value.Value{}, failArg(1, "The start %d is not within the list, which has %d elements.", start, len(elems))
	case end < start || end > len(elems):
		return value.Value{}, failArg(2, "The end %d must be from the start %d to the list's length %d.", end, start, len(elems))
	}
	return value.OfList(elems[start:end:end]), nil
}

func inferElement(args []Arg) (*types.Type, string, int) {
	items, tuple := tupleItems(args[0].Type)
	i, constant := constInt(args[1])
	switch {
	case tuple && len(items) == 0:
		return types.NeverType, "The empty list has no element.", 0
	case tuple && constant:
		return ok(items[around(i, len(items))])
	}
	return ok(elemOf(args[0].Type))
}

// around returns the index in a list of n elements that i stands for.
func around(i, n int) int { return (i%n + n) % n }

func callElement(args []value.Value) (value.Value, error) {
	elems := args[0].AsList()
	if len(elems) == 0 {
		return value.Value{}, failArg(0, "The empty list has no element.")
	}
	rest, err := args[1].AsNumber().Mod(value.DecimalOf(int64(len(elems))))
	if err != nil {
		return value.Value{}, outOfRange(err)
	}
	i, _ := rest.Int64()
	return elems[around(int(i), len(elems))], nil
}

func callRange(args []value.Value) (value.Value, error) {
	zero, one := value.DecimalOf(0), value.DecimalOf(1)
	start, limit := zero, args[0].AsNumber()
	if len(args) > 1 {
		start, limit = limit, args[1].AsNumber()
	}
	step := one
	if limit.Cmp(start) < 0 {
		step = one.Neg()
	}
	if len(args) > 2 {
		step = args[2].AsNumber()
		if step.Sign() == 0 || step.Sign() != limit.Cmp(start) && limit.Cmp(start) != 0 {
			return value.Value{}, failArg(2, "Steps of %s never get from %s to %s.", step, start, limit)
		}
	}
	distance, err := limit.Sub(start)
	if err != nil {
		return value.Value{}, outOfRange(err)
	}
	if steps, err := distance.Div(step); err != nil || steps.Cmp(value.DecimalOf(maxElements)) > 0 {
		return value.Value{}, fail("Its result would have more than %d elements.", maxElements)
	}
	var out []value.Value
	for x := start; limit.Cmp(x) == step.Sign(); {
		out = append(out, value.OfNumber(x))
		if x, err = x.Add(step); err != nil {
			return value.Value{}, outOfRange(err)
		}
	}
	return value.OfList(out), nil
}

func callChunkList(args []value.Value) (value.Value, error) {
	elems, size := args[0].AsList(), clamp(args[1])
	if size < 0 {
		return value.Value{}, failArg(1, "The size of a chunk cannot be negative, but is %d.", size)
	}
	if size == 0 {
		size = max(len(elems), 1)
	}
	var chunks []value.Value
	for len(elems) > 0 {
		n := min(size, len(elems))
		chunks = append(chunks, value.OfList(elems[:n:n]))
		elems = elems[n:]
	}
	return value.OfList(chunks), nil
}

func inferCompact(args []Arg) (*types.Type, string, int) {
	elem := types.WithoutNull(elemOf(args[0].Type))
	if elem.Kind() == types.Any {
		return ok(stringList) // the argument was checked to hold nothing else
	}
	return ok(types.ListOf(elem))
}

func callCompact(args []value.Value) (value.Value, error) {
	var kept []value.Value
	for _, e := range args[0].AsList() {
		if !e.IsNull() && e.AsString() != "" {
			kept = append(kept, e)
		}
	}
	return value.OfList(kept), nil
}

// every makes alltrue (all true) or anytrue (all false, negated).
func every(name string, all bool, doc, example, gives string) *Func {
	return &Func{
		Name: name, Params: []Param{{"list", boolList}}, Result: types.BoolType,
		Call: func(args []value.Value) (value.Value, error) {
			for _, e := range args[0].AsList() {
				if e.AsBool() != all {
					return value.OfBool(!all), nil
				}
			}
			return value.OfBool(all), nil
		},
		Doc: doc, Example: example, Gives: gives,
	}
}
