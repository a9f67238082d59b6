package eval

import (
	"os"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/value"
)

func parse(t testing.TB, text string) expr.Expr {
	t.Helper()
	e, problems := expr.Parse(text, "test")
	if problems.HasErrors() {
		t.Fatalf("%s: %s", text, problems[0].Detail)
	}
	return e
}

func parseJSON(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func get(v value.Value, name string) value.Value {
	got, _ := v.AsObject().Get(name)
	return got
}

// worked has the file of worked cases.
func worked(t *testing.T) (cases value.Value, scope MapScope) {
	data, err := os.ReadFile("../../testdata/cases/expressions.json")
	if err != nil {
		t.Fatal(err)
	}
	cases = parseJSON(t, string(data))
	inputs := value.NewObject(0)
	for name, typed := range get(cases, "inputs").AsObject().All() {
		inputs.Set(name, typed.AsList()[1])
	}
	return cases, MapScope{"input": value.OfObject(inputs)}
}

func TestWorkedCases(t *testing.T) {
	cases, scope := worked(t)
	for _, c := range get(cases, "cases").AsList() {
		text, want := get(c, "expr").AsString(), get(c, "value")
		t.Run(text, func(t *testing.T) {
			e := parse(t, text)
			for _, e := range []expr.Expr{e, parse(t, expr.Print(e))} {
				r, err := Eval(e, scope)
				if err != nil {
					t.Fatal(err)
				}
				if !value.Equal(r.Value, want) {
					t.Errorf("got %s, want %s", r.Value, want)
				}
			}
		})
	}
}

func TestWorkedCasesThatAreRejected(t *testing.T) {
	messages := map[string]string{ // the others are the checker's alone, or are fine at run time
		`1 + "a"`:          `The right side of + must be a number, not the string "a". Convert it with tonumber.`,
		`upper(1)`:         `upper: `,
		`{ a = 1, a = 2 }`: `The object has the key "a" already.`,
		`upper(input.n)`:   `upper: `,
		`"x${input.n}"`:    `input.n is null and cannot stand in a text.`,
		`input.xs.a`:       `input.xs is a list, which has no attribute "a". Read from one element, as in input.xs[0].a, or from all, as in input.xs[*].a.`,
		`nosuch(1)`:        `There is no function "nosuch".`,
		`1e100000000`:      `This number cannot be used: the number's exponent is beyond ±400.`,
	}
	cases, scope := worked(t)
	for _, c := range get(cases, "rejected").AsList() {
		text := get(c, "expr").AsString()
		_, err := Eval(parse(t, text), scope)
		want, fails := messages[text]
		if !fails {
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
