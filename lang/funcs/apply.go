package funcs

import (
	"errors"
	"fmt"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// Limits of what a function makes, so that no expression of a few characters
// fills the memory.
const (
	// maxText is as much as one message of a server may carry: what came in at once can be made at once.
	maxText = 64 << 20
	// maxElements is beyond every list that is worth keeping in a workflow's result.
	maxElements = 1_000_000
)

// ArgError is an error that is one argument's fault.
type ArgError struct {
	Arg     int    // its index
	Message string // a full sentence without the function's name
}

func (e *ArgError) Error() string { return e.Message }

// Apply calls the function with arguments of any kinds, as values of type any
// may be: it checks their number and kinds before. An error is a full sentence
// without the function's name, and an *[ArgError] where one argument is to
// blame. f.Form must be Strict.
func (f *Func) Apply(args []value.Value) (value.Value, error) { return f.ApplyWith(nil, args) }

// ApplyWith is [Func.Apply] where blobs can be read; blobs nil: they cannot.
func (f *Func) ApplyWith(blobs Blobs, args []value.Value) (v value.Value, err error) {
	if err := f.admit(args); err != nil {
		return value.Value{}, err
	}
	defer func() {
		if r := recover(); r != nil {
			v, err = value.Value{}, fail("It broke down on these arguments (%v). This is a bug in wfc; please report it with the expression.", r)
		}
	}()
	if f.CallBlobs == nil {
		return f.Call(args)
	}
	if blobs == nil {
		blobs = noBlobs{}
	}
	return f.CallBlobs(blobs, args)
}

type noBlobs struct{}

func (noBlobs) ReadBlob(*value.BlobValue, int64) ([]byte, error) {
	return nil, errors.New("the content of blobs cannot be read in this place")
}

// admit checks the number and the kinds of arguments.
func (f *Func) admit(args []value.Value) error {
	least, most := f.Arity()
	switch {
	case len(args) < least:
		return fail("It wants %s, but got %d.", f.arityText(), len(args))
	case most >= 0 && len(args) > most:
		return fail("It wants %s, but got %d.", f.arityText(), len(args))
	}
	for i, arg := range args {
		p := f.Param(i)
		if !fits(p.Type, arg) {
			return &ArgError{Arg: i, Message: misfit(p, arg)}
		}
	}
	return nil
}

// Arity returns the least and the greatest number of arguments; most is -1
// where there is no greatest.
func (f *Func) Arity() (least, most int) {
	least = len(f.Params)
	if f.Variadic != nil {
		return least, -1
	}
	return least, least + len(f.Optional)
}

// arityText returns "2 arguments", "1 to 3 arguments", "at least 1 argument".
func (f *Func) arityText() string {
	least, most := f.Arity()
	plural := func(n int) string {
		if n == 1 {
			return "argument"
		}
		return "arguments"
	}
	switch {
	case most < 0:
		return fmt.Sprintf("at least %d %s", least, plural(least))
	case most == 0:
		return "no arguments"
	case least == most:
		return fmt.Sprintf("%d %s", least, plural(least))
	}
	return fmt.Sprintf("%d to %d arguments", least, most)
}

// Param returns the parameter of the argument at index i, or nil where the
// function takes no such argument.
func (f *Func) Param(i int) *Param {
	if i < len(f.Params) {
		return &f.Params[i]
	}
	i -= len(f.Params)
	if i < len(f.Optional) {
		return &f.Optional[i]
	}
	return f.Variadic
}

// fits reports whether v is of a parameter's type. It is types.Conforms for the
// few types that parameters have, without its cost.
func fits(t *types.Type, v value.Value) bool {
	switch t.Kind() {
	case types.Any:
		return true
	case types.Null:
		return v.IsNull()
	case types.Bool:
		return v.Kind() == value.Bool
	case types.Number:
		return v.Kind() == value.Number
	case types.Integer:
		return v.Kind() == value.Number && v.AsNumber().IsInteger()
	case types.String:
		return v.Kind() == value.String
	case types.Blob:
		return v.Kind() == value.Blob
	case types.List:
		return v.Kind() == value.List && allFit(t.Elem(), v)
	case types.Map, types.Object:
		return v.Kind() == value.Object && allFit(elementType(t), v)
	case types.Union:
		for _, member := range t.Items() {
			if fits(member, v) {
				return true
			}
		}
		return false
	default:
		return types.Conforms(t, v) == nil
	}
}

// elementType returns the type of a map's elements or an object's undeclared
// attributes; no parameter declares attributes.
func elementType(t *types.Type) *types.Type {
	if t.Kind() == types.Map {
		return t.Elem()
	}
	return t.Rest()
}

func allFit(elem *types.Type, v value.Value) bool {
	if elem.Kind() == types.Any {
		return true
	}
	if v.Kind() == value.List {
		for _, e := range v.AsList() {
			if !fits(elem, e) {
				return false
			}
		}
		return true
	}
	for _, e := range v.AsObject().All() {
		if !fits(elem, e) {
			return false
		}
	}
	return true
}

// misfit says why an argument is not of its parameter's type, and names the
// element where it is one element's fault.
func misfit(p *Param, v value.Value) string {
	if p.Type.Kind() == types.List && v.Kind() == value.List {
		for i, e := range v.AsList() {
			if !fits(p.Type.Elem(), e) {
				return fmt.Sprintf("Element %d of its argument %q must be %s, but is %s.%s",
					i, p.Name, describe(p.Type.Elem()), show(e), remedy(p.Type.Elem(), e))
			}
		}
	}
	return fmt.Sprintf("Its argument %q must be %s, but is %s.%s", p.Name, describe(p.Type), show(v), remedy(p.Type, v))
}

// remedy returns how to convert where a value is of the other scalar kind.
func remedy(want *types.Type, v value.Value) string {
	switch {
	case want.Kind() == types.String && (v.Kind() == value.Number || v.Kind() == value.Bool):
		return " Convert it with tostring()."
	case want.Kind() == types.Number && v.Kind() == value.String:
		return " Convert it with tonumber()."
	case want.Kind() == types.Integer && v.Kind() == value.String:
		return " Convert it with toint()."
	case want.Kind() == types.Integer && v.Kind() == value.Number:
		return " Round it with floor() or ceil()."
	}
	return ""
}

// describe returns a parameter's type in words: "a string", "a list of numbers".
func describe(t *types.Type) string {
	switch t.Kind() {
	case types.Bool:
		return "true or false"
	case types.Number:
		return "a number"
	case types.Integer:
		return "a whole number"
	case types.String:
		return "a string"
	case types.Blob:
		return "a blob"
	case types.Null:
		return "null"
	case types.List:
		if t.Elem().Kind() == types.List {
			return "a list of lists"
		}
		return "a list"
	case types.Map, types.Object:
		return "a map or object"
	case types.Union:
		text := ""
		last := ""
		for _, member := range t.Items() {
			d := describe(member)
			if d == last {
				continue // map and object have the same words
			}
			if text != "" {
				text += " or "
			}
			text += d
			last = d
		}
		return text
	}
	return types.Print(t)
}

// show renders a value for a message, with its kind: "the number 5", "null".
func show(v value.Value) string {
	switch v.Kind() {
	case value.Null, value.Bool:
		return v.Summary(16)
	case value.Blob:
		return "a blob"
	}
	return "the " + v.Kind().String() + " " + v.Summary(60)
}

// fail returns an error that is a full sentence.
func fail(format string, args ...any) error { return fmt.Errorf(format, args...) }

// failArg returns the error of one argument.
func failArg(arg int, format string, args ...any) error {
	return &ArgError{Arg: arg, Message: fmt.Sprintf(format, args...)}
}

// textOf returns s as a value, or an error where it is beyond maxText. What
// may grow checks before it builds; this is for what has been built in bounds.
func textOf(s string) (value.Value, error) {
	if err := roomForText(len(s)); err != nil {
		return value.Value{}, err
	}
	return value.OfString(s), nil
}

// roomForText refuses text that would be longer than maxText.
func roomForText(n int) error {
	if n > maxText {
		return fail("Its result would be %d bytes of text; at most %d are possible.", n, maxText)
	}
	return nil
}

// roomForElements refuses lists that would be longer than maxElements.
func roomForElements(n int) error {
	if n > maxElements {
		return fail("Its result would have %d elements; at most %d are possible.", n, maxElements)
	}
	return nil
}
