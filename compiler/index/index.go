// Package index finds where the names of a project are defined and referred to,
// file by file: what an editor jumps to, lists and renames. It looks at names alone;
// types are the checker's.
//
// Its central type is [Occurrence]. It may import lang and compiler/project.
package index

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/syntax"
)

// Kind is what a name is of.
type Kind string

// The kinds.
const (
	Workflow      Kind = "workflow"
	Source        Kind = "source"
	Input         Kind = "input"
	Local         Kind = "local"
	Step          Kind = "step"
	Output        Kind = "output"
	Provider      Kind = "provider"
	Connection    Kind = "connection"
	Secret        Kind = "secret"
	Deployment    Kind = "deployment"
	Test          Kind = "test"
	Interface     Kind = "interface"
	InterfaceType Kind = "type"     // of an interface
	Capability    Kind = "tool"     // a tool, prompt or resource (template), of a connection or an interface
	Variable      Kind = "variable" // of a `for`
	Parameter     Kind = "parameter"
)

// Symbol is one named thing of a project.
type Symbol struct {
	Kind Kind
	// Owner is what the name is unique in: the workflow of inputs, locals, steps, sources
	// and outputs; the connection, or "interface.NAME", of a capability, or
	// "source.WORKFLOW.NAME" where the source is bound elsewhere; the interface of a type;
	// the place of a variable; "" of what is unique in the project.
	Owner string
	Name  string // of a connection its id
}

// Occurrence is one place where a name is written.
type Occurrence struct {
	Symbol     Symbol
	Range      hcl.Range // of the name as it is written, without dot, brackets and quotes
	Definition bool
	Quoted     bool      // it stands in quotes, so that any text may
	Key        bool      // it is the bare key of an object
	Block      hcl.Range // of a definition: the whole of what is defined
}

// File returns the occurrences in a file of p, in the order of the file. The workflows
// of deployments that tests name are p's; all else is the file's own.
func File(p *project.Project, f *syntax.File) []Occurrence {
	c := &collector{project: p, file: f}
	c.all()
	return sorted(c.out)
}

// InterfaceFile returns the occurrences in a *.wfi file, in the order of the file.
func InterfaceFile(f *iface.File) []Occurrence {
	var out []Occurrence
	label := func(l iface.Label) (hcl.Range, bool) {
		r := l.Range
		if quoted := r.End.Byte-r.Start.Byte == len(l.Text)+2; quoted {
			r.Start.Byte, r.Start.Column = r.Start.Byte+1, r.Start.Column+1
			r.End.Byte, r.End.Column = r.End.Byte-1, r.End.Column-1
			return r, true
		}
		return r, false
	}
	for _, i := range f.Outline() {
		name := i.Name.Text
		at, quoted := label(i.Name)
		out = append(out, Occurrence{Symbol: Symbol{Kind: Interface, Name: name}, Range: at, Definition: true, Quoted: quoted, Block: i.Span})
		for _, m := range i.Members {
			at, quoted := label(m.Name)
			o := Occurrence{Symbol: Symbol{Kind: Capability, Owner: "interface." + name, Name: m.Name.Text}, Range: at, Definition: true, Quoted: quoted, Block: m.Span}
			if m.Kind == "type" {
				o.Symbol = Symbol{Kind: InterfaceType, Owner: name, Name: m.Name.Text}
			}
			out = append(out, o)
			for _, x := range m.Mentions {
				owner := x.Interface
				if owner == "" {
					owner = name
				} else {
					out = append(out, Occurrence{Symbol: Symbol{Kind: Interface, Name: owner}, Range: x.InterfaceAt})
				}
				out = append(out, Occurrence{Symbol: Symbol{Kind: InterfaceType, Owner: owner, Name: x.Type}, Range: x.At})
			}
		}
	}
	return sorted(out)
}

// Resolve returns what a symbol stands for: itself, or the capabilities of the
// connections that a source is bound to by deployments or by who runs its workflow.
func Resolve(p *project.Project, s Symbol) []Symbol {
	workflow, source, ok := ofSource(s)
	if !ok {
		return []Symbol{s}
	}
	var out []Symbol
	add := func(owner string) {
		for _, o := range out {
			if o.Owner == owner {
				return
			}
		}
		out = append(out, Symbol{Kind: s.Kind, Owner: owner, Name: s.Name})
	}
	if wf := p.Workflows[workflow]; wf != nil {
		for _, x := range wf.Sources {
			if x.Name.Text == source {
				for _, owner := range owners(x) {
					add(owner)
				}
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, f := range p.Files {
		for _, d := range f.Deployments {
			if d.Workflow == nil || len(d.Workflow.Path) != 2 || d.Workflow.Path[1].Text != workflow {
				continue
			}
			for _, b := range d.Bind {
				if b.Source.Text == source && len(b.Connection.Path) == 3 {
					add(b.Connection.Path[1].Text + "." + b.Connection.Path[2].Text)
				}
			}
		}
	}
	if len(out) == 0 {
		return []Symbol{s}
	}
	return out
}

// Same reports whether two symbols are, or may stand for, the same.
func Same(p *project.Project, a, b Symbol) bool {
	if a == b {
		return true
	}
	if a.Kind != b.Kind || a.Name != b.Name || a.Kind != Capability {
		return false
	}
	for _, x := range Resolve(p, a) {
		for _, y := range Resolve(p, b) {
			if x == y {
				return true
			}
		}
	}
	return false
}
