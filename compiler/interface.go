package compiler

import (
	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/types"
)

// Interface returns the types of the inputs and of the outputs of a target, objects,
// as far as they are known. It may be asked of a target that does not compile because
// its sources are not bound.
func Interface(p *project.Project, t Target) (inputs, outputs *types.Type) {
	return check.Outputs(p, t.Workflow, t.Deployment, t.Bind)
}
