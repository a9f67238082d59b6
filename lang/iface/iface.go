// Package iface is the interface language (*.wfi, LANGUAGE 6): what a workflow
// needs of a source, and what a connection offers, in one notation. It parses,
// formats and prints interfaces, makes one of a catalog snapshot, and says
// whether a connection satisfies one.
//
// Its central type is [Interface]. A file is read by [Parse]; the files of a
// project make a [Set], in which all names are resolved. It may import
// lang/diag, lang/value, lang/types, lang/nearest and lang/catalog.
package iface

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/types"
)

// Label is a name as it is written, with its place (quotes included).
type Label struct {
	Text  string
	Range hcl.Range
}

// Interface is what a source must offer, with all names resolved. Slices are
// in file order. It is not to be changed.
type Interface struct {
	Name   Label
	Doc    string    // "" for none
	Range  hcl.Range // the whole declaration
	Header hcl.Range // `interface NAME`

	Types     []*TypeDecl
	Tools     []*Tool
	Resources []*Resource
	Prompts   []*Prompt

	// Notes are remarks of who made the interface, printed as comments.
	Notes []string

	lost map[string]bool // the names of declarations that could not be read
}

// TypeDecl names a type.
type TypeDecl struct {
	Name  Label
	Doc   string
	Range hcl.Range
	Type  *types.Type // what the name stands for
}

// Tool is a tool that can be called.
type Tool struct {
	Name  Label
	Doc   string
	Notes []string
	Range hcl.Range

	// Params is the object type of the arguments. Its rest is nil where others
	// than these cannot be given.
	Params *types.Type
	Result *types.Type
	// Effect is the strongest effect that a call may have; [catalog.Unknown]
	// where no annotation says one, which allows any.
	Effect     catalog.Effect
	Idempotent bool
}

// Resource is a resource, or what a template stands for.
type Resource struct {
	Name  Label
	Doc   string
	Range hcl.Range
	URI   string // a URI template (RFC 6570)
	Type  *types.Type
}

// Prompt is a prompt. Its parameters are texts.
type Prompt struct {
	Name   Label
	Doc    string
	Range  hcl.Range
	Params *types.Type
}

// Tool returns the tool of a name, or nil.
func (i *Interface) Tool(name string) *Tool {
	for _, t := range i.Tools {
		if t.Name.Text == name {
			return t
		}
	}
	return nil
}

// ToolNames returns the names of the tools, in file order.
func (i *Interface) ToolNames() []string {
	out := make([]string, len(i.Tools))
	for n, t := range i.Tools {
		out[n] = t.Name.Text
	}
	return out
}

// MayDeclare reports whether a name may have been declared by what could not
// be read, which has a diagnostic.
func (i *Interface) MayDeclare(name string) bool { return i.lost[name] }

// Reference returns how the interface is written elsewhere: interface.NAME.
func (i *Interface) Reference() string { return "interface." + i.Name.Text }
