package iface

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/types"
)

// codeDefinedTwice is the project's, for names that are unique within it.
const codeDefinedTwice diag.Code = "WFC1103"

// Set has the interfaces of a project's files, with the names between them
// resolved. It is immutable and safe for concurrent use.
type Set struct {
	byName   map[string]*Interface
	names    []string // sorted
	all      []*Interface
	unread   bool            // some file may have declared an interface that is lost
	referred map[string]bool // the interfaces whose types others name
}

// NewSet resolves the names in the interfaces of files. What is wrong is in the
// diagnostics, and an [types.ErrorType] stands in its place. Of two interfaces
// of one name the first in the order of the files is in the set.
func NewSet(files []*File) (*Set, diag.List) {
	b := &builder{set: &Set{byName: map[string]*Interface{}, referred: map[string]bool{}}, quiet: true}
	for _, f := range files {
		b.set.unread = b.set.unread || f.unread
		for _, d := range f.declared {
			b.declare(d)
		}
	}
	slices.Sort(b.set.names)
	// The definitions are read twice: first so that each is known when others are
	// judged by it, such as a default.
	for _, w := range b.work {
		b.define(w)
	}
	b.quiet = false
	b.cycles()
	for _, w := range b.work {
		b.define(w)
		b.members(w)
	}
	b.diags.Sort()
	return b.set, b.diags
}

// Interface returns the interface of a name, or nil.
func (s *Set) Interface(name string) *Interface { return s.byName[name] }

// Names returns the names of the interfaces, sorted; not to be changed.
func (s *Set) Names() []string { return s.names }

// All returns the interfaces in file order, those of a name that is taken
// included; not to be changed.
func (s *Set) All() []*Interface { return s.all }

// IsIncomplete reports whether an interface of any name may have been lost in
// what could not be read, which has a diagnostic.
func (s *Set) IsIncomplete() bool { return s.unread }

// Refers reports whether a type of another interface names one of this one.
func (s *Set) Refers(name string) bool { return s.referred[name] }

// Type resolves interface.NAME.TYPE; it is a [types.Resolver].
func (s *Set) Type(path []string) (t *types.Type, hint string) {
	if path[0] != "interface" {
		if near, ok := nearest.Name(path[0], []string{"interface"}); ok && len(path) == 3 {
			return nil, fmt.Sprintf("Did you mean %s.%s?", near, strings.Join(path[1:], "."))
		}
		return nil, "The types of interface files are written interface.NAME.TYPE."
	}
	if len(path) != 3 {
		return nil, "A type of an interface file is written interface.NAME.TYPE."
	}
	i := s.byName[path[1]]
	if i == nil {
		if s.unread {
			return types.ErrorType, ""
		}
		near, ok := nearest.Name(path[1], s.names)
		if !ok {
			return nil, fmt.Sprintf("There is no interface %q.", path[1])
		}
		return nil, fmt.Sprintf("There is no interface %q. Did you mean %q?", path[1], near)
	}
	var have []string
	for _, d := range i.Types {
		if d.Name.Text == path[2] {
			return d.Type, ""
		}
		have = append(have, d.Name.Text)
	}
	if i.lost[path[2]] {
		return types.ErrorType, ""
	}
	if near, ok := nearest.Name(path[2], have); ok {
		return nil, fmt.Sprintf("Did you mean interface.%s.%s?", path[1], near)
	}
	if len(have) == 0 {
		return nil, fmt.Sprintf("The interface %q declares no types.", path[1])
	}
	slices.Sort(have)
	return nil, fmt.Sprintf("The interface %q declares %s.", path[1], strings.Join(have[:min(len(have), 12)], ", "))
}

// builder makes a set.
type builder struct {
	set   *Set
	work  []*work
	diags diag.List
	quiet bool
}

// work is an interface on its way from what is written.
type work struct {
	to      *Interface
	decls   []*declaration         // each name once
	local   map[string]*types.Type // the types by their bare names
	defined []definition
}

// definition is a named type with what it stands for, as far as that is known.
type definition struct {
	decl   *declaration
	name   *types.Type
	define func(*types.Type)
	is     *types.Type
	cyclic bool // it stands for itself, and for an error
}

