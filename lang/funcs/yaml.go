package funcs

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

func init() {
	register(Encodings, &Func{
		Name:   "yamldecode",
		Params: []Param{{"text", types.StringType}},
		Result: types.AnyType,
		Infer: func(args []Arg) (*types.Type, string, int) {
			return inferDecoded(args[0], yamlDecode)
		},
		Call: func(args []value.Value) (value.Value, error) {
			v, err := yamlDecode(args[0].AsString())
			if err != nil {
				return v, &ArgError{0, err.Error()}
			}
			return v, nil
		},
		Doc: "Reads one YAML document by the core schema of YAML 1.2: only `true` and `false` are bools (`no` and `on` are text), numbers are decimal and exact (`0x1f` and `0o17` are read too), dates are text. " +
			"Keys become text; anchors, aliases and `<<` merges are resolved. It fails, with the line, on a key that comes twice, on other tags, and on aliases that multiply without bounds.",
		Example: `yamldecode("a: 1.50\nb: [x, no]\nc: 2026-01-02")`,
		Gives:   `{"a":1.50,"b":["x","no"],"c":"2026-01-02"}`,
	})
}

// yamlDecode reads one YAML document. An error is a full sentence.
func yamlDecode(text string) (value.Value, error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var doc, second yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return value.NullValue, nil
	} else if err != nil {
		return value.Value{}, yamlProblem(err)
	}
	r := yamlReader{nodes: maxElements, text: maxText, open: map[*yaml.Node]bool{}}
	v, err := r.read(&doc)
	if err != nil {
		return value.Value{}, err
	}
	if err := decoder.Decode(&second); err == nil {
		return value.Value{}, fail("The text has more than one YAML document; the second begins at line %d.", second.Line)
	} else if !errors.Is(err, io.EOF) {
		return value.Value{}, yamlProblem(err)
	}
	return v, nil
}

func yamlProblem(err error) error {
	return fail("The text is no YAML: %s.", strings.TrimPrefix(err.Error(), "yaml: "))
}

// yamlReader turns nodes into values. Aliases are followed, so that a short
// text may stand for an endless one: what is made is counted.
type yamlReader struct {
	nodes, text int // how much may still be made
	open        map[*yaml.Node]bool
}

func (r *yamlReader) read(n *yaml.Node) (value.Value, error) {
	r.nodes--
	r.text -= len(n.Value)
	if r.nodes < 0 || r.text < 0 {
		return value.Value{}, fail("The text stands for more than %d values or %d bytes, by aliases of aliases or by its size.", maxElements, maxText)
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return r.read(n.Content[0])
	case yaml.AliasNode:
		if r.open[n.Alias] {
			return value.Value{}, fail("At line %d the alias *%s is part of what it stands for.", n.Line, n.Value)
		}
		return r.read(n.Alias)
	case yaml.ScalarNode:
		return readScalar(n)
	}
	r.open[n] = true
	defer delete(r.open, n)
	if n.Kind == yaml.SequenceNode {
		if n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!seq" {
			return value.Value{}, unknownTag(n)
		}
		elems := make([]value.Value, len(n.Content))
		for i, c := range n.Content {
			var err error
			if elems[i], err = r.read(c); err != nil {
				return value.Value{}, err
			}
		}
		return value.OfList(elems), nil
	}
	if n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!map" {
		return value.Value{}, unknownTag(n)
	}
	o, err := r.readMapping(n)
	return value.OfObject(o), err
}

func (r *yamlReader) readMapping(n *yaml.Node) (*value.ObjectValue, error) {
	names := make([]string, len(n.Content)/2)
	own := make(map[string]bool, len(names)) // what stands here wins over what is merged
	for i := range names {
		k := n.Content[2*i]
		if k.Tag == "!!merge" {
			continue
		}
		name, err := readKey(k)
		if err != nil {
			return nil, err
		}
		if own[name] {
			return nil, fail("At line %d the key %q comes a second time.", k.Line, name)
		}
		names[i], own[name] = name, true
	}
	o := value.NewObject(len(names))
	for i, name := range names {
		k, c := n.Content[2*i], n.Content[2*i+1]
		if k.Tag == "!!merge" {
			if err := r.merge(o, own, c); err != nil {
				return nil, err
			}
			continue
		}
		v, err := r.read(c)
		if err != nil {
			return nil, err
		}
		o.Set(name, v)
	}
	return o, nil
}

