package types

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/value"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// genType draws types of up to the given depth; withAny says whether any may be in them.
func genType(depth int, withAny bool) *rapid.Generator[*Type] {
	return rapid.Custom(func(t *rapid.T) *Type { return drawType(t, depth, withAny) })
}

var attrNames = []string{"a", "b", "c", "x y", "for", "é"}

func drawType(t *rapid.T, depth int, withAny bool) *Type {
	kinds := []string{"null", "bool", "string", "number", "integer", "blob", "literal", "literal", "enum"}
	if withAny {
		kinds = append(kinds, "any")
	}
	if depth > 0 {
		kinds = append([]string{"object", "list", "map", "tuple", "object", "union", "nullable", "union", "object"}, kinds...)
	}
	sub := func() *Type { return drawType(t, depth-1, withAny) }
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "any":
		return AnyType
	case "null":
		return NullType
	case "bool":
		return BoolType
	case "string":
		return StringType
	case "number":
		return NumberType
	case "integer":
		return IntegerType
	case "blob":
		return BlobType
	case "literal":
		return LiteralOf(drawScalar(t))
	case "enum":
		vals := make([]value.Value, rapid.IntRange(1, 4).Draw(t, "n"))
		for i := range vals {
			vals[i] = drawScalar(t)
		}
		return EnumOf(vals...)
	case "list":
		return ListOf(sub())
	case "map":
		return MapOf(sub())
	case "tuple":
		items := make([]*Type, rapid.IntRange(0, 3).Draw(t, "n"))
		for i := range items {
			items[i] = sub()
		}
		return TupleOf(items...)
	case "object":
		var attrs []Attr
		for _, name := range attrNames {
			switch rapid.IntRange(0, 3).Draw(t, name) {
			case 0:
				attrs = append(attrs, req(name, sub()))
			case 1:
				attrs = append(attrs, opt(name, sub()))
			}
		}
		var rest *Type
		if rapid.IntRange(0, 3).Draw(t, "rest") == 0 {
			rest = sub()
		}
		return ObjectOf(attrs, rest)
	case "union":
		members := make([]*Type, rapid.IntRange(1, 3).Draw(t, "n"))
		for i := range members {
			members[i] = sub()
		}
		return UnionOf(members...)
	}
	return NullableOf(sub())
}

func drawScalar(t *rapid.T) value.Value {
	return rapid.SampledFrom([]value.Value{
		str("a"), str("b"), str(""), str("${x}\n\""), num("0"), num("1"), num("1.0"), num("-2.5"), num("9007199254740993"),
		value.OfBool(true), value.OfBool(false),
	}).Draw(t, "scalar")
}

// drawValue draws a value of a type, without attributes that it does not declare. ok is false where there is none.
func drawValue(t *rapid.T, typ *Type, depth int) (v value.Value, ok bool) {
	typ = typ.Underlying()
	switch typ.kind {
	case Any:
		return drawScalar(t), true
	case Null:
		return value.NullValue, true
	case Bool:
		return value.OfBool(rapid.Bool().Draw(t, "bool")), true
	case String:
		return str(rapid.SampledFrom([]string{"", "a", "b", "long text"}).Draw(t, "string")), true
	case Number:
		return num(rapid.SampledFrom([]string{"0", "1", "-2.5", "1e20"}).Draw(t, "number")), true
	case Integer:
		return num(rapid.SampledFrom([]string{"0", "1", "1.0", "1e20"}).Draw(t, "integer")), true
	case Blob:
		return value.OfBlob(&value.BlobValue{SHA256: "00"}), true
	case Literal:
		return typ.lit, true
	case List, Tuple:
		parts := typ.items
		if typ.kind == List {
			for range rapid.IntRange(0, 2).Draw(t, "length") {
				parts = append(parts, typ.elem)
			}
		}
		out := make([]value.Value, 0, len(parts))
		for _, p := range parts {
			e, ok := drawValue(t, p, depth-1)
			if !ok {
				return v, false
			}
			out = append(out, e)
		}
		return value.OfList(out), true
	case Map, Object:
		o := value.NewObject(0)
		for _, a := range typ.attrs {
			if a.Optional && rapid.Bool().Draw(t, "absent") {
				continue
			}
			e, ok := drawValue(t, a.Type, depth-1)
			if !ok {
				if a.Optional {
					continue
				}
				return v, false
			}
			o.Set(a.Name, e)
		}
		others := typ.rest
		if typ.kind == Map {
			others = typ.elem
		}
		if others != nil {
			for i := range rapid.IntRange(0, 2).Draw(t, "others") {
				// A declared name, too: that is what a map into an object has.
				name := rapid.SampledFrom(append([]string{"z", fmt.Sprint("z", i)}, attrNames...)).Draw(t, "name")
				if typ.Attr(name) != nil {
					continue
				}
				if e, ok := drawValue(t, others, depth-1); ok {
					o.Set(name, e)
				}
			}
		}
		return value.OfObject(o), true
	case Union:
		return drawValue(t, rapid.SampledFrom(typ.items).Draw(t, "member"), depth)
	}
	return v, false
}

