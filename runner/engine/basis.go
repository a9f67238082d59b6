package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/value"
)

// basis is what the result of a step comes of: what the plan says of it, and the
// values that this takes.
type basis struct {
	meaning   meaning
	args      value.Value // secrets as references
	refs      []named     // what its other expressions refer to
	argRefs   []named     // what its arguments refer to; only told
	sensitive bool
}

// named is the value of a reference, such as input.limit.
type named struct {
	name  string
	value value.Value
}

// meaning is what the plan says of a node and its connection, by attribute.
type meaning map[string]json.RawMessage

// notMeant are the attributes of a node that say nothing of its result: they are
// compared by the values that they give, or only say when it is done.
var notMeant = []string{
	"id", "finally", "source", "source_key", "variants", "uri", "args", "null_args", "after", "when", "when_each",
	"for_each", "each_map", "key", "max_parallel", "undo", "sensitive", "on_error",
}

func (c *Core) meaningOf(n *node, p *plan.Plan) meaning {
	if m := c.meanings[n]; m != nil {
		return m
	}
	m := meaning{}
	src, err := json.Marshal(n.spec)
	if err == nil {
		err = json.Unmarshal(src, &m)
	}
	if err != nil {
		panic("engine: " + err.Error() + " (this is a bug in wfc)")
	}
	for _, name := range notMeant {
		delete(m, name)
	}
	for _, conn := range p.Connections {
		if conn.ID == n.connection {
			// How long it may take, and how much it is asked at once, says nothing of what it gives.
			conn.ConnectMS, conn.IdleMS, conn.CloseMS, conn.MaxInFlight, conn.RateLimit, conn.ProtocolVersion = 0, 0, 0, 0, nil, ""
			m["connection"], _ = json.Marshal(conn)
		}
	}
	if c.meanings == nil {
		c.meanings = map[*node]meaning{}
	}
	c.meanings[n] = m
	return m
}

// basisAt is the basis of an instance; nil: it calls nothing, or what it was to be
// given cannot be evaluated.
func (c *Core) basisAt(at Addr) *basis {
	if c.isContainer(at) {
		return nil
	}
	n := c.nodeOf(at)
	if !n.asks() {
		return nil
	}
	s := c.scopeAt(at)
	key, failure := c.sourceKey(n, at, s)
	if failure != nil {
		return nil
	}
	return c.basis(n.variant(key), at, s)
}

func (c *Core) basis(n *node, at Addr, s *scope) *basis {
	args, failure := c.given(n, at, s, "", secretReference)
	if failure == nil && n.spec.Kind == plan.Read {
		s.secret = secretReference
		var uri string
		uri, failure = c.uri(n, args, s)
		s.secret = nil
		args = shownRead(n, args, uri)
	}
	if failure != nil {
		return nil
	}
	b := &basis{meaning: c.meaningOf(n, c.prog.plan), args: args, sensitive: c.isSensitive(at)}
	others := []code{n.result, n.failIf, n.effect, n.retryAttempts, n.retryOn, n.retryWhen}
	for _, a := range n.asserts {
		others = append(others, a.condition, a.message)
	}
	b.refs = s.references(others...)
	b.argRefs = s.references(n.args, n.uri)
	return b
}

// references returns what expressions refer to of inputs, steps and the like, with
// the values, each once.
func (s *scope) references(codes ...code) []named {
	var out []named
	for _, e := range codes {
		if e.IsZero() {
			continue
		}
		for _, r := range e.source.Refs() {
			name := nameOfReference(r)
			if name == "" || slices.ContainsFunc(out, func(n named) bool { return n.name == name }) {
				continue
			}
			if v, ok := s.referred(r); ok {
				out = append(out, named{name, v})
			}
		}
	}
	return out
}

// nameOfReference is a reference as people write it; "" where it says nothing of a basis.
func nameOfReference(r expr.Reference) string {
	switch r.Root {
	case "input", "local", "step", "each", "loop", "run":
	default:
		return ""
	}
	if r.Name == "" {
		return r.Root
	}
	return r.Root + "." + r.Name
}

