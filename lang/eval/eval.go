// Package eval evaluates wfc expressions: hclsyntax trees over wfc's own
// values, lazily and without conversions (LANGUAGE 2 and 3).
//
// Its central type is [Program], a compiled expression; [Eval] compiles and
// runs one at once. It may import lang/value, lang/expr, lang/funcs and lang/diag.
//
// What LANGUAGE leaves open is so here:
//
//   - `for` over a map or object goes through its keys in sorted order, as HCL
//     does, because nothing may depend on the order in which a server sent
//     them. The object that a `for` makes has the order in which it was made.
//   - A `for` object keeps a key whose value is an absent reading, with null:
//     only an attribute that is written may be left out.
//   - An operand, key or condition of the wrong kind fails; nothing is converted but in templates.
//   - x.a of an object without a is null, and absent where it is the whole
//     value of an attribute; in try and can it fails. x["a"] fails everywhere, as does
//     an index out of range.
//   - A splat of null is [], of what is no list a list of that one.
//   - A blob has the attributes mime_type, size and sha256.
package eval

import (
	"errors"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/value"
)

// Scope gives root names their values. Roots are what LANGUAGE 3 lists:
// "input", "local", "step", "each", "self", "args", "run", "secret", "project".
//
// A scope that is a funcs.Blobs too gives functions the bytes of blobs, and one
// that is a [Functions] has functions of its own.
type Scope interface {
	// Root returns the value of a root name. It is called once per use, so a
	// scope computes lazily. An error fails the expression as it is: a scope
	// returns a *Error for what should keep its own range.
	Root(name string) (value.Value, error)
	// Member returns root.name (local.x, step.y) without building the whole
	// root; ok false: use Root. Locals are evaluated where used, hence by name.
	Member(root, name string) (v value.Value, ok bool, err error)
}

// Functions is what a [Scope] may be too, where there are functions that the
// function table does not have, such as env in connection blocks.
type Functions interface {
	// Call calls the function of a name. ok is false where there is none. An error
	// is a full sentence without the function's name.
	Call(name string, args []value.Value) (v value.Value, ok bool, err error)
}

// MapScope is a scope of values that are there already.
type MapScope map[string]value.Value

// Root implements [Scope].
func (s MapScope) Root(name string) (value.Value, error) {
	v, ok := s[name]
	if !ok {
		return v, &Error{Message: "There is no name " + quote(name) + " here."}
	}
	return v, nil
}

// Member implements [Scope]; a MapScope has its roots whole.
func (s MapScope) Member(string, string) (value.Value, bool, error) {
	return value.NullValue, false, nil
}

// Error is a failure of an expression at run time (kind "expression").
type Error struct {
	Message string    // full sentences
	Range   hcl.Range // of the innermost expression that failed
	// Err is the error of a scope that is no *Error itself: not a matter of the
	// expression, so that try and can do not catch it. Else nil.
	Err error
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Result is a value with what an attribute that takes it whole must know.
type Result struct {
	Value value.Value
	// Absent: the whole value is a reading of an absent optional attribute. Value is
	// null then; an object attribute or argument that takes it is left out (LANGUAGE 2, "Missing is not null").
	Absent bool
}

// Eval evaluates e. The error is a *Error. What is evaluated often is better
// compiled once (see [Compile]).
func Eval(e expr.Expr, scope Scope) (Result, error) { return Compile(e).Eval(scope) }

// Program is a compiled expression. It may be used by several goroutines at once.
type Program struct {
	root  node
	slots int // of the names that are bound by `for` and splats
}

// Compile prepares e: literals are decoded, and constant lists and objects made,
// once. It does not fail: what is wrong with e fails when it is evaluated. The zero Expr gives null.
func Compile(e expr.Expr) *Program {
	c := compiler{e: e}
	root := c.compile(e.Node)
	return &Program{root: root, slots: c.slots}
}

// Constant returns the program's value where it depends on nothing.
func (p *Program) Constant() (value.Value, bool) {
	c, ok := p.root.(constant)
	return c.v, ok
}

// Eval evaluates the program. The error is a *Error.
func (p *Program) Eval(scope Scope) (Result, error) {
	if c, ok := p.root.(constant); ok {
		return Result{Value: c.v}, nil
	}
	m := machine{scope: scope}
	if p.slots > 0 {
		m.vars = make([]value.Value, p.slots)
	}
	r, err := p.root.eval(&m)
	if err != nil {
		return Result{}, err
	}
	return r, nil
}

// machine is one evaluation.
type machine struct {
	scope Scope
	vars  []value.Value // by slot
}

// node is a compiled expression. A returned error is never a nil *Error in an interface.
type node interface {
	eval(m *machine) (Result, *Error)
}

// constant is a value that is known.
type constant struct{ v value.Value }

func (c constant) eval(*machine) (Result, *Error) { return Result{Value: c.v}, nil }

// failure is what cannot be evaluated.
type failure struct{ err *Error }

func (f failure) eval(*machine) (Result, *Error) { return Result{}, f.err }

// fromScope makes the error of a scope the expression's.
func fromScope(err error, at hcl.Range) *Error {
	var own *Error
	if errors.As(err, &own) {
		if own.Range == (hcl.Range{}) {
			own = &Error{Message: own.Message, Range: at, Err: own.Err}
		}
		return own
	}
	return &Error{Message: err.Error(), Range: at, Err: err}
}
