package index

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
)

// expr notes the names in an expression.
func (c *collector) expr(e expr.Expr) {
	if !e.IsZero() {
		c.visit(e, e.Node)
	}
}

func (c *collector) visit(e expr.Expr, x hclsyntax.Expression) {
	switch x := x.(type) {
	case nil:
	case *hclsyntax.ScopeTraversalExpr:
		c.traversal(e, x)
	case *hclsyntax.ForExpr:
		c.forExpr(e, x)
	default:
		for child := range expr.Children(x) {
			c.visit(e, child)
		}
	}
}

// rootKinds are the roots after which a name of a workflow comes.
var rootKinds = map[string]Kind{"input": Input, "local": Local, "step": Step}

func (c *collector) traversal(e expr.Expr, x *hclsyntax.ScopeTraversalExpr) {
	root := x.Traversal.RootName()
	for i := len(c.bound) - 1; i >= 0; i-- {
		if c.bound[i].Name == root {
			c.add(Occurrence{Symbol: c.bound[i], Range: x.Traversal[0].SourceRange()})
			return
		}
	}
	name, ok := c.name(e, x, 1)
	if !ok {
		return
	}
	switch kind, isName := rootKinds[root]; {
	case root == "secret":
		c.refer(Secret, "", name)
	case c.workflow == "":
	case isName:
		c.refer(kind, c.workflow, name)
		if root == "step" {
			c.outputOf(e, x, c.runs[name.Text], 2)
		}
	case root == "run" && name.Text == "previous":
		c.outputOf(e, x, c.workflow, 2)
	case root == "run" && name.Text == "outputs":
		if out, ok := c.name(e, x, 2); ok {
			c.refer(Output, c.workflow, out)
		}
	}
}

// outputOf notes NAME of step.x.output.NAME and run.previous.outputs.NAME, where at
// is the index of output in the traversal, or of an index before it.
func (c *collector) outputOf(e expr.Expr, x *hclsyntax.ScopeTraversalExpr, workflow string, at int) {
	if workflow == "" {
		return
	}
	for ; at < len(x.Traversal)-1; at++ {
		step, ok := x.Traversal[at].(hcl.TraverseAttr)
		if !ok {
			continue // an index
		}
		if step.Name == "output" || step.Name == "outputs" {
			if out, ok := c.name(e, x, at+1); ok {
				c.refer(Output, workflow, out)
			}
		}
		return
	}
}

// name returns the i-th name of a traversal, an attribute or an index that is a text.
func (c *collector) name(e expr.Expr, x *hclsyntax.ScopeTraversalExpr, i int) (syntax.Label, bool) {
	if i >= len(x.Traversal) {
		return syntax.Label{}, false
	}
	two := hcl.Traversal{x.Traversal[0], x.Traversal[i]}
	path, ok := e.Sub(&hclsyntax.ScopeTraversalExpr{Traversal: two, SrcRange: x.SrcRange}).StaticPath()
	if !ok {
		return syntax.Label{}, false
	}
	return syntax.Label{Text: path[1].Text, Range: path[1].Range}, true
}

// forExpr notes the variables of a `for`. HCL's tree does not say where they stand,
// so that they are read again.
func (c *collector) forExpr(e expr.Expr, x *hclsyntax.ForExpr) {
	c.visit(e, x.CollExpr)
	outer := c.bound
	bound := outer[:len(outer):len(outer)]
	at, ok := variables(e.Source, x)
	for i, name := range []string{x.KeyVar, x.ValVar} {
		if name == "" {
			continue
		}
		s := Symbol{Variable, fmt.Sprintf("%s:%d:%d", c.file.Name, x.SrcRange.Start.Byte, i), name}
		bound = append(bound, s)
		if ok && at[i].End.Byte > 0 {
			c.add(Occurrence{Symbol: s, Range: at[i], Definition: true, Block: x.SrcRange})
		}
	}
	c.bound = bound
	for _, part := range []hclsyntax.Expression{x.KeyExpr, x.ValExpr, x.CondExpr} {
		if part != nil {
			c.visit(e, part)
		}
	}
	c.bound = outer
}

// variables returns the places of the key's and the value's variable of a `for`: they
// stand before its collection, as in [for k, v in c : …] and %{ for v in c }.
func variables(src []byte, x *hclsyntax.ForExpr) (out [2]hcl.Range, ok bool) {
	end := x.CollExpr.Range().Start
	if end.Byte > len(src) {
		return out, false
	}
	at := end.Byte
	r := hcl.Range{Filename: x.SrcRange.Filename, End: end}
	word := func() (string, hcl.Range) {
		at = len(bytes.TrimRight(src[:at], " \t\r\n"))
		stop := at
		for at > 0 {
			c, n := utf8.DecodeLastRune(src[:at])
			if c != '_' && c != '-' && !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) {
				break
			}
			at -= n
		}
		w := r
		w.Start = hcl.Pos{Byte: at, Line: end.Line, Column: 1}
		w.End = hcl.Pos{Byte: stop, Line: end.Line, Column: 1}
		return string(src[at:stop]), w
	}
	if in, _ := word(); in != "in" {
		// The collection stands in parentheses.
		at = bytes.LastIndex(src[:end.Byte], []byte("in"))
		if at < 0 {
			return out, false
		}
	}
	name, place := word()
	if name != x.ValVar {
		return out, false
	}
	out[1] = place
	if x.KeyVar != "" {
		at = len(bytes.TrimRight(src[:at], " \t\r\n"))
		if at == 0 || src[at-1] != ',' {
			return out, false
		}
		at--
		if name, place = word(); name != x.KeyVar {
			return out, false
		}
		out[0] = place
	}
	return out, true
}
