package check

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

// interfaceUse notes which interfaces something names.
type interfaceUse struct {
	sync.Mutex
	names map[string]bool
	// lost: an interface that something names may be in what could not be read.
	lost bool
	// unknown: something names an interface that does not exist, and may have meant any.
	unknown bool
}

func (u *interfaceUse) note(name string) {
	u.Lock()
	defer u.Unlock()
	if u.names == nil {
		u.names = map[string]bool{}
	}
	u.names[name] = true
}

// namedType resolves the types of interface files in type expressions.
func (w *world) namedType(path []string) (*types.Type, string) {
	if len(path) > 1 {
		w.noteInterface(path[1])
	}
	return w.project.Interfaces.Type(path)
}

// noteInterface notes that an interface is named, or the one that was probably
// meant: it is not unused as well.
func (w *world) noteInterface(name string) {
	set := w.project.Interfaces
	if set.Interface(name) == nil {
		if set.IsIncomplete() {
			w.uses.Lock()
			w.uses.lost = true
			w.uses.Unlock()
		}
		near, ok := nearest.Name(name, set.Names())
		if !ok {
			w.uses.Lock()
			w.uses.unknown = true
			w.uses.Unlock()
			return
		}
		name = near
	}
	w.uses.note(name)
}

// interfaceOf returns the interface that a source names, nil where it names
// none or one that does not exist, which it reports.
func (c *checker) interfaceOf(s *syntax.Source) *iface.Interface {
	if s.Interface == nil || len(s.Interface.Path) != 2 {
		return nil
	}
	l := s.Interface.Path[1]
	set := c.w.project.Interfaces
	c.w.noteInterface(l.Text)
	i := set.Interface(l.Text)
	if i == nil && !set.IsIncomplete() {
		d := unknownName(codeUnknownInterface, "interface", "This project", l.Text, l.Range, set.Names())
		if len(set.Names()) == 0 {
			d.Detail += " Interfaces are declared in files whose names end in .wfi:\n\n    interface " + l.Text + " {\n    }"
		}
		c.report(d)
	}
	return i
}

// isLost reports whether a source names an interface of which nothing is known.
func (s *source) isLost() bool { return s.twice || s.syn.Interface != nil && s.iface == nil }

// satisfied reports connections of a source that do not satisfy its interface.
// place says where each is bound.
func (c *checker) satisfied(s *source, place func(member) hcl.Range) {
	if s.iface == nil {
		return
	}
	for _, m := range s.members {
		c.satisfies(s.iface, s.syn, m.conn, place(m))
	}
}

// ownPlace says where a source binds a connection itself.
func ownPlace(s *syntax.Source) func(member) hcl.Range {
	return func(m member) hcl.Range {
		if s.Family != nil {
			for _, x := range s.Family.Members {
				if x.Key.Text == m.key {
					return x.Connection.Range
				}
			}
		}
		if s.Bind != nil {
			return s.Bind.Range
		}
		return s.Header
	}
}

// fromOutside says where something else binds a connection: it is the source's
// interface that it does not satisfy.
func fromOutside(s *syntax.Source) func(member) hcl.Range {
	return func(member) hcl.Range { return s.Interface.Range }
}

// mostProblems is how many reasons a message gives; who mends those sees the rest.
const mostProblems = 10

