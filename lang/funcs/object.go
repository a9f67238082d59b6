package funcs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

func init() {
	object := Param{"map", anyMap}
	register(Maps,
		&Func{
			Name:   "keys",
			Params: []Param{object},
			Result: stringList,
			Infer:  inferKeys,
			Call: func(args []value.Value) (value.Value, error) {
				return stringsOf(sortedKeys(args[0].AsObject())), nil
			},
			Doc:     "Gives the keys of a map or object, sorted by code points.",
			Example: `keys({ b = 1, a = 2 })`,
			Gives:   `["a","b"]`,
		},
		&Func{
			Name:   "values",
			Params: []Param{object},
			Result: anyList,
			Infer:  func(args []Arg) (*types.Type, string, int) { return ok(types.ListOf(valuesOf(args[0]))) },
			Call: func(args []value.Value) (value.Value, error) {
				o := args[0].AsObject()
				vals := make([]value.Value, 0, o.Len())
				for _, k := range sortedKeys(o) {
					v, _ := o.Get(k)
					vals = append(vals, v)
				}
				return value.OfList(vals), nil
			},
			Doc:     "Gives the values of a map or object, in the order of `keys`.",
			Example: `values({ b = 1, a = 2 })`,
			Gives:   `[2,1]`,
		},
		&Func{
			Name:    "lookup",
			Params:  []Param{object, {"key", types.StringType}, {"default", types.AnyType}},
			Result:  types.AnyType,
			Infer:   inferLookup,
			Call:    callLookup,
			Doc:     "Gives the value of a key, else the default. A null that is there is given, not replaced.",
			Example: `[lookup({ a = 1 }, "a", 0), lookup({ a = 1 }, "b", 0)]`,
			Gives:   `[1,0]`,
		},
		&Func{
			Name:     "merge",
			Variadic: &Param{"maps", anyMap},
			Result:   anyObject,
			Infer:    inferMerge,
			Call: func(args []value.Value) (value.Value, error) {
				out := value.NewObject(0)
				for _, arg := range args {
					for k, v := range arg.AsObject().All() {
						out.Set(k, v)
					}
				}
				return value.OfObject(out), nil
			},
			Doc:     "Gives one map or object with the entries of all; of one key the last value counts. Only the top level is merged.",
			Example: `merge({ a = 1, b = 1 }, { b = 2 })`,
			Gives:   `{"a":1,"b":2}`,
		},
		&Func{
			Name:    "zipmap",
			Params:  []Param{{"keys", stringList}, {"values", anyList}},
			Result:  types.MapOf(types.AnyType),
			Infer:   inferZipmap,
			Call:    callZipmap,
			Doc:     "Makes a map of a list of keys and a list of as many values. Of one key the last value counts.",
			Example: `zipmap(["a", "b"], [1, 2])`,
			Gives:   `{"a":1,"b":2}`,
		},
		&Func{
			Name:    "transpose",
			Params:  []Param{{"map", types.MapOf(stringList)}},
			Result:  types.MapOf(stringList),
			Call:    callTranspose,
			Doc:     "Turns a map of lists around: each string of the lists becomes a key, with the sorted keys that had it.",
			Example: `transpose({ ann = ["dev", "prod"], bob = ["dev"] })`,
			Gives:   `{"dev":["ann","bob"],"prod":["ann"]}`,
		},
		&Func{
			Name:    "matchkeys",
			Params:  []Param{{"values", anyList}, {"keys", anyList}, {"wanted", anyList}},
			Result:  anyList,
			Infer:   inferSameElements,
			Call:    callMatchKeys,
			Doc:     "Gives the values whose key, at the same index of the second list, is among the wanted ones.",
			Example: `matchkeys(["a", "b", "c"], ["x", "y", "x"], ["x"])`,
			Gives:   `["a","c"]`,
		},
		&Func{
			Name:    "pointer",
			Params:  []Param{{"value", types.AnyType}, {"path", types.StringType}},
			Result:  types.AnyType,
			Infer:   inferPointer,
			Call:    callPointer,
			Doc:     "Gives the part of a value that a JSON pointer leads to (RFC 6901: `/` before each key or index, `~1` for a slash in a key, `~0` for `~`). It fails where there is none.",
			Example: `pointer({ a = { "b/c" = [1, 2] } }, "/a/b~1c/1")`,
			Gives:   `2`,
		},
	)
}

