package syntax

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/nearest"
)

// reader turns the HCL tree of one file into typed blocks and collects what is
// wrong with its shape.
type reader struct {
	name  string
	src   []byte
	diags diag.List

	counted hcl.Pos // where pos was last; zero: nowhere yet

	// broken says that the file has syntax errors. What is missing or in the
	// wrong place may follow from them then, and is not reported again.
	broken bool
}

func (r *reader) report(d diag.Diagnostic) { r.diags = append(r.diags, d) }

// describe names a block for a message: `the step "search"`; nil is the top level.
func describe(b *hclsyntax.Block) string {
	if b == nil {
		return "this file"
	}
	var s strings.Builder
	s.WriteString("the ")
	if len(b.Labels) == 0 {
		s.WriteString(b.Type + " block")
		return s.String()
	}
	s.WriteString(b.Type)
	for _, l := range b.Labels {
		fmt.Fprintf(&s, " %q", l)
	}
	return s.String()
}

// capital starts a sentence with s.
func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// a puts the indefinite article before a word.
func a(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) || word == "http" || word == "sse" { // as they are spelt out
		return "an " + word
	}
	return "a " + word
}

// where says where things of a shape are written: "in a step block", "at the
// top level of a *.wf.hcl file".
func (s *shape) where() string {
	switch s {
	case workflowFile:
		return "at the top level of a *.wf.hcl file"
	case settingsFile:
		return "at the top level of wfc.hcl"
	case testFile:
		return "at the top level of a *.wftest.hcl file"
	}
	return "in " + a(s.name) + " block"
}

