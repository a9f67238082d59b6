package project

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/syntax"
)

// index fills the maps by name and reports what is defined twice. before is as
// complete takes it.
func (p *Project) index(before *Project) {
	p.Workflows = map[string]*syntax.Workflow{}
	p.Providers = map[string]*syntax.Provider{}
	p.Connections = map[string]*syntax.Connection{}
	p.Secrets = map[string]*syntax.Secret{}
	p.Deployments = map[string]*syntax.Deployment{}
	for _, f := range p.Files {
		for _, w := range f.Workflows {
			define(p, p.Workflows, "workflow", w.Name.Text, w, w.Name.Range)
		}
		for _, x := range f.Providers {
			define(p, p.Providers, "provider", x.Name.Text, x, x.Name.Range)
		}
		for _, c := range f.Connections {
			if c.Provider.Text == "" || c.Account.Text == "" {
				continue // a header that has a diagnostic
			}
			define(p, p.Connections, "connection", c.ID(), c, c.Header)
		}
		for _, s := range f.Secrets {
			define(p, p.Secrets, "secret", s.Name.Text, s, s.Name.Range)
		}
		for _, d := range f.Deployments {
			define(p, p.Deployments, "deployment", d.Name.Text, d, d.Name.Range)
		}
	}
	if before != nil && slices.Equal(before.InterfaceFiles, p.InterfaceFiles) {
		p.Interfaces, p.ofInterfaces = before.Interfaces, before.ofInterfaces
	} else {
		p.Interfaces, p.ofInterfaces = iface.NewSet(p.InterfaceFiles)
	}
	p.Diagnostics = append(p.Diagnostics, p.ofInterfaces...)
	p.uniqueTests()
	p.mergeConnections()
}

// uniqueTests reports tests of one name.
func (p *Project) uniqueTests() {
	tests := map[string]*syntax.Test{}
	for _, f := range p.Files {
		for _, t := range f.Tests {
			define(p, tests, "test", t.Name.Text, t, t.Name.Range)
		}
	}
}

// headed is what is defined by a block.
type headed interface {
	*syntax.Workflow | *syntax.Provider | *syntax.Connection | *syntax.Secret | *syntax.Deployment | *syntax.Test
	BlockHeader() hcl.Range
}

func define[T headed](p *Project, into map[string]T, what, name string, def T, at hcl.Range) {
	if name == "" {
		return // a header that has a diagnostic
	}
	first, twice := into[name]
	if !twice {
		into[name] = def
		return
	}
	other := first.BlockHeader()
	p.Diagnostics = append(p.Diagnostics, diag.New(codeDefinedTwice, at,
		"The %s %q is defined in %s, line %d, too. Names are unique within a project: rename one of them, or remove it.",
		what, name, other.Filename, other.Start.Line).With(other, "the first definition"))
}
