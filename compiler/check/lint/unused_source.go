package lint

import (
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

// unusedSources reports the sources that no step uses: none calls, reads or
// prompts it, and none hands it to another workflow.
func (p *pass) unusedSources() {
	used := map[string]bool{}
	use := func(r *syntax.Ref) {
		if r != nil && len(r.Path) > 0 {
			used[r.Path[0].Text] = true
		}
	}
	for _, s := range p.list {
		y := s.Syntax
		use(y.Target())
		for _, u := range y.Undo {
			use(u.Call)
		}
		if y.Run == nil {
			continue
		}
		for i := range y.Bind {
			use(&y.Bind[i].Ours)
		}
		child := p.flow.Child(y.Run.Path[len(y.Run.Path)-1].Text)
		if child == nil {
			return // it may have any source
		}
		for _, c := range child.Sources {
			used[c.Name.Text] = true // its sources are ours of the same name
		}
	}
	for _, y := range p.flow.Syntax.Sources {
		if name := y.Name.Text; name != "" && !used[name] {
			p.report(diag.New(codeUnusedSource, y.Header, "No step uses the source %q. Use it, or remove it.", name))
		}
	}
}
