package catalog

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// refinements compares what JSON Schema says of values beyond their type. What
// is passed may break a rule that is new; of what is given rules say nothing
// that a workflow is checked for.
func (c *comparison) refinements(path string, old, now *types.Refinement) {
	var none types.Refinement
	if old == nil {
		old = &none
	}
	if now == nil {
		now = &none
	}
	for _, r := range []struct {
		name     string
		old, now string // "": there is none
		tighter  int    // of both: 1 tighter, -1 looser, 0 neither
	}{
		{"pattern", old.Pattern, now.Pattern, 0},
		{"format", old.Format, now.Format, 0},
		{"minLength", whole(old.MinLength), whole(now.MinLength), lower(old.MinLength, now.MinLength)},
		{"maxLength", whole(old.MaxLength), whole(now.MaxLength), -lower(old.MaxLength, now.MaxLength)},
		{"minItems", whole(old.MinItems), whole(now.MinItems), lower(old.MinItems, now.MinItems)},
		{"maxItems", whole(old.MaxItems), whole(now.MaxItems), -lower(old.MaxItems, now.MaxItems)},
		{"minProperties", whole(old.MinProperties), whole(now.MinProperties), lower(old.MinProperties, now.MinProperties)},
		{"maxProperties", whole(old.MaxProperties), whole(now.MaxProperties), -lower(old.MaxProperties, now.MaxProperties)},
		{"minimum", number(old.Minimum), number(now.Minimum), less(old.Minimum, now.Minimum)},
		{"exclusiveMinimum", number(old.ExclusiveMinimum), number(now.ExclusiveMinimum), less(old.ExclusiveMinimum, now.ExclusiveMinimum)},
		{"maximum", number(old.Maximum), number(now.Maximum), -less(old.Maximum, now.Maximum)},
		{"exclusiveMaximum", number(old.ExclusiveMaximum), number(now.ExclusiveMaximum), -less(old.ExclusiveMaximum, now.ExclusiveMaximum)},
		{"multipleOf", number(old.MultipleOf), number(now.MultipleOf), 0},
		{"uniqueItems", truth(old.UniqueItems), truth(now.UniqueItems), 0},
	} {
		c.rule(path, r.name, r.old, r.now, r.tighter)
	}
}

func (c *comparison) rule(path, name, old, now string, tighter int) {
	switch {
	case old == now:
	case old == "":
		c.narrowed(RuleTightened, path, "%s is %s now; there was none.", name, now)
	case now == "":
		c.add(RuleLoosened, false, path, "%s is gone; it was %s.", name, old)
	case tighter < 0:
		c.add(RuleLoosened, false, path, "%s is %s now; it was %s.", name, now, old)
	default:
		c.narrowed(RuleTightened, path, "%s is %s now; it was %s.", name, now, old)
	}
}