func sortedKeys(o *value.ObjectValue) []string {
	keys := slices.Clone(o.Keys())
	slices.Sort(keys)
	return keys
}

// inferKeys lists the keys where they are known: of an object constructor.
func inferKeys(args []Arg) (*types.Type, string, int) {
	t := args[0].Type.Underlying()
	if t.Kind() != types.Object || t.Rest() != nil || !exact(args[0], t) || len(t.Attrs()) > maxMembers {
		return ok(stringList)
	}
	names := make([]value.Value, len(t.Attrs()))
	for i, a := range t.Attrs() {
		names[i] = value.OfString(a.Name)
	}
	return ok(types.ListOf(types.EnumOf(names...)))
}

func inferLookup(args []Arg) (*types.Type, string, int) {
	fallback := args[2].Type
	name, constant := constText(args[1])
	if !constant {
		return ok(join(valuesOf(args[0]), fallback))
	}
	var found []*types.Type
	for _, m := range members(args[0].Type) {
		switch m = m.Underlying(); m.Kind() {
		case types.Map:
			found = append(found, m.Elem(), fallback)
		case types.Object:
			switch a := m.Attr(name); {
			case a != nil && a.Optional:
				found = append(found, typeOfAttr(a), fallback)
			case a != nil:
				found = append(found, typeOfAttr(a))
			case m.Rest() != nil:
				found = append(found, m.Rest(), fallback)
			case exact(args[0], m):
				found = append(found, fallback)
			default:
				return ok(types.AnyType)
			}
		default:
			return ok(types.AnyType)
		}
	}
	return ok(join(found...))
}

func callLookup(args []value.Value) (value.Value, error) {
	if v, found := args[0].AsObject().Get(args[1].AsString()); found {
		return v, nil
	}
	return args[2], nil
}

// inferMerge gives an object type where all arguments are objects, a map type
// where all are maps, and an open object or a map of all values else.
//
// An attribute that a later object does not name keeps the earlier one's type,
// though a value that arrived with more attributes than its type names might
// replace it: else merging defaults into a result would have no types at all.
func inferMerge(args []Arg) (*types.Type, string, int) {
	if len(args) == 0 {
		return ok(types.ExactOf(nil))
	}
	objects, maps := true, true
	for _, a := range args {
		k := a.Type.Underlying().Kind()
		objects = objects && k == types.Object && !a.Rest
		maps = maps && k == types.Map
	}
	if objects {
		merged := args[0].Type.Underlying()
		for _, a := range args[1:] {
			merged = mergeObjects(merged, a.Type.Underlying())
		}
		return ok(merged)
	}
	vals := make([]*types.Type, len(args))
	for i, a := range args {
		vals[i] = valuesOf(a)
	}
	elem := join(vals...)
	if maps || elem.Kind() != types.Any {
		return ok(types.MapOf(elem))
	}
	return ok(anyObject)
}

func mergeObjects(a, b *types.Type) *types.Type {
	var attrs []types.Attr
	for _, x := range a.Attrs() {
		y := b.Attr(x.Name)
		switch {
		case y != nil && !y.Optional:
			x.Type, x.Optional, x.Default = y.Type, false, nil
		case y != nil:
			x.Type, x.Default = join(x.Type, y.Type), nil
		case b.Rest() != nil:
			x.Type, x.Default = join(x.Type, b.Rest()), nil
		case !b.Exact():
			x.Unsure = true
		}
		if y != nil {
			x.Unsure = y.Unsure || y.Optional && x.Unsure
		}
		attrs = append(attrs, x)
	}
	for _, y := range b.Attrs() {
		if a.Attr(y.Name) != nil {
			continue
		}
		if y.Optional && a.Rest() != nil {
			y.Type, y.Default = join(a.Rest(), y.Type), nil
		} else if y.Optional && !a.Exact() {
			y.Unsure = true
		}
		attrs = append(attrs, y)
	}
	if a.Exact() && b.Exact() {
		return types.ExactOf(attrs)
	}
	if a.Rest() == nil && b.Rest() == nil {
		return types.ObjectOf(attrs, nil)
	}
	return types.ObjectOf(attrs, join(others(a), others(b)))
}

