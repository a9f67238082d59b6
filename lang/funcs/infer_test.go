package funcs_test

import (
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

func parseType(t *testing.T, text string) *types.Type {
	t.Helper()
	parsed, problems := types.Parse(text, "type", nil)
	if problems.HasErrors() {
		t.Fatalf("%s: %s", text, problems[0].Detail)
	}
	return parsed
}

// infer infers a call. An argument is a type; a constant after an equals sign
// ("string = \"a\""); with ! before it an object constructor; with ... behind
// it the list of f(list...).
func infer(t *testing.T, name string, texts ...string) (*types.Type, string, int) {
	t.Helper()
	args := make([]funcs.Arg, len(texts))
	for i, text := range texts {
		text, written := strings.CutPrefix(text, "!")
		text, args[i].Rest = strings.CutSuffix(text, "...")
		if base, constant, found := strings.Cut(text, " = "); found && !strings.Contains(base, "(") {
			v, err := value.ParseJSON([]byte(constant))
			if err != nil {
				t.Fatal(err)
			}
			args[i].Const, args[i].Type = &v, types.LiteralOf(v)
			continue
		}
		args[i].Type = parseType(t, text)
		if written {
			args[i].Type = types.ExactOf(args[i].Type.Attrs())
		}
	}
	f := funcs.Lookup(name)
	for i, a := range args {
		if m := types.Assignable(f.Param(i).Type, a.Type); m != nil {
			t.Fatalf("%s: argument %d does not fit: %v", name, i, m)
		}
	}
	if f.Infer == nil {
		return f.Result, "", -1
	}
	return f.Infer(args)
}

func TestInferredTypes(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"length", []string{`tuple([string])`}, `integer`},
		{"concat", []string{`tuple([string])`, `tuple([integer])`}, `tuple([string, integer])`},
		{"concat", []string{`list(string)`, `tuple([])`}, `list(string)`},
		{"concat", []string{`list(integer)`, `list(number)`}, `list(number)`},
		{"concat", []string{`tuple([string])...`}, `list(string)`},
		{"flatten", []string{`list(union(list(string), list(list(string))))`}, `list(string)`},
		{"flatten", []string{`list(any)`}, `list(any)`},
		{"flatten1", []string{`list(list(list(string)))`}, `list(list(string))`},
		{"flatten1", []string{`list(list(object({ file = string })))`}, `list(object({ file = string }))`},
		{"reverse", []string{`tuple([string, integer])`}, `tuple([integer, string])`},
		{"slice", []string{`tuple([string, integer])`, `integer`, `integer`}, `list(union(string, integer))`},
		{"element", []string{`list(object({ a = string }))`, `integer`}, `object({ a = string })`},
		{"element", []string{`tuple([string, integer])`, `integer = -1`}, `integer`},
		{"distinct", []string{`list(enum("a", "b"))`}, `list(enum("a", "b"))`},
		{"sort", []string{`list(string)`}, `list(string)`},
		{"sort_by", []string{`list(object({ n = optional(integer) }))`, `string = "-n"`}, `list(object({ n = optional(integer) }))`},
		{"sort_by", []string{`list(any)`, `string = "n"`}, `list(any)`},
		{"one", []string{`list(string)`}, `nullable(string)`},
		{"compact", []string{`list(nullable(string))`}, `list(string)`},
		{"setproduct", []string{`list(string)`, `list(integer)`}, `list(tuple([string, integer]))`},
		{"setproduct", []string{`list(string)...`}, `list(list(string))`},
		{"chunklist", []string{`list(integer)`, `integer`}, `list(list(integer))`},
		{"range", []string{`integer`}, `list(integer)`},
		{"range", []string{`integer`, `integer`, `number`}, `list(number)`},

		{"sum", []string{`list(integer)`}, `integer`},
		{"sum", []string{`list(number)`}, `number`},
		{"sum", []string{`list(any)`}, `number`},
		{"max", []string{`integer`, `integer = 3`}, `integer`},
		{"max", []string{`integer`, `number`}, `number`},
		{"pow", []string{`integer`, `integer = 2`}, `integer`},
		{"pow", []string{`integer`, `integer`}, `number`},
		{"toint", []string{`string = "12"`}, `enum(12)`},

		{"keys", []string{`map(integer)`}, `list(string)`},
		{"keys", []string{`object({ a = integer })`}, `list(string)`},
		{"keys", []string{`!object({ a = integer, b = integer })`}, `list(enum("a", "b"))`},
		{"values", []string{`map(integer)`}, `list(integer)`},
		{"values", []string{`object({ a = integer })`}, `list(any)`},
		{"values", []string{`!object({ a = integer, b = string })`}, `list(union(integer, string))`},
		{"values", []string{`object({ a = integer }, integer)`}, `list(integer)`},
		{"tomap", []string{`!object({ a = enum("x"), b = enum("y") })`}, `map(string)`},
		{"lookup", []string{`map(integer)`, `string`, `integer`}, `integer`},
		{"lookup", []string{`map(integer)`, `string`, `null`}, `nullable(integer)`},
		{"lookup", []string{`object({ a = integer, b = optional(string) })`, `string = "a"`, `null`}, `integer`},
		{"lookup", []string{`object({ a = integer, b = optional(string) })`, `string = "b"`, `string`}, `string`},
		{"lookup", []string{`object({ a = integer })`, `string = "z"`, `string`}, `any`},
		{"merge", []string{`object({ a = integer, b = string })`, `object({ b = integer, c = optional(bool) })`}, `object({ a = integer, b = integer, c = optional(bool) })`},
		{"merge", []string{`object({ a = integer })`, `object({ a = optional(string) })`}, `object({ a = union(integer, string) })`},
		{"merge", []string{`map(integer)`, `map(string)`}, `map(union(integer, string))`},
		{"merge", []string{`object({ a = integer })`, `any`}, `object({}, any)`},
		{"merge", []string{`object({ a = integer })...`}, `object({}, any)`},
		{"zipmap", []string{`tuple([enum("a"), enum("b")])`, `tuple([string, integer])`}, `object({ a = string, b = integer })`},
		{"zipmap", []string{`list(string)`, `list(integer)`}, `map(integer)`},

		{"pointer", []string{`object({ a = list(object({ b = string })) })`, `string = "/a/0/b"`}, `string`},
		{"pointer", []string{`object({ a = string })`, `string = "/z"`}, `any`},
		{"pointer", []string{`union(object({ a = string }), object({ a = integer }))`, `string = "/a"`}, `union(string, integer)`},
		{"pointer", []string{`any`, `string = "/a"`}, `any`},
		{"pointer", []string{`string`, `string`}, `any`},

		{"jsondecode", []string{`string = "{\"a\": [1, null]}"`}, `object({ a = tuple([enum(1), null]) })`},
		{"jsondecode", []string{`string`}, `any`},
		{"csvdecode", []string{`string`}, `list(map(string))`},
		{"csvlines", []string{`string`}, `list(object({ line = integer, cells = list(string) }))`},

		{"coalesce", []string{`nullable(string)`, `string`}, `string`},
		{"coalesce", []string{`nullable(string)`, `nullable(string)`}, `nullable(string)`},
		{"coalesce", []string{`string...`}, `nullable(string)`},
		{"try", []string{`integer`, `null`}, `nullable(integer)`},
		{"format", []string{`string = "%s-%s"`, `string...`}, `string`},
		{"contains", []string{`tuple([enum("a")])`, `string = "b"`}, `bool`},
	} {
		got, problem, _ := infer(t, c.name, c.args...)
		if problem != "" {
			t.Errorf("%s(%s): %s", c.name, strings.Join(c.args, ", "), problem)
		} else if types.Print(got) != c.want {
			t.Errorf("%s(%s) is %s, want %s", c.name, strings.Join(c.args, ", "), types.Print(got), c.want)
		}
	}
}

