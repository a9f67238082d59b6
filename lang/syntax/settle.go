package syntax

import (
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
	top := workflowFile
	if r.isSettings() {
		top = settingsFile
	}
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
		if m.shape == nil || m.shape.free {
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

// reportUnclosed reports the block without an end where nothing stands in the
// wrong place: the innermost one whose closing brace is indented as that of
// another block, else the last one of the file.
func (s *settler) reportUnclosed(body *hclsyntax.Body) {
	all := allBlocks(body)
	if len(all) == 0 {
		return
	}
	var at *hclsyntax.Block
	for _, b := range all { // outer ones first
		open := string(b.CloseBraceRange.SliceBytes(s.src)) != "}"
		shifted := b.CloseBraceRange.Start.Line > b.TypeRange.Start.Line && b.CloseBraceRange.Start.Column < b.TypeRange.Start.Column
		if at == nil || open || shifted {
			at = b
		}
	}
	s.report(diag.New(codeUnclosedBlock, at.DefRange(), "%s has no closing brace of its own.", capital(describe(at))))
}
