package funcs_test

import (
	"errors"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/value"
)

// blobScope is a scope whose one blob has the content "hello\n".
type blobScope struct{ eval.MapScope }

const helloSum = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"

func (blobScope) ReadBlob(b *value.BlobValue, limit int64) ([]byte, error) {
	if b.SHA256 != helloSum {
		return nil, errors.New("no such blob")
	}
	return []byte("hello\n"), nil
}

func newBlobScope() blobScope {
	part := value.NewObject(1)
	part.Set("blob", value.OfBlob(&value.BlobValue{MIMEType: "text/plain", Size: 6, SHA256: helloSum}))
	self := value.NewObject(1)
	self.Set("content", value.OfList([]value.Value{value.OfObject(part)}))
	return blobScope{eval.MapScope{"self": value.OfObject(self)}}
}

func parse(t *testing.T, text string) expr.Expr {
	t.Helper()
	e, problems := expr.Parse(text, "example")
	if problems.HasErrors() {
		t.Fatalf("%s: %s", text, problems[0].Detail)
	}
	return e
}

// The documented examples are run, and the type of every call in them holds
// what the call gives.
func TestEveryExampleGivesWhatItSays(t *testing.T) {
	scope := newBlobScope()
	for _, f := range funcs.All() {
		t.Run(f.Name, func(t *testing.T) {
			e := parse(t, f.Example)
			got, err := eval.Eval(e, scope)
			if err != nil {
				t.Fatal(err)
			}
			if got.Value.JSON() != f.Gives {
				t.Errorf("%s\n gives %s\n  says %s", f.Example, got.Value.JSON(), f.Gives)
			}
			calls := 0
			hclsyntax.VisitAll(e.Node.(hclsyntax.Node), func(n hclsyntax.Node) hcl.Diagnostics {
				if c, isCall := n.(*hclsyntax.FunctionCallExpr); isCall {
					if c.Name == f.Name {
						calls++
					}
					checkCall(t, e, c, scope)
				}
				return nil
			})
			if calls == 0 {
				t.Errorf("the example does not call %s", f.Name)
			}
		})
	}
}

func checkCall(t *testing.T, e expr.Expr, c *hclsyntax.FunctionCallExpr, scope eval.Scope) {
	t.Helper()
	got, err := eval.Eval(e.Sub(c), scope)
	if err != nil {
		return // can's argument may fail
	}
	var args []value.Value
	for _, a := range c.Args {
		arg, err := eval.Eval(e.Sub(a), scope)
		if err == nil { // try's arguments may fail
			args = append(args, arg.Value)
		}
	}
	if f := funcs.Lookup(c.Name); f.Form != funcs.Can {
		funcs.CheckInferred(t, f, args, got.Value)
	}
}
