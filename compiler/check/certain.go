package check

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// neverComputed reports a calculation that fails whatever else is so: a division
// by a constant zero, or one of constants whose result is no number.
func (c *checker) neverComputed(x *hclsyntax.BinaryOpExpr) bool {
	var compute func(a, b value.Decimal) (value.Decimal, error)
	switch x.Op {
	case hclsyntax.OpDivide:
		compute = value.Decimal.Div
	case hclsyntax.OpModulo:
		compute = value.Decimal.Mod
	case hclsyntax.OpMultiply:
		compute = value.Decimal.Mul
	case hclsyntax.OpAdd:
		compute = value.Decimal.Add
	case hclsyntax.OpSubtract:
		compute = value.Decimal.Sub
	default:
		return false
	}
	b := c.constant(x.RHS)
	if b == nil || b.Kind() != value.Number {
		return false
	}
	if (x.Op == hclsyntax.OpDivide || x.Op == hclsyntax.OpModulo) && b.AsNumber().Sign() == 0 {
		c.report(diag.New(codeNotConstant, x.SrcRange, "%s is a division by zero, which fails whatever is divided.", c.text(x.SrcRange)))
		return true
	}
	a := c.constant(x.LHS)
	if a == nil || a.Kind() != value.Number {
		return false
	}
	if _, err := compute(a.AsNumber(), b.AsNumber()); err != nil {
		c.report(diag.New(codeNotConstant, x.SrcRange, "%s cannot be computed: %v.", c.text(x.SrcRange), err))
		return true
	}
	return false
}

// constantArg returns the value of an argument where nothing can change it: as it
// is written or, where what fails here surely fails, as its type says.
func (c *checker) constantArg(x hclNode, t *types.Type, en *env) *value.Value {
	if v := c.constant(x); v != nil {
		return v
	}
	if u := t.Underlying(); u.Kind() == types.Literal && en.isSure() {
		v := u.Lit()
		return &v
	}
	return nil
}

// mayFail are the functions whose calls with constants are computed when checking,
// to see whether they fail for what their arguments hold. It has none whose result
// can be much larger than its arguments, and none whose Infer looks at the same.
var mayFail = map[string]bool{
	"base64decode": true, "csvdecode": true, "csvlines": true, "index": true, "jsonset": true, "log": true, "matchkeys": true, "one": true,
	"parseint": true, "parsetime": true, "pointer": true, "pow": true, "regex": true, "section": true, "slice": true, "sort": true, "sort_by": true,
	"timeadd": true, "timecmp": true, "timediff": true, "timein": true, "urldecode": true, "zipmap": true,
}

// neverSucceeds reports a call of constants that fails.
func (c *checker) neverSucceeds(x *hclsyntax.FunctionCallExpr, f *funcs.Func, args []funcs.Arg) bool {
	if !mayFail[f.Name] {
		return false
	}
	vals := make([]value.Value, len(args))
	for i, a := range args {
		if a.Const == nil || a.Rest {
			return false
		}
		vals[i] = *a.Const
	}
	_, err := f.Apply(vals)
	if err == nil {
		return false
	}
	at := x.Range()
	if wrong, ok := err.(*funcs.ArgError); ok && wrong.Arg < len(x.Args) {
		at = x.Args[wrong.Arg].Range()
	}
	c.report(diag.New(codeFunctionArgument, at, "%s: %v", f.Name, err))
	return true
}
