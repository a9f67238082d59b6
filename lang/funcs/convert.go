package funcs

import (
	"fmt"
	"strings"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

func init() {
	val := Param{"value", types.AnyType}
	register(Conversions,
		&Func{
			Name:   "tostring",
			Params: []Param{{"value", scalar}},
			Result: types.StringType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				if only(args[0].Type, types.StringType) && args[0].Type.Underlying().Kind() != types.Any {
					return ok(args[0].Type)
				}
				return ok(types.StringType)
			},
			Call: func(args []value.Value) (value.Value, error) {
				if args[0].Kind() == value.String {
					return args[0], nil
				}
				return value.OfString(args[0].JSON()), nil
			},
			Doc:     "Gives a number, in its own digits, or a bool as text; text stays as it is.",
			Example: `[tostring(1.50), tostring(true), tostring("a")]`,
			Gives:   `["1.50","true","a"]`,
		},
		&Func{
			Name:   "tonumber",
			Params: []Param{{"value", types.UnionOf(types.StringType, types.NumberType)}},
			Result: types.NumberType,
			Infer:  inferNumber(types.NumberType, toNumber),
			Call: func(args []value.Value) (value.Value, error) {
				v, err := toNumber(args[0])
				if err != nil {
					return v, &ArgError{0, err.Error()}
				}
				return v, nil
			},
			Doc:     "Reads a decimal number from text, without spaces around it; a number stays as it is. It fails on other text, the empty one too.",
			Example: `[tonumber("1.50"), tonumber("007")]`,
			Gives:   `[1.50,7]`,
		},
		&Func{
			Name:   "toint",
			Params: []Param{{"value", types.UnionOf(types.StringType, types.NumberType)}},
			Result: types.IntegerType,
			Infer:  inferNumber(types.IntegerType, toInt),
			Call: func(args []value.Value) (value.Value, error) {
				v, err := toInt(args[0])
				if err != nil {
					return v, &ArgError{0, err.Error()}
				}
				return v, nil
			},
			Doc:     "Reads a whole number from text, or takes a number that is whole, as an integer. It fails on all others; `floor` and `ceil` round.",
			Example: `[toint("12"), toint(3.0)]`,
			Gives:   `[12,3]`,
		},
		&Func{
			Name:    "tobool",
			Params:  []Param{{"value", types.UnionOf(types.BoolType, types.StringType)}},
			Result:  types.BoolType,
			Call:    callToBool,
			Doc:     "Reads `\"true\"` or `\"false\"`; a bool stays as it is.",
			Example: `[tobool("true"), tobool(false)]`,
			Gives:   `[true,false]`,
		},
		&Func{
			Name:   "tolist",
			Params: []Param{{"list", anyList}},
			Result: anyList,
			Infer: func(args []Arg) (*types.Type, string, int) {
				return ok(types.ListOf(types.Widen(elemOf(args[0].Type))))
			},
			Call:    func(args []value.Value) (value.Value, error) { return args[0], nil },
			Doc:     "Gives the list as it is, typed as a list of what its elements have in common instead of element by element.",
			Example: `tolist(["a", "b"])`,
			Gives:   `["a","b"]`,
		},
		&Func{
			Name:   "tomap",
			Params: []Param{{"map", anyMap}},
			Result: types.MapOf(types.AnyType),
			Infer: func(args []Arg) (*types.Type, string, int) {
				return ok(types.MapOf(types.Widen(valuesOf(args[0]))))
			},
			Call:    func(args []value.Value) (value.Value, error) { return args[0], nil },
			Doc:     "Gives the map or object as it is, typed as a map of what its values have in common, so that it can be indexed by a computed key.",
			Example: `tomap({ dev = 1, prod = 2 })["prod"]`,
			Gives:   `2`,
		},
		&Func{
			Name:     "try",
			Form:     Try,
			Params:   []Param{val},
			Variadic: &Param{"others", types.AnyType},
			Result:   types.AnyType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				ts := make([]*types.Type, len(args))
				for i, a := range args {
					ts[i] = a.Type
				}
				return ok(join(ts...))
			},
			Doc:     "Gives the first argument that can be evaluated; the others are not looked at. Reading an absent attribute fails in it, a null that is there does not. It fails where all do.",
			Example: `[try({ a = 1 }["b"], 0), try(null, 0)]`,
			Gives:   `[0,null]`,
		},
		&Func{
			Name:    "can",
			Form:    Can,
			Params:  []Param{val},
			Result:  types.BoolType,
			Doc:     "Says whether the argument can be evaluated; reading an absent attribute cannot.",
			Example: `[can(regex("^[0-9]+$", "12")), can(tonumber("x"))]`,
			Gives:   `[true,false]`,
		},
		&Func{
			Name:     "coalesce",
			Form:     Coalesce,
			Params:   []Param{val},
			Variadic: &Param{"others", types.AnyType},
			Result:   types.AnyType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				ts := make([]*types.Type, len(args))
				for i, a := range args {
					ts[i] = a.Type
					switch {
					case a.Rest:
						ts[i] = types.NullableOf(a.Type) // of an empty list, null is left
					case i < len(args)-1:
						ts[i] = types.WithoutNull(a.Type)
					}
				}
				return ok(join(ts...))
			},
			Doc:     "Gives the first argument that is not null, else null. Later ones are not evaluated. (Terraform's skips empty text as well.)",
			Example: `[coalesce(null, "", "z"), coalesce(null, null)]`,
			Gives:   `["",null]`,
		},
		&Func{
			Name:     "jsonnull",
			Optional: []Param{val},
			Result:   types.NullType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				switch {
				case len(args) == 0:
					return ok(types.NullType)
				case args[0].Rest:
					return ok(types.NullableOf(args[0].Type))
				}
				return ok(args[0].Type)
			},
			Call: func(args []value.Value) (value.Value, error) {
				if len(args) == 0 {
					return value.NullValue, nil
				}
				return args[0], nil
			},
			Doc:     "Gives its argument, where that is an absent attribute a null that is written: `{ m = jsonnull(x.m) }` always has an `m`. Without an argument it gives null.",
			Example: `{ a = jsonnull(), b = jsonnull(1) }`,
			Gives:   `{"a":null,"b":1}`,
		},
		same("sensitive", "Marks a value as secret: from here on it may reach neither an output, a message nor text.", `sensitive("s3cret")`, `"s3cret"`),
		&Func{
			Name:   "declassify",
			Params: []Param{val, {"reason", types.StringType}},
			Result: types.AnyType,
			Infer: func(args []Arg) (*types.Type, string, int) {
				if reason, constant := constText(args[1]); !constant || strings.TrimSpace(reason) == "" {
					return args[0].Type, "The reason must be written as text that is not empty: reviewers read it.", 1
				}
				return ok(args[0].Type)
			},
			Call:    func(args []value.Value) (value.Value, error) { return args[0], nil },
			Doc:     "Gives a value that is followed as secret, private or untrusted as one that is not any more, for a reason that reviewers read.",
			Example: `declassify("demo", "a public demo key")`,
			Gives:   `"demo"`,
		},
	)
}