func (s *shape) builtAttrs() []string {
	var out []string
	for n, st := range s.attrs {
		if st == built {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

func (s *shape) builtBlocks() []string {
	var out []string
	for n, m := range s.blocks {
		if m.shape != nil {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// examine reports what of body's direct content does not fit the shape s.
// owner is the block that it is the body of, nil for the top level. A name that is
// misspelt becomes the one that is meant, so that nothing follows from it.
func (r *reader) examine(s *shape, body *hclsyntax.Body, owner *hclsyntax.Block) {
	if !s.free {
		var misspelt []*hclsyntax.Attribute
		for name, at := range body.Attributes {
			switch s.attrs[name] {
			case built:
			case unbuilt:
				r.report(diag.New(codeNotBuilt, at.NameRange,
					"The attribute %q %s is part of the language, but this version of wfc cannot run it yet. Remove it for now.", name, s.where()))
			default:
				r.unknownAttribute(s, at, owner)
				misspelt = append(misspelt, at)
			}
		}
		if len(misspelt) > 0 {
			mendNames(s, body, misspelt)
		}
	}
	var once map[string]*hclsyntax.Block
	for _, b := range body.Blocks {
		m, ok := s.blocks[b.Type]
		if !ok {
			r.unknownBlock(s, b, owner)
			meant, found := nearest.Name(b.Type, s.builtBlocks())
			if m, ok = s.blocks[meant]; !found || !ok || !m.shape.suits(b) || !m.repeat && hasBlock(body, meant) {
				continue
			}
			b.Type = meant
		}
		switch {
		case m.shape == nil:
			r.report(diag.New(codeNotBuilt, b.TypeRange,
				"The block %q %s is part of the language, but this version of wfc cannot run it yet. Remove it for now.", b.Type, s.where()))
		case !m.repeat:
			if first := once[b.Type]; first != nil {
				r.report(diag.New(codeBlockTwice, b.DefRange(),
					"%s has %s block already. Put everything into one of them.", capital(describe(owner)), a(b.Type)).
					With(first.DefRange(), "the first %s block", b.Type))
				continue
			}
			if once == nil {
				once = map[string]*hclsyntax.Block{}
			}
			once[b.Type] = b
		}
	}
	if owner != nil && r.unfinished(owner) {
		return // which has a diagnostic
	}
	for _, name := range s.required {
		other, may := s.instead[name]
		switch {
		case body.Attributes[name] != nil || r.meant(s, name, body):
		case !may:
			r.report(diag.New(codeMissingAttribute, owner.DefRange(), "%s needs the attribute %q.", capital(describe(owner)), name))
		case body.Attributes[other] == nil && !r.meant(s, other, body):
			r.report(diag.New(codeMissingAttribute, owner.DefRange(), "%s needs the attribute %q, or %q.", capital(describe(owner)), name, other))
		}
	}
}

// suits reports whether a block may be meant as one of the shape: it has its
// labels, and holds nothing strange to it.
func (s *shape) suits(b *hclsyntax.Block) bool {
	if len(b.Labels) != len(s.labels) {
		return false
	}
	for name := range b.Body.Attributes {
		if _, near := nearest.Name(name, s.builtAttrs()); s.attrs[name] == 0 && !s.free && !near {
			return false
		}
	}
	for _, in := range b.Body.Blocks {
		if _, near := nearest.Name(in.Type, s.builtBlocks()); s.blocks[in.Type].shape == nil && !near {
			return false
		}
	}
	return true
}

func hasBlock(body *hclsyntax.Body, kind string) bool {
	return slices.ContainsFunc(body.Blocks, func(b *hclsyntax.Block) bool { return b.Type == kind })
}

// mendNames gives attributes with unknown names the names that are meant, where
// these are not set.
func mendNames(s *shape, body *hclsyntax.Body, unknown []*hclsyntax.Attribute) {
	slices.SortFunc(unknown, func(a, b *hclsyntax.Attribute) int { return a.NameRange.Start.Byte - b.NameRange.Start.Byte })
	for _, at := range unknown {
		meant, found := nearest.Name(at.Name, s.builtAttrs())
		if !found || body.Attributes[meant] != nil {
			continue
		}
		delete(body.Attributes, at.Name)
		mended := *at
		mended.Name = meant
		body.Attributes[meant] = &mended
	}
}

// meant reports whether something in body that has a diagnostic already was
// probably meant as the attribute name.
func (r *reader) meant(s *shape, name string, body *hclsyntax.Body) bool {
	for _, b := range body.Blocks {
		if b.Type == name {
			return true
		}
	}
	for other, at := range body.Attributes {
		if _, known := s.attrs[other]; known {
			continue
		}
		if near, ok := r.near(s, other, sortedNames(s.attrs)); ok && near == name || unreadable(at.Expr) {
			return true
		}
	}
	return false
}

func (r *reader) unknownAttribute(s *shape, at *hclsyntax.Attribute, in *hclsyntax.Block) {
	if unreadable(at.Expr) {
		return // what it should have become is not known
	}
	owner := describe(in)
	name := at.Name
	if m, ok := s.blocks[name]; ok {
		if m.shape == nil {
			r.report(diag.New(codeNotBuilt, at.NameRange,
				"%q is part of the language (as a block %s), but this version of wfc cannot run it yet. Remove it for now.", name, s.where()))
			return
		}
		d := diag.New(codeBlockAsAttribute, at.NameRange,
			"%s, %q is a block. Write it without the equals sign: %s", capital(s.where()), name, m.shape.template())
		if _, object := at.Expr.(*hclsyntax.ObjectConsExpr); object && len(m.shape.labels) == 0 {
			d = d.Fix("Write it as a block", false, diag.Edit{Range: diag.RangeOf(hcl.RangeBetween(at.EqualsRange, at.Expr.StartRange())), Text: "{"})
		}
		r.report(d)
		return
	}
	d := diag.New(codeUnknownAttribute, at.NameRange, "%s", r.unknown("attribute", s, name, owner, s.builtAttrs()))
	if len(s.attrs) == 0 && len(s.blocks) > 0 {
		d.Detail = fmt.Sprintf("%s holds blocks only, so %q cannot be set here. The blocks are: %s.", capital(owner), name, strings.Join(s.builtBlocks(), ", "))
	}
	if near, ok := r.near(s, name, sortedNames(s.attrs)); ok {
		d.Detail = fmt.Sprintf("%s has no attribute %q. Did you mean %q?", capital(owner), name, near)
		r.report(d.Fix(fmt.Sprintf("Change it to %q", near), false, diag.Edit{Range: diag.RangeOf(at.NameRange), Text: near}))
		return
	}
	if s == inputShape && (name == "required" || name == "optional") {
		d.Detail = fmt.Sprintf("%s has no attribute %q. An input must be given unless it has a default or its type is optional(…).", capital(owner), name)
	}
	if home := home(name, false); home != "" {
		d = diag.New(codeMisplacedAttribute, at.NameRange, "The attribute %q cannot be set %s. It belongs %s.", name, s.where(), home)
	}
	r.report(d)
}

// near finds what was probably meant by name, by spelling or by the habits of other tools.
func (r *reader) near(s *shape, name string, have []string) (string, bool) {
	if meant, ok := habits[name]; ok && slices.Contains(have, meant) {
		return meant, true
	}
	return nearest.Name(name, have)
}

func (r *reader) unknown(what string, s *shape, name, owner string, have []string) string {
	if len(have) == 0 {
		return fmt.Sprintf("%s has no %ss, so %q cannot be written here.", capital(owner), what, name)
	}
	return fmt.Sprintf("%s has no %s %q. There are: %s.", capital(owner), what, name, strings.Join(have, ", "))
}

func (r *reader) unknownBlock(s *shape, b, in *hclsyntax.Block) {
	owner := describe(in)
	if st, ok := s.attrs[b.Type]; ok {
		if st == unbuilt {
			r.report(diag.New(codeNotBuilt, b.TypeRange,
				"%q is part of the language (as an attribute %s), but this version of wfc cannot run it yet. Remove it for now.", b.Type, s.where()))
			return
		}
		d := diag.New(codeAttributeAsBlock, b.TypeRange,
			"%s, %q is an attribute. Write it with an equals sign: %s = …", capital(s.where()), b.Type, b.Type)
		if len(b.Labels) == 0 {
			at := b.TypeRange
			at.Start = at.End
			d = d.Fix("Write an equals sign", false, diag.Edit{Range: diag.RangeOf(at), Text: " ="})
		}
		r.report(d)
		return
	}
	if home := home(b.Type, true); home != "" {
		r.report(diag.New(codeMisplacedBlock, b.DefRange(), "%s block cannot stand %s. It belongs %s.", capital(a(b.Type)), s.where(), home))
		return
	}
	if b.Type == "interface" {
		r.report(diag.New(codeMisplacedBlock, b.DefRange(), "An interface cannot be declared here. Interfaces are written in files whose names end in .wfi."))
		return
	}
	d := diag.New(codeUnknownBlock, b.TypeRange, "%s", r.unknown("block", s, b.Type, owner, s.builtBlocks()))
	if near, ok := r.near(s, b.Type, slices.Sorted(maps.Keys(s.blocks))); ok {
		d.Detail = fmt.Sprintf("%s has no block %q. Did you mean %q?", capital(owner), b.Type, near)
		d = d.Fix(fmt.Sprintf("Change it to %q", near), false, diag.Edit{Range: diag.RangeOf(b.TypeRange), Text: near})
	} else if near, ok := r.near(s, b.Type, sortedNames(s.attrs)); ok {
		d.Detail = fmt.Sprintf("%s has no block %q. Did you mean the attribute %q?", capital(owner), b.Type, near)
	}
	r.report(d)
}

// home says where an attribute or block of this name belongs, "" if nowhere.
func home(name string, block bool) string {
	var out []string
	for _, s := range homes(name, block) {
		out = append(out, s.where())
	}
	if len(out) > 3 { // a name that fits everywhere says nothing
		return ""
	}
	return strings.Join(out, " or ")
}

// template shows how a block of this shape begins.
func (s *shape) template() string {
	t := s.name
	for _, l := range s.labels {
		t += fmt.Sprintf(" %q", strings.ToUpper(strings.ReplaceAll(l, " ", "_")))
	}
	return t + " { … }"
}

// labels checks the labels of b and returns as many as its shape has. Missing
// ones are empty.
func (r *reader) labels(s *shape, b *hclsyntax.Block) []Label {
	out := make([]Label, len(s.labels))
	for i := range out {
		if i >= len(b.Labels) {
			out[i].Range = b.TypeRange
			continue
		}
		out[i] = r.label(b, i)
	}
	if len(b.Labels) != len(s.labels) {
		if r.broken && len(b.Labels) < len(s.labels) {
			return out // the header itself has a diagnostic
		}
		want := "no labels"
		if n := len(s.labels); n > 0 {
			want = fmt.Sprintf("%d label", n)
			if n > 1 {
				want += "s"
			}
			want += " (" + strings.Join(s.labels, " and ") + ")"
		}
		r.report(diag.New(codeWrongLabels, b.DefRange(), "%s block has %s, and this one has %d. Write: %s",
			capital(a(s.name)), want, len(b.Labels), s.template()))
		return out
	}
	if s.textual {
		return out
	}
	for i, l := range out {
		if !validName(l.Text) {
			d := diag.New(codeInvalidName, l.Range,
				"The %s of %s must be a name made of letters, digits, _ and -, and must not begin with a digit, because expressions refer to it. %q is none.",
				s.labels[i], a(s.name), l.Text)
			if id := identifier(l.Text); id != "" {
				d = d.Fix(fmt.Sprintf("Change it to %q", id), false, diag.Edit{Range: diag.RangeOf(l.Range), Text: id})
			}
			r.report(d)
		}
	}
	return out
}

// validName reports whether s is an identifier. Nearly all names are ASCII, and
// HCL's own judge runs its scanner.
func validName(s string) bool {
	for i, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_':
		case i > 0 && (c >= '0' && c <= '9' || c == '-'):
		default:
			return hclsyntax.ValidIdentifier(s)
		}
	}
	return s != ""
}

// identifier makes a name out of text, "" if nothing of it is left.
func identifier(text string) string {
	var s strings.Builder
	for _, c := range text {
		if hclsyntax.ValidIdentifier("x" + string(c)) {
			if s.Len() == 0 && !hclsyntax.ValidIdentifier(string(c)) {
				s.WriteByte('_')
			}
			s.WriteRune(c)
		} else if s.Len() > 0 {
			s.WriteByte('_')
		}
	}
	return strings.TrimRight(s.String(), "_")
}

// label returns label i of b with its place, without quotes. The text is the
// source's own: HCL's is normalised, which would miss a tool of another spelling.
func (r *reader) label(b *hclsyntax.Block, i int) Label {
	text, at := b.Labels[i], b.LabelRanges[i]
	if s := at.SliceBytes(r.src); len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		at = inside(at)
		if raw := string(s[1 : len(s)-1]); plain(raw) {
			text = raw
		}
	}
	return Label{Text: text, Range: at}
}

// inside is the range of a quoted text without its quotes.
func inside(at hcl.Range) hcl.Range {
	at.Start.Byte++
	at.Start.Column++
	at.End.Byte--
	at.End.Column--
	return at
}

// plain reports whether the source of a quoted text is its meaning too.
func plain(raw string) bool { return !strings.ContainsAny(raw, "\\$%") }

// block is what all typed blocks have of b.
func block(b *hclsyntax.Block) Block {
	return Block{Range: hcl.RangeBetween(b.TypeRange, b.CloseBraceRange), Header: b.DefRange()}
}

// attribute returns the attribute name of body, nil if it is not written.
func (r *reader) attribute(body *hclsyntax.Body, name string) *Attribute {
	at := body.Attributes[name]
	if at == nil {
		return nil
	}
	return &Attribute{Name: name, NameRange: at.NameRange, Expr: r.expr(at.Expr)}
}

// value returns the expression of the attribute name, zero if it is not written.
func (r *reader) value(body *hclsyntax.Body, name string) expr.Expr {
	if at := body.Attributes[name]; at != nil {
		return r.expr(at.Expr)
	}
	return expr.Expr{}
}

func (r *reader) expr(node hclsyntax.Expression) expr.Expr {
	return expr.Expr{Node: node, Source: r.src}
}
