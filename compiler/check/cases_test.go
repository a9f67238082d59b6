package check

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// The value that an expression of the cases has is one of the type that the
// checker gives it.
func TestValuesOfCasesAreOfTheirTypes(t *testing.T) {
	src, err := os.ReadFile("../../testdata/cases/expressions.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases struct {
		Inputs map[string][]json.RawMessage
		Cases  []struct {
			Expr  string
			Value json.RawMessage
		}
	}
	if err := json.Unmarshal(src, &cases); err != nil {
		t.Fatal(err)
	}
	root := marked(t)
	for _, x := range cases.Cases {
		var b strings.Builder
		b.WriteString("workflow \"w\" {\n")
		for name, in := range cases.Inputs {
			var typ string
			if err := json.Unmarshal(in[0], &typ); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "  input %q {\n    type = %s\n  }\n", name, typ)
		}
		fmt.Fprintf(&b, "  locals {\n    x = %s\n  }\n}\n", x.Expr)
		p, err := projectOf(root, b.String())
		if err != nil {
			t.Fatal(err)
		}
		c := &checker{w: newWorld(p)}
		f := c.newFlow(p.Workflows["w"], nil)
		c.checkFlow()
		typ := c.localType(f.locals["x"])
		want, err := value.ParseJSON(x.Value)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.diags) > 0 || typ.IsError() {
			t.Errorf("%s: %v", x.Expr, c.diags)
		} else if m := types.Conforms(typ, want); m != nil {
			t.Errorf("%s\nis %s\nwhich is not %s: %v", x.Expr, x.Value, types.Print(typ), m)
		}
	}
}
