package protocol

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
)

// Decode reads the parameters of a method. It takes those that the method has, by
// their names, each of its type, and refuses everything else with an error that names
// the place.
func Decode[P any](params json.RawMessage) (P, error) {
	var p P
	err := decode(params, reflect.ValueOf(&p).Elem())
	return p, err
}

func decode(params json.RawMessage, into reflect.Value) error {
	if len(params) == 0 {
		params = json.RawMessage("{}")
	}
	v, err := value.ParseJSON(params)
	if err != nil {
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "The params: %v.", err)
	}
	if v.Kind() == value.List {
		if len(v.AsList()) > 0 {
			return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "Parameters are passed by name, in an object.")
		}
		v = value.OfObject(nil)
	}
	return set(into, v, "")
}

var valueType = reflect.TypeFor[value.Value]()

// set sets a field to what came at a path; "" is the params themselves.
func set(into reflect.Value, v value.Value, path string) error {
	if into.Type() == valueType {
		into.Set(reflect.ValueOf(v))
		return nil
	}
	switch into.Kind() {
	case reflect.Pointer:
		into.Set(reflect.New(into.Type().Elem()))
		return set(into.Elem(), v, path)
	case reflect.String:
		if v.Kind() != value.String {
			return wrong(path, "a string", v)
		}
		into.SetString(v.AsString())
	case reflect.Bool:
		if v.Kind() != value.Bool {
			return wrong(path, "true or false", v)
		}
		into.SetBool(v.AsBool())
	case reflect.Int, reflect.Int64:
		if v.Kind() != value.Number {
			return wrong(path, "a whole number", v)
		}
		n, ok := v.AsNumber().Int64()
		if !ok || into.OverflowInt(n) {
			return wrong(path, "a whole number", v)
		}
		into.SetInt(n)
	case reflect.Slice:
		if v.Kind() != value.List {
			return wrong(path, "a list", v)
		}
		list := v.AsList()
		into.Set(reflect.MakeSlice(into.Type(), len(list), len(list)))
		for i, e := range list {
			if err := set(into.Index(i), e, path+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
	case reflect.Map:
		if v.Kind() != value.Object {
			return wrong(path, "an object", v)
		}
		into.Set(reflect.MakeMapWithSize(into.Type(), v.AsObject().Len()))
		for name, m := range v.AsObject().All() {
			e := reflect.New(into.Type().Elem()).Elem()
			if err := set(e, m, below(path, name)); err != nil {
				return err
			}
			into.SetMapIndex(reflect.ValueOf(name), e)
		}
	case reflect.Struct:
		return setStruct(into, v, path)
	default:
		panic("protocol: parameters of type " + into.Type().String())
	}
	return nil
}

func setStruct(into reflect.Value, v value.Value, path string) error {
	if v.Kind() != value.Object {
		return wrong(path, "an object", v)
	}
	fields := fieldsOf(into.Type())
	o := v.AsObject()
	if err := unknown(fields, o, path); err != nil {
		return err
	}
	for _, f := range fields {
		m, ok := o.Get(f.name)
		switch {
		case !ok && f.required:
			return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "The parameter %s is missing: %s", below(path, f.name), f.doc)
		case !ok || m.IsNull() && !f.required && f.typ != valueType: // null is as if it were left out
			continue
		}
		at := into.FieldByIndex(f.index)
		if err := set(at, m, below(path, f.name)); err != nil {
			return err
		}
		if err := f.allows(at, below(path, f.name)); err != nil {
			return err
		}
	}
	return nil
}

// unknown returns an error for an attribute that is no field.
func unknown(fields []field, o *value.ObjectValue, path string) error {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	for name := range o.All() {
		if slices.Contains(names, name) {
			continue
		}
		text := fmt.Sprintf("There is no parameter %q.", below(path, name))
		if near, ok := nearest.Name(name, names); ok {
			text += fmt.Sprintf(" Did you mean %q?", near)
		} else if len(names) > 0 {
			text += " There are: " + strings.Join(names, ", ") + "."
		}
		return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s", text)
	}
	return nil
}

// cut is a text of a client in a message.
func cut(s string) string {
	const most = 100
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

func below(path, name string) string {
	name = cut(name)
	if path == "" {
		return name
	}
	return path + "." + name
}

// wrong says that something else is wanted at a path.
func wrong(path, want string, v value.Value) error {
	what := "The parameter " + path
	if path == "" {
		what = "The params"
	}
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s must be %s, and is %s.", what, want, v.Summary(80))
}

// allows returns an error where a text, or one of a list of texts, is none of those that
// the field may have.
func (f *field) allows(v reflect.Value, path string) error {
	switch {
	case f.enum == nil:
		return nil
	case v.Kind() != reflect.Slice:
		return oneOf(v.String(), f.enum, path)
	}
	for i := range v.Len() {
		if err := oneOf(v.Index(i).String(), f.enum, path+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	return nil
}

func oneOf(text string, enum []string, path string) error {
	for _, e := range enum {
		if e == text {
			return nil
		}
	}
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "The parameter %s must be one of %s, and is %q.", path, strings.Join(enum, ", "), cut(text))
}

// field is one of a struct as JSON has it.
type field struct {
	name     string
	index    []int
	typ      reflect.Type
	required bool
	doc      string
	enum     []string // what a text may be; nil: anything
}

// fieldsOf returns the fields of a struct, those of embedded ones in their place. The
// tags are those of encoding/json, and doc and enum. What is not left out of JSON
// when it is empty is required.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				out = append(out, inner)
			}
			continue
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		one := field{name: name, index: []int{i}, typ: f.Type, required: options == "", doc: f.Tag.Get("doc")}
		if enum := f.Tag.Get("enum"); enum != "" {
			one.enum = strings.Split(enum, ",")
		}
		out = append(out, one)
	}
	return out
}
