package check

import (
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

// capability is what a step calls, reads or renders: of one connection, or of
// each that a key may choose.
type capability struct {
	source *source // nil: it does not exist
	of     []offer // empty: nothing is known
	wrong  bool    // it has its diagnostic
	args   *types.Type
	owner  string // " of the tool demo.list_tasks", for messages

	uri      string      // of a resource that the source's interface declares
	declared *iface.Tool // what the source's interface says of a tool; nil without one
}

// offer is what one connection has of a name.
type offer struct {
	conn  *connection
	tool  *catalog.Tool        // of tools
	block *syntax.ToolOverride // the connection's tool block, or nil
	args  *types.Type
	// problem says, in full sentences, why the snapshot's word of it cannot be
	// relied on; empty for none.
	problem string
	key     string // of the member; "" where no key chooses
	uri     string // of resource templates
}

// kindOf is what a reference names: a tool, a prompt or a resource template.
type kindOf struct {
	noun  string
	code  diag.Code // of a name that does not exist
	names func(*connection, *catalog.Snapshot) []string
	find  func(*connection, *catalog.Snapshot, string) (offer, bool)
}

var (
	tools = kindOf{
		noun: "tool", code: codeUnknownTool,
		names: func(c *connection, s *catalog.Snapshot) []string { return c.allowed(s.ToolNames()) },
		find: func(c *connection, s *catalog.Snapshot, name string) (offer, bool) {
			t := s.Tool(name)
			if t == nil {
				return offer{}, false
			}
			return offer{conn: c, tool: t, block: c.tools[name], args: c.args(t), problem: t.Problem}, true
		},
	}
	prompts = kindOf{
		noun: "prompt", code: codeUnknownPrompt,
		names: func(_ *connection, s *catalog.Snapshot) []string { return s.PromptNames() },
		find: func(c *connection, s *catalog.Snapshot, name string) (offer, bool) {
			p := s.Prompt(name)
			if p == nil {
				return offer{}, false
			}
			return offer{conn: c, args: p.Args, problem: p.Problem}, true
		},
	}
	templates = kindOf{
		noun: "resource template", code: codeUnknownTemplate,
		names: func(_ *connection, s *catalog.Snapshot) []string { return s.TemplateNames() },
		find: func(c *connection, s *catalog.Snapshot, name string) (offer, bool) {
			t := s.Template(name)
			if t == nil {
				return offer{}, false
			}
			return offer{conn: c, args: t.Args, problem: t.Problem, uri: t.URI}, true
		},
	}
)

// resolve finds what a reference names, and reports what does not exist or
// cannot be used.
func (c *checker) resolve(ref *syntax.Ref, k kindOf) capability {
	if len(ref.Path) < 2 && c.f.sources[ref.Path[0].Text] == nil {
		return capability{wrong: true} // that no tool of it is named is said
	}
	out := capability{source: c.sourceOf(ref)}
	if out.source == nil {
		out.wrong = true
		return out
	}
	members, ok := c.choose(out.source, ref)
	if !ok || len(ref.Path) < 2 {
		out.wrong = true
		return out
	}
	switch {
	case out.source.iface != nil:
		return c.resolveDeclared(out, ref, k, members)
	case out.source.isLost():
		out.wrong = true
		return out
	}
	name := ref.Path[1]
	known := true
	for _, m := range members {
		snap := m.conn.open()
		if snap == nil {
			known = false
			continue
		}
		o, found := k.find(m.conn, snap, name.Text)
		if !found {
			c.notThere(ref, k, members, m, snap)
			out.wrong = true
			return out
		}
		if o.problem != "" {
			c.report(diag.New(codeToolProblem, name.Range, "What the snapshot says of the %s %s.%s cannot be relied on, so that it is checked in part or not at all. %s", k.noun, m.conn.syn.ID(), name.Text, o.problem))
		}
		if o.tool != nil && !c.usable(m.conn, o.tool, name.Range) {
			out.wrong = true
		}
		o.key = m.key
		out.of = append(out.of, o)
	}
	if !known || len(members) == 0 {
		out.of = nil // of some nothing is known
		return out
	}
	out.owner = " of the " + k.noun + " " + members[0].conn.syn.ID() + "." + name.Text
	if len(members) > 1 {
		out.owner = " of the " + k.noun + " " + ref.Path[0].Text + "[…]." + name.Text
	}
	out.args = out.of[0].args
	for _, o := range out.of[1:] {
		if alike(o, out.of[0]) {
			continue
		}
		out.args = types.Meet(out.args, o.args)
	}
	if out.args.Kind() == types.Never {
		out.args = nil
		out.wrong = true
		c.report(diag.New(k.code, name.Range, "The members of the family %s have the %s %q in common, but nothing can be given to all of them: their arguments differ. Choose one member by its key, or one of those that agree.", ref.Path[0].Text, k.noun, name.Text))
	}
	return out
}

// alike reports whether two connections offer the same tool in the same way.
func alike(a, b offer) bool {
	return a.args == b.args || a.tool != nil && b.tool != nil && a.tool.Digest == b.tool.Digest && opens(a.block) == opens(b.block)
}

func opens(b *syntax.ToolOverride) bool { return b != nil && b.Open != nil && *b.Open }

// notThere reports a name that the snapshot of m does not have.
func (c *checker) notThere(ref *syntax.Ref, k kindOf, all []member, m member, snap *catalog.Snapshot) {
	name, id := ref.Path[1], m.conn.syn.ID()
	have := k.names(m.conn, snap)
	owner := "The source " + quoted(ref.Path[0].Text) + " (" + id + ")"
	if len(all) > 1 {
		owner = "The member " + quoted(m.key) + " of the family " + ref.Path[0].Text + " (" + id + ")"
		have = common(all, k)
	}
	if needs := snap.Needs(name.Text); k.noun == "tool" && len(needs) > 0 {
		c.report(diag.New(codeNeedsCapability, name.Range, "The tool %s.%s exists only for clients that offer %s, and the connection does not. Add it to offers of connection %s, and refresh the snapshot:\n\n    wfc catalog refresh %s", id, name.Text, andAll(needs), id, id))
		return
	}
	d := unknownName(k.code, k.noun, owner, name.Text, name.Range, have)
	switch near, ok := nearest.Name(name.Text, have); {
	case !ok:
		d.Detail += " If the server has it by now, refresh the snapshot:\n\n    wfc catalog refresh " + id
		if missing := m.conn.notOffered(); k.noun == "tool" && len(missing) > 0 {
			d.Detail += "\n\nSome servers have tools only for clients that offer " + orAll(missing) + ": where this tool needs that, write offers in connection " + id + "."
		}
	case !isIdentifier(near):
		// A name that is no identifier is written by index.
		whole := ref.Path[0].Text + "[" + quoted(near) + "]"
		if !ref.Key.IsZero() {
			whole = ref.Path[0].Text + "[" + c.textOf(ref.Key) + "][" + quoted(near) + "]"
		}
		d.Fixes = nil
		d = d.Fix("Change it to "+near, true, edit(hcl.RangeBetween(ref.Path[0].Range, ref.Range), whole))
	}
	c.report(d)
}

// common returns the names that all members have.
func common(all []member, k kindOf) []string {
	count := map[string]int{}
	for _, m := range all {
		snap := m.conn.open()
		if snap == nil {
			return nil
		}
		for _, n := range k.names(m.conn, snap) {
			count[n]++
		}
	}
	for n, times := range count {
		if times < len(all) {
			delete(count, n)
		}
	}
	return keysOf(count)
}

// usable reports whether a tool can be called, and reports why not.
func (c *checker) usable(conn *connection, t *catalog.Tool, at hcl.Range) bool {
	id := conn.syn.ID()
	if t.TaskRequired {
		c.report(diag.New(codeTaskSupport, at, "The tool %s.%s can only be called as a task, which wfc does not support. Call another tool.", id, t.Name))
		return false
	}
	switch list, denied := conn.excluded(t.Name); {
	case list == nil:
		return true
	case denied:
		c.report(diag.New(codeNotAllowed, at, "The connection %s denies the tool %q. Call another tool, or remove it from deny.", id, t.Name).With(list.Range, "It is denied here."))
	default:
		c.report(diag.New(codeNotAllowed, at, "The connection %s allows some tools only, and %q is none of them. Call another tool, or add it to allow.", id, t.Name).With(list.Range, "These are allowed."))
	}
	return false
}

// excluded returns the allow or deny list because of which a tool does not
// exist for this project, nil for none.
func (c *connection) excluded(tool string) (list *syntax.List, denied bool) {
	if d := c.syn.Deny; d != nil && contains(d, tool) {
		return d, true
	}
	if a := c.syn.Allow; a != nil && !contains(a, tool) {
		return a, false
	}
	return nil, false
}

func contains(l *syntax.List, name string) bool {
	for _, t := range l.Items {
		if t.S == name {
			return true
		}
	}
	return false
}

// allowed returns the tools of names that are not excluded.
func (c *connection) allowed(names []string) []string {
	if c.syn.Allow == nil && c.syn.Deny == nil {
		return names
	}
	var out []string
	for _, n := range names {
		if list, _ := c.excluded(n); list == nil {
			out = append(out, n)
		}
	}
	return out
}

// notOffered returns the client capabilities that the connection does not offer.
func (c *connection) notOffered() []string {
	offered := []string{"elicitation"}
	if o := c.syn.Offers; o != nil {
		offered = nil
		for _, t := range o.Items {
			offered = append(offered, t.S)
		}
	}
	var out []string
	for _, all := range []string{"elicitation", "roots", "sampling"} {
		if !strings.Contains(" "+strings.Join(offered, " ")+" ", " "+all+" ") {
			out = append(out, all)
		}
	}
	return out
}

func andAll(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
