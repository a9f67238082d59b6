package iface

import (
	"path"
	"runtime/debug"
	"sort"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
)

// File is one parsed file: what it declares, with names that are resolved with
// the other files of a project (see [NewSet]).
type File struct {
	Name   string // relative to the project's root, forward slashes
	Source []byte

	declared []*declared
	// Unread: something that stands outside of interfaces, or an interface's own
	// beginning, could not be read. An interface of any name may be lost.
	unread bool
}

// declared is an interface as it is written.
type declared struct {
	name         Label
	doc          string
	span, header hcl.Range
	decls        []*declaration  // what could be read, in file order
	lost         map[string]bool // what may have been declared by the rest
}

// Limits of what is given to participle, which recurses and keeps a tree of
// many parts. No declaration that a person or a server wrote comes near them.
const (
	maxNesting     = 256     // as in HCL files
	maxDeclaration = 200_000 // tokens
	maxFound       = 1000    // diagnostics of one file; nobody reads more
)

// Parse parses one *.wfi file. name is relative to the project's root, with
// forward slashes. The file is never nil: each declaration that can be read is in it, and
// the diagnostics, in file order, say the rest. Parse never panics.
func Parse(name string, src []byte) (f *File, diags diag.List) {
	p := &fileParser{source: newSource(name, src)}
	f = &File{Name: name, Source: src}
	defer func() {
		if fault := recover(); fault != nil {
			f.unread = true
			p.report(codeFault, p.span(0, 0), "This is a bug in wfc: reading the file failed (%v). Please report it with the file and these lines:\n\n%s", fault, traceback())
			diags = p.diags
		}
	}()
	all, bad := lex(p.source)
	p.diags = bad
	p.tokens = significant(all)
	if len(p.tokens) == 1 && len(bad) > 0 {
		f.unread = true
	}
	for _, b := range (&splitter{p.tokens}).split() {
		p.block(f, b)
	}
	p.diags.Sort()
	return f, p.diags[:min(len(p.diags), maxFound)]
}

// Unreadable returns what stands for a file that could not be read at all: any
// interface may be in it.
func Unreadable(name string) *File { return &File{Name: name, unread: true} }

// significant returns the tokens but comments.
func significant(all []token) []token {
	out := make([]token, 0, len(all))
	breaks := uint8(0)
	for _, t := range all {
		if t.kind == comment {
			breaks = max(breaks, t.breaks)
			continue
		}
		t.breaks = max(t.breaks, breaks)
		breaks = 0
		out = append(out, t)
	}
	return out
}

// traceback is the place of a fault: the innermost functions, without addresses.
func traceback() string {
	var out []string
	for line := range strings.SplitSeq(string(debug.Stack()), "\n") {
		if strings.HasPrefix(line, "\t") && !strings.Contains(line, "runtime/") {
			out = append(out, "    "+path.Base(strings.Fields(line)[0]))
		}
	}
	return strings.Join(out[:min(len(out), 8)], "\n")
}

// fileParser parses one file.
type fileParser struct {
	*source
	tokens []token
	diags  diag.List

	useless bool // the declaration in hand has a mistake that leaves nothing to go on with
}

func (p *fileParser) report(code diag.Code, at hcl.Range, detail string, args ...any) {
	p.diags = append(p.diags, diag.New(code, at, detail, args...))
}

// over is the place of tokens, at least one.
func (s *source) over(tokens []token) hcl.Range {
	return s.span(tokens[0].start, tokens[len(tokens)-1].end)
}

// block parses one interface.
func (p *fileParser) block(f *File, b block) {
	if len(b.stray) > 0 {
		f.unread = true
		p.stray(b.stray)
	}
	if len(b.header) == 0 {
		return
	}
	end := b.last.end
	if !b.closed {
		end = p.lastOf(b).end
	}
	d := &declared{span: p.span(b.header[0].start, end), lost: map[string]bool{}}
	fine := p.header(d, b.header)
	if fine {
		f.declared = append(f.declared, d)
	} else {
		f.unread = true
	}
	for _, tokens := range b.members {
		decl := p.member(tokens)
		if fine = decl != nil; fine {
			d.decls = append(d.decls, decl)
		} else {
			d.loses(tokens)
		}
	}
	// The mistake in the last declaration may be the brace.
	if !b.closed && (fine || len(b.members) > 0 && p.diags[len(p.diags)-1].Code != codeUnclosed) {
		p.report(codeUnclosed, p.over(b.header[len(b.header)-1:]), "The interface is not closed. Write } after its last declaration.")
	}
}

