package types

import (
	"testing"

	"github.com/lda-wf/wfc/lang/value"
)

func str(s string) value.Value { return value.OfString(s) }
func num(s string) value.Value {
	d, err := value.ParseDecimal(s)
	if err != nil {
		panic(err)
	}
	return value.OfNumber(d)
}
func lit(v value.Value) *Type       { return LiteralOf(v) }
func req(name string, t *Type) Attr { return Attr{Name: name, Type: t} }
func opt(name string, t *Type) Attr { return Attr{Name: name, Type: t, Optional: true} }
func obj(attrs ...Attr) *Type       { return ObjectOf(attrs, nil) }
func open(attrs ...Attr) *Type      { return ObjectOf(attrs, AnyType) }

var (
	yes = lit(value.OfBool(true))
	no  = lit(value.OfBool(false))
	one = lit(value.OfInt(1))
	two = lit(value.OfInt(2))
	a   = lit(str("a"))
	b   = lit(str("b"))
)

func TestPrint(t *testing.T) {
	def := value.OfInt(20)
	node := NamedOf("#/$defs/node", func() *Type { return nodeDef })
	nodeDef = obj(req("value", StringType), opt("next", node), req("kids", ListOf(node)))
	for _, c := range []struct {
		t    *Type
		want string
	}{
		{AnyType, "any"},
		{ListOf(MapOf(IntegerType)), "list(map(integer))"},
		{TupleOf(a, NumberType), `tuple([enum("a"), number])`},
		{TupleOf(), `tuple([])`},
		{obj(), `object({})`},
		{open(), `object({}, any)`},
		{ObjectOf([]Attr{req("a", StringType), opt("b", BoolType), {Name: "c d", Type: IntegerType, Optional: true, Default: &def}}, StringType), `object({ a = string, b = optional(bool), "c d" = optional(integer, 20) }, string)`},
		{obj(req("for", NullType)), `object({ "for" = null })`},
		{EnumOf(str("a"), str("b"), num("3")), `enum("a", "b", 3)`},
		{EnumOf(str("a"), value.NullValue), `nullable(enum("a"))`},
		{NullableOf(UnionOf(StringType, one, two, BlobType)), `nullable(union(string, blob, enum(1, 2)))`},
		{lit(str("${x} %{y} \"q\"\n\x01")), `enum("$${x} %%{y} \"q\"\n\u0001")`},
		{lit(num("1.50")), `enum(1.50)`},
		{NamedOf("interface.issue_tracker.issue", nil), `interface.issue_tracker.issue`},
		{NamedOf("#/$defs/plain", func() *Type { return obj(req("a", StringType)) }), `object({ a = string })`},
		{ListOf(node), `defs({ node = object({ value = string, next = optional(node), kids = list(node) }) }, list(node))`},
	} {
		if got := Print(c.t); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

var nodeDef *Type

func TestUnions(t *testing.T) {
	for _, c := range []struct {
		rule string
		got  *Type
		want string
	}{
		{"no members", UnionOf(), "never"},
		{"one member collapses", UnionOf(StringType, NeverType), "string"},
		{"flattened, duplicates dropped", UnionOf(UnionOf(StringType, BlobType), StringType, NullType), "nullable(union(string, blob))"},
		{"literals beside their base type are dropped", UnionOf(a, StringType, one), `union(string, enum(1))`},
		{"1 and 1.0 are the same literal", UnionOf(one, lit(num("1.0"))), `enum(1)`},
		{"integer beside number is dropped", UnionOf(IntegerType, NumberType, BlobType), `union(number, blob)`},
		{"a fraction is no integer", UnionOf(IntegerType, lit(num("1.5"))), `union(integer, enum(1.5))`},
		{"true and false are bool", UnionOf(yes, a, no), `union(bool, enum("a"))`},
		{"any absorbs", UnionOf(StringType, AnyType), "any"},
		{"nullable any is any", NullableOf(AnyType), "any"},
		{"nullable twice is once", NullableOf(NullableOf(StringType)), "nullable(string)"},
		{"without null", WithoutNull(NullableOf(EnumOf(str("a"), str("b")))), `enum("a", "b")`},
		{"null without null", WithoutNull(NullType), "never"},
		{"widened", Widen(EnumOf(str("a"), value.NullValue, num("1"), num("2.5"))), "nullable(union(string, number))"},
		{"widening is not deep", Widen(ListOf(a)), `list(enum("a"))`},
	} {
		if got := Print(c.got); got != c.want {
			t.Errorf("%s: got %s, want %s", c.rule, got, c.want)
		}
	}
}

func TestAssignable(t *testing.T) {
	minimum := value.DecimalOf(5)
	atLeast5 := IntegerType.Refined(&Refinement{Minimum: &minimum})
	text := obj(req("type", a), req("text", StringType))
	image := obj(req("type", b), req("data", StringType))
	for _, c := range []struct {
		rule      string
		want, got *Type
		mismatch  string // "" where it fits
	}{
		{"any passes either way", StringType, AnyType, ""},
		{"also nested", ListOf(StringType), ListOf(AnyType), ""},
		{"integer is a number", NumberType, IntegerType, ""},
		{"a number is no integer", IntegerType, NumberType, "a number where an integer is wanted"},
		{"the path is precise", obj(req("items", ListOf(obj(req("title", StringType))))), obj(req("items", TupleOf(obj(req("title", one))))), "items[0].title: a number where a string is wanted"},
		{"every element of a list", ListOf(StringType), ListOf(NumberType), "[*]: a number where a string is wanted"},
		{"literal in enum", EnumOf(str("a"), str("b")), a, ""},
		{"literal not in enum", EnumOf(str("open"), str("closed")), lit(str("opne")), `"opne" where one of "open", "closed" is wanted (did you mean "open"?)`},
		{"another kind than the enum's", EnumOf(str("open"), str("closed")), one, `a number where one of "open", "closed" is wanted`},
		{"enum into a smaller enum", EnumOf(str("a")), EnumOf(str("a"), str("b")), `may be "b" where "a" is wanted`},
		{"nullable", StringType, NullableOf(StringType), "may be null where a string is wanted"},
		{"null itself", StringType, NullType, "null where a string is wanted"},
		{"null where it is allowed", NullableOf(StringType), NullType, ""},
		{"missing", obj(req("a", StringType)), obj(), "a: missing where a string is wanted"},
		{"optional into required", obj(req("a", StringType)), obj(opt("a", StringType)), "a: may be absent where a string is wanted"},
		{"required into optional", obj(opt("a", StringType)), obj(req("a", StringType)), ""},
		{"an undeclared attribute", obj(opt("query", StringType)), obj(req("querry", StringType)), `querry: not a declared attribute (did you mean "query"?)`},
		{"no attributes at all", obj(), obj(req("x", StringType)), `x: not a declared attribute, there are none`},
		{"open objects take others", open(req("a", StringType)), obj(req("a", StringType), req("b", one)), ""},
		{"others have a type", ObjectOf(nil, StringType), obj(req("b", one)), "b: a number where a string is wanted"},
		{"what an open object has is found out later", obj(req("a", StringType)), open(), ""},
		{"a list from a tuple", ListOf(StringType), TupleOf(a, b), ""},
		{"a list from an empty tuple", ListOf(StringType), TupleOf(), ""},
		{"a tuple of another length", TupleOf(StringType), TupleOf(a, b), "2 elements where 1 is wanted"},
		{"a tuple from a list", TupleOf(StringType), ListOf(StringType), "a list of unknown length where a list of 1 is wanted"},
		{"a map from an object", MapOf(StringType), obj(req("a", StringType), opt("b", b)), ""},
		{"a map from an object that does not fit", MapOf(StringType), obj(req("x y", one)), `["x y"]: a number where a string is wanted`},
		{"an object from a map", obj(req("a", StringType)), MapOf(StringType), "a: may be absent where a string is wanted"},
		{"optional attributes from a map", obj(opt("a", StringType)), MapOf(StringType), ""},
		{"one of a union", UnionOf(StringType, NumberType), IntegerType, ""},
		{"none of a union", UnionOf(StringType, NumberType), BoolType, "a bool where a string or a number is wanted"},
		{"a union that may be too much", StringType, UnionOf(StringType, NumberType), "may be a number where a string is wanted"},
		{"the member that comes nearest is reported", UnionOf(StringType, obj(req("a", StringType))), obj(req("a", one)), "a: a number where a string is wanted"},
		{"the member whose literals fit is reported", UnionOf(text, image), obj(req("type", b), req("data", one)), "data: a number where a string is wanted"},
		{"variants are told apart", UnionOf(obj(req("type", a)), obj(req("type", b))), obj(req("type", EnumOf(str("a"), str("b")))), ""},
		{"a refinement of a literal", atLeast5, lit(num("3")), "3 where at least 5 is wanted"},
		{"a refinement of what is not known", atLeast5, IntegerType, ""},
		{"the length of a tuple", ListOf(StringType).Refined(&Refinement{MinItems: new(int)}), TupleOf(), ""},
		{"bool is both its literals", UnionOf(yes, no), BoolType, ""},
		{"an impossible value", StringType, NeverType, ""},
	} {
		m := Assignable(c.want, c.got)
		got := ""
		if m != nil {
			got = m.Error()
		}
		if got != c.mismatch {
			t.Errorf("%s: %s from %s:\ngot  %q\nwant %q", c.rule, Print(c.want), Print(c.got), got, c.mismatch)
		}
	}
}

func TestJoin(t *testing.T) {
	for _, c := range []struct {
		rule string
		a, b *Type
		want string // "" where there is none
	}{
		{"the same", StringType, StringType, "string"},
		{"null makes it nullable", NullType, StringType, "nullable(string)"},
		{"nullable stays", NullableOf(IntegerType), NumberType, "nullable(number)"},
		{"an empty list fits every list", TupleOf(), ListOf(StringType), "list(string)"},
		{"an empty list and a tuple", TupleOf(a, b), TupleOf(), `list(enum("a", "b"))`},
		{"an empty object fits every map", ExactOf(nil), MapOf(StringType), "map(string)"},
		{"an empty object makes attributes optional", obj(), obj(req("a", StringType)), "object({ a = optional(string) })"},
		{"an attribute of one is optional", obj(req("a", one), req("b", a)), obj(req("a", two)), `object({ a = enum(1, 2), b = optional(enum("a")) })`},
		{"a literal fits its base type", a, StringType, "string"},
		{"literals make an enum", a, b, `enum("a", "b")`},
		{"true and false", yes, no, "bool"},
		{"integer fits number", IntegerType, NumberType, "number"},
		{"a whole literal fits integer", one, IntegerType, "integer"},
		{"a fraction and an integer are numbers", lit(num("1.5")), IntegerType, "number"},
		{"a string and a number need a union", StringType, NumberType, ""},
		{"their literals do too", a, one, ""},
		{"a list and an object", ListOf(StringType), obj(), ""},
		{"elements that need a union", TupleOf(a), TupleOf(one, two), ""},
		{"tuples of one length", TupleOf(a, one), TupleOf(b, two), `tuple([enum("a", "b"), enum(1, 2)])`},
		{"tuples of one length without a common tuple", TupleOf(obj()), TupleOf(ListOf(a)), ""},
		{"a union that is there already", UnionOf(StringType, NumberType), one, "union(string, number)"},
		{"a larger union is not made up", UnionOf(StringType, NumberType), BoolType, ""},
		{"any stays any", AnyType, StringType, "any"},
		{"an erroneous branch says nothing", ErrorType, StringType, "string"},
		{"a map and an object that is written", MapOf(StringType), ExactOf([]Attr{req("x", a)}), "map(string)"},
		{"an object that arrives may hold anything besides", MapOf(StringType), obj(req("x", a)), "map(any)"},
	} {
		for _, swap := range []bool{false, true} {
			x, y := c.a, c.b
			if swap {
				x, y = y, x
			}
			j, ok := Join(x, y)
			switch {
			case c.want == "" && ok:
				t.Errorf("%s: got %s, want none", c.rule, Print(j))
			case c.want != "" && !ok:
				t.Errorf("%s: got none, want %s", c.rule, c.want)
			case ok && !swap && Print(j) != c.want:
				t.Errorf("%s: got %s, want %s", c.rule, Print(j), c.want)
			}
		}
	}
}

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b *Type
		want bool
	}{
		{StringType, NumberType, false},
		{StringType, a, true},
		{a, b, false},
		{IntegerType, lit(num("1.5")), false},
		{NullableOf(StringType), NullType, true},
		{StringType, NullType, false},
		{AnyType, NullType, true},
		{TupleOf(), ListOf(StringType), true},
		{TupleOf(one), ListOf(StringType), false},
		{TupleOf(one), TupleOf(one, two), false},
		{obj(req("a", StringType)), obj(req("a", NumberType)), false},
		{obj(req("a", StringType)), obj(opt("a", NumberType)), false},
		{obj(opt("a", StringType)), obj(opt("a", NumberType)), true},
		{obj(req("a", StringType)), MapOf(NumberType), false},
		{EnumOf(str("a"), str("b")), EnumOf(str("b"), str("c")), true},
	} {
		if Overlap(c.a, c.b) != c.want || Overlap(c.b, c.a) != c.want {
			t.Errorf("%s and %s: want %v", Print(c.a), Print(c.b), c.want)
		}
	}
}
