package syntax

import (
	"bytes"
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
)

// level is a body on the way from the top level to a block.
type level struct {
	shape *shape
	block *hclsyntax.Block // nil: the top level
	body  *hclsyntax.Body
}

// settle moves blocks that cannot stand where they are to where they belong,
// so that nothing that refers to them is unknown: out of a block that was not
// closed, or into the workflow that was closed too early. It reports that,
// unless another syntax error explains it. unclosed says that HCL saw a block
// without an end.
func (r *reader) settle(body *hclsyntax.Body, unclosed bool) {
	top := r.top()
	s := settler{reader: r, unclosed: unclosed}
	s.body([]level{{shape: top, body: body}})
	s.sink(top, body)
	if s.unclosed {
		s.reportUnclosed(body)
	}
}

type settler struct {
	*reader
	unclosed bool // still to be reported
}

// body settles the innermost level of path and returns the blocks that belong further up.
func (s *settler) body(path []level) []*hclsyntax.Block {
	here := path[len(path)-1]
	var up []*hclsyntax.Block
	for i := 0; i < len(here.body.Blocks); i++ {
		b := here.body.Blocks[i]
		m, fits := here.shape.blocks[b.Type]
		if !fits {
			if s.fitsAbove(path[:len(path)-1], b.Type) && here.shape.attrs[b.Type] == 0 {
				s.misplaced(here.block, b)
				up = append(up, b)
				here.body.Blocks = slices.Delete(here.body.Blocks, i, i+1)
				i--
			}
			continue
		}
		if m.shape == nil {
			continue
		}
		risen := s.body(append(path, level{shape: m.shape, block: b, body: b.Body}))
		at := i + 1
		for _, x := range risen {
			if _, ok := here.shape.blocks[x.Type]; ok {
				here.body.Blocks = slices.Insert(here.body.Blocks, at, x)
				at++
			} else {
				up = append(up, x)
			}
		}
	}
	return up
}

func (s *settler) fitsAbove(path []level, kind string) bool {
	return slices.ContainsFunc(path, func(l level) bool {
		m, ok := l.shape.blocks[kind]
		return ok && m.shape != nil
	})
}

// misplaced reports the block in that stands in owner and belongs further up.
func (s *settler) misplaced(owner, in *hclsyntax.Block) {
	switch {
	case s.unclosed:
		s.unclosed = false
		if s.shifted(owner) {
			return
		}
		s.report(diag.New(codeUnclosedBlock, owner.DefRange(),
			"%s has no closing brace before %s begins (line %d), so that the latter would be a part of it.", capital(describe(owner)), describe(in), in.TypeRange.Start.Line).
			With(in.DefRange(), "this begins while the other is open"))
	case s.broken: // the mistake that swallowed the brace is reported
	default:
		s.report(diag.New(codeMisplacedBlock, in.DefRange(), "%s block cannot stand in %s. Move it out of %s.",
			capital(a(in.Type)), a(owner.Type)+" block", describe(owner)))
	}
}

// sink moves blocks of a workflow that stand behind it at the top level into it.
func (s *settler) sink(top *shape, body *hclsyntax.Body) {
	if top != workflowFile {
		return
	}
	var last *hclsyntax.Block
	for i := 0; i < len(body.Blocks); i++ {
		b := body.Blocks[i]
		if b.Type == "workflow" {
			last = b
			continue
		}
		if _, ok := top.blocks[b.Type]; ok || last == nil || workflowShape.blocks[b.Type].shape == nil {
			continue
		}
		if !s.broken {
			s.report(diag.New(codeMisplacedBlock, b.DefRange(), "%s block cannot stand at the top level of a file. Move it into a workflow block.", capital(a(b.Type))))
		}
		last.Body.Blocks = append(last.Body.Blocks, b)
		body.Blocks = slices.Delete(body.Blocks, i, i+1)
		i--
	}
}

// shifted reports a block or value in b whose closing bracket is indented less
// than its beginning, if there is one: that bracket was meant for something
// further out, and its own is missing.
func (s *settler) shifted(b *hclsyntax.Block) bool {
	for _, at := range inOrder(b.Body.Attributes) {
		e := at.Expr.Range()
		if e.End.Line > e.Start.Line && s.column(e.End.Byte-1) > 0 && s.column(e.End.Byte-1) < at.NameRange.Start.Column {
			s.report(diag.New(codeUnclosedBracket, at.NameRange,
				"The value of %q has no closing bracket of its own: the one in line %d seems to belong to %s.", at.Name, e.End.Line, describe(b)))
			return true
		}
	}
	for _, in := range b.Body.Blocks {
		if s.shifted(in) {
			return true
		}
		if c := in.CloseBraceRange; c.Start.Line > in.TypeRange.Start.Line && s.column(c.Start.Byte) > 0 && c.Start.Column < in.TypeRange.Start.Column {
			s.report(diag.New(codeUnclosedBlock, in.DefRange(),
				"%s has no closing brace of its own: the one in line %d seems to belong to %s.", capital(describe(in)), c.Start.Line, describe(b)))
			return true
		}
	}
	return false
}

// column is the column of a closing bracket that begins its line, else 0.
func (s *settler) column(at int) int {
	if at < 0 || at >= len(s.src) || bytes.IndexByte([]byte("}])"), s.src[at]) < 0 {
		return 0
	}
	line := s.src[bytes.LastIndexByte(s.src[:at], '\n')+1 : at]
	if len(bytes.TrimLeft(line, " \t")) > 0 {
		return 0
	}
	return len(line) + 1
}

// reportUnclosed reports the block without an end where nothing stands in the
// wrong place: the innermost one that goes on to the end of the file.
func (s *settler) reportUnclosed(body *hclsyntax.Body) {
	for _, b := range body.Blocks {
		if s.shifted(b) {
			return
		}
	}
	all := allBlocks(body)
	if len(all) == 0 {
		return
	}
	var at *hclsyntax.Block
	for _, b := range all { // outer ones first
		if at == nil || string(b.CloseBraceRange.SliceBytes(s.src)) != "}" {
			at = b
		}
	}
	s.report(diag.New(codeUnclosedBlock, at.DefRange(), "%s has no closing brace of its own.", capital(describe(at))))
}