func TestPropertyParsingWhatPrintPrintedGivesAnEqualType(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := genType(3, true).Draw(t, "type")
		for _, text := range []string{Print(typ), PrintIndented(typ, 30)} {
			again, problems := Parse(text, "type", nil)
			if len(problems) > 0 {
				t.Fatalf("%s: %s", text, problems[0].Detail)
			}
			if !Equal(typ, again) {
				t.Fatalf("%s reads as %s", text, Print(again))
			}
		}
	})
}

func TestPropertyAssignableIsReflexive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := genType(3, true).Draw(t, "type")
		again := MustParse(Print(typ)) // not the same pointers
		if m := Assignable(typ, again); m != nil {
			t.Fatalf("%s from itself: %s", Print(typ), m.Error())
		}
	})
}

// The values are drawn without undeclared attributes: those of a closed type
// are nobody's, see ObjectOf.
func TestPropertyAssignableSpeaksOfValues(t *testing.T) {
	fits := 0
	rapid.Check(t, func(t *rapid.T) {
		want := genType(2, false).Draw(t, "want")
		got := genType(2, false).Draw(t, "got")
		if rapid.Bool().Draw(t, "related") {
			want = UnionOf(want, Widen(got))
		}
		if Assignable(want, got) != nil {
			return
		}
		fits++
		v, ok := drawValue(t, got, 3)
		if !ok {
			return
		}
		if m := Conforms(got, v); m != nil {
			t.Fatalf("%s was drawn for %s: %s", v, Print(got), m.Error())
		}
		if m := Conforms(want, v); m != nil {
			t.Fatalf("%s is assignable to %s, but %s is not: %s", Print(got), Print(want), v, m.Error())
		}
	})
	if fits == 0 {
		t.Error("no assignable types were drawn")
	}
}

func TestPropertyAssignableIsTransitive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := genType(2, false).Draw(t, "a")
		b := UnionOf(a, genType(2, false).Draw(t, "b"))
		c := UnionOf(Widen(b), genType(2, false).Draw(t, "c"))
		if Assignable(b, a) == nil && Assignable(c, b) == nil {
			if m := Assignable(c, a); m != nil {
				t.Fatalf("%s fits %s fits %s, but: %s", Print(a), Print(b), Print(c), m.Error())
			}
		}
	})
}

func TestPropertyUnionHoldsItsMembers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genType(2, true).Draw(t, "a"), genType(2, true).Draw(t, "b")
		u := UnionOf(a, b)
		for _, m := range []*Type{a, b} {
			if why := Assignable(u, m); why != nil {
				t.Fatalf("%s into %s: %s", Print(m), Print(u), why.Error())
			}
		}
	})
}

func TestPropertyJoinIsAnUpperBound(t *testing.T) {
	joined := 0
	rapid.Check(t, func(t *rapid.T) {
		a := genType(2, true).Draw(t, "a")
		b := genType(2, true).Draw(t, "b")
		if rapid.Bool().Draw(t, "related") {
			b = Widen(a)
		}
		j, ok := Join(a, b)
		other, too := Join(b, a)
		if ok != too || ok && (Assignable(j, other) != nil || Assignable(other, j) != nil) {
			t.Fatalf("join depends on the order: %s and %s", Print(a), Print(b))
		}
		if !ok {
			return
		}
		joined++
		for _, branch := range []*Type{a, b} {
			if m := Assignable(j, branch); m != nil {
				t.Fatalf("%s from %s: %s", Print(j), Print(branch), m.Error())
			}
		}
	})
	if joined == 0 {
		t.Error("nothing was joined")
	}
}

func TestPropertyMeetIsWhatBothHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := genType(2, false).Draw(t, "a"), genType(2, false).Draw(t, "b")
		if rapid.Bool().Draw(t, "related") {
			b = UnionOf(b, Widen(a))
		}
		m := Meet(a, b)
		v, ok := drawValue(t, rapid.SampledFrom([]*Type{a, b}).Draw(t, "of"), 3)
		if ok && Conforms(a, v) == nil && Conforms(b, v) == nil {
			if why := Conforms(m, v); why != nil {
				t.Fatalf("%s is of %s and of %s, but not of %s: %s", v, Print(a), Print(b), Print(m), why.Error())
			}
			if !Overlap(a, b) {
				t.Fatalf("%s is of %s and of %s, which do not overlap", v, Print(a), Print(b))
			}
		}
	})
}

func TestPropertyWhatConformsToAnEnumNullableOrWidenedTypeStaysSo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		typ := genType(2, false).Draw(t, "type")
		v, ok := drawValue(t, typ, 3)
		if !ok {
			return
		}
		if m := Conforms(Widen(typ), v); m != nil {
			t.Fatalf("widening %s lost %s: %s", Print(typ), v, m.Error())
		}
		if m := Conforms(NullableOf(typ), v); m != nil {
			t.Fatalf("nullable(%s) lost %s: %s", Print(typ), v, m.Error())
		}
		if !v.IsNull() && Conforms(WithoutNull(typ), v) != nil {
			t.Fatalf("%s without null lost %s", Print(typ), v)
		}
	})
}
