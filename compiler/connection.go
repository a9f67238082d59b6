package compiler

import (
	"slices"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

// Reach is what opening one connection needs: what a plan has of it.
type Reach struct {
	Connection plan.Connection
	Sampling   *plan.Sampling // nil: there is none, or it does not offer it
	Secrets    []plan.Secret  // those that these name

	block *syntax.Connection
}

// Connection compiles one connection alone, for work that no workflow is part
// of. id must be a connection of the project. Reach is nil where there are errors.
func Connection(p *project.Project, id string) (*Reach, diag.List) {
	y := p.Connections[id]
	if found := check.Connection(p, y); found.HasErrors() {
		return nil, found
	}
	l := &linker{project: p, plan: &plan.Plan{Ranges: map[string]plan.Range{}}, secrets: map[string]bool{}, locals: map[int]bool{}}
	l.root = l
	snap, err := p.Snapshot(id)
	if err != nil {
		snap = nil // it is only a hint here
	}
	l.connection(y, snap)
	l.usedSecrets()
	return &Reach{Connection: l.plan.Connections[0], Sampling: l.plan.Sampling, Secrets: l.plan.Secrets, block: y}, nil
}

// Disabled reports whether the connection says that nothing may use it.
func (r *Reach) Disabled() bool { return r.block.Enabled != nil && !r.block.Enabled.B }

// Excluded returns the attribute of the connection, "allow" or "deny", because of
// which a tool does not exist for the project; "" for none.
func (r *Reach) Excluded(tool string) string {
	lists := func(l *syntax.List) bool {
		return slices.ContainsFunc(l.Items, func(t syntax.Text) bool { return t.S == tool })
	}
	switch {
	case r.block.Deny != nil && lists(r.block.Deny):
		return "deny"
	case r.block.Allow != nil && !lists(r.block.Allow):
		return "allow"
	}
	return ""
}

// Promises reports whether the connection says itself what a tool returns, so that
// the output schema of its server does not count.
func (r *Reach) Promises(tool string) bool {
	return slices.ContainsFunc(r.block.Tools, func(t *syntax.ToolOverride) bool { return t.Tool.Text == tool && !t.Returns.IsZero() })
}

// Effects returns the strongest effect that each tool in the snapshot of a connection
// may have, whatever its arguments. It is empty without a snapshot that can be read.
func Effects(p *project.Project, id string) map[string]catalog.Effect { return check.Effects(p, id) }