// others returns the type of what an object has beside its declared attributes.
func others(t *types.Type) *types.Type {
	switch {
	case t.Rest() != nil:
		return t.Rest()
	case t.Exact():
		return types.NeverType
	}
	return types.AnyType
}

// inferZipmap gives an object type where all keys are constant.
func inferZipmap(args []Arg) (*types.Type, string, int) {
	keys, tuple := tupleItems(args[0].Type)
	vals, tuples := tupleItems(args[1].Type)
	if tuple && tuples && len(keys) != len(vals) {
		return types.MapOf(types.AnyType), fmt.Sprintf("There must be as many values as keys, but there are %d keys and %d values.", len(keys), len(vals)), 1
	}
	if !tuple || !tuples || len(keys) > maxMembers {
		return ok(types.MapOf(elemOf(args[1].Type)))
	}
	at := map[string]int{}
	var attrs []types.Attr
	for i, k := range keys {
		k = k.Underlying()
		if k.Kind() != types.Literal || k.Lit().Kind() != value.String {
			return ok(types.MapOf(elemOf(args[1].Type)))
		}
		name := k.Lit().AsString()
		if j, twice := at[name]; twice {
			attrs[j].Type = vals[i]
			continue
		}
		at[name] = len(attrs)
		attrs = append(attrs, types.Attr{Name: name, Type: vals[i]})
	}
	return ok(types.ExactOf(attrs))
}

func callZipmap(args []value.Value) (value.Value, error) {
	keys, vals := args[0].AsList(), args[1].AsList()
	if len(keys) != len(vals) {
		return value.Value{}, failArg(1, "There must be as many values as keys, but there are %d keys and %d values.", len(keys), len(vals))
	}
	out := value.NewObject(len(keys))
	for i, k := range keys {
		out.Set(k.AsString(), vals[i])
	}
	return value.OfObject(out), nil
}

func callTranspose(args []value.Value) (value.Value, error) {
	o := args[0].AsObject()
	owners := map[string][]string{}
	for _, k := range sortedKeys(o) {
		list, _ := o.Get(k)
		for _, e := range list.AsList() {
			name := e.AsString()
			if had := owners[name]; len(had) == 0 || had[len(had)-1] != k {
				owners[name] = append(had, k)
			}
		}
	}
	names := make([]string, 0, len(owners))
	for name := range owners {
		names = append(names, name)
	}
	slices.Sort(names)
	out := value.NewObject(len(names))
	for _, name := range names {
		out.Set(name, stringsOf(owners[name]))
	}
	return value.OfObject(out), nil
}

func callMatchKeys(args []value.Value) (value.Value, error) {
	vals, keys, wanted := args[0].AsList(), args[1].AsList(), args[2].AsList()
	if len(vals) != len(keys) {
		return value.Value{}, failArg(1, "There must be as many keys as values, but there are %d keys and %d values.", len(keys), len(vals))
	}
	if err := roomForJSON(keys...); err != nil {
		return value.Value{}, err
	}
	if err := roomForJSON(wanted...); err != nil {
		return value.Value{}, err
	}
	among := make(map[string]bool, len(wanted))
	for _, w := range wanted {
		among[key(w)] = true
	}
	var kept []value.Value
	for i, v := range vals {
		if among[key(keys[i])] {
			kept = append(kept, v)
		}
	}
	return value.OfList(kept), nil
}

