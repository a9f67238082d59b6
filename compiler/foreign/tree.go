package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"
	"go.yaml.in/yaml/v3"
)

// kind is what a node is.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

// node is a value of a file, whatever its syntax.
type node struct {
	kind   kind
	text   string // of a text; of a number and a boolean, how it is written
	items  []*node
	fields []field
	secret bool // a text says that it is one
}

type field struct {
	name string
	node *node
}

// get returns a field of an object, nil where there is none.
func (n *node) get(names ...string) *node {
	if n == nil || n.kind != object {
		return nil
	}
	for _, name := range names {
		for _, f := range n.fields {
			if f.name == name {
				return f.node
			}
		}
	}
	return nil
}

// str returns the text of a field, "" where it has none.
func (n *node) str(names ...string) string {
	if f := n.get(names...); f != nil && f.kind == text {
		return f.text
	}
	return ""
}

// parse reads a file by its syntax: by the ending of its name, else JSON.
func parse(name, src string) (*node, error) {
	lower := strings.ToLower(name)
	switch {
	case strings.HasSuffix(lower, ".toml"):
		return parseTOML(src)
	case strings.HasSuffix(lower, ".yaml"), strings.HasSuffix(lower, ".yml"):
		return parseYAML(src)
	case strings.HasSuffix(lower, ".md"):
		rest, ok := strings.CutPrefix(src, "---\n")
		front, _, end := strings.Cut(rest, "\n---")
		if !ok || !end {
			return nil, errors.New("it has no front matter between lines of ---")
		}
		return parseYAML(front)
	}
	return parseJSON(src)
}

// parseJSON reads JSON with comments and trailing commas, as VS Code writes it. A key
// that an object has twice is an error: most libraries keep the last without a word.
func parseJSON(src string) (*node, error) {
	standard, err := hujson.Standardize([]byte(src))
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	d := json.NewDecoder(bytes.NewReader(standard))
	d.UseNumber()
	n, err := readJSON(d, src)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("line %d: something stands behind its end", lineAt(src, d.InputOffset()))
	}
	return n, nil
}

func lineAt(src string, offset int64) int {
	return strings.Count(src[:min(int(offset), len(src))], "\n") + 1
}

func readJSON(d *json.Decoder, src string) (*node, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := t.(type) {
	case json.Delim:
		n := &node{kind: list}
		if v == '{' {
			n.kind = object
		}
		for d.More() {
			name := ""
			if n.kind == object {
				key, err := d.Token()
				if err != nil {
					return nil, err
				}
				name, _ = key.(string)
				if n.get(name) != nil {
					return nil, fmt.Errorf("line %d: the key %s comes twice", lineAt(src, d.InputOffset()), shown(name))
				}
			}
			item, err := readJSON(d, src)
			if err != nil {
				return nil, err
			}
			if n.kind == object {
				n.fields = append(n.fields, field{name, item})
			} else {
				n.items = append(n.items, item)
			}
		}
		_, err := d.Token()
		return n, err
	case string:
		return &node{kind: text, text: v}, nil
	case json.Number:
		return &node{kind: number, text: v.String()}, nil
	case bool:
		return &node{kind: boolean, text: strconv.FormatBool(v)}, nil
	}
	return &node{}, nil
}

func parseYAML(src string) (*node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(src), &doc); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 {
		return &node{kind: object}, nil
	}
	return readYAML(doc.Content[0], 0)
}

// deepestYAML bounds anchors that stand for each other and lists in lists.
const deepestYAML = 64

func readYAML(y *yaml.Node, depth int) (*node, error) {
	if depth > deepestYAML {
		return nil, errors.New("it nests too deep")
	}
	switch y.Kind {
	case yaml.AliasNode:
		return readYAML(y.Alias, depth+1)
	case yaml.SequenceNode:
		n := &node{kind: list}
		for _, c := range y.Content {
			item, err := readYAML(c, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, item)
		}
		return n, nil
	case yaml.MappingNode:
		n := &node{kind: object}
		for i := 0; i+1 < len(y.Content); i += 2 {
			key := y.Content[i]
			if n.get(key.Value) != nil {
				return nil, fmt.Errorf("line %d: the key %s comes twice", key.Line, shown(key.Value))
			}
			item, err := readYAML(y.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			n.fields = append(n.fields, field{key.Value, item})
		}
		return n, nil
	}
	switch y.ShortTag() {
	case "!!null":
		return &node{}, nil
	case "!!bool":
		return &node{kind: boolean, text: strings.ToLower(y.Value)}, nil
	case "!!int", "!!float":
		return &node{kind: number, text: y.Value}, nil
	}
	return &node{kind: text, text: y.Value}, nil
}

func parseTOML(src string) (*node, error) {
	var doc map[string]any
	if _, err := toml.Decode(src, &doc); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	return ofTOML(doc), nil
}

func ofTOML(v any) *node {
	switch v := v.(type) {
	case map[string]any:
		n := &node{kind: object}
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			n.fields = append(n.fields, field{name, ofTOML(v[name])})
		}
		return n
	case []any:
		n := &node{kind: list}
		for _, item := range v {
			n.items = append(n.items, ofTOML(item))
		}
		return n
	case []map[string]any:
		n := &node{kind: list}
		for _, item := range v {
			n.items = append(n.items, ofTOML(item))
		}
		return n
	case string:
		return &node{kind: text, text: v}
	case bool:
		return &node{kind: boolean, text: strconv.FormatBool(v)}
	case int64:
		return &node{kind: number, text: strconv.FormatInt(v, 10)}
	case float64:
		return &node{kind: number, text: strconv.FormatFloat(v, 'f', -1, 64)}
	}
	return &node{kind: text, text: fmt.Sprint(v)}
}