func (s *scope) referred(r expr.Reference) (value.Value, bool) {
	if r.Name != "" {
		if v, ok, err := s.Member(r.Root, r.Name); ok && err == nil {
			return v, true
		}
	}
	root, err := s.Root(r.Root)
	if err != nil {
		return root, false
	}
	if r.Name != "" && root.Kind() == value.Object {
		v, _ := root.AsObject().Get(r.Name)
		return v, true
	}
	return root, true
}

// against says in what b differs from an earlier basis: phrases; none: in nothing.
func (b *basis) against(old *basis) []string {
	var why []string
	if names := b.meaning.against(old.meaning); len(names) > 0 {
		why = append(why, "its spec changed: "+strings.Join(names, ", "))
	}
	d := difference{hides: b.sensitive || old.sensitive}
	d.between("args", old.args, b.args)
	for _, now := range b.refs {
		i := slices.IndexFunc(old.refs, func(n named) bool { return n.name == now.name })
		if i < 0 {
			continue // its expression is another one, too
		}
		d.between(now.name, old.refs[i].value, now.value)
	}
	return append(why, d.found...)
}

// shownAs are attributes of a plan's node under the names that authors know.
var shownAs = map[string]string{
	"tool_digest": "the tool's snapshot", "input_schema": "the tool's input schema", "output_schema": "the tool's output schema",
	"asserts": "assert", "result_type": "the type of its result", "effect_expr": "effect",
}

// against names the attributes in which m differs from an earlier meaning.
func (m meaning) against(old meaning) []string {
	var names []string
	for name, now := range m {
		if !bytes.Equal(now, old[name]) {
			names = append(names, name)
		}
	}
	for name := range old {
		if m[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for i, name := range names {
		if shown, ok := shownAs[name]; ok {
			names[i] = shown
		}
	}
	return names
}

const (
	// mostDifferences is how many places are told in which values differ.
	mostDifferences = 5
	// mostShown is how many characters are shown of a value that differs.
	mostShown = 60
)

// difference collects where values differ: "args.limit changed: 10 → 20".
type difference struct {
	hides bool // they are sensitive
	found []string
}

func (d *difference) between(path string, old, now value.Value) {
	if len(d.found) >= mostDifferences || value.Equal(old, now) {
		return
	}
	switch {
	case old.Kind() == value.Object && now.Kind() == value.Object:
		for k, a := range now.AsObject().All() {
			if was, ok := old.AsObject().Get(k); ok {
				d.between(attribute(path, k), was, a)
			} else {
				d.tell("%s is new: %s", attribute(path, k), a)
			}
		}
		for k := range old.AsObject().All() {
			if _, ok := now.AsObject().Get(k); !ok {
				d.found = append(d.found, attribute(path, k)+" is gone")
			}
		}
	case old.Kind() == value.List && now.Kind() == value.List && len(old.AsList()) == len(now.AsList()):
		for i, a := range now.AsList() {
			d.between(fmt.Sprintf("%s[%d]", path, i), old.AsList()[i], a)
		}
	case old.Kind() == value.List && now.Kind() == value.List:
		d.found = append(d.found, fmt.Sprintf("%s changed: %d elements → %d", path, len(old.AsList()), len(now.AsList())))
	default:
		d.tell("%s changed: %s → %s", path, old, now)
	}
}

func (d *difference) tell(format, path string, values ...value.Value) {
	shown := []any{path}
	for _, v := range values {
		if d.hides {
			shown = append(shown, "(sensitive)")
		} else {
			shown = append(shown, v.Summary(mostShown))
		}
	}
	d.found = append(d.found, fmt.Sprintf(format, shown...))
}

func attribute(path, name string) string {
	for _, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return path + "[" + value.OfString(name).JSON() + "]"
		}
	}
	return path + "." + name
}