func whole(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

func number(d *value.Decimal) string {
	if d == nil {
		return ""
	}
	return d.String()
}

func truth(b bool) string {
	if b {
		return "true"
	}
	return ""
}

// lower and less return 1 where old is below now, -1 where it is above.
func lower(old, now *int) int {
	switch {
	case old == nil || now == nil || *old == *now:
		return 0
	case *old < *now:
		return 1
	}
	return -1
}

func less(old, now *value.Decimal) int {
	if old == nil || now == nil {
		return 0
	}
	return now.Cmp(*old)
}

// rules compares what schemas say that types do not: see [unmodelled].
func (c *comparison) rules(path string, old, now []byte) {
	// Where a type is a union, the rules of its members are a part of it, unless
	// it had to drop them: they count where the types show no difference.
	alternatives := !slices.ContainsFunc(c.changes, func(x Change) bool {
		return x.List == c.list && x.Name == c.name && strings.HasPrefix(x.Path, path) && x.Kind != DescriptionChanged
	})
	before, after := unmodelled(old, alternatives), unmodelled(now, alternatives)
	for _, at := range slices.Sorted(maps.Keys(after)) {
		switch was, had := before[at]; {
		case !had:
			c.narrowed(RuleTightened, path, "The schema says more of what is allowed: %s is new.", at)
		case was != after[at]:
			c.narrowed(RuleTightened, path, "The schema says something else of what is allowed: %s has changed.", at)
		}
	}
	for _, at := range slices.Sorted(maps.Keys(before)) {
		if _, has := after[at]; !has {
			c.add(RuleLoosened, false, path, "The schema says less of what is allowed: %s is gone.", at)
		}
	}
}

// Keywords of JSON Schema by what a walk does with them.
var (
	// schemaKeywords hold a schema, or a list of schemas.
	schemaKeywords = []string{"items", "additionalItems", "prefixItems", "additionalProperties", "allOf", "anyOf", "oneOf"}
	// schemaMaps hold schemas by name.
	schemaMaps = []string{"properties", "$defs", "definitions"}
	// alternativeKeywords hold the schemas that a union is made of.
	alternativeKeywords = []string{"allOf", "anyOf", "oneOf"}
	// guardKeywords say what no type says.
	guardKeywords = []string{
		"not", "if", "then", "else", "patternProperties", "propertyNames", "contains", "minContains", "maxContains",
		"dependencies", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems",
		"contentEncoding", "contentMediaType", "contentSchema",
	}
	ruleKeywords = []string{
		"pattern", "format", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minimum", "maximum",
		"exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minProperties", "maxProperties",
	}
	// annotations say nothing of what is allowed.
	annotations = []string{"title", "description", "examples", "default", "$comment", "deprecated", "readOnly", "writeOnly"}
)

// unmodelled finds the keywords of a schema that its type says nothing of, by
// their place: `"not" at #/properties/a`. Their values are canonical JSON
// without annotations. alternatives is whether rules of the members of unions,
// such as a minimum, are among them.
func unmodelled(raw []byte, alternatives bool) map[string]string {
	out := map[string]string{}
	root, err := value.ParseJSON(raw)
	if err != nil {
		return out
	}
	var walk func(v value.Value, pointer string, inAlternative bool)
	walk = func(v value.Value, pointer string, inAlternative bool) {
		if v.Kind() == value.List {
			for i, x := range v.AsList() {
				walk(x, fmt.Sprintf("%s/%d", pointer, i), inAlternative)
			}
			return
		}
		if v.Kind() != value.Object {
			return
		}
		o := v.AsObject()
		for _, key := range o.Keys() {
			x, _ := o.Get(key)
			at := pointer + "/" + key
			switch {
			case slices.Contains(guardKeywords, key), alternatives && inAlternative && slices.Contains(ruleKeywords, key):
				out[fmt.Sprintf("%q at %s", key, pointer)] = string(value.AppendCanonicalJSON(nil, bare(x)))
			case slices.Contains(schemaKeywords, key):
				walk(x, at, inAlternative || slices.Contains(alternativeKeywords, key))
			case slices.Contains(schemaMaps, key) && x.Kind() == value.Object:
				for _, name := range x.AsObject().Keys() {
					y, _ := x.AsObject().Get(name)
					walk(y, at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), inAlternative)
				}
			}
		}
	}
	walk(root, "#", false)
	return out
}

// bare returns a schema without its annotations.
func bare(v value.Value) value.Value {
	switch v.Kind() {
	case value.List:
		elems := v.AsList()
		out := make([]value.Value, 0, len(elems))
		for _, x := range elems {
			out = append(out, bare(x))
		}
		return value.OfList(out)
	case value.Object:
		o := v.AsObject()
		out := value.NewObject(o.Len())
		for key, x := range o.All() {
			switch {
			case slices.Contains(annotations, key):
			case slices.Contains(schemaMaps, key) && x.Kind() == value.Object:
				schemas := value.NewObject(x.AsObject().Len())
				for name, y := range x.AsObject().All() {
					schemas.Set(name, bare(y))
				}
				out.Set(key, value.OfObject(schemas))
			default:
				out.Set(key, bare(x))
			}
		}
		return value.OfObject(out)
	}
	return v
}

// unordered are the keywords whose lists are sets.
var unordered = []string{"required", "enum", "type"}

// sameButForOrder reports whether two raw objects are the same but for the order
// of attributes and sets.
func sameButForOrder(a, b []byte) bool {
	x, errX := value.ParseJSON(a)
	y, errY := value.ParseJSON(b)
	if errX != nil || errY != nil {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(value.AppendCanonicalJSON(nil, ordered(x)), value.AppendCanonicalJSON(nil, ordered(y)))
}

// ordered returns a value with its sets in order.
func ordered(v value.Value) value.Value {
	switch v.Kind() {
	case value.List:
		elems := v.AsList()
		out := make([]value.Value, 0, len(elems))
		for _, x := range elems {
			out = append(out, ordered(x))
		}
		return value.OfList(out)
	case value.Object:
		o := v.AsObject()
		out := value.NewObject(o.Len())
		for key, x := range o.All() {
			x = ordered(x)
			if x.Kind() == value.List && slices.Contains(unordered, key) {
				set := slices.Clone(x.AsList())
				slices.SortFunc(set, func(a, b value.Value) int {
					return bytes.Compare(value.AppendCanonicalJSON(nil, a), value.AppendCanonicalJSON(nil, b))
				})
				x = value.OfList(set)
			}
			out.Set(key, x)
		}
		return value.OfObject(out)
	}
	return v
}
