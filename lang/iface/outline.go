package iface

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/types"
)

// Declared is a declaration of a file as it is written, with the types that it names.
type Declared struct {
	Kind     string    // "interface", "type", "tool", "resource" or "prompt"
	Name     Label     // as it is written, quotes included in its place
	Span     hcl.Range // the whole of it
	Doc      string
	Members  []Declared // of an interface
	Params   []Label    // of a tool or prompt
	Mentions []Mention
}

// Mention is a place where a type of an interface is named.
type Mention struct {
	Interface string    // the interface of the type; "" : the one that the mention stands in
	Type      string    // the name of the type
	At        hcl.Range // of the type's name
	// InterfaceAt is the place of the interface's name; the zero range where none is written.
	InterfaceAt hcl.Range
}

// Outline returns what the file declares, as far as it can be read, in file order.
func (f *File) Outline() []Declared {
	out := make([]Declared, 0, len(f.declared))
	for _, i := range f.declared {
		d := Declared{Kind: "interface", Name: i.name, Span: i.span, Doc: i.doc}
		own := map[string]bool{}
		for _, m := range i.decls {
			if m.kind == "type" {
				own[m.name.Text] = true
			}
		}
		for _, m := range i.decls {
			x := Declared{Kind: m.kind, Name: m.name, Span: m.span, Doc: m.doc}
			collect := mentions{source: f.Source, own: own, out: &x.Mentions}
			for _, p := range m.params {
				if !p.others {
					x.Params = append(x.Params, p.name)
				}
				collect.node(p.typ)
			}
			collect.node(m.result)
			d.Members = append(d.Members, x)
		}
		out = append(out, d)
	}
	return out
}

// mentions collects the types that are named.
type mentions struct {
	source []byte
	own    map[string]bool // the types of the interface
	out    *[]Mention
}

func (c mentions) node(n *types.Node) {
	if n == nil {
		return
	}
	switch {
	case len(n.Path) == 1 && c.own[n.Path[0]]:
		*c.out = append(*c.out, Mention{Type: n.Path[0], At: n.Range})
	case len(n.Path) == 3 && n.Path[0] == "interface":
		last := lastName(n.Range, n.Path[2])
		before := n.Range
		before.End = last.Start
		for before.End.Byte > before.Start.Byte && !isNameByte(c.source[before.End.Byte-1]) {
			before.End.Byte--
			before.End.Column--
		}
		*c.out = append(*c.out, Mention{Interface: n.Path[1], Type: n.Path[2], At: last, InterfaceAt: lastName(before, n.Path[1])})
	}
	for _, a := range n.Args {
		c.node(a)
	}
	for _, it := range n.Items {
		c.node(it.Value)
	}
}

// lastName is the place of a name that r ends with.
func lastName(r hcl.Range, name string) hcl.Range {
	r.Start = r.End
	r.Start.Byte -= len(name)
	r.Start.Column = max(1, r.Start.Column-len([]rune(name)))
	return r
}

// isNameByte reports whether a byte may be part of a name.
func isNameByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}
