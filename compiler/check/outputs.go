package check

import (
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

// Outputs returns the type of what a run of a workflow gives, an object, and that of
// its inputs, as far as they are known: declared or inferred. Arguments are those of
// [Target]. Where the workflow has errors, parts are any.
func Outputs(p *project.Project, wf *syntax.Workflow, d *syntax.Deployment, binds map[string]string) (inputs, outputs *types.Type) {
	w := newWorld(p)
	c := &checker{w: w}
	given := map[string]bound{}
	for source, id := range binds {
		if conn := w.connections[id]; conn != nil {
			given[source] = to(conn)
		}
	}
	if d != nil {
		for source, b := range w.bindings(d) {
			if _, has := given[source]; !has {
				given[source] = b
			}
		}
	}
	f := c.newFlow(wf, given)
	c.checkFlow()
	c.silently(func() { outputs = c.outputsType() })
	attrs := make([]types.Attr, 0, len(f.inputList))
	for _, in := range f.inputList {
		a := types.Attr{Name: in.syn.Name.Text, Type: in.typ, Optional: in.optional || in.def != nil, Default: in.def}
		if in.syn.Description != nil {
			a.Description = in.syn.Description.S
		}
		attrs = append(attrs, a)
	}
	return types.ObjectOf(attrs, nil), outputs
}
