package types

import (
	"math"

	"github.com/lda-wf/wfc/lang/value"
)

// structure returns the type that `type` and the keywords of its kinds make.
// It puts the kinds into at, for the parts of allOf, anyOf and oneOf.
func (c *converter) structure(o *value.ObjectValue, at *place) *Type {
	kinds := c.kinds(o, *at)
	if kinds == nil {
		kinds = at.types
	}
	if kinds == nil {
		switch {
		case has(o, "properties", "additionalProperties", "required"):
			c.guarded(at.pointer, "no `type` is given; it is read as an object")
			kinds = []string{"object"}
		case has(o, "items", "prefixItems"):
			c.guarded(at.pointer, "no `type` is given; it is read as a list")
			kinds = []string{"array"}
		default:
			if has(o, "pattern", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
				"multipleOf", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "format") {
				c.guarded(at.pointer, "it constrains values without saying of which `type`")
			}
			if has(o, "patternProperties") {
				return AnyType
			}
		}
	}
	at.types = kinds
	if kinds == nil {
		return AnyType
	}
	members := make([]*Type, 0, len(kinds))
	for _, k := range kinds {
		switch k {
		case "null":
			members = append(members, NullType)
		case "boolean":
			members = append(members, BoolType)
		case "string":
			members = append(members, c.refine(StringType, o, *at))
		case "number":
			members = append(members, c.refine(NumberType, o, *at))
		case "integer":
			members = append(members, c.refine(IntegerType, o, *at))
		case "array":
			members = append(members, c.refine(c.array(o, *at), o, *at))
		case "object":
			members = append(members, c.refine(c.object(o, *at), o, *at))
		default:
			c.problem(*at, "%q is no type of JSON Schema", k)
		}
	}
	return UnionOf(members...)
}

func has(o *value.ObjectValue, keywords ...string) bool {
	for _, k := range keywords {
		if _, ok := o.Get(k); ok {
			return true
		}
	}
	return false
}

// kinds returns the names in `type`, nil if it is not given.
func (c *converter) kinds(o *value.ObjectValue, at place) []string {
	v, ok := o.Get("type")
	if !ok {
		return nil
	}
	switch v.Kind() {
	case value.String:
		return []string{v.AsString()}
	case value.List:
		var out []string
		for _, x := range v.AsList() {
			if x.Kind() != value.String {
				c.problem(at, "`type` lists names, not %s", describeKind(x))
				return nil
			}
			out = append(out, x.AsString())
		}
		if len(out) > 0 {
			return out
		}
	}
	c.problem(at, "`type` is a name or a list of names")
	return nil
}

// refine gives t the constraints of its kind.
func (c *converter) refine(t *Type, o *value.ObjectValue, at place) *Type {
	var r Refinement
	switch t.kind {
	case String:
		r.Pattern = c.text(o, "pattern", at)
		if r.Pattern != "" && CompilePattern(r.Pattern) == nil {
			c.widened(at, "the pattern "+r.Pattern+" cannot be checked")
		}
		r.Format = c.text(o, "format", at)
		r.MinLength = c.count(o, "minLength", at)
		r.MaxLength = c.count(o, "maxLength", at)
	case Number, Integer:
		r.Minimum = c.number(o, "minimum", at)
		r.Maximum = c.number(o, "maximum", at)
		c.exclusive(o, "exclusiveMinimum", &r.Minimum, &r.ExclusiveMinimum, at)
		c.exclusive(o, "exclusiveMaximum", &r.Maximum, &r.ExclusiveMaximum, at)
		r.MultipleOf = c.number(o, "multipleOf", at)
		if r.MultipleOf != nil && r.MultipleOf.Sign() <= 0 {
			c.problem(at, "`multipleOf` is more than 0")
		}
	case List, Tuple:
		r.MinItems = c.count(o, "minItems", at)
		r.MaxItems = c.count(o, "maxItems", at)
		if v, ok := o.Get("uniqueItems"); ok && v.Kind() == value.Bool {
			r.UniqueItems = v.AsBool()
		}
	case Object, Map:
		r.MinProperties = c.count(o, "minProperties", at)
		r.MaxProperties = c.count(o, "maxProperties", at)
	}
	if r.isZero() {
		return t
	}
	return t.Refined(&r)
}

func (c *converter) text(o *value.ObjectValue, keyword string, at place) string {
	v, ok := o.Get(keyword)
	if !ok {
		return ""
	}
	if v.Kind() != value.String {
		c.problem(at, "`%s` is a string, not %s", keyword, describeKind(v))
		return ""
	}
	return v.AsString()
}

func (c *converter) number(o *value.ObjectValue, keyword string, at place) *value.Decimal {
	v, ok := o.Get(keyword)
	if !ok {
		return nil
	}
	if v.Kind() != value.Number {
		c.problem(at, "`%s` is a number, not %s", keyword, describeKind(v))
		return nil
	}
	d := v.AsNumber()
	return &d
}

// count reads a keyword that is a length.
func (c *converter) count(o *value.ObjectValue, keyword string, at place) *int {
	d := c.number(o, keyword, at)
	if d == nil {
		return nil
	}
	if !d.IsInteger() || d.Sign() < 0 {
		c.problem(at, "`%s` is a whole number from 0", keyword)
		return nil
	}
	n, ok := d.Int64()
	if !ok || n > math.MaxInt32 {
		n = math.MaxInt32 // no list or text is that long
	}
	i := int(n)
	return &i
}

