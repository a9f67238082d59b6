// Package schema judges values by JSON Schemas at run time, where their types
// (lang/types) say less than the schemas do.
//
// Its central type is [Validator]. Of wfc it imports lang/types and lang/value.
// It reaches no network and no file: what a schema refers to outside of itself
// is not checked.
package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// Validator judges values by one schema. It is immutable and safe for concurrent use.
type Validator struct {
	schema *jsonschema.Schema
	// typ is asked for the reason of a failure: it says it in our words.
	typ func() *types.Type
}

// location is what the schema is called inside the validator; nothing is there.
const location = "https://schema.invalid/root"

// drafts are tried in turn where a schema does not say which it is written in:
// MCP's default, then the older ones, whose tuples and bounds look different.
var drafts = []*jsonschema.Draft{jsonschema.Draft2020, jsonschema.Draft7, jsonschema.Draft4}

// Compile prepares a schema of draft-04 to draft-07, 2019-09 or 2020-12 (the
// default). The error says what is broken in the schema.
func Compile(raw []byte) (*Validator, error) {
	root, err := value.ParseJSON(raw)
	if err != nil {
		return nil, fmt.Errorf("the schema is not JSON: %w", err)
	}
	doc := plain(root)
	tried := drafts
	if o, ok := doc.(map[string]any); ok {
		if said, ok := o["$schema"].(string); ok {
			if isDraft(said) {
				tried = drafts[:1]
			} else {
				delete(o, "$schema") // a dialect that would have to be fetched
			}
		}
	}
	allowNull(doc)
	var first error
	for _, draft := range tried {
		s, err := compile(doc, draft)
		if err == nil {
			return &Validator{schema: s, typ: sync.OnceValue(func() *types.Type {
				t, _ := types.FromSchemaValue(root)
				return t
			})}, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, fmt.Errorf("the schema is broken: %s", firstLine(first))
}

func isDraft(uri string) bool {
	for _, name := range []string{"draft-04", "draft-06", "draft-07", "draft/2019-09", "draft/2020-12"} {
		if strings.Contains(uri, "json-schema.org/"+name+"/schema") {
			return true
		}
	}
	return false
}

func compile(doc any, draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(nothing{})
	c.UseRegexpEngine(pattern)
	c.AssertFormat()
	for _, name := range knownFormats {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			if s, ok := v.(string); ok && !types.FormatHolds(name, value.OfString(s)) {
				return fmt.Errorf("not of the format %s", name)
			}
			return nil
		}})
	}
	if err := c.AddResource(location, doc); err != nil {
		return nil, err
	}
	return c.Compile(location)
}

// knownFormats are the formats that the library would judge in its own way,
// stricter than servers are; ours judge only what is certain.
var knownFormats = []string{
	"json-pointer", "relative-json-pointer", "uuid", "duration", "period", "ipv4", "ipv6", "hostname", "email", "date", "time",
	"date-time", "uri", "iri", "uri-reference", "iri-reference", "uri-template", "semver",
}

// nothing loads the schema that everything conforms to in place of any other.
type nothing struct{}

func (nothing) Load(string) (any, error) { return true, nil }

// anything matches all texts, in place of a pattern that cannot be compiled.
type anything string

func (anything) MatchString(string) bool { return true }
func (p anything) String() string        { return string(p) }

func pattern(s string) (jsonschema.Regexp, error) {
	if re := types.CompilePattern(s); re != nil {
		return re, nil
	}
	return anything(s), nil
}

// plain returns v as encoding/json would decode it, numbers as json.Number. A
// blob is the text that stands for it on the wire, of which nothing is known.
func plain(v value.Value) any {
	switch v.Kind() {
	case value.Bool:
		return v.AsBool()
	case value.Number:
		return json.Number(v.AsNumber().String())
	case value.String:
		return v.AsString()
	case value.List:
		out := make([]any, len(v.AsList()))
		for i, e := range v.AsList() {
			out[i] = plain(e)
		}
		return out
	case value.Object:
		out := make(map[string]any, v.AsObject().Len())
		for k, e := range v.AsObject().All() {
			out[k] = plain(e)
		}
		return out
	case value.Blob:
		return "AAAA"
	}
	return nil
}

// allowNull does what OpenAPI's `nullable: true` says, which JSON Schema does not know.
func allowNull(doc any) {
	switch d := doc.(type) {
	case []any:
		for _, e := range d {
			allowNull(e)
		}
	case map[string]any:
		for k, e := range d {
			switch k {
			case "enum", "const", "default", "examples", "example":
			default:
				allowNull(e)
			}
		}
		if d["nullable"] != true {
			return
		}
		inner := make(map[string]any, len(d))
		for k, e := range d {
			switch k {
			case "nullable", "$id", "id", "$anchor", "$schema", "$defs", "definitions":
			default:
				inner[k] = e
				delete(d, k)
			}
		}
		d["anyOf"] = []any{inner, map[string]any{"type": "null"}}
	}
}