// splitPointer returns the keys of a JSON pointer. An error is a full sentence.
func splitPointer(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	if path[0] != '/' {
		return nil, fail("A path is empty or begins with a slash, as in \"/a/0\", but this one is %s.", value.OfString(path).Summary(60))
	}
	keys := strings.Split(path[1:], "/")
	for i, k := range keys {
		if !strings.Contains(k, "~") {
			continue
		}
		for j := range len(k) {
			if k[j] == '~' && (j+1 == len(k) || k[j+1] != '0' && k[j+1] != '1') {
				return nil, fail("In a path ~ must be followed by 0 (for ~ itself) or 1 (for a slash), but the path is %s.", value.OfString(path).Summary(60))
			}
		}
		keys[i] = strings.ReplaceAll(strings.ReplaceAll(k, "~1", "/"), "~0", "~")
	}
	return keys, nil
}

// pointerOf returns the path of the first n keys, for messages.
func pointerOf(keys []string, n int) string {
	var b strings.Builder
	for _, k := range keys[:n] {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(k, "~", "~0"), "/", "~1"))
	}
	return value.OfString(b.String()).Summary(80)
}

// listIndex reads an index of a pointer: digits without leading zeros.
func listIndex(k string) (int, bool) {
	if k == "" || len(k) > 9 || k[0] == '0' && k != "0" {
		return 0, false
	}
	n := 0
	for i := range len(k) {
		if k[i] < '0' || k[i] > '9' {
			return 0, false
		}
		n = n*10 + int(k[i]-'0')
	}
	return n, true
}

func callPointer(args []value.Value) (value.Value, error) {
	keys, err := splitPointer(args[1].AsString())
	if err != nil {
		return value.Value{}, &ArgError{1, err.Error()}
	}
	v := args[0]
	for i, k := range keys {
		switch v.Kind() {
		case value.Object:
			next, found := v.AsObject().Get(k)
			if !found {
				return value.Value{}, failArg(1, "There is nothing at %s: the object there has no attribute %q.", pointerOf(keys, i+1), k)
			}
			v = next
		case value.List:
			n, good := listIndex(k)
			if !good {
				return value.Value{}, failArg(1, "There is nothing at %s: a list is entered by an index such as 0, not %q.", pointerOf(keys, i+1), k)
			}
			if n >= len(v.AsList()) {
				return value.Value{}, failArg(1, "There is nothing at %s: the list there has %d elements.", pointerOf(keys, i+1), len(v.AsList()))
			}
			v = v.AsList()[n]
		default:
			return value.Value{}, failArg(1, "There is nothing at %s: what is before it is %s.", pointerOf(keys, i+1), show(v))
		}
	}
	return v, nil
}

// inferPointer walks the type along a constant path. An absent attribute or
// index fails at run time, so nothing becomes nullable here.
func inferPointer(args []Arg) (*types.Type, string, int) {
	path, constant := constText(args[1])
	if !constant {
		return ok(types.AnyType)
	}
	keys, err := splitPointer(path)
	if err != nil {
		return types.AnyType, err.Error(), 1
	}
	t := args[0].Type
	for i, k := range keys {
		if nullable(t) {
			return types.AnyType, fmt.Sprintf("What is before %s may be null. Test it before, or use try(pointer(…), …).", pointerOf(keys, i+1)), 1
		}
		next := enter(t, k)
		if next == nil {
			return types.AnyType, fmt.Sprintf("There can be nothing at %s: what is before it is %s.", pointerOf(keys, i+1), types.Print(t)), 1
		}
		t = next
	}
	return ok(t)
}

// enter returns the type of a key or index of values of t, nil where none has it.
func enter(t *types.Type, k string) *types.Type {
	var found []*types.Type
	for _, m := range members(t) {
		n, isIndex := listIndex(k)
		switch m = m.Underlying(); m.Kind() {
		case types.Any:
			return types.AnyType
		case types.Never:
			return types.NeverType
		case types.Map:
			found = append(found, m.Elem())
		case types.Object:
			switch a := m.Attr(k); {
			case a != nil:
				found = append(found, typeOfAttr(a))
			case m.Rest() != nil:
				found = append(found, m.Rest())
			default:
				return types.AnyType // undeclared, as with x["attr"]
			}
		case types.List:
			if isIndex {
				found = append(found, m.Elem())
			}
		case types.Tuple:
			if isIndex && n < len(m.Items()) {
				found = append(found, m.Items()[n])
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return join(found...)
}
