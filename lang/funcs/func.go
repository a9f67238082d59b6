// Package funcs is the function table: implementation, signature and
// documentation of every function in one place (LANGUAGE 3).
//
// Its central type is [Func]. It may import lang/value, lang/types and lang/diag.
package funcs

import (
	"slices"

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

// Group is a chapter of the functions' documentation.
type Group string

// The groups, in the order of the documentation.
const (
	Text        Group = "Text"
	Patterns    Group = "Patterns"
	Numbers     Group = "Numbers"
	Lists       Group = "Lists"
	Maps        Group = "Maps and objects"
	Encodings   Group = "Encodings"
	Times       Group = "Times"
	Paths       Group = "Paths"
	Conversions Group = "Types, null and failures"
)

// groups has all groups in order.
var groups = []Group{Text, Patterns, Numbers, Lists, Maps, Encodings, Times, Paths, Conversions}

// Param is one parameter.
type Param struct {
	Name string
	Type *types.Type
}

// Arg is what the checker knows of one argument.
type Arg struct {
	Type  *types.Type
	Const *value.Value // its value where the expression is constant, else nil
	// Rest says that the argument is the list of `f(list...)`: it stands for any
	// number of arguments of Type, none included. Only the last one can be it.
	Rest bool
}

// Blobs reads the bytes of blobs, which values only refer to.
type Blobs interface {
	// ReadBlob returns all bytes of a blob. It fails when the blob is larger than limit bytes.
	ReadBlob(b *value.BlobValue, limit int64) ([]byte, error)
}

// Func is one function.
type Func struct {
	Name     string
	Group    Group
	Form     Form
	Params   []Param // required parameters
	Optional []Param // then these, in order, each may be left out with all after it
	Variadic *Param  // then any number of these; nil: none
	Result   *types.Type
	// Infer gives the result type from the arguments, which are already known to be
	// assignable to the parameters, and may be nil (then Result holds). A
	// problem is a full sentence about the argument at index arg (-1: the whole call).
	Infer func(args []Arg) (t *types.Type, problem string, arg int)
	// Call computes the result. The arguments are of the parameters' types; callers
	// use [Func.Apply], which sees to that. It must be pure. An error is a full
	// sentence without the function's name. Nil unless Form is Strict.
	Call func(args []value.Value) (value.Value, error)
	// CallBlobs stands in for Call where the function reads a blob's bytes; blobs is not nil.
	CallBlobs func(blobs Blobs, args []value.Value) (value.Value, error)

	Doc     string // one or two sentences
	Example string // an expression that a test evaluates
	Gives   string // the expression's result as JSON
}

// Lookup returns the function of a name, or nil.
func Lookup(name string) *Func { return table[name] }

// All returns all functions, sorted by name.
func All() []*Func {
	all := make([]*Func, 0, len(table))
	for _, name := range Names() {
		all = append(all, table[name])
	}
	return all
}

// Names returns the names of all functions, sorted.
func Names() []string {
	names := make([]string, 0, len(table))
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// table is filled by the files of this package and never changes after initialisation.
var table = map[string]*Func{}

func register(group Group, fs ...*Func) {
	for _, f := range fs {
		if table[f.Name] != nil {
			panic("funcs: " + f.Name + " registered twice")
		}
		f.Group = group
		table[f.Name] = f
	}
}
