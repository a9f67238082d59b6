package check_test

import (
	"testing"
)

func TestExpressionsThatAreAccepted(t *testing.T) {
	cs := readCases(t)
	for _, c := range cs.Cases {
		p := load(t, cs.withInputs(t, c.Expr))
		if found := findings(p); len(found) > 0 {
			t.Errorf("%s: refused:\n%s", c.Expr, show(p, found))
		}
	}
}

func TestExpressionsThatAreRefused(t *testing.T) {
	cs := readCases(t)
	for _, c := range cs.Rejected {
		p := load(t, cs.withInputs(t, c.Expr))
		if found := findings(p); len(found) != 1 {
			t.Errorf("%s (%s): want one finding, got:\n%s", c.Expr, c.Why, show(p, found))
		}
	}
}