// lastOf returns the last token of an interface that is not closed.
func (p *fileParser) lastOf(b block) token {
	if n := len(b.members); n > 0 {
		m := b.members[n-1]
		return m[len(m)-1]
	}
	return b.header[len(b.header)-1]
}

// loses notes what a declaration that cannot be read may have declared.
func (d *declared) loses(tokens []token) {
	for i, t := range tokens {
		if t.kind != ident {
			continue
		}
		if i+1 < len(tokens) && (tokens[i+1].kind == ident || tokens[i+1].kind == text) {
			t = tokens[i+1]
		}
		d.lost[t.text] = true
		return
	}
}

// header parses what begins an interface.
func (p *fileParser) header(d *declared, tokens []token) bool {
	h, at, err := parse(headerParser(), p.feed(tokens))
	if err != nil {
		p.explain(tokens, at, true)
		return false
	}
	d.name = p.label(h.Name.Tok)
	if p.tokenAt(h.Name.Tok).kind == text {
		p.report(codeSyntax, d.name.Range, "The name of an interface is written without quotes, since interface.NAME refers to it.")
		return false
	}
	var annotations []Label
	d.doc, annotations = p.prefix(h.Prefix)
	p.noAnnotations(annotations, "an interface")
	i := 0
	for !tokens[i].word("interface") {
		i++
	}
	d.header = p.over(tokens[i : i+2])
	return true
}

// member parses one declaration; nil where it cannot be read.
func (p *fileParser) member(tokens []token) *declaration {
	if !p.bounded(tokens) {
		return nil
	}
	m, at, err := parse(memberParser(), p.feed(tokens))
	if err != nil {
		p.explain(tokens, at, false)
		return nil
	}
	return p.declaration(m, tokens)
}

// bounded reports a declaration that is nested too deeply, or too long.
func (p *fileParser) bounded(tokens []token) bool {
	depth := 0
	for _, t := range tokens {
		switch {
		case t.is("("), t.is("["), t.is("{"):
			if depth++; depth > maxNesting {
				p.report(codeNesting, p.span(t.start, t.end), "Brackets stand inside of each other more than %d deep here. Give the inner types names: type NAME = ….", maxNesting)
				return false
			}
		case t.is(")"), t.is("]"), t.is("}"):
			depth--
		}
	}
	if len(tokens) > maxDeclaration {
		p.report(codeTooLong, p.span(tokens[0].start, tokens[0].end), "This declaration is too long to be read. Give the types in it names of their own: type NAME = ….")
		return false
	}
	return true
}

func (p *fileParser) feed(tokens []token) *feed {
	return &feed{source: p.source, tokens: tokens, end: tokens[len(tokens)-1].end}
}

// tokenAt returns our token for one of participle's, of which only the offset counts.
func (p *fileParser) tokenAt(t lexer.Token) token { return p.tokens[p.index(t.Pos.Offset)] }

// index returns the index of the first token that begins at an offset or after it.
func (p *fileParser) index(offset int) int {
	return sort.Search(len(p.tokens)-1, func(i int) bool { return p.tokens[i].start >= offset })
}

// label returns a name or text with its place.
func (p *fileParser) label(tok lexer.Token) Label {
	t := p.tokenAt(tok)
	return Label{Text: t.text, Range: p.span(t.start, t.end)}
}

// prefix returns documentation, its lines joined, and annotations.
func (p *fileParser) prefix(prefixes []*prefix) (doc string, annotations []Label) {
	var lines []string
	for _, x := range prefixes {
		if x.Text != nil {
			lines = append(lines, p.label(*x.Text).Text)
		} else {
			annotations = append(annotations, p.label(*x.Annotation))
		}
	}
	return strings.Join(lines, "\n"), annotations
}
