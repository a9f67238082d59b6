// Package funcs is the function table: implementation, signature and
// documentation of every function in one place (LANGUAGE 3).
//
// Its central type is [Func]. It may import lang/value, lang/types and lang/diag.
package funcs

import (
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// Version is the version of the table, stored in plans. It rises when a
// function's meaning changes or one is removed, not when one is added.
const Version = 1

// Form says how a call is evaluated.
type Form uint8

// The forms. All but Strict are evaluated by lang/eval itself, because their
// arguments are not all evaluated or may fail.
const (
	Strict   Form = iota // all arguments are evaluated, then Call
	Try                  // try(e, …): the first that does not fail
	Can                  // can(e): whether it does not fail
	Coalesce             // coalesce(e, …): the first that is not null; later ones are not evaluated
)

// Param is one parameter.
type Param struct {
	Name string
	Type *types.Type
}

// Arg is what the checker knows of one argument.
type Arg struct {
	Type  *types.Type
	Const *value.Value // its value where the expression is constant, else nil
}

// Func is one function.
type Func struct {
	Name     string
	Form     Form
	Params   []Param // required parameters
	Optional []Param // then these, in order, each may be left out with all after it
	Variadic *Param  // then any number of these; nil: none
	Result   *types.Type
	// Infer gives the result type from the arguments, which are already known to be
	// assignable to the parameters, and may be nil (then Result holds). A
	// problem is a full sentence about the argument at index arg (-1: the whole call).
	Infer func(args []Arg) (t *types.Type, problem string, arg int)
	// Call computes the result. The arguments are of the parameters' types. It
	// must be pure. An error is a full sentence without the function's name.
	// Nil unless Form is Strict.
	Call func(args []value.Value) (value.Value, error)

	Doc     string // one or two sentences
	Example string // an expression that a test evaluates
	Gives   string // the expression's result as JSON
}

// Lookup returns the function of a name, or nil.
func Lookup(name string) *Func { return table[name] }

// table is filled by the files of this package and never changes after initialisation.
var table = map[string]*Func{}

func register(fs ...*Func) {
	for _, f := range fs {
		if table[f.Name] != nil {
			panic("funcs: " + f.Name + " registered twice")
		}
		table[f.Name] = f
	}
}
