package compiler

import (
	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
)

// Reach is what opening one connection needs: what a plan has of it.
type Reach struct {
	Connection plan.Connection
	Secrets    []plan.Secret // those that it names
}

// Connection compiles one connection alone, for work that no workflow is part
// of. id must be a connection of the project. Reach is nil where there are errors.
func Connection(p *project.Project, id string) (*Reach, diag.List) {
	y := p.Connections[id]
	if found := check.Connection(p, y); found.HasErrors() {
		return nil, found
	}
	l := &linker{project: p, plan: &plan.Plan{Ranges: map[string]plan.Range{}}, secrets: map[string]bool{}, locals: map[int]bool{}}
	snap, err := p.Snapshot(id)
	if err != nil {
		snap = nil // it is only a hint here
	}
	l.connection(y, snap)
	l.usedSecrets()
	return &Reach{Connection: l.plan.Connections[0], Secrets: l.plan.Secrets}, nil
}
