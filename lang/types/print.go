package types

import (
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// Print returns t in the notation of LANGUAGE 2, on one line. Parsing it gives
// an equal type. Refinements and descriptions are not part of the notation.
//
// Types that are recursive, and large ones that a schema defines once and uses
// more than once, are printed with their definitions before them:
// defs({ node = object({ next = optional(node) }) }, list(node)).
func Print(t *Type) string {
	p := newPrinter(t, false)
	p.whole(t, flat)
	return p.b.String()
}

// PrintClosed is Print with what names of interface files stand for in their
// place, so that it can be read where there are no such files.
func PrintClosed(t *Type) string {
	p := newPrinter(t, true)
	p.whole(t, flat)
	return p.b.String()
}

// PrintIndented is Print with what does not fit into width characters broken
// over several lines.
func PrintIndented(t *Type, width int) string {
	p := newPrinter(t, false)
	p.width = width
	p.whole(t, 0)
	return p.b.String()
}

// PrintIndentedAt is PrintIndented behind something of the given width, which
// the first line has less room for.
func PrintIndentedAt(t *Type, column, width int) string {
	p := newPrinter(t, false)
	p.width, p.column = width, column
	p.whole(t, 0)
	return p.b.String()
}

// flat is the indentation that stands for "on one line".
const flat = -1

type printer struct {
	b      strings.Builder
	width  int
	column int  // where the first line begins
	closed bool // names of interface files are opened, too
	// names has the local names of the types that are printed as definitions,
	// and order lists them as they were met.
	names map[*Type]string
	order []*Type
}

// A type that is met again is printed once, as a definition, where it is as
// large as this: in parts if it has a name in its schema, else only so that
// the print of what is shared again and again stays bounded.
const (
	shareNamed    = 8
	shareNameless = 200
)

// newPrinter finds what is printed as definitions.
func newPrinter(t *Type, closed bool) *printer {
	p := &printer{names: map[*Type]string{}, closed: closed}
	used := map[string]bool{}
	size := map[*Type]int{} // of finished types; -1 while one is under way
	define := func(t *Type, name string) {
		if p.names[t] == "" {
			p.names[t] = localName(name, used)
			p.order = append(p.order, t)
		}
	}
	var walk func(t *Type) int
	walk = func(t *Type) int {
		name := t.name
		if t.kind == Named {
			if isPath(name) && !closed {
				return 1
			}
			t = t.Underlying()
		}
		if t.elem == nil && t.items == nil && t.attrs == nil && t.rest == nil {
			return 1
		}
		switch n := size[t]; {
		case n < 0, n >= shareNamed && (name != "" || t.name != ""), n >= shareNameless:
			define(t, name)
			return 1
		case n > 0:
			return n
		}
		size[t] = -1
		n := 1
		eachPart(t, func(x *Type) { n += walk(x) })
		size[t] = n
		return n
	}
	walk(t)
	sort.Slice(p.order, func(i, j int) bool { return p.names[p.order[i]] < p.names[p.order[j]] })
	return p
}

// eachPart calls f for the types that t is directly made of.
func eachPart(t *Type, f func(*Type)) {
	if t.elem != nil {
		f(t.elem)
	}
	for _, x := range t.items {
		f(x)
	}
	for i := range t.attrs {
		f(t.attrs[i].Type)
	}
	if t.rest != nil {
		f(t.rest)
	}
}

// isPath reports whether a name is a path that a resolver knows, such as interface.issue_tracker.issue.
func isPath(name string) bool { return strings.HasPrefix(name, "interface.") }

// localName makes a name for a definition from the last part of a
// JSON pointer, distinct from those in use and from the notation's own words.
func localName(pointer string, used map[string]bool) string {
	base := pointer[strings.LastIndexAny(pointer, "/#.")+1:]
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, base)
	if clean == "" {
		clean = "t"
	}
	if clean[0] >= '0' && clean[0] <= '9' {
		clean = "t" + clean
	}
	name := clean
	for n := 2; used[name] || reserved[name]; n++ {
		name = fmt.Sprintf("%s_%d", clean, n)
	}
	used[name] = true
	return name
}

// reserved are the words that cannot name a definition.
var reserved = map[string]bool{
	"any": true, "null": true, "bool": true, "string": true, "number": true, "integer": true, "blob": true, "never": true,
	"list": true, "map": true, "tuple": true, "object": true, "optional": true, "enum": true, "union": true,
	"nullable": true, "defs": true, "interface": true,
	"true": true, "false": true, "for": true, "if": true, "in": true,
}

func (p *printer) whole(t *Type, indent int) {
	if len(p.order) == 0 {
		p.print(t, indent)
		return
	}
	in := indent
	if indent != flat {
		in = indent + 1
	}
	p.b.WriteString("defs({")
	for i, u := range p.order {
		p.separate(i, in)
		p.b.WriteString(p.names[u])
		p.b.WriteString(" = ")
		p.definition(u, in)
	}
	p.close(indent)
	p.b.WriteString("}, ")
	p.print(t, indent)
	p.b.WriteByte(')')
}

// separate begins the i-th item of braces.
func (p *printer) separate(i, indent int) {
	switch {
	case indent != flat:
		if i > 0 {
			p.b.WriteByte(',')
		}
		p.newline(indent)
	case i > 0:
		p.b.WriteString(", ")
	default:
		p.b.WriteByte(' ')
	}
}

