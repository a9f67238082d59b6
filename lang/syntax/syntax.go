// Package syntax turns the bytes of HCL files into typed blocks with ranges. It
// is error-tolerant: a file with mistakes still gives every block that can be
// read, and diagnostics for the rest.
//
// Its central type is [File]. It may import lang/diag and lang/expr. It judges
// shape only (which blocks and attributes exist, what is static, what is
// missing); names, types and meaning are the checker's.
package syntax

import (
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/expr"
)

// File is one parsed file. Every slice is in file order.
type File struct {
	Name   string // relative to the project's root, forward slashes
	Source []byte

	Project  *Project // of wfc.hcl, as are Defaults to Storage; nil elsewhere
	Defaults *Defaults
	Lint     *Lint
	Sampling *Sampling
	Storage  *Storage

	Workflows   []*Workflow
	Providers   []*Provider
	Connections []*Connection
	Secrets     []*Secret
	Deployments []*Deployment

	Tests []*Test // of *.wftest.hcl
}

// Label is a block label, or another written name, with its place (without quotes).
type Label struct {
	Text  string
	Range hcl.Range
}

// Ref is a static reference, as in `call = tracker.search`, `bind =
// connection.github.work`, `depends_on = [step.a]`: a root name and steps,
// each an attribute name or a literal string index.
type Ref struct {
	Path  []Label   // at least one
	Key   expr.Expr // which member of a family: FAMILY[KEY].NAME has the path FAMILY, NAME; zero: none
	Range hcl.Range
}

// Attribute is an attribute that is written, with the place of its name. Where
// its value could not be read, the node of Expr is an *hclsyntax.ExprSyntaxError
// and there is a diagnostic: such a value passes everywhere in silence.
type Attribute struct {
	Name      string
	NameRange hcl.Range
	Expr      expr.Expr
}

// Duration is a constant duration such as "30s".
type Duration struct {
	D     time.Duration
	Range hcl.Range
}

// Int is a constant whole number.
type Int struct {
	N     int
	Range hcl.Range
}

// Text is a constant string.
type Text struct {
	S     string
	Range hcl.Range
}

// Project is wfc.hcl's project block. Range is the zero range when wfc.hcl is empty.
type Project struct {
	Name        *Text
	Language    *Int
	RequiresWFC *Text
	Range       hcl.Range
}

// Block is what all blocks have.
type Block struct {
	Range  hcl.Range // from the block type to the closing brace
	Header hcl.Range // block type and labels
}

// BlockHeader returns the place of the block's type and labels.
func (b Block) BlockHeader() hcl.Range { return b.Header }