func (b *builder) report(d diag.Diagnostic) {
	if !b.quiet {
		b.diags = append(b.diags, d)
	}
}

// declare makes an interface with the names of its types.
func (b *builder) declare(d *declared) {
	i := &Interface{Name: d.name, Doc: d.doc, Range: d.span, Header: d.header, lost: d.lost}
	w := &work{to: i, local: map[string]*types.Type{}}
	b.work = append(b.work, w)
	b.set.all = append(b.set.all, i)
	if first := b.set.byName[i.Name.Text]; first != nil {
		b.diags = append(b.diags, diag.New(codeDefinedTwice, i.Name.Range,
			"The interface %q is defined in %s, line %d, too. Names are unique within a project: rename one of them, or remove it.",
			i.Name.Text, first.Header.Filename, first.Header.Start.Line).With(first.Header, "the first definition"))
	} else {
		b.set.byName[i.Name.Text] = i
		b.set.names = append(b.set.names, i.Name.Text)
	}
	for name := range d.lost {
		w.local[name] = types.ErrorType
	}
	seen := map[string]map[string]Label{}
	for _, x := range d.decls {
		if seen[x.kind] == nil {
			seen[x.kind] = map[string]Label{}
		}
		if first, twice := seen[x.kind][x.name.Text]; twice {
			b.twice(x.kind, x.name, first)
			continue
		}
		seen[x.kind][x.name.Text] = x.name
		w.decls = append(w.decls, x)
		if x.kind != "type" {
			continue
		}
		name, define := types.Declare("interface." + i.Name.Text + "." + x.name.Text)
		w.defined = append(w.defined, definition{decl: x, name: name, define: define})
		i.Types = append(i.Types, &TypeDecl{Name: x.name, Doc: x.doc, Range: x.span, Type: name})
		if types.IsReserved(x.name.Text) {
			b.diags = append(b.diags, diag.New(codeReserved, x.name.Range, "%q is a word of the type notation. Give the type another name.", x.name.Text))
			w.local[x.name.Text] = types.ErrorType // which of both is meant is not known
			continue
		}
		w.local[x.name.Text] = name
	}
}

func (b *builder) twice(kind string, again, first Label) {
	b.diags = append(b.diags, diag.New(codeTwice, again.Range, "The %s %q is declared on line %d already. Rename one of them, or remove it.", kind, again.Text, first.Range.Start.Line).
		With(first.Range, "the first declaration"))
}

// resolver resolves paths for one interface, and notes which others it names.
func (b *builder) resolver(w *work) types.Resolver {
	return func(path []string) (*types.Type, string) {
		if len(path) == 3 && path[1] != w.to.Name.Text {
			b.set.referred[path[1]] = true
		}
		return b.set.Type(path)
	}
}

// define reads the definitions of an interface's types.
func (b *builder) define(w *work) {
	for i := range w.defined {
		d := &w.defined[i]
		if d.cyclic {
			continue
		}
		d.is = b.read(w, d.decl.result)
		d.define(d.is)
	}
}

func (b *builder) read(w *work, n *types.Node) *types.Type {
	t, problems := types.FromNode(n, b.resolver(w), w.local)
	for _, p := range problems {
		b.report(p)
	}
	return t
}

// cycles reports types that stand for themselves, through names and unions
// only, and so for nothing.
func (b *builder) cycles() {
	of := map[*types.Type]*definition{}
	for _, w := range b.work {
		for i := range w.defined {
			of[w.defined[i].name] = &w.defined[i]
		}
	}
	const done = -1
	at := map[*definition]int{} // the depth of those under way, from 1
	depth := 0
	var bad []*definition
	// walk returns the least depth that t leads back to.
	var walk func(t *types.Type) int
	walk = func(t *types.Type) int {
		least := math.MaxInt
		if t.Kind() == types.Union {
			for _, m := range t.Items() {
				least = min(least, walk(m))
			}
			return least
		}
		d := of[t]
		switch {
		case d == nil, at[d] == done:
			return least
		case at[d] > 0:
			return at[d]
		}
		depth++
		at[d] = depth
		if least = walk(d.is); least <= depth {
			bad = append(bad, d)
		}
		at[d] = done
		depth--
		return least
	}
	for _, w := range b.work {
		for i := range w.defined {
			walk(w.defined[i].name)
		}
	}
	for _, d := range bad {
		d.is, d.cyclic = types.ErrorType, true
		d.define(d.is)
		b.report(diag.New(codeNoType, d.decl.result.Range, "The type %s refers to itself and says nothing else. Write what its values are.", d.decl.name.Text))
	}
}

