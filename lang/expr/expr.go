// Package expr has wfc's expressions: HCL's syntax trees together with the
// source bytes that their literals are decoded from.
//
// Text and numbers are read from the source, not from HCL's literal values,
// because HCL normalises text to NFC and rounds numbers (LANGUAGE 2). Its
// central type is [Expr]. It may import lang/diag and lang/value.
package expr

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Expr is one parsed expression. Node is never nil in an Expr that is in use;
// the zero Expr stands for "not written" (see [Expr.IsZero]).
type Expr struct {
	Node hclsyntax.Expression
	// Source is the text that Node's ranges are offsets into: the whole file,
	// or, for a parsed plan, the expression itself.
	Source []byte
}

// IsZero reports whether there is no expression.
func (e Expr) IsZero() bool { return e.Node == nil }

// Range returns the expression's place; the zero range if there is none.
func (e Expr) Range() hcl.Range {
	if e.Node == nil {
		return hcl.Range{}
	}
	return e.Node.Range()
}

// Sub returns a part of e: a node of its tree with the same source.
func (e Expr) Sub(node hclsyntax.Expression) Expr { return Expr{Node: node, Source: e.Source} }