// Error says why a value does not conform. Path leads to the place as in
// [types.Mismatch], "" for the whole value.
type Error struct {
	Path   string
	Reason string // a phrase: "a number where a string is wanted"
}

// Error returns the place and the reason: "items[0].title: a number where a string is wanted".
func (e *Error) Error() string {
	if e.Path == "" {
		return e.Reason
	}
	return strings.TrimPrefix(e.Path, ".") + ": " + e.Reason
}

// Validate returns nil where v conforms to the schema, else an [*Error].
func (s *Validator) Validate(v value.Value) error {
	err := s.schema.Validate(plain(v))
	if err == nil {
		return nil
	}
	if m := types.Conforms(s.typ(), v); m != nil {
		return &Error{Path: m.Path, Reason: m.Reason}
	}
	failed, ok := err.(*jsonschema.ValidationError)
	if !ok {
		return &Error{Reason: err.Error()}
	}
	leaf := deepest(failed)
	return &Error{Path: path(v, leaf.InstanceLocation), Reason: reason(leaf)}
}

// deepest returns the failure that is furthest inside the value; among equals
// the one whose text comes first, since the library goes over maps.
func deepest(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case *kind.Not, *kind.OneOf, *kind.PropertyNames:
		return e // what is inside did hold, or is about a name
	}
	if len(e.Causes) == 0 {
		return e
	}
	leaves := make([]*jsonschema.ValidationError, len(e.Causes))
	for i, c := range e.Causes {
		leaves[i] = deepest(c)
	}
	return slices.MinFunc(leaves, func(a, b *jsonschema.ValidationError) int {
		if d := len(b.InstanceLocation) - len(a.InstanceLocation); d != 0 {
			return d
		}
		if d := slices.Compare(a.InstanceLocation, b.InstanceLocation); d != 0 {
			return d
		}
		return strings.Compare(reason(a), reason(b))
	})
}

func path(v value.Value, tokens []string) string {
	var b strings.Builder
	for _, t := range tokens {
		i, err := strconv.Atoi(t)
		switch {
		case v.Kind() == value.List && err == nil && i >= 0 && i < len(v.AsList()):
			b.WriteString("[" + t + "]")
			v = v.AsList()[i]
		case v.Kind() == value.Object:
			b.WriteString(types.Step(t))
			v, _ = v.AsObject().Get(t)
		default:
			b.WriteString(types.Step(t))
		}
	}
	return b.String()
}

var english = message.NewPrinter(language.English)

func reason(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		names := slices.Clone(k.Properties)
		slices.Sort(names)
		if len(names) == 1 {
			return fmt.Sprintf("the attribute %q is not allowed by the schema", names[0])
		}
		return fmt.Sprintf("the attributes %q are not allowed by the schema", names)
	case *kind.FalseSchema:
		return "nothing may be here"
	case *kind.Not:
		return "it is what the schema excludes with `not`"
	case *kind.OneOf:
		if len(k.Subschemas) > 1 {
			return "it is of more than one member of `oneOf`"
		}
		return "it is of no member of `oneOf`"
	case *kind.Minimum:
		return decimal(k.Got) + " where at least " + decimal(k.Want) + " is wanted"
	case *kind.Maximum:
		return decimal(k.Got) + " where at most " + decimal(k.Want) + " is wanted"
	case *kind.ExclusiveMinimum:
		return decimal(k.Got) + " where more than " + decimal(k.Want) + " is wanted"
	case *kind.ExclusiveMaximum:
		return decimal(k.Got) + " where less than " + decimal(k.Want) + " is wanted"
	case *kind.MultipleOf:
		return decimal(k.Got) + " where a multiple of " + decimal(k.Want) + " is wanted"
	case *kind.PropertyNames:
		return fmt.Sprintf("%q is no allowed name of an attribute", k.Property)
	}
	return e.ErrorKind.LocalizedString(english)
}

// decimal prints a number exactly: every JSON number has a finite decimal text.
func decimal(r *big.Rat) string {
	digits, _ := r.FloatPrec()
	return r.FloatString(digits)
}

// firstLine returns the last cause of a failed compilation, which names the place.
func firstLine(err error) string {
	text := strings.TrimSpace(err.Error())
	lines := strings.Split(text, "\n")
	return strings.ReplaceAll(strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "- "), location, "")
}

// Cache compiles each schema once. The zero Cache is empty and ready to use; it
// is safe for concurrent use.
type Cache struct {
	validators sync.Map // of functions, by the schema's text
}

// Get returns the validator of a schema, as [Compile] does.
func (c *Cache) Get(raw []byte) (*Validator, error) {
	key := string(raw)
	f, ok := c.validators.Load(key)
	if !ok {
		f, _ = c.validators.LoadOrStore(key, sync.OnceValues(func() (*Validator, error) { return Compile([]byte(key)) }))
	}
	return f.(func() (*Validator, error))()
}