// exclusive reads a bound: a number, or draft-04's true beside the other one.
func (c *converter) exclusive(o *value.ObjectValue, keyword string, inclusive, exclusive **value.Decimal, at place) {
	v, ok := o.Get(keyword)
	switch {
	case !ok:
	case v.Kind() == value.Bool:
		if c.draft > 4 {
			c.guarded(at.pointer, "`"+keyword+"` is written as draft-04 does")
		}
		if v.AsBool() {
			*exclusive, *inclusive = *inclusive, nil
		}
	default:
		*exclusive = c.number(o, keyword, at)
	}
}

func (c *converter) object(o *value.ObjectValue, at place) *Type {
	var attrs []Attr
	properties, listed := o.Get("properties")
	if listed {
		if properties.Kind() != value.Object {
			c.problem(at, "`properties` is an object, not %s", describeKind(properties))
			return AnyType
		}
		attrs = make([]Attr, 0, properties.AsObject().Len())
		for name, s := range properties.AsObject().All() {
			c.unicode(name, at)
			a := Attr{Name: name, Type: c.convert(s, at.in("properties", name)), Optional: true}
			if s.Kind() == value.Object {
				if d, ok := s.AsObject().Get("description"); ok && d.Kind() == value.String {
					a.Description = d.AsString()
				}
			}
			attrs = append(attrs, a)
		}
	}
	rest := c.rest(o, listed, at)
	attrs = c.required(o, attrs, rest, at)
	c.defaults(properties, attrs)
	if len(attrs) == 0 && rest != nil && rest.kind != Any {
		return MapOf(rest)
	}
	return ObjectOf(attrs, rest)
}

// rest returns the type of the attributes that are not listed.
func (c *converter) rest(o *value.ObjectValue, listed bool, at place) *Type {
	rest := AnyType
	switch v, given := o.Get("additionalProperties"); {
	case given:
		rest = c.convert(v, at.in("additionalProperties"))
		if rest.kind == Never {
			c.report.Closed = true
		}
	case listed && !has(o, "patternProperties"):
		return nil // LANGUAGE 2, "Undeclared names"
	}
	if v, ok := o.Get("patternProperties"); ok && rest.kind != Any {
		if v.Kind() != value.Object {
			c.problem(at, "`patternProperties` is an object, not %s", describeKind(v))
			return nil
		}
		members := []*Type{rest}
		for pattern, s := range v.AsObject().All() {
			members = append(members, c.convert(s, at.in("patternProperties", pattern)))
		}
		rest = UnionOf(members...)
	}
	if rest.kind == Never {
		return nil
	}
	return rest
}

// required marks the required attributes; one that is not listed is added.
func (c *converter) required(o *value.ObjectValue, attrs []Attr, rest *Type, at place) []Attr {
	v, ok := o.Get("required")
	if !ok || c.draft <= 4 && v.Kind() == value.Bool {
		return attrs
	}
	if v.Kind() != value.List {
		c.problem(at, "`required` is a list of names, not %s", describeKind(v))
		return attrs
	}
	index := make(map[string]int, len(attrs))
	for i := range attrs {
		index[attrs[i].Name] = i
	}
	for _, name := range v.AsList() {
		if name.Kind() != value.String {
			c.problem(at, "`required` is a list of names, not of %s", describeKind(name))
			return attrs
		}
		i, ok := index[name.AsString()]
		if !ok {
			c.unicode(name.AsString(), at)
			i = len(attrs)
			index[name.AsString()] = i
			t := rest
			if t == nil {
				t = AnyType
				if v, ok := o.Get("additionalProperties"); ok && v.Kind() == value.Bool && !v.AsBool() {
					t = NeverType // required and not allowed: there is no such object
				}
			}
			attrs = append(attrs, Attr{Name: name.AsString(), Type: t})
		}
		attrs[i].Optional = false
	}
	return attrs
}

// defaults puts in the defaults of optional attributes that are of their types.
func (c *converter) defaults(properties value.Value, attrs []Attr) {
	if properties.Kind() != value.Object {
		return
	}
	for i := range attrs {
		s, ok := properties.AsObject().Get(attrs[i].Name)
		if !ok || !attrs[i].Optional || s.Kind() != value.Object {
			continue
		}
		d, ok := s.AsObject().Get("default")
		// What a name stands for may not be there yet.
		named := func(t *Type) bool { return t.kind == Named }
		if ok && !contains(attrs[i].Type, named) && isUnicode(d) && Conforms(attrs[i].Type, d) == nil {
			attrs[i].Default = &d
		}
	}
}

func (c *converter) array(o *value.ObjectValue, at place) *Type {
	items, given := o.Get("items")
	prefixKey, restKey := "prefixItems", "items"
	if given && items.Kind() == value.List {
		prefixKey, restKey = "items", "additionalItems"
	}
	prefix := c.list(o, prefixKey, at)
	rest := AnyType
	if v, ok := o.Get(restKey); ok {
		rest = c.convert(v, at.in(restKey))
	}
	if len(prefix) == 0 {
		if rest.kind == Never {
			return TupleOf()
		}
		return ListOf(rest)
	}
	parts := make([]*Type, len(prefix))
	for i, v := range prefix {
		parts[i] = c.convert(v, at.item(prefixKey, i))
	}
	least, most := c.count(o, "minItems", at), c.count(o, "maxItems", at)
	n := len(parts)
	if most != nil && *most < n {
		n = *most
	}
	if least != nil && *least >= n && (rest.kind == Never || most != nil && *most <= n) {
		return TupleOf(parts[:n]...)
	}
	c.widened(at, "its first elements have types of their own and its length is not fixed")
	return ListOf(UnionOf(append(parts, rest)...))
}
