package wftest

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/format"
	"github.com/lda-wf/wfc/lang/value"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// drawn is any value that JSON has.
func drawn(t *rapid.T, depth int) value.Value {
	kinds := 4
	if depth > 0 {
		kinds = 6
	}
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"${a}", "%{ if }", "$${", "a\n\tb\r\n", "\"\\", "\u0000\u2028\U000e0001", "x y", "for", "null", "-"}))
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return value.NullValue
	case 1:
		return value.OfBool(rapid.Bool().Draw(t, "bool"))
	case 2:
		n, err := value.ParseDecimal(fmt.Sprintf("%d.%03de%d", rapid.Int64().Draw(t, "n"), rapid.IntRange(0, 999).Draw(t, "f"), rapid.IntRange(-30, 30).Draw(t, "e")))
		if err != nil {
			t.Fatal(err)
		}
		return value.OfNumber(n)
	case 3:
		return value.OfString(text.Draw(t, "text"))
	case 4:
		var items []value.Value
		for range rapid.IntRange(0, 4).Draw(t, "length") {
			items = append(items, drawn(t, depth-1))
		}
		return value.OfList(items)
	}
	o := value.NewObject(0)
	for range rapid.IntRange(0, 4).Draw(t, "size") {
		o.Set(text.Draw(t, "key"), drawn(t, depth-1))
	}
	return value.OfObject(o)
}

// What is written of a value reads as that value, and is laid out already.
func TestAnExpressionIsItsValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawn(t, 3)
		text := expression(v, 2)
		e, problems := expr.Parse(text, "x")
		if problems.HasErrors() {
			t.Fatalf("%s\n%v", text, problems)
		}
		r, err := eval.Eval(e, eval.MapScope{})
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		if !value.Equal(v, r.Value) {
			t.Fatalf("%s\nreads as %s, and is %s", text, r.Value.JSON(), v.JSON())
		}
		b := block{source: "s", tool: "t", lines: []string{"output = " + text}}
		file := "test \"t\" {\n" + b.text() + "}\n"
		again, problems := format.Source("x.wftest.hcl", []byte(file))
		if problems.HasErrors() || string(again) != file {
			t.Fatalf("it is laid out as\n%s\nand not\n%s\n%v", again, file, problems)
		}
	})
}

// Differences are there exactly where values are not equal.
func TestDifferencesAreThoseOfValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn(t, 2), drawn(t, 2)
		if rapid.Bool().Draw(t, "same") {
			b = a
		}
		if found := differences(a, b); (len(found) == 0) != value.Equal(a, b) {
			t.Fatalf("%s and %s differ in %v", a.JSON(), b.JSON(), found)
		}
	})
}
