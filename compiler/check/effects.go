package check

import (
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/types"
)

// Effects returns the strongest effect that each tool in the snapshot of a connection
// may have, whatever its arguments: the snapshot's, or what its tool block says. It is
// empty without a snapshot that can be read.
func Effects(p *project.Project, id string) map[string]catalog.Effect {
	w := newWorld(p)
	conn := w.connections[id]
	snap, err := p.Snapshot(id)
	if conn == nil || err != nil || snap == nil {
		return nil
	}
	c := &checker{w: w}
	all := make(map[string]catalog.Effect, len(snap.Tools))
	for _, name := range snap.ToolNames() {
		all[name] = c.effectOf(snap.Tool(name), conn.tools[name], types.AnyType)
	}
	return all
}
