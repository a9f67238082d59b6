// Package eval evaluates wfc expressions: hclsyntax trees over wfc's own
// values, lazily and without conversions (LANGUAGE 2 and 3).
//
// Its central function is [Eval]. It may import lang/value, lang/expr,
// lang/funcs and lang/diag.
package eval

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/value"
)

// Scope gives root names their values. Roots are what LANGUAGE 3 lists:
// "input", "local", "step", "each", "self", "args", "run", "secret", "project".
type Scope interface {
	// Root returns the value of a root name. It is called once per use, so a
	// scope computes lazily. An error fails the expression as it is: a scope
	// returns a *Error for what should keep its own range.
	Root(name string) (value.Value, error)
	// Member returns root.name (local.x, step.y) without building the whole
	// root; ok false: use Root. Locals are evaluated where used, hence by name.
	Member(root, name string) (v value.Value, ok bool, err error)
}

// Error is a failure of an expression at run time (kind "expression").
type Error struct {
	Message string    // full sentences
	Range   hcl.Range // of the innermost expression that failed
}

func (e *Error) Error() string { return fmt.Sprintf("%s", e.Message) }

// Result is a value with what an attribute that takes it whole must know.
type Result struct {
	Value value.Value
	// Absent: the whole value is a reading of an absent optional attribute. Value is
	// null then; an object attribute or argument that takes it is left out (LANGUAGE 2, "Missing is not null").
	Absent bool
}

// Eval evaluates e. The error is a *Error.
func Eval(e expr.Expr, scope Scope) (Result, error) { panic("eval: not built") }
