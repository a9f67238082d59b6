package workspace

import (
	"context"
	"maps"
	"path/filepath"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
)

// Try returns the project as it would be with other texts of files of it, by their
// names, and what check finds then. The error is the context's.
func (p *Project) Try(ctx context.Context, texts map[string][]byte) (*project.Project, diag.List, error) {
	overlay := maps.Clone(p.overlay)
	if overlay == nil {
		overlay = map[string][]byte{}
	}
	for name, text := range texts {
		path := name
		if p.Root != "" {
			path = filepath.Join(p.Root, filepath.FromSlash(name))
		}
		overlay[path] = text
	}
	tried, err := p.shared.loader.Load(ctx, overlay)
	if err != nil {
		return nil, nil, err
	}
	return tried, check.Project(tried), ctx.Err()
}
