package check

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

// bound is what a source is bound to: one connection, or several of which a
// key chooses one.
type bound struct {
	members []member // empty: to nothing that exists
	lost    []string // the keys of members that do not exist, which have their diagnostics
	family  bool     // a key chooses
	// session is "shared" or "run" where the source was handed on by one that says so.
	session string
}

// member is one connection of what a source is bound to.
type member struct {
	key  string // "" where no key chooses
	conn *connection
}

// to is bound to one connection.
func to(conn *connection) bound { return bound{members: []member{{conn: conn}}} }

// same reports whether two sources are bound to the same connections by the same keys.
func (b bound) same(o bound) bool { return b.family == o.family && slices.Equal(b.members, o.members) }

// sign tells bindings apart in a key of a map.
func (b bound) sign() string {
	var s strings.Builder
	for _, m := range b.members {
		s.WriteString(m.key + "=" + m.conn.syn.ID() + " ")
	}
	if b.family {
		s.WriteByte('*')
	}
	s.WriteString(b.session)
	return s.String()
}

func (b bound) keys() []string {
	out := make([]string, len(b.members))
	for i, m := range b.members {
		out[i] = m.key
	}
	return out
}

// list says which connection each key stands for, for messages.
func (b bound) list() string {
	parts := make([]string, len(b.members))
	for i, m := range b.members {
		parts[i] = quoted(m.key) + " (" + m.conn.syn.ID() + ")"
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// owner names what a source is bound to, for messages: a connection, or one of several.
func (s *source) owner() string {
	if s.conn != nil {
		return s.conn.syn.ID()
	}
	return s.syn.Name.Text + "[…]"
}

// member returns the member of a key, nil for none.
func (b bound) member(key string) *connection {
	for _, m := range b.members {
		if m.key == key {
			return m.conn
		}
	}
	return nil
}

// ownBinding returns what a source says itself of what it is bound to, and
// reports connections that do not exist or are disabled.
func (c *checker) ownBinding(s *syntax.Source) bound {
	switch {
	case s.Family != nil:
		out := bound{family: true}
		for _, m := range s.Family.Members {
			if conn := c.boundTo(m.Connection); conn != nil {
				out.members = append(out.members, member{m.Key.Text, conn})
			} else {
				out.lost = append(out.lost, m.Key.Text)
			}
		}
		return out
	case s.Bind != nil:
		if conn := c.boundTo(*s.Bind); conn != nil {
			return to(conn)
		}
	}
	return bound{}
}

// isBound reports whether a source says itself what it is bound to.
func isBound(s *syntax.Source) bool { return s.Bind != nil || s.Misbound || s.Family != nil }

// boundTo returns the connection a reference names, and reports one that does
// not exist or is disabled.
func (c *checker) boundTo(r syntax.Ref) *connection {
	id := connectionID(r)
	if id == "" {
		return nil // not of the form connection.PROVIDER.ACCOUNT, which has its diagnostic
	}
	conn := c.w.connections[id]
	if conn == nil {
		// A block that defines it has both labels; a source may well have the provider's name.
		if !c.w.mayBeLost(r.Path[1].Text, "") || !c.w.mayBeLost(r.Path[2].Text, "") {
			c.report(c.unknownConnection(r, id))
		}
		return nil
	}
	if e := conn.syn.Enabled; e != nil && !e.B {
		c.report(diag.New(codeDisabled, r.Range, "The connection %s is disabled (enabled = false), so that nothing can use it. Bind another one, or enable it.", id).
			With(e.Range, "It is disabled here."))
	}
	return conn
}

func (c *checker) unknownConnection(r syntax.Ref, id string) diag.Diagnostic {
	at := hcl.RangeBetween(r.Path[1].Range, r.Path[2].Range)
	return unknownName(codeUnknownConnection, "connection", "This project", id, at, keysOf(c.w.connections))
}

// sourceOf returns the source that a reference begins with, and reports one
// that does not exist.
func (c *checker) sourceOf(ref *syntax.Ref) *source {
	l := ref.Path[0]
	if s := c.f.sources[l.Text]; s != nil {
		return s
	}
	if !c.w.mayBeLost(l.Text, c.f.file()) {
		d := unknownName(codeUnknownSource, "source", c.f.name(), l.Text, l.Range, keysOf(c.f.sources))
		if len(d.Fixes) == 0 {
			d.Detail += " Declare it with a source block in the workflow."
		}
		c.report(d)
	}
	return nil
}

// choose returns the connections of a source that a reference may mean: those
// of its key where that is written as text, else all. ok is false where
// something is wrong with the choice, which it reports.
func (c *checker) choose(src *source, ref *syntax.Ref) (out []member, ok bool) {
	name := src.syn.Name.Text
	switch {
	case src.family && ref.Key.IsZero():
		if len(src.members) > 0 {
			rest := ""
			if len(ref.Path) > 1 {
				rest = "." + ref.Path[1].Text
				if !isIdentifier(ref.Path[1].Text) {
					rest = "[" + quoted(ref.Path[1].Text) + "]"
				}
			}
			c.report(diag.New(codeUnknownMember, ref.Path[0].Range, "The source %q is a family, of which a key chooses one connection. Write %s[KEY]%s, where KEY is one of %s.", name, name, rest, quoteAll(src.keys())))
		}
		return nil, false
	case !src.family && !ref.Key.IsZero():
		c.report(diag.New(codeUnknownMember, ref.Key.Range(), "The source %q is one connection, not a family, so that nothing is to be chosen. Remove the key.", name))
		return nil, false
	case !src.family:
		return src.members, true
	}
	key, constant := ref.Key.Text()
	if !constant {
		return src.members, true // its type is checked where the step is
	}
	if conn := src.member(key); conn != nil {
		return []member{{key, conn}}, true
	}
	c.unknownMember(src, key, ref.Key.Range())
	return nil, false
}

func (c *checker) unknownMember(src *source, key string, at hcl.Range) {
	if slices.Contains(src.lost, key) {
		return
	}
	d := unknownName(codeUnknownMember, "member", "The family "+src.syn.Name.Text, key, at, nil)
	d.Detail += " Its members are " + src.list() + "."
	c.report(d)
}

// checkKey checks the key that chooses a member of a family.
func (c *checker) checkKey(src *source, ref *syntax.Ref, p *place, en *env) {
	if ref.Key.IsZero() || src == nil || !src.family || len(src.members) == 0 {
		return
	}
	if _, constant := ref.Key.Text(); constant {
		return // resolved by name
	}
	keys := enum(append(src.keys(), src.lost...)...)
	got := c.check(ref.Key, p, en, nil, nil)
	if got.IsError() || isAny(got) {
		return
	}
	for _, key := range literalNames(got) {
		if src.member(key) == nil {
			c.unknownMember(src, key, ref.Key.Range())
			return
		}
	}
	if literalNames(got) == nil {
		c.report(diag.New(codeUnknownMember, ref.Key.Range(), "The key of the family %s must be one of its members, %s, and this is %s. Where it comes from an input, give that the type %s.",
			src.syn.Name.Text, src.list(), describe(got), brief(keys)))
	}
}
