package types

import (
	"github.com/lda-wf/wfc/lang/value"
)

// ToSchema returns t as a JSON Schema of draft 2020-12, for readers that do not know
// the notation: an object, {} for any. What is optional is
// not required; a blob is the handle that stands for one; refinements, defaults and
// descriptions are in it.
func ToSchema(t *Type) value.Value {
	// Types are shared where the notation shares them.
	w := &schemaWriter{names: newPrinter(t, true)}
	root := w.schema(t)
	if len(w.names.order) == 0 {
		return root
	}
	defs := value.NewObject(len(w.names.order))
	for _, d := range w.names.order {
		defs.Set(w.names.names[d], w.define(d))
	}
	out := value.NewObject(2)
	if root.Kind() == value.Object {
		for k, v := range root.AsObject().All() {
			out.Set(k, v)
		}
	}
	out.Set("$defs", value.OfObject(defs))
	return value.OfObject(out)
}

type schemaWriter struct{ names *printer }

// schema writes t, or a reference to its definition.
func (w *schemaWriter) schema(t *Type) value.Value {
	u := t.Underlying()
	if name := w.names.names[u]; name != "" {
		return value.OfObject(keyed("$ref", value.OfString("#/$defs/"+name)))
	}
	return w.define(u)
}

// define writes t, which is no name.
func (w *schemaWriter) define(t *Type) value.Value {
	var o *value.ObjectValue
	switch t.kind {
	case Any:
		// Clients of MCP refuse whole tool lists because of a property that is true.
		return value.OfObject(value.NewObject(0))
	case Null:
		o = ofType("null")
	case Bool:
		o = ofType("boolean")
	case String:
		o = ofType("string")
	case Number:
		o = ofType("number")
	case Integer:
		o = ofType("integer")
	case Literal:
		o = keyed("const", t.lit)
	case Blob:
		o = ofType("object")
		o.Set("properties", value.OfObject(keyed("$blob", value.OfObject(ofType("object")))))
		o.Set("required", value.OfList([]value.Value{value.OfString("$blob")}))
	case List:
		o = ofType("array")
		o.Set("items", w.schema(t.elem))
	case Tuple:
		o = ofType("array")
		items := make([]value.Value, len(t.items))
		for i, x := range t.items {
			items[i] = w.schema(x)
		}
		o.Set("prefixItems", value.OfList(items))
		o.Set("items", value.OfBool(false))
		o.Set("minItems", value.OfInt(int64(len(items))))
	case Map:
		o = ofType("object")
		o.Set("additionalProperties", w.schema(t.elem))
	case Object:
		o = w.object(t)
	case Union:
		o = w.union(t)
	default: // Never
		return value.OfObject(keyed("not", value.OfObject(value.NewObject(0))))
	}
	if t.refine != nil {
		t.refine.write(o)
	}
	return value.OfObject(o)
}

func (w *schemaWriter) object(t *Type) *value.ObjectValue {
	o := ofType("object")
	properties := value.NewObject(len(t.attrs))
	var required []value.Value
	for i := range t.attrs {
		a := &t.attrs[i]
		s := w.schema(a.Type)
		if s.Kind() == value.Object && (a.Description != "" || a.Default != nil) {
			with := value.NewObject(s.AsObject().Len() + 2)
			for k, v := range s.AsObject().All() {
				with.Set(k, v)
			}
			if a.Description != "" {
				with.Set("description", value.OfString(a.Description))
			}
			if a.Default != nil {
				with.Set("default", *a.Default)
			}
			s = value.OfObject(with)
		}
		properties.Set(a.Name, s)
		if !a.Optional {
			required = append(required, value.OfString(a.Name))
		}
	}
	o.Set("properties", value.OfObject(properties))
	if len(required) > 0 {
		o.Set("required", value.OfList(required))
	}
	if t.rest == nil {
		o.Set("additionalProperties", value.OfBool(false))
	} else {
		o.Set("additionalProperties", w.schema(t.rest))
	}
	return o
}

// union writes literals as one enumeration, and the rest side by side.
func (w *schemaWriter) union(t *Type) *value.ObjectValue {
	var literals, others []value.Value
	for _, m := range t.items {
		if m.kind == Literal {
			literals = append(literals, m.lit)
		} else {
			others = append(others, w.schema(m))
		}
	}
	if len(literals) > 0 {
		enum := value.NewObject(2)
		if kind := kindOfAll(literals); kind != "" {
			enum.Set("type", value.OfString(kind))
		}
		enum.Set("enum", value.OfList(literals))
		if len(others) == 0 {
			return enum
		}
		others = append([]value.Value{value.OfObject(enum)}, others...)
	}
	return keyed("anyOf", value.OfList(others))
}

// kindOfAll is the JSON Schema type that values have in common; "": none.
func kindOfAll(values []value.Value) string {
	kind := ""
	for _, v := range values {
		k := map[value.Kind]string{value.String: "string", value.Number: "number", value.Bool: "boolean"}[v.Kind()]
		if kind != "" && kind != k {
			return ""
		}
		kind = k
	}
	return kind
}

// write puts the refinements into a schema.
func (r *Refinement) write(o *value.ObjectValue) {
	text := func(name, s string) {
		if s != "" {
			o.Set(name, value.OfString(s))
		}
	}
	count := func(name string, n *int) {
		if n != nil {
			o.Set(name, value.OfInt(int64(*n)))
		}
	}
	number := func(name string, n *value.Decimal) {
		if n != nil {
			o.Set(name, value.OfNumber(*n))
		}
	}
	text("pattern", r.Pattern)
	text("format", r.Format)
	count("minLength", r.MinLength)
	count("maxLength", r.MaxLength)
	count("minItems", r.MinItems)
	count("maxItems", r.MaxItems)
	if r.UniqueItems {
		o.Set("uniqueItems", value.OfBool(true))
	}
	number("minimum", r.Minimum)
	number("maximum", r.Maximum)
	number("exclusiveMinimum", r.ExclusiveMinimum)
	number("exclusiveMaximum", r.ExclusiveMaximum)
	number("multipleOf", r.MultipleOf)
	count("minProperties", r.MinProperties)
	count("maxProperties", r.MaxProperties)
}

func ofType(name string) *value.ObjectValue { return keyed("type", value.OfString(name)) }

// keyed is an object with one attribute.
func keyed(name string, v value.Value) *value.ObjectValue {
	o := value.NewObject(4)
	o.Set(name, v)
	return o
}