// same makes a function that gives its argument.
func same(name, doc, example, gives string) *Func {
	return &Func{
		Name: name, Params: []Param{{"value", types.AnyType}}, Result: types.AnyType,
		Infer: func(args []Arg) (*types.Type, string, int) { return ok(args[0].Type) },
		Call:  func(args []value.Value) (value.Value, error) { return args[0], nil },
		Doc:   doc, Example: example, Gives: gives,
	}
}

// inferNumber checks a constant by reading it.
func inferNumber(result *types.Type, read func(value.Value) (value.Value, error)) func([]Arg) (*types.Type, string, int) {
	return func(args []Arg) (*types.Type, string, int) {
		if c := args[0].Const; c != nil && (c.Kind() == value.String || c.Kind() == value.Number) {
			v, err := read(*c)
			if err != nil {
				return result, err.Error(), 0
			}
			return ok(types.LiteralOf(v))
		}
		return ok(result)
	}
}

// decimalText is what tonumber takes: JSON's numbers, and those that people and
// spreadsheets write: with a plus sign, leading zeros, or one side of the point empty.
var decimalText = atFirstUse(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// toNumber returns a number, or the one that text says. An error is a full sentence.
func toNumber(v value.Value) (value.Value, error) {
	if v.Kind() == value.Number {
		return v, nil
	}
	s := v.AsString()
	// Longer text than any number's is not worth looking through.
	if len(s) > 2*(value.MaxDigits+value.MaxExponent) || !decimalText().MatchString(s) {
		return value.Value{}, fail("%s is no number.", v.Summary(60))
	}
	d, err := value.ParseDecimal(jsonNumber(s))
	if err != nil {
		return value.Value{}, fail("%s is no number that wfc takes: %v.", v.Summary(60), err)
	}
	return value.OfNumber(d), nil
}

// toInt returns a whole number without the text it was read from (3.0 is 3).
func toInt(v value.Value) (value.Value, error) {
	n, err := toNumber(v)
	if err != nil {
		return n, err
	}
	d := n.AsNumber()
	if !d.IsInteger() {
		return value.Value{}, fail("%s is no whole number. Round it with floor() or ceil().", v.Summary(60))
	}
	return value.OfNumber(d.Plain()), nil
}

func callToBool(args []value.Value) (value.Value, error) {
	if args[0].Kind() == value.Bool {
		return args[0], nil
	}
	switch args[0].AsString() {
	case "true":
		return value.OfBool(true), nil
	case "false":
		return value.OfBool(false), nil
	}
	return value.Value{}, failArg(0, "%s is neither \"true\" nor \"false\".", args[0].Summary(60))
}

// Reserved returns why a name that Terraform or wfc knows is no function that
// can be called here, and what to do instead, as a full sentence. known is
// false for all other names.
func Reserved(name string) (why string, known bool) {
	why, known = reserved[name]
	return why, known
}

// reserved has the names that get an answer of their own. None is in the table.
var reserved = func() map[string]string {
	const (
		noClock  = "Expressions have no clock, so that they give the same in every resumption of a run. Use run.started_at."
		noRandom = "Expressions have no randomness, so that they give the same in every resumption of a run. Use run.id, or sha256() of what identifies the thing."
		noFiles  = "Expressions do not read files at run time; read a file by a step of a file server."
		isLength = "Use length()."
		noSets   = "There are no sets. Use distinct() for a list without duplicates."
	)
	m := map[string]string{
		"file":         "file() takes the path of a file of the project as text, and can be used in workflows and in the inputs of a deployment.",
		"env":          "env() can be used in provider, connection and deployment blocks only. Pass the value to the workflow as an input.",
		"nonsensitive": "Use declassify(value, \"reason\").",
		"toset":        noSets,
		"timestamp":    noClock, "plantimestamp": noClock,
		"now": noClock, "today": noClock,
		"len": isLength, "size": isLength, "count": isLength,
		"uuid": noRandom, "uuidv5": noRandom, "bcrypt": noRandom,
		"type":           fmt.Sprintf("A value's type is checked by the step's %q attribute.", "returns"),
		"yamlencode":     "YAML is not written by expressions. Use jsonencode(), whose text is YAML too.",
		"templatestring": "Write the text as a template with ${ } in it.",
	}
	for _, name := range []string{"templatefile", "fileexists", "fileset", "filebase64", "filesha256", "filemd5", "abspath", "pathexpand"} {
		m[name] = noFiles
	}
	return m
}()
