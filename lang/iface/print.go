package iface

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// printWidth is the width in characters beyond which what is printed is broken
// into lines.
const printWidth = 120

// Print returns an interface as a file declares it, formatted. Parsing it gives
// an equal interface.
func Print(i *Interface) string {
	p := printer{}
	p.notes(i.Notes)
	p.doc(i.Doc)
	p.b.WriteString("interface " + i.Name.Text + " {")
	p.indent = "  "
	p.own = i.Reference() + "."
	first := true
	separate := func() {
		p.b.WriteByte('\n')
		if !first {
			p.b.WriteByte('\n')
		}
		first = false
	}
	for _, t := range i.Types {
		separate()
		p.typeDecl(t)
	}
	for _, t := range i.Tools {
		separate()
		p.tool(t)
	}
	for _, r := range i.Resources {
		separate()
		p.resource(r)
	}
	for _, x := range i.Prompts {
		separate()
		p.prompt(x)
	}
	if !first {
		p.b.WriteByte('\n')
	}
	p.b.WriteString("}\n")
	return strings.ToValidUTF8(p.b.String(), "\ufffd")
}

type printer struct {
	b      strings.Builder
	indent string
	own    string // how the interface's own types begin where they are written in full
}

// begin begins a line.
func (p *printer) begin() { p.b.WriteString(p.indent) }

// notes writes remarks as comments, whose text is shown and no more.
func (p *printer) notes(notes []string) {
	for _, n := range notes {
		p.begin()
		p.b.WriteString("# " + plain(n) + "\n")
	}
}

// plain returns a text on one line without what steers a terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}

// doc writes documentation, a text for each line of it.
func (p *printer) doc(doc string) {
	if doc == "" {
		return
	}
	for line := range strings.SplitSeq(doc, "\n") {
		p.begin()
		p.b.WriteString(types.Notation(value.OfString(line)) + "\n")
	}
}

func (p *printer) typeDecl(t *TypeDecl) {
	p.doc(t.Doc)
	p.begin()
	p.b.WriteString("type " + t.Name.Text + " = ")
	p.typ(t.Type.Underlying())
}

var annotations = map[catalog.Effect]string{catalog.Read: "@read", catalog.Write: "@write", catalog.Destructive: "@destructive"}

func (p *printer) tool(t *Tool) {
	p.notes(t.Notes)
	p.doc(t.Doc)
	words := annotations[t.Effect]
	if t.Idempotent {
		words = strings.TrimSpace(words + " " + idempotent)
	}
	if words != "" {
		p.begin()
		p.b.WriteString(words + "\n")
	}
	p.begin()
	p.b.WriteString("tool " + nameOf(t.Name.Text))
	p.params(t.Params)
	p.b.WriteString(" -> ")
	p.typ(t.Result)
}

func (p *printer) resource(r *Resource) {
	p.doc(r.Doc)
	p.begin()
	p.b.WriteString("resource " + nameOf(r.Name.Text) + " " + types.Notation(value.OfString(r.URI)) + " -> ")
	p.typ(r.Type)
}

func (p *printer) prompt(x *Prompt) {
	p.doc(x.Doc)
	p.begin()
	p.b.WriteString("prompt " + nameOf(x.Name.Text))
	p.params(x.Params)
}

// nameOf returns a name as it is declared: in quotes where it is no name by itself.
func nameOf(s string) string { return types.Key(s) }

// params writes parameters, one a line where they do not fit.
func (p *printer) params(t *types.Type) {
	texts := make([]string, 0, len(t.Attrs())+1)
	long := false
	for _, a := range t.Attrs() {
		s := types.Key(a.Name) + ": " + p.attr(a)
		long = long || strings.Contains(s, "\n")
		texts = append(texts, s)
	}
	if rest := t.Rest(); rest != nil {
		s := "..."
		if rest.Kind() != types.Any {
			s += ": " + p.text(rest, 0)
		}
		texts = append(texts, s)
	}
	line := "(" + strings.Join(texts, ", ") + ")"
	if len(texts) == 0 || !long && p.column()+utf8.RuneCountInString(line) <= printWidth {
		p.b.WriteString(line)
		return
	}
	p.b.WriteString("(\n")
	for _, s := range texts {
		p.b.WriteString(p.indent + "  " + strings.ReplaceAll(s, "\n", "\n"+p.indent+"  ") + ",\n")
	}
	p.b.WriteString(p.indent + ")")
}

// column is the length of the line in hand.
func (p *printer) column() int {
	s := p.b.String()
	return utf8.RuneCountInString(s[strings.LastIndexByte(s, '\n')+1:])
}

// attr returns the type of an attribute, with what makes it optional.
func (p *printer) attr(a types.Attr) string {
	if !a.Optional {
		return p.text(a.Type, len(a.Name)+len(": "))
	}
	s := "optional(" + p.text(a.Type, len(a.Name)+len(": optional("))
	if a.Default != nil {
		s += ", " + types.Notation(*a.Default)
	}
	return s + ")"
}

// typ writes a type where the line in hand goes on.
func (p *printer) typ(t *types.Type) {
	p.b.WriteString(strings.ReplaceAll(p.text(t, p.column()-len(p.indent)), "\n", "\n"+p.indent))
}

// text returns a type, broken where it does not fit behind a prefix.
func (p *printer) text(t *types.Type, prefix int) string {
	s := p.short(types.Print(t))
	if len(p.indent)+prefix+utf8.RuneCountInString(s) > printWidth {
		s = p.short(types.PrintIndentedAt(t, prefix, printWidth-len(p.indent)-len("  ")))
	}
	return s
}

// short writes the interface's own types by their bare names.
func (p *printer) short(s string) string {
	// A definition of the print could have the same name.
	if !strings.Contains(s, p.own) || strings.HasPrefix(s, "defs(") {
		return s
	}
	src := newSource("", []byte(s))
	tokens, _ := lex(src)
	var b strings.Builder
	at := 0
	for i := 0; i+4 < len(tokens); i++ {
		t := tokens[i]
		if t.kind == ident && strings.HasPrefix(s[t.start:], p.own) {
			b.WriteString(s[at:t.start])
			at = tokens[i+4].start
			i += 4
		}
	}
	return b.String() + s[at:]
}