// members reads tools, resources and prompts.
func (b *builder) members(w *work) {
	for _, x := range w.decls {
		switch x.kind {
		case "tool":
			w.to.Tools = append(w.to.Tools, &Tool{Name: x.name, Doc: x.doc, Range: x.span, Effect: x.effect, Idempotent: x.idempotent,
				Params: b.params(w, x), Result: b.read(w, x.result)})
		case "resource":
			if _, err := uriVariables(x.uri.Text); err != "" {
				b.report(diag.New(codeURI, x.uri.Range, "This is no URI template: %s.", err))
			}
			w.to.Resources = append(w.to.Resources, &Resource{Name: x.name, Doc: x.doc, Range: x.span, URI: x.uri.Text, Type: b.read(w, x.result)})
		case "prompt":
			w.to.Prompts = append(w.to.Prompts, &Prompt{Name: x.name, Doc: x.doc, Range: x.span, Params: b.params(w, x)})
		}
	}
}

// params reads parameters as the object type of the arguments.
func (b *builder) params(w *work, x *declaration) *types.Type {
	var attrs []types.Attr
	var rest *types.Type
	first := map[string]Label{}
	for _, p := range x.params {
		if p.others {
			rest = types.AnyType
			if p.typ != nil {
				rest = b.read(w, p.typ)
			}
			if x.kind == "prompt" && types.Assignable(types.StringType, rest) != nil {
				b.report(diag.New(codePromptParam, p.name.Range, "The arguments of a prompt are texts. Write ...: string for any others."))
				rest = types.ErrorType
			}
			continue
		}
		a, problems := types.AttrFromNode(p.typ, b.resolver(w), w.local)
		for _, d := range problems {
			b.report(d)
		}
		if at, twice := first[p.name.Text]; twice {
			b.twice("parameter", p.name, at)
			continue
		}
		first[p.name.Text] = p.name
		a.Name = p.name.Text
		if x.kind == "prompt" && types.Assignable(types.StringType, a.Type) != nil {
			b.report(diag.New(codePromptParam, p.typ.Range, "The parameter %q is %s, and the arguments of a prompt are texts. Write string, or optional(string) where it may be left out.", a.Name, types.Describe(a.Type)))
			a.Type = types.ErrorType
		}
		attrs = append(attrs, a)
	}
	return types.ObjectOf(attrs, rest)
}

// Variables returns the names of the variables of the resource's URI template,
// in order, each once; none for a plain URI.
func (r *Resource) Variables() []string {
	out, _ := uriVariables(r.URI)
	return out
}

// uriVariables returns the variables of a URI template (RFC 6570), or what is
// wrong with it.
func uriVariables(uri string) (names []string, problem string) {
	if uri == "" {
		return nil, "it is empty"
	}
	rest := uri
	for {
		open := strings.IndexAny(rest, "{}")
		if open < 0 {
			return names, ""
		}
		if rest[open] == '}' {
			return nil, "a brace is closed that is not open"
		}
		rest = rest[open+1:]
		end := strings.IndexAny(rest, "{}")
		if end < 0 || rest[end] == '{' {
			return nil, "a brace is not closed"
		}
		for _, v := range strings.Split(strings.TrimLeft(rest[:end], "+#./;?&"), ",") {
			v, _, _ = strings.Cut(v, ":")
			v = strings.TrimSuffix(v, "*")
			if !isVariable(v) {
				return nil, fmt.Sprintf("%q in braces is no name of a variable", v)
			}
			if !slices.Contains(names, v) {
				names = append(names, v)
			}
		}
		rest = rest[end+1:]
	}
}

// isVariable reports whether s can name a variable of a URI template.
func isVariable(s string) bool {
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-' || c == '%') {
			return false
		}
	}
	return s != ""
}
