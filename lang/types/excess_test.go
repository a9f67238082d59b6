package types

import (
	"testing"
)

func TestUndeclaredAttributes(t *testing.T) {
	for _, c := range []struct{ typ, value, want string }{
		{`object({ a = integer })`, `{"a":1}`, ""},
		{`object({ a = integer })`, `{"a":1,"b":2}`, `it has an attribute "b", and none of that name is asked for`},
		{`object({})`, `{"ok":false}`, `it has an attribute "ok", and none of that name is asked for`},
		{`object({ a = integer }, any)`, `{"a":1,"b":{"c":2}}`, ""},
		{`object({ a = integer }, object({ c = integer }))`, `{"a":1,"b":{"c":2,"d":3}}`, `b: it has an attribute "d", and none of that name is asked for`},
		{`list(object({ a = integer }))`, `[{"a":1},{"a":1,"b":2}]`, `[1]: it has an attribute "b", and none of that name is asked for`},
		{`map(object({ a = integer }))`, `{"x":{"a":1,"b":2}}`, `x: it has an attribute "b", and none of that name is asked for`},
		{`tuple([integer, object({})])`, `[1,{"b":2}]`, `[1]: it has an attribute "b", and none of that name is asked for`},
		{`union(object({ a = integer }), object({ a = integer, b = integer }))`, `{"a":1,"b":2}`, ""},
		{`nullable(object({ a = integer }))`, `{"a":1,"b":2}`, `it has an attribute "b", and none of that name is asked for`},
		{`any`, `{"a":1,"b":2}`, ""},
		{`string`, `5`, ""},
	} {
		got := ""
		if m := Excess(MustParse(c.typ), parseJSON(t, c.value)); m != nil {
			if got = m.Reason; m.Path != "" {
				got = m.Path + ": " + m.Reason
			}
		}
		if got != c.want && "."+c.want != got {
			t.Errorf("%s of %s: %q", c.value, c.typ, got)
		}
	}
}
