package service

import (
	"testing"

	"github.com/lda-wf/wfc/compiler/plan"
)

func TestAnInputOnTheCommandLineIsTextOrJSON(t *testing.T) {
	const quoted = `. Text is written in double quotes: --input e='"x"'`
	for _, c := range []struct{ typ, text, want, fails string }{
		{"string", "x", `"x"`, ""},
		{`enum("x", "y")`, "x", `"x"`, ""},
		{"nullable(string)", "5", `"5"`, ""},
		{`enum("x", "y", 3)`, "3", "3", ""},
		{`enum("x", "y", 3)`, `"x"`, `"x"`, ""},
		{`enum("x", "y", 3)`, "x", "", `--input e: a value of the type enum("x", "y", 3) is written in JSON, and "x" is no JSON: invalid JSON at byte 0: 'x' where a value is wanted` + quoted},
		{"union(integer, string)", "x", "", `--input e: a value of the type union(integer, string) is written in JSON, and "x" is no JSON: invalid JSON at byte 0: 'x' where a value is wanted` + quoted},
		{"any", "x", "", `--input e: a value of the type any is written in JSON, and "x" is no JSON: invalid JSON at byte 0: 'x' where a value is wanted` + quoted},
		{"any", "it's", "", `--input e: a value of the type any is written in JSON, and "it's" is no JSON: invalid JSON at byte 0: 'i' where a value is wanted. Text is written in double quotes: --input e='"…"'`},
		{"any", `["x`, "", `--input e: a value of the type any is written in JSON, and "[\"x" is no JSON: invalid JSON at byte 3: a string has no closing quote`},
		{"integer", "five", "", `--input e: a value of the type integer is written in JSON, and "five" is no JSON: invalid JSON at byte 0: a value begins like false and is not`},
		{"number", "1e999", "", `--input e: "1e999" is JSON beyond the limits of wfc: at byte 0 the number's exponent is beyond ±400`},
	} {
		p := &plan.Plan{Inputs: []plan.Input{{Name: "e", Type: c.typ}}}
		got, err := Inputs(p, "", []string{"e=" + c.text})
		switch {
		case c.fails != "":
			if err == nil || err.Error() != c.fails {
				t.Errorf("%s of %s gives the error\n     %v\nwant %s", c.text, c.typ, err, c.fails)
			}
		case err != nil:
			t.Errorf("%s of %s: %v", c.text, c.typ, err)
		default:
			if v, _ := got.AsObject().Get("e"); v.JSON() != c.want {
				t.Errorf("%s of %s is %s, want %s", c.text, c.typ, v.JSON(), c.want)
			}
		}
	}
}
