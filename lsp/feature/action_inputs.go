package feature

import (
	"bytes"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// missingInputs offers to write the inputs that a deployment or a test does not give.
func (a *actor) missingInputs(d *diag.Diagnostic) {
	var block *outline.Block
	for _, b := range a.outline().Body.Blocks {
		if b.Start <= d.Range.Start.Byte && d.Range.Start.Byte < b.End {
			block = b
		}
	}
	if block == nil {
		return
	}
	for _, at := range block.Attributes {
		if at.Name.Text != "inputs" {
			continue
		}
		x, want := objectAt(check.Look(a.project, a.Name, at.Start, at.End), at.Start)
		if x == nil {
			return
		}
		have := map[string]bool{}
		for _, it := range x.Items {
			have[keyOf(a.src, it.KeyExpr)] = true
		}
		if lacks := required(want, have); len(lacks) > 0 {
			a.add(action{title: "Add the inputs: " + names(lacks), kind: protocol.QuickFix, of: d, edits: a.one(a.addItems(x, lacks))})
		}
		return
	}
	// What an object would have to hold is seen where one stands.
	at := lineEnd(a.src, block.Body)
	for _, x := range block.Attributes {
		if x.Name.Text == "workflow" {
			at = lineEnd(a.src, x.End)
		}
	}
	indent := a.indentAt(block.Start) + "  "
	lead := "\n" + indent + "inputs = "
	src := bytes.Join([][]byte{a.src[:at], []byte(lead + "{}"), a.src[at:]}, nil)
	_, want := objectAt(check.Look(a.project.With(a.Name, src), a.Name, at, at+len(lead)+2), at+len(lead))
	lacks := required(want, nil)
	if len(lacks) == 0 {
		return
	}
	var s strings.Builder
	s.WriteString(lead + "{\n")
	for _, x := range lacks {
		s.WriteString(indent + "  " + keyText(x.Name) + " = " + sample(x.Type) + "\n")
	}
	s.WriteString(indent + "}")
	a.add(action{title: "Add the inputs: " + names(lacks), kind: protocol.QuickFix, of: d, edits: a.one(a.at(at, at, s.String()))})
}

// objectAt returns the object literal that begins at an offset, and what is wanted of it.
func objectAt(view *check.View, at int) (*hclsyntax.ObjectConsExpr, *types.Type) {
	for _, s := range view.Sights {
		if x, ok := s.Node.(*hclsyntax.ObjectConsExpr); ok && s.Range.Start.Byte == at {
			return x, objectIn(s.Want)
		}
	}
	return nil, nil
}