func (p *printer) close(indent int) {
	if indent == flat {
		p.b.WriteByte(' ')
		return
	}
	p.b.WriteByte(',')
	p.newline(indent)
}

func (p *printer) newline(indent int) {
	p.b.WriteByte('\n')
	for range indent {
		p.b.WriteString("  ")
	}
}

func (p *printer) print(t *Type, indent int) {
	if t.kind == Named {
		if isPath(t.name) && !p.closed {
			p.b.WriteString(t.name)
			return
		}
		t = t.Underlying()
	}
	if name := p.names[t]; name != "" {
		p.b.WriteString(name)
		return
	}
	p.definition(t, indent)
}

// fits reports whether t on one line ends within the width.
func (p *printer) fits(t *Type) bool {
	q := printer{names: p.names, closed: p.closed}
	q.definition(t, flat)
	text := p.b.String()
	line := strings.LastIndexByte(text, '\n') + 1
	column := utf8.RuneCountInString(text[line:])
	if line == 0 {
		column += p.column
	}
	return column+utf8.RuneCountInString(q.b.String()) <= p.width
}

func (p *printer) definition(t *Type, indent int) {
	if indent != flat && p.fits(t) {
		indent = flat
	}
	switch t.kind {
	case Any:
		p.b.WriteString("any")
	case Never:
		p.b.WriteString("never")
	case Null:
		p.b.WriteString("null")
	case Bool:
		p.b.WriteString("bool")
	case String:
		p.b.WriteString("string")
	case Number:
		p.b.WriteString("number")
	case Integer:
		p.b.WriteString("integer")
	case Blob:
		p.b.WriteString("blob")
	case Literal:
		p.b.WriteString("enum(")
		writeConstant(&p.b, t.lit)
		p.b.WriteByte(')')
	case List:
		p.wrap("list", t.elem, indent)
	case Map:
		p.wrap("map", t.elem, indent)
	case Tuple:
		p.b.WriteString("tuple([")
		p.list(t.items, indent)
		p.b.WriteString("])")
	case Object:
		p.object(t, indent)
	case Union:
		p.union(t, indent)
	case Named:
		p.print(t, indent)
	}
}

func (p *printer) wrap(name string, elem *Type, indent int) {
	p.b.WriteString(name)
	p.b.WriteByte('(')
	p.print(elem, indent)
	p.b.WriteByte(')')
}

func (p *printer) list(ts []*Type, indent int) {
	if indent == flat || len(ts) == 0 {
		for i, x := range ts {
			if i > 0 {
				p.b.WriteString(", ")
			}
			p.print(x, flat)
		}
		return
	}
	for i, x := range ts {
		if i > 0 {
			p.b.WriteByte(',')
		}
		p.newline(indent + 1)
		p.print(x, indent+1)
	}
	p.b.WriteByte(',')
	p.newline(indent)
}

func (p *printer) object(t *Type, indent int) {
	p.b.WriteString("object({")
	if len(t.attrs) > 0 {
		in := indent
		if indent != flat {
			in = indent + 1
		}
		for i := range t.attrs {
			a := &t.attrs[i]
			p.separate(i, in)
			writeKey(&p.b, a.Name)
			p.b.WriteString(" = ")
			if a.Optional {
				p.b.WriteString("optional(")
			}
			p.print(a.Type, in)
			if a.Optional && a.Default != nil {
				p.b.WriteString(", ")
				writeConstant(&p.b, *a.Default)
			}
			if a.Optional {
				p.b.WriteByte(')')
			}
		}
		p.close(indent)
	}
	p.b.WriteByte('}')
	if t.rest != nil {
		p.b.WriteString(", ")
		p.print(t.rest, indent)
	}
	p.b.WriteByte(')')
}

// union prints null as nullable around the rest and literals as one enum.
func (p *printer) union(t *Type, indent int) {
	var lits, others []*Type
	null := false
	for _, m := range t.items {
		switch m.kind {
		case Null:
			null = true
		case Literal:
			lits = append(lits, m)
		default:
			others = append(others, m)
		}
	}
	if null {
		p.b.WriteString("nullable(")
		defer p.b.WriteByte(')')
	}
	enum := func() {
		p.b.WriteString("enum(")
		for i, l := range lits {
			if i > 0 {
				p.b.WriteString(", ")
			}
			writeConstant(&p.b, l.lit)
		}
		p.b.WriteByte(')')
	}
	switch {
	case len(others) == 0:
		enum()
		return
	case len(others) == 1 && len(lits) == 0:
		p.print(others[0], indent)
		return
	}
	p.b.WriteString("union(")
	in := indent
	if indent != flat {
		in = indent + 1
	}
	n := 0
	item := func(f func()) {
		if n > 0 {
			p.b.WriteByte(',')
			if in == flat {
				p.b.WriteByte(' ')
			}
		}
		if in != flat {
			p.newline(in)
		}
		n++
		f()
	}
	for _, o := range others {
		item(func() { p.print(o, in) })
	}
	if len(lits) > 0 {
		item(enum)
	}
	if in != flat {
		p.b.WriteByte(',')
		p.newline(indent)
	}
	p.b.WriteByte(')')
}