// merge adds what a << key merges: a mapping or a list of them, of which the
// first that has a key counts.
func (r *yamlReader) merge(o *value.ObjectValue, own map[string]bool, n *yaml.Node) error {
	v, err := r.read(n)
	if err != nil {
		return err
	}
	sources := []value.Value{v}
	if v.Kind() == value.List {
		sources = v.AsList()
	}
	for _, s := range sources {
		if s.Kind() != value.Object {
			return fail("At line %d << merges something that is no mapping.", n.Line)
		}
		for k, e := range s.AsObject().All() {
			if _, there := o.Get(k); !there && !own[k] {
				o.Set(k, e)
			}
		}
	}
	return nil
}

// readKey returns a mapping's key as text: a number or bool as it is written.
func readKey(n *yaml.Node) (string, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		return "", fail("At line %d a key is a list or mapping; only text, numbers and bools can be keys.", n.Line)
	}
	v, err := readScalar(n)
	switch {
	case err != nil:
		return "", err
	case v.IsNull():
		return "", fail("At line %d a key is null; only text, numbers and bools can be keys.", n.Line)
	}
	return n.Value, nil
}

func unknownTag(n *yaml.Node) error {
	return fail("At line %d the tag %s means nothing here.", n.Line, n.Tag)
}

var (
	yamlInt   = atFirstUse(`^[-+]?[0-9]+$`)
	yamlFloat = atFirstUse(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)
	yamlOct   = atFirstUse(`^0o[0-7]+$`)
	yamlHex   = atFirstUse(`^0x[0-9a-fA-F]+$`)
	yamlNone  = atFirstUse(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`)
)

// readScalar reads a scalar by the core schema, or as its tag says.
func readScalar(n *yaml.Node) (value.Value, error) {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	if n.Style&yaml.TaggedStyle == 0 {
		if n.Style&quoted != 0 {
			return value.OfString(n.Value), nil
		}
		return plainScalar(n)
	}
	if n.Tag == "!!str" {
		return value.OfString(n.Value), nil
	}
	wanted, known := map[string]value.Kind{"!!null": value.Null, "!!bool": value.Bool, "!!int": value.Number, "!!float": value.Number}[n.Tag]
	if !known {
		return value.Value{}, unknownTag(n)
	}
	v, err := plainScalar(n)
	if err == nil && (v.Kind() != wanted || n.Tag == "!!int" && !v.AsNumber().IsInteger()) {
		err = fail("At line %d %s is not what its tag %s says.", n.Line, v.Summary(40), n.Tag)
	}
	return v, err
}

func plainScalar(n *yaml.Node) (value.Value, error) {
	s := n.Value
	switch s {
	case "", "~", "null", "Null", "NULL":
		return value.NullValue, nil
	case "true", "True", "TRUE":
		return value.OfBool(true), nil
	case "false", "False", "FALSE":
		return value.OfBool(false), nil
	}
	if c := s[0]; c > '9' || c < '0' && c != '+' && c != '-' && c != '.' {
		return value.OfString(s), nil // most text is told from numbers by its first byte
	}
	var d value.Decimal
	var err error
	switch {
	case yamlInt().MatchString(s), yamlFloat().MatchString(s):
		d, err = value.ParseDecimal(jsonNumber(s))
	case yamlOct().MatchString(s):
		d, err = radix(s[2:], 8)
	case yamlHex().MatchString(s):
		d, err = radix(s[2:], 16)
	case yamlNone().MatchString(s):
		return value.Value{}, fail("At line %d %s is no number that JSON or wfc has.", n.Line, s)
	default:
		return value.OfString(s), nil
	}
	if err != nil {
		return value.Value{}, fail("At line %d there is a number that wfc does not take: %v.", n.Line, err)
	}
	return value.OfNumber(d), nil
}

// radix reads digits of a base.
func radix(digits string, base int) (value.Decimal, error) {
	if n, err := strconv.ParseInt(digits, base, 64); err == nil {
		return value.DecimalOf(n), nil
	}
	v, err := callParseInt([]value.Value{value.OfString(digits), value.OfInt(int64(base))})
	if err != nil {
		return value.Decimal{}, errors.New("it has too many digits")
	}
	return v.AsNumber(), nil
}

// jsonNumber writes a decimal number as JSON wants it: no plus sign, no leading
// zeros, digits on both sides of a point. All other digits stay.
func jsonNumber(s string) string {
	sign := ""
	switch s[0] {
	case '+':
		s = s[1:]
	case '-':
		sign, s = "-", s[1:]
	}
	end := strings.IndexAny(s, ".eE")
	if end < 0 {
		end = len(s)
	}
	whole, rest := strings.TrimLeft(s[:end], "0"), s[end:]
	if whole == "" {
		whole = "0"
	}
	if fraction, found := strings.CutPrefix(rest, "."); found && (fraction == "" || fraction[0] == 'e' || fraction[0] == 'E') {
		rest = fraction
	}
	return sign + whole + rest
}