// satisfies reports a connection that does not satisfy an interface.
func (c *checker) satisfies(i *iface.Interface, s *syntax.Source, conn *connection, at hcl.Range) {
	snap := conn.open()
	if snap == nil {
		return // which has its diagnostic
	}
	problems := iface.Satisfies(iface.Offer{Snapshot: snap, Adjust: func(t *catalog.Tool, declared *iface.Tool, o *iface.Offered) string {
		return c.offered(conn, t, declared, o)
	}}, i)
	if len(problems) == 0 {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The connection %s does not satisfy %s, which the source %q needs:\n", conn.syn.ID(), i.Reference(), s.Name.Text)
	shown := problems[:min(len(problems), mostProblems)]
	for _, p := range shown {
		b.WriteString("\n    - " + strings.ReplaceAll(p.Message, "\n", "\n      "))
	}
	if n := len(problems) - len(shown); n > 0 {
		fmt.Fprintf(&b, "\n    - and %d more", n)
	}
	d := diag.New(codeUnsatisfied, at, "%s", b.String())
	var declared []hcl.Range
	for _, p := range shown {
		if !slices.Contains(declared, p.Range) {
			declared = append(declared, p.Range)
			d = d.With(p.Range, "declared here")
		}
	}
	c.report(d)
}

// offered says how a connection offers a tool: with what its tool block says.
func (c *checker) offered(conn *connection, t *catalog.Tool, declared *iface.Tool, o *iface.Offered) (problem string) {
	switch list, denied := conn.excluded(t.Name); {
	case list == nil:
	case denied:
		return fmt.Sprintf("The connection denies the tool %s.", t.Name)
	default:
		return fmt.Sprintf("The connection allows some tools only, and %s is none of them.", t.Name)
	}
	o.Args = conn.args(t)
	b := conn.tools[t.Name]
	if b == nil {
		return ""
	}
	if b.Idempotent != nil {
		o.Idempotent = *b.Idempotent
	}
	// A checker of its own: the block is no part of the workflow, and its own
	// mistakes are reported where it stands.
	own := &checker{w: c.w, muted: 1}
	own.f = &flow{results: map[*types.Type]*result{}}
	o.Effect = own.effectOf(t, b, declared.Params)
	output := t.Output
	if b.Decode != nil {
		output = decoded(b.Decode.S, types.AnyType)
	}
	if b.Result != nil {
		was := output
		if was == nil {
			was = types.AnyType
		}
		p := &place{noun: "a tool block", roots: rootSelf | rootArgs, self: own.newResult(nil, was, nil, outcomeOK).t, args: declared.Params}
		output = own.check(b.Result.Expr, p, nil, nil, nil)
	}
	if !b.Returns.IsZero() {
		output = own.typeOf(b.Returns)
	}
	o.Output = output
	return ""
}

// resolveDeclared resolves a reference to what the interface of its source declares:
// only that can be used, and its types count.
func (c *checker) resolveDeclared(out capability, ref *syntax.Ref, k kindOf, members []member) capability {
	i := out.source.iface
	name, noun := ref.Path[1], k.noun
	if noun == templates.noun {
		noun = "resource"
	}
	var names []string
	switch k.noun {
	case tools.noun:
		names = i.ToolNames()
		if t := i.Tool(name.Text); t != nil {
			out.declared, out.args = t, t.Params
		}
	case prompts.noun:
		for _, p := range i.Prompts {
			names = append(names, p.Name.Text)
			if p.Name.Text == name.Text {
				out.args = p.Params
			}
		}
	default:
		for _, r := range i.Resources {
			names = append(names, r.Name.Text)
			if r.Name.Text == name.Text {
				out.args, out.uri = variablesOf(r), r.URI
			}
		}
	}
	if out.args == nil {
		out.wrong = true
		if !i.MayDeclare(name.Text) {
			c.notDeclared(ref, k, noun, i, names, members)
		}
		return out
	}
	out.owner = " of the " + noun + " " + i.Reference() + "." + name.Text
	for _, m := range members {
		snap := m.conn.open()
		if snap == nil {
			continue
		}
		// What a connection lacks is reported where it is bound.
		if o, found := k.find(m.conn, snap, name.Text); found {
			o.key = m.key
			out.of = append(out.of, o)
		}
	}
	return out
}

// variablesOf returns the type of what a resource is read with.
func variablesOf(r *iface.Resource) *types.Type {
	var attrs []types.Attr
	for _, v := range r.Variables() {
		attrs = append(attrs, types.Attr{Name: v, Type: types.StringType})
	}
	return types.ObjectOf(attrs, nil)
}

// notDeclared reports a name that an interface does not declare.
func (c *checker) notDeclared(ref *syntax.Ref, k kindOf, noun string, i *iface.Interface, names []string, members []member) {
	name := ref.Path[1]
	d := unknownName(k.code, noun, "The interface "+i.Name.Text, name.Text, name.Range, names)
	if near, ok := nearest.Name(name.Text, names); ok && !isIdentifier(near) {
		// A name that is no identifier is written by index.
		d.Fixes = nil
	}
	for _, m := range members {
		if snap := m.conn.open(); snap != nil {
			if _, found := k.find(m.conn, snap, name.Text); found {
				d.Detail = fmt.Sprintf("The interface %s has no %s %q, though the connection %s has: with an interface, only what it declares can be used. Declare it there, or use another one.", i.Name.Text, noun, name.Text, m.conn.syn.ID())
				d.Fixes = nil
				break
			}
		}
	}
	c.report(d.With(i.Header, "The interface."))
}

// reshapes reports whether a tool block of one of the connections replaces the
// output, so that what the interface declares is only known after it.
func (k capability) reshapes() bool {
	return slices.ContainsFunc(k.of, func(o offer) bool { return o.block != nil && o.block.Result != nil })
}

// unusedInterfaces returns a warning for each interface that nothing names.
func (w *world) unusedInterfaces() diag.List {
	set := w.project.Interfaces
	if w.incomplete || w.uses.unknown || set.IsIncomplete() {
		return nil // what names it may be lost
	}
	var out diag.List
	for _, i := range set.All() {
		if set.Interface(i.Name.Text) != i || w.uses.names[i.Name.Text] || set.Refers(i.Name.Text) {
			continue
		}
		out = append(out, diag.New(codeUnusedInterface, i.Header, "Nothing uses the interface %q: no source needs it, and no type names one of its types. Write interface = %s in the source that needs it, or remove it.", i.Name.Text, i.Reference()))
	}
	return out
}

// interfaceFiles returns the files of the interfaces that something names: all
// where that is not known.
func (w *world) interfaceFiles() []string {
	var out []string
	for _, i := range w.project.Interfaces.All() {
		if w.uses.names[i.Name.Text] {
			out = append(out, i.Header.Filename)
		}
	}
	if w.uses.lost {
		for _, f := range w.project.InterfaceFiles {
			out = append(out, f.Name)
		}
	}
	return out
}

// silentInterface is interfaceOf without a report: the workflow's own check reports.
func (c *checker) silentInterface(s *syntax.Source) (i *iface.Interface) {
	c.silently(func() { i = c.interfaceOf(s) })
	return i
}

// satisfiedByOthers checks what others bind the named sources of the workflow in hand to.
func (c *checker) satisfiedByOthers(names []string) {
	for _, n := range names {
		if s := c.f.sources[n]; s != nil && s.iface != nil {
			c.satisfied(s, fromOutside(s.syn))
		}
	}
}

// mockDeclared is mocked for a source with an interface.
func (c *checker) mockDeclared(i *iface.Interface, m *syntax.Mock) (args, output *types.Type) {
	name := m.Tool.Text
	if t := i.Tool(name); t != nil {
		return argsAs(t.Params, t.Params, false), t.Result
	}
	names := i.ToolNames()
	for _, p := range i.Prompts {
		if p.Name.Text == name {
			return argsAs(p.Params, p.Params, false), promptType
		}
		names = append(names, p.Name.Text)
	}
	for _, r := range i.Resources {
		if r.Name.Text == name {
			args = variablesOf(r)
			return withURI(argsAs(args, args, false)), types.AnyType
		}
		names = append(names, r.Name.Text)
	}
	if !i.MayDeclare(name) {
		c.report(unknownName(codeUnknownTool, "tool", "The interface "+i.Name.Text, name, m.Tool.Range, names).With(i.Header, "The interface."))
	}
	return objectOfAnything, types.AnyType
}
