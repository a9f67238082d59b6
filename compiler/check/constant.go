package check

import (
	"errors"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// noNames is the scope of a constant.
type noNames struct{}

// errNoNames never reaches a user: the check of the expression comes first.
var errNoNames = errors.New("a constant uses no names")

func (noNames) Root(string) (value.Value, error) { return value.Value{}, errNoNames }
func (noNames) Member(string, string) (value.Value, bool, error) {
	return value.Value{}, false, errNoNames
}

// compute returns the value of a constant that is of the wanted type, or nil
// where it has none, which it reports: functions of constants are computed when
// checking, since nothing changes them.
func (c *checker) compute(e expr.Expr, want *types.Type, s *subject) *value.Value {
	v, ok := e.Constant()
	if !ok {
		r, err := eval.Eval(e, files{c: c})
		if err != nil {
			at := e.Range()
			var failure *eval.Error
			if errors.As(err, &failure) {
				at = failure.Range
			}
			c.report(diag.New(codeNotConstant, at, "%s cannot be computed: %s", s.phrase(""), err.Error()))
			return nil
		}
		v = r.Value
	}
	if m := types.Conforms(want, v); m != nil {
		c.report(diag.New(codeWrongType, e.Range(), "%s does not fit: %s.", s.phrase(m.Path), m.Reason))
		return nil
	}
	return &v
}
