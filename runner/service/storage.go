package service

import (
	"context"
	"path/filepath"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/runner/journal"
)

// OpenJournal opens the journal of a project to write, as its wfc.hcl says
// (`storage`), for what is done to runs without executing any. Close it.
func OpenJournal(ctx context.Context, p *project.Project) (*journal.Store, error) {
	return journal.Open(ctx, filepath.Join(p.Root, StateFolder), journalOptions(p))
}

// storage is the block of the project's wfc.hcl; nil: there is none.
func storage(p *project.Project) *syntax.Storage {
	if p.Settings == nil {
		return nil
	}
	return p.Settings.Storage
}

func journalOptions(p *project.Project) journal.Options {
	var o journal.Options
	s := storage(p)
	if s == nil {
		return o
	}
	if s.Durability != nil && s.Durability.S == "process" {
		o.Durability = journal.Process
	}
	if s.Keep != nil {
		o.Keep = s.Keep.D
	}
	return o
}

// maxResult is the number of bytes up to which a result may be kept; 0: any number.
func maxResult(p *project.Project) int64 {
	if s := storage(p); s != nil && s.MaxResult != nil {
		return s.MaxResult.Bytes
	}
	return 0
}
