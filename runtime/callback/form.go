package callback

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// Form is a flat form: what MCP lets a server ask.
type Form struct {
	Fields []Field // in the server's order
}

// FieldKind is what a field takes.
type FieldKind uint8

// The kinds of fields.
const (
	Text    FieldKind = iota // a string
	Number                   // a number
	Integer                  // a whole number
	Boolean                  // true or false
	OneOf                    // the value of one of Choices
	SomeOf                   // a list of values of Choices
)

// Field is one field of a form.
type Field struct {
	Name        string
	Title       string // "" if the server gave none
	Description string // likewise
	Kind        FieldKind
	Choices     []Choice
	Required    bool
	Default     *value.Value // nil: none

	typ *types.Type // with its refinements
}

// Choice is what a field of the kind OneOf or SomeOf may be.
type Choice struct {
	Value value.Value
	Title string // "": the value speaks for itself
}

// newForm reads a requestedSchema. Servers that want to know only whether they may
// go on send none, or one without properties.
func newForm(schema value.Value) (*Form, error) {
	f := &Form{}
	if schema.IsNull() {
		return f, nil
	}
	if schema.Kind() != value.Object {
		return nil, fmt.Errorf("its requestedSchema is a %s, not an object", schema.Kind())
	}
	if kind, ok := schema.AsObject().Get("type"); ok && (kind.Kind() != value.String || kind.AsString() != "object") {
		return nil, errors.New("its requestedSchema is not of the type object")
	}
	required := map[string]bool{}
	if list, ok := schema.AsObject().Get("required"); ok && list.Kind() == value.List {
		for _, name := range list.AsList() {
			if name.Kind() == value.String {
				required[name.AsString()] = true
			}
		}
	}
	properties, ok := schema.AsObject().Get("properties")
	if !ok {
		return f, nil
	}
	if properties.Kind() != value.Object {
		return nil, fmt.Errorf("the properties of its requestedSchema are a %s, not an object", properties.Kind())
	}
	for name, property := range properties.AsObject().All() {
		field, err := newField(name, property)
		if err != nil {
			return nil, fmt.Errorf("the field %q of its requestedSchema %w", name, err)
		}
		field.Required = required[name]
		f.Fields = append(f.Fields, field)
	}
	return f, nil
}

// newField reads one property. The error goes on "the field x".
func newField(name string, property value.Value) (Field, error) {
	f := Field{Name: name}
	if property.Kind() != value.Object {
		return f, errors.New("is no schema")
	}
	o := property.AsObject()
	f.Title, _ = text(o, "title", false)
	f.Description, _ = text(o, "description", false)
	typ, report := types.FromSchemaValue(property)
	if report.Problem != "" {
		return f, fmt.Errorf("is no schema: %s", report.Problem)
	}
	f.typ = typ
	kind, _ := text(o, "type", false)
	f.Choices = choices(o)
	switch {
	case kind == "array":
		items, _ := o.Get("items")
		if items.Kind() == value.Object {
			f.Choices = choices(items.AsObject())
		}
		if len(f.Choices) == 0 {
			return f, errors.New("is a list of what is not enumerated, which no form can ask for")
		}
		f.Kind = SomeOf
	case len(f.Choices) > 0:
		f.Kind = OneOf
	case kind == "string":
		f.Kind = Text
	case kind == "number":
		f.Kind = Number
	case kind == "integer":
		f.Kind = Integer
	case kind == "boolean":
		f.Kind = Boolean
	default:
		return f, fmt.Errorf("has the type %q, which no form can ask for", kind)
	}
	if def, ok := o.Get("default"); ok && !def.IsNull() && f.Check(def) == nil {
		f.Default = &def
	}
	return f, nil
}

