package plan

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Encode returns the plan's JSON: indented, keys in a fixed order, text without
// HTML escapes, one line feed at the end. Equal plans give equal bytes.
func (p *Plan) Encode() []byte {
	var b bytes.Buffer
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	w.SetIndent("", "  ")
	if err := w.Encode(p.filled()); err != nil {
		// A plan holds text, numbers and JSON that was read as JSON.
		panic("plan: " + err.Error() + " (this is a bug in wfc)")
	}
	return b.Bytes()
}

// Decode reads what [Plan.Encode] wrote. It refuses a plan of another format
// version and one whose digest is not that of its content: such a plan was
// damaged or changed by hand.
func Decode(src []byte) (*Plan, error) {
	var head struct {
		FormatVersion int `json:"format_version"`
	}
	if err := json.Unmarshal(src, &head); err != nil {
		return nil, fmt.Errorf("the plan cannot be read: %w", err)
	}
	if head.FormatVersion != FormatVersion {
		return nil, fmt.Errorf("the plan has format version %d; this wfc reads %d", head.FormatVersion, FormatVersion)
	}
	d := json.NewDecoder(bytes.NewReader(src))
	d.DisallowUnknownFields()
	p := new(Plan)
	if err := d.Decode(p); err != nil {
		return nil, fmt.Errorf("the plan cannot be read: %w", err)
	}
	if got := p.ComputeDigest(); got != p.Digest {
		return nil, fmt.Errorf("the plan was changed: its digest is %s, its content's %s", p.Digest, got)
	}
	for digest, child := range p.Children {
		if got := child.ComputeDigest(); got != digest || got != child.Digest {
			return nil, fmt.Errorf("the plan was changed: the digest of its workflow %s is %s, its content's %s", child.Workflow, digest, got)
		}
	}
	return p, nil
}

// ComputeDigest returns the digest of the plan's meaning: SHA-256 in hex over
// its JSON without Digest, Ranges and descriptions, and with everything that
// has a name in the order of names, so that neither reformatting nor moving a
// block changes it unless that changes what a step waits for.
func (p *Plan) ComputeDigest() string {
	c := *p.filled()
	c.Digest, c.Ranges, c.Children = "", nil, nil
	c.Inputs = sorted(c.Inputs, func(i Input) string { return i.Name })
	for i := range c.Inputs {
		c.Inputs[i].Description = ""
	}
	c.Locals = sorted(c.Locals, func(l Local) string { return l.Name })
	c.Sources = sorted(c.Sources, func(s Source) string { return s.Name })
	c.Connections = sorted(c.Connections, func(n Connection) string { return n.ID })
	c.Secrets = sorted(c.Secrets, func(s Secret) string { return s.Name })
	c.Nodes = sorted(c.Nodes, func(n NodeSpec) string { return n.ID })
	for i := range c.Nodes {
		c.Nodes[i].After = sorted(c.Nodes[i].After, func(s string) string { return s })
	}
	c.Outputs = sorted(c.Outputs, func(o Output) string { return o.Name })
	h := sha256.New()
	w := json.NewEncoder(h)
	w.SetEscapeHTML(false)
	if err := w.Encode(&c); err != nil {
		panic("plan: " + err.Error() + " (this is a bug in wfc)")
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Seal sets the digest.
func (p *Plan) Seal() { p.Digest = p.ComputeDigest() }

// Node returns the node of an id, or nil.
func (p *Plan) Node(id string) *NodeSpec {
	for i := range p.Nodes {
		if p.Nodes[i].ID == id {
			return &p.Nodes[i]
		}
	}
	return nil
}

// filled returns a copy whose lists are empty where they are nil, so that a
// reader of the JSON finds [] and {} and never null.
func (p *Plan) filled() *Plan {
	c := *p
	c.Inputs = orEmpty(c.Inputs)
	c.Locals = orEmpty(c.Locals)
	c.Sources = orEmpty(c.Sources)
	c.Connections = orEmpty(c.Connections)
	c.Secrets = orEmpty(c.Secrets)
	c.Nodes = orEmpty(c.Nodes)
	c.Outputs = orEmpty(c.Outputs)
	if c.Schemas == nil {
		c.Schemas = map[string]json.RawMessage{}
	}
	return &c
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// sorted returns a sorted copy; nil stays nil.
func sorted[T any](s []T, name func(T) string) []T {
	if s == nil {
		return nil
	}
	out := slices.Clone(s)
	slices.SortStableFunc(out, func(a, b T) int { return cmp.Compare(name(a), name(b)) })
	return out
}

// CanonicalJSON returns src with sorted keys and without white space; numbers
// and the order of lists stay as they are. It is how schemas are stored.
func CanonicalJSON(src []byte) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	var b strings.Builder
	w := json.NewEncoder(&b)
	w.SetEscapeHTML(false)
	if err := w.Encode(v); err != nil {
		return nil, err
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n")), nil
}

// SchemaDigest returns the key of a schema in Plan.Schemas: SHA-256 in hex over
// its canonical JSON.
func SchemaDigest(canonical json.RawMessage) string {
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}
