package types

import "testing"

// An object is known to have no other attributes only where all that it may be are.
func TestExactness(t *testing.T) {
	written := ExactOf([]Attr{req("a", StringType)})
	arrived := obj(req("a", StringType))
	other := ExactOf([]Attr{req("b", StringType)})
	join := func(ts ...*Type) *Type {
		j, ok := JoinAll(ts...)
		if !ok {
			t.Fatal("no join")
		}
		return j
	}
	for _, c := range []struct {
		rule string
		t    *Type
		want bool
	}{
		{"as it is made", written, true},
		{"from elsewhere", arrived, false},
		{"of two that are written", join(written, other), true},
		{"of equal ones", join(written, ExactOf([]Attr{req("a", StringType)})), true},
		{"one of equal ones arrived", join(written, arrived), false},
		{"in any order", join(arrived, written), false},
		{"in a union", UnionOf(written, arrived), false},
		{"in lists", join(ListOf(written), ListOf(arrived)).Elem(), false},
		{"in lists that are written", join(ListOf(written), TupleOf(other)).Elem(), true},
		{"in attributes", join(ExactOf([]Attr{req("x", written)}), ExactOf([]Attr{req("x", arrived)})).Attr("x").Type, false},
		{"with refinements", written.Refined(&Refinement{UniqueItems: true}), true},
	} {
		if c.t.Exact() != c.want {
			t.Errorf("%s: %v", c.rule, !c.want)
		}
	}
}

// What a type does not declare may be there, with anything in it.
func TestUnsureAttributes(t *testing.T) {
	written := ExactOf([]Attr{req("a", StringType)})
	arrived := obj(req("a", StringType))
	both := obj(req("a", StringType), req("b", StringType))
	for _, c := range []struct {
		rule string
		x, y *Type
		want bool
	}{
		{"of one that is written nothing is unsure", written, both, false},
		{"one that arrives may have it undeclared", arrived, both, true},
	} {
		j, _ := Join(c.x, c.y)
		if b := j.Attr("b"); b.Unsure != c.want || !b.Optional {
			t.Errorf("%s: unsure is %v", c.rule, b.Unsure)
		}
		again, _ := Join(j, both)
		if b := again.Attr("b"); b.Unsure != c.want {
			t.Errorf("%s, joined again: unsure is %v", c.rule, b.Unsure)
		}
	}
	j, _ := Join(arrived, both)
	if m := Conforms(j, parseJSON(t, `{"a": "x", "b": 1}`)); m != nil {
		t.Errorf("what is unsure may be anything: %v", m)
	}
}