// choices reads the values that a schema enumerates, in any of the three ways that
// MCP has had: enum, with enumNames, and oneOf or anyOf with const and title.
func choices(o *value.ObjectValue) []Choice {
	var out []Choice
	if list, ok := o.Get("enum"); ok && list.Kind() == value.List {
		names, _ := o.Get("enumNames")
		for i, v := range list.AsList() {
			c := Choice{Value: v}
			if names.Kind() == value.List && i < len(names.AsList()) && names.AsList()[i].Kind() == value.String {
				c.Title = names.AsList()[i].AsString()
			}
			out = append(out, c)
		}
		return out
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		list, ok := o.Get(key)
		if !ok || list.Kind() != value.List {
			continue
		}
		for _, item := range list.AsList() {
			if item.Kind() != value.Object {
				return nil
			}
			v, ok := item.AsObject().Get("const")
			if !ok {
				return nil
			}
			title, _ := text(item.AsObject(), "title", false)
			out = append(out, Choice{Value: v, Title: title})
		}
		return out
	}
	return nil
}

// Label returns the field's title, or its name.
func (f Field) Label() string {
	if f.Title != "" {
		return f.Title
	}
	return f.Name
}

// Wants says in a few words what the field takes: "a whole number", "yes or no".
func (f Field) Wants() string {
	switch f.Kind {
	case Number:
		return "a number"
	case Integer:
		return "a whole number"
	case Boolean:
		return "yes or no"
	case OneOf:
		return "one of the choices"
	case SomeOf:
		return "some of the choices, separated by commas"
	}
	return "text"
}

// Read returns the value that a person means by what they typed. The error is a
// full sentence.
func (f Field) Read(typed string) (value.Value, error) {
	var v value.Value
	var err error
	trimmed := strings.TrimSpace(typed)
	switch f.Kind {
	case Number, Integer:
		var d value.Decimal
		if d, err = value.ParseDecimal(trimmed); err != nil {
			return v, fmt.Errorf("%q is not %s.", trimmed, f.Wants())
		}
		v = value.OfNumber(d)
	case Boolean:
		switch strings.ToLower(trimmed) {
		case "y", "yes", "true":
			v = value.OfBool(true)
		case "n", "no", "false":
			v = value.OfBool(false)
		default:
			return v, fmt.Errorf("%q is neither yes nor no.", trimmed)
		}
	case OneOf:
		if v, err = f.choice(trimmed); err != nil {
			return v, err
		}
	case SomeOf:
		var list []value.Value
		for part := range strings.SplitSeq(trimmed, ",") {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			item, err := f.choice(part)
			if err != nil {
				return v, err
			}
			list = append(list, item)
		}
		v = value.OfList(list)
	default:
		v = value.OfString(typed)
	}
	return v, f.Check(v)
}

// choice returns the value that typed names: by its number from 1, or as the
// value or its title is written.
func (f Field) choice(typed string) (value.Value, error) {
	for _, c := range f.Choices {
		if c.Value.Kind() == value.String && c.Value.AsString() == typed || c.Value.Kind() != value.String && c.Value.JSON() == typed {
			return c.Value, nil
		}
	}
	for _, c := range f.Choices {
		if strings.EqualFold(c.Title, typed) && c.Title != "" {
			return c.Value, nil
		}
	}
	for i, c := range f.Choices {
		if fmt.Sprint(i+1) == typed {
			return c.Value, nil
		}
	}
	return value.Value{}, fmt.Errorf("%q is none of the choices.", typed)
}

// Check returns, as a full sentence, why v is no value of the field.
func (f Field) Check(v value.Value) error {
	if m := types.Conforms(f.typ, v); m != nil {
		return fmt.Errorf("%s.", m.Error())
	}
	return nil
}

// Check returns, as a full sentence, why content is no answer to the form.
func (f *Form) Check(content value.Value) error {
	if content.Kind() != value.Object {
		return fmt.Errorf("The answer is a %s, not an object.", content.Kind())
	}
	known := make(map[string]bool, len(f.Fields))
	for _, field := range f.Fields {
		known[field.Name] = true
		v, ok := content.AsObject().Get(field.Name)
		switch {
		case !ok && field.Required:
			return fmt.Errorf("The field %q is missing.", field.Name)
		case !ok:
			continue
		}
		if err := field.Check(v); err != nil {
			return fmt.Errorf("The field %q: %w", field.Name, err)
		}
	}
	for _, name := range content.AsObject().Keys() {
		if !known[name] {
			return fmt.Errorf("There is no field %q.", name)
		}
	}
	return nil
}
