package feature

import (
	"bytes"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// inText offers texts that are wanted, where the place stands in literal text.
func (c *completer) inText() {
	frame := c.place.Frames[len(c.place.Frames)-1]
	start := frame.Start + 1
	var want []string
	src := c.base
	end := c.closing(start)
	if end >= lineEnd(src, c.offset) || src[end] != '"' { // it is not closed yet
		src = bytes.Join([][]byte{src[:c.offset], []byte(`"` + c.outerClosers()), src[lineEnd(src, c.offset):]}, nil)
	}
	view := check.Look(c.project.With(c.Name, src), c.Name, c.place.Value, lineEnd(src, c.offset))
	for _, s := range view.Sights {
		if s.Range.Start.Byte != frame.Start {
			continue
		}
		switch s.Node.(type) {
		case *hclsyntax.TemplateExpr, *hclsyntax.ObjectConsKeyExpr:
			for _, v := range constantsOf(s.Want) {
				if v.Kind() == value.String {
					want = append(want, v.AsString())
				}
			}
		}
	}
	if len(want) == 0 {
		want = c.comparedWith(view, frame.Start)
	}
	for _, v := range want {
		c.end = max(c.end, end)
		c.add(item{label: v, kind: protocol.CompletionEnumMember, rank: fits, start: start})
	}
	if len(want) == 0 {
		c.indexText(view, frame.Start, start, end)
	}
}

// outerClosers closes what is open around a text.
func (c *completer) outerClosers() string {
	s := c.closers(lineStart(c.src, c.start))
	return strings.TrimPrefix(s, `"`)
}

// comparedWith returns the texts that the other side of == or != may be.
func (c *completer) comparedWith(view *check.View, at int) []string {
	for _, s := range view.Sights {
		x, ok := s.Node.(*hclsyntax.BinaryOpExpr)
		if !ok || x.Op != hclsyntax.OpEqual && x.Op != hclsyntax.OpNotEqual {
			continue
		}
		for _, side := range [][2]hclsyntax.Expression{{x.LHS, x.RHS}, {x.RHS, x.LHS}} {
			if side[0].Range().Start.Byte != at {
				continue
			}
			var out []string
			for _, o := range view.Sights {
				if o.Node == side[1] {
					for _, v := range constantsOf(o.Type) {
						if v.Kind() == value.String {
							out = append(out, v.AsString())
						}
					}
				}
			}
			return out
		}
	}
	return nil
}

// indexText offers the attributes of what is read by a text in brackets.
func (c *completer) indexText(view *check.View, quote, start, end int) {
	n := len(c.place.Frames)
	if n < 2 || c.place.Frames[n-2].Kind != outline.Brackets || c.place.Frames[n-2].Start != quote-1 {
		return
	}
	bracket := c.place.Frames[n-2].Start
	for i := len(view.Sights) - 1; i >= 0; i-- {
		s := view.Sights[i]
		x, ok := s.Node.(*hclsyntax.ScopeTraversalExpr)
		if !ok || s.Range.Start.Byte >= bracket || s.Range.End.Byte < bracket {
			continue
		}
		var names []string
		for k, step := range x.Traversal {
			if index, ok := step.(hcl.TraverseIndex); ok && index.SrcRange.Start.Byte == bracket && k > 0 {
				for _, part := range x.Traversal[:k] {
					switch p := part.(type) {
					case hcl.TraverseRoot:
						names = append(names, p.Name)
					case hcl.TraverseAttr:
						names = append(names, p.Name)
					}
				}
				break
			}
		}
		if len(names) == 0 {
			continue
		}
		t, _ := s.Path(names...)
		c.end = max(c.end, end)
		for _, a := range readable(t) {
			c.add(item{label: a.Name, detail: typeText(a.Type), doc: a.Description, kind: protocol.CompletionField, rank: leads, start: start})
		}
		return
	}
}
