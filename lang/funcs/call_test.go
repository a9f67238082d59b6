package funcs

import (
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// call is one call with its arguments and result as JSON; fails holds a part of
// the error where it has none.
type call struct {
	name, args, gives, fails string
}

// run makes the calls. Results are compared byte for byte as JSON, so that
// digits, order and escapes count.
func run(t *testing.T, calls []call) {
	t.Helper()
	for _, c := range calls {
		args, err := value.ParseJSON([]byte(c.args))
		if err != nil {
			t.Errorf("%s%s: %v", c.name, c.args, err)
			continue
		}
		f := Lookup(c.name)
		if f == nil {
			t.Errorf("%s is missing", c.name)
			continue
		}
		got, err := f.Apply(args.AsList())
		switch {
		case c.fails != "" && err == nil:
			t.Errorf("%s%s gave %s, want it to fail with %q", c.name, c.args, got.JSON(), c.fails)
		case c.fails != "" && !strings.Contains(err.Error(), c.fails):
			t.Errorf("%s%s failed with\n  %v\nwant\n  %s", c.name, c.args, err, c.fails)
		case c.fails == "" && err != nil:
			t.Errorf("%s%s failed: %v", c.name, c.args, err)
		case c.fails == "" && got.JSON() != c.gives:
			t.Errorf("%s%s gave\n  %s\nwant\n  %s", c.name, c.args, got.JSON(), c.gives)
		}
		if err != nil && !strings.HasSuffix(err.Error(), ".") {
			t.Errorf("%s%s: the error is no sentence: %v", c.name, c.args, err)
		}
		if err == nil {
			checkInferred(t, f, args.AsList(), got)
		}
	}
}

// checkInferred demands that the type inferred from the arguments, once known
// by type only and once as constants, holds the result.
func checkInferred(t *testing.T, f *Func, args []value.Value, got value.Value) {
	t.Helper()
	for _, constant := range []bool{false, true} {
		for _, loose := range []bool{false, true} {
			infer := make([]Arg, len(args))
			for i := range args {
				infer[i].Type = typeOf(args[i])
				if loose {
					infer[i].Type = widened(args[i])
				}
				if constant {
					infer[i].Const = &args[i]
				}
			}
			result, problem := f.Result, ""
			if f.Infer != nil {
				result, problem, _ = f.Infer(infer)
			}
			if problem != "" && (constant || f.Name != "declassify") { // whose reason must be constant
				t.Errorf("%s of %v works, but is refused when checking: %s", f.Name, args, problem)
			}
			if m := types.Conforms(result, got); m != nil {
				t.Errorf("%s of %v gives %s, which is not of the inferred type %s: %v", f.Name, args, got, types.Print(result), m)
			}
		}
	}
}

// widened returns a type of v as an input has it: lists, not tuples, and no literals.
func widened(v value.Value) *types.Type {
	switch v.Kind() {
	case value.List:
		elems := make([]*types.Type, len(v.AsList()))
		for i, e := range v.AsList() {
			elems[i] = widened(e)
		}
		return types.ListOf(join(elems...))
	case value.Object:
		var attrs []types.Attr
		for k, e := range v.AsObject().All() {
			attrs = append(attrs, types.Attr{Name: k, Type: widened(e), Optional: true})
		}
		return types.ObjectOf(attrs, nil)
	}
	return types.Widen(typeOf(v))
}

func TestArgumentsAreCheckedBeforeTheCall(t *testing.T) {
	run(t, []call{
		{name: "upper", args: `[1]`, fails: `Its argument "text" must be a string, but is the number 1. Convert it with tostring().`},
		{name: "upper", args: `[null]`, fails: `must be a string, but is null.`},
		{name: "upper", args: `[]`, fails: `It wants 1 argument, but got 0.`},
		{name: "upper", args: `["a", "b"]`, fails: `It wants 1 argument, but got 2.`},
		{name: "range", args: `[]`, fails: `It wants 1 to 3 arguments, but got 0.`},
		{name: "max", args: `[]`, fails: `It wants at least 1 argument, but got 0.`},
		{name: "join", args: `[",", ["a", 1]]`, fails: `Element 1 of its argument "list" must be a string, but is the number 1. Convert it with tostring().`},
		{name: "substr", args: `["a", 0.5, 1]`, fails: `must be a whole number, but is the number 0.5. Round it`},
		{name: "sum", args: `[["1"]]`, fails: `must be a number, but is the string "1". Convert it with tonumber().`},
		{name: "length", args: `[true]`, fails: `must be a string or a list or a map or object, but is true.`},
	})
}