func TestMistakesSeenWhenChecking(t *testing.T) {
	for _, c := range []struct {
		name    string
		args    []string
		arg     int
		problem string
	}{
		{"contains", []string{`list(enum("open", "closed"))`, `string = "opne"`}, 1, `No element of the list can be equal`},
		{"contains", []string{`list(string)`, `integer`}, 1, `No element of the list can be equal`},
		{"index", []string{`list(string)`, `null`}, 1, `No element of the list can be equal`},
		{"sort", []string{`list(union(string, number))`}, 0, `strings or numbers only`},
		{"sort_by", []string{`list(object({ name = string }))`, `string = "nmae"`}, 1, `no attribute "nmae"`},
		{"sort_by", []string{`list(object({ l = list(string) }))`, `string = "l"`}, 1, `cannot be sorted by`},
		{"element", []string{`tuple([])`, `integer`}, 0, `The empty list has no element.`},
		{"zipmap", []string{`tuple([string])`, `tuple([])`}, 1, `1 keys and 0 values`},
		{"pointer", []string{`object({ a = nullable(object({ b = string })) })`, `string = "/a/b"`}, 1, `may be null`},
		{"pointer", []string{`object({ a = string })`, `string = "/a/b"`}, 1, `There can be nothing at "/a/b"`},
		{"pointer", []string{`any`, `string = "a"`}, 1, `begins with a slash`},
		{"regex", []string{`string = "["`, `string`}, 0, `no regular expression`},
		{"regexreplace", []string{`string`, `string = "(a)"`, `string = "$2"`}, 2, `which the pattern does not have`},
		{"format", []string{`string = "%d"`, `string`}, 1, `The verb %d of the format writes a whole number, but value 1 is a string.`},
		{"format", []string{`string = "%s"`, `nullable(string)`}, 1, `but value 1 is a string or null.`},
		{"format", []string{`string = "%s"`}, 0, `writes 1 values, but 0 are given`},
		{"format", []string{`string = "%y"`}, 0, `no verb %y`},
		{"jsonencode", []string{`object({ a = list(blob) })`}, 0, `holds a blob`},
		{"jsondecode", []string{`string = "{"`}, 0, `at line 1, column 2,`},
		{"toint", []string{`string = "x"`}, 0, `"x" is no number.`},
		{"timeadd", []string{`string`, `string = "1 day"`}, 1, `is no duration`},
		{"timein", []string{`string`, `string = "Europe/Berln"`}, 1, `is no time zone`},
		{"formatdate", []string{`string = "yyyy"`, `string`}, 0, `"yyyy" is no field of a time`},
		{"parsetime", []string{`string = "YYYY"`, `string`, `string = "Local"`}, 2, `is no time zone`},
		{"section", []string{`string`, `string = "Result"`}, 1, `A heading is written with its level`},
		{"declassify", []string{`string`, `string`}, 1, `The reason must be written`},
	} {
		_, problem, arg := infer(t, c.name, c.args...)
		if !strings.Contains(problem, c.problem) || arg != c.arg {
			t.Errorf("%s(%s): %q at argument %d, want %q at %d", c.name, strings.Join(c.args, ", "), problem, arg, c.problem, c.arg)
		}
		if problem != "" && !strings.HasSuffix(problem, ".") {
			t.Errorf("%s: no sentence: %s", c.name, problem)
		}
	}
}
