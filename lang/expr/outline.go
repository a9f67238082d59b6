package expr

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/lda-wf/wfc/lang/diag"
)

// Outline is what a scan of a file saw of its layout. It lets the file be parsed in
// pieces, and long texts without HCL's parser, which joins the lines of a text in
// quadratic time.
type Outline struct {
	// Gaps are where the lines end outside of all brackets, and in one pair of
	// braces that stands in no other, in the order of the file.
	Gaps []Gap

	texts []span // stretches of whole lines of heredocs, without $ and %
}

// Gap lies between two lines of code: a line break is before Start, and from Start to
// End, where a line begins, stand only blank lines and comments.
type Gap struct {
	Start, End int
	Line       int // of End, from 1
	Depth      int // 1 within braces, else 0
}

// span is src[start:end].
type span struct{ start, end int }

// Scan is [Guard] that says what it saw, too; the gaps only if they are wanted. Where
// something is refused, that is not all.
func Scan(src []byte, filename string, gaps bool) (Outline, diag.List) {
	return scan(src, filename, gaps, maxJoin)
}

func scan(src []byte, filename string, gaps bool, maxJoin int) (Outline, diag.List) {
	g := guard{src: src, maxNesting: MaxNesting, maxRun: MaxRun, maxJoin: maxJoin, maxTokens: MaxTokens, minLines: minLines, gaps: gaps}
	refused := g.refusal(filename)
	return g.outline, refused
}

const (
	// minLines is the least number of lines that are worth hiding from HCL's parser.
	minLines = 64

	hideStart, hideEnd = "${0/*", "*/}"
)

// Hide returns src, or a copy of it of the same length and with the same line breaks,
// in which long literal texts are sequences with a comment in them. [Outline.Restore]
// makes literal texts of these in the tree.
func (o Outline) Hide(src []byte) []byte {
	if len(o.texts) == 0 {
		return src
	}
	src = bytes.Clone(src)
	for _, s := range o.texts {
		text := src[s.start:s.end]
		for i, c := range text {
			if c == '/' { // which could end the comment
				text[i] = '-'
			}
		}
		copy(text, hideStart)
		copy(text[len(text)-len(hideEnd):], hideEnd)
	}
	return src
}

// Restore puts the texts that were hidden in src back into a tree that was parsed
// without them. It returns false where one is not found: what was hidden was no text
// for HCL, as can be in a file with errors.
func (o Outline) Restore(tree hclsyntax.Node, src []byte) bool {
	if len(o.texts) == 0 {
		return true
	}
	hidden := make(map[int]span, len(o.texts)) // by where the 0 stands
	for _, s := range o.texts {
		hidden[s.start+len("${")] = s
	}
	hclsyntax.VisitAll(tree, func(n hclsyntax.Node) hcl.Diagnostics {
		if t, ok := n.(*hclsyntax.TemplateExpr); ok {
			t.Parts = restored(t.Parts, hidden, src)
		}
		return nil
	})
	return len(hidden) == 0
}

// restored returns the parts of a template with what was hidden, and takes it out of hidden.
func restored(parts []hclsyntax.Expression, hidden map[int]span, src []byte) []hclsyntax.Expression {
	out := parts[:0]
	for i := 0; i < len(parts); {
		var at hcl.Range // of the texts that stand side by side from i on
		found := false
		next := i
		for ; next < len(parts); next++ {
			here := parts[next].Range()
			if s, ok := hidden[here.Start.Byte]; ok {
				delete(hidden, here.Start.Byte)
				found = true
				here.Start.Column -= here.Start.Byte - s.start
				here.Start.Byte, here.End.Byte = s.start, s.end
			} else if !isText(parts[next]) {
				break
			}
			if next == i {
				at = here
			}
			at.End = here.End
		}
		switch {
		case found:
			text := string(src[at.Start.Byte:at.End.Byte])
			out = append(out, &hclsyntax.LiteralValueExpr{Val: cty.StringVal(text), SrcRange: at})
		case next == i:
			next++
			fallthrough
		default:
			out = append(out, parts[i:next]...)
		}
		i = next
	}
	return out
}
