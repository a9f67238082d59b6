package project

import (
	"path/filepath"

	"github.com/lda-wf/wfc/lang/catalog"
)

// SnapshotFile is the name of a connection's snapshot file in a project.
func SnapshotFile(connection string) string { return "catalog/" + connection + ".json" }

// Snapshot returns the snapshot of a connection, read at the first use. The
// error wraps fs.ErrNotExist where there is none; any other error says what is
// wrong with the file.
func (p *Project) Snapshot(connection string) (*catalog.Snapshot, error) {
	if p.of != nil {
		return p.of.Snapshot(connection)
	}
	p.mu.Lock()
	s := p.snapshots[connection]
	if s == nil {
		if p.snapshots == nil {
			p.snapshots = map[string]*snapshot{}
		}
		s = &snapshot{}
		p.snapshots[connection] = s
	}
	p.mu.Unlock()

	s.once.Do(func() {
		name := SnapshotFile(connection)
		defer s.done.Store(true)
		s.at = p.look(filepath.Join(p.Root, filepath.FromSlash(name)))
		src, err := p.read(s.at.path, maxSnapshotSize)
		if err != nil {
			s.err = err
			return
		}
		snap, err := catalog.Decode(src, name)
		p.mu.Lock()
		defer p.mu.Unlock()
		s.snap, s.src, s.err = snap, src, err
	})
	return s.snap, s.err
}

// look notes what a file is like before it is read.
func (p *Project) look(path string) looked {
	if p.alone {
		return looked{path: path}
	}
	return looked{path, stampOf(path)}
}
