package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runner/wholefile"
	"github.com/lda-wf/wfc/runtime/discover"
	"github.com/lda-wf/wfc/runtime/oneshot"
	"github.com/lda-wf/wfc/runtime/pool"
)

// Refreshed says what a refresh of one connection found.
type Refreshed struct {
	Connection string
	File       string // of the snapshot, relative to the project's root
	Snapshot   *catalog.Snapshot
	Change     SnapshotChange
	Added      []string // tool names, sorted
	Removed    []string
	Changed    []string
	// Others say in full sentences what else has changed: prompts, resources, and the
	// server itself.
	Others []string
}

// SnapshotChange says how a live catalog differs from the committed one.
type SnapshotChange uint8

// The changes.
const (
	Unchanged SnapshotChange = iota
	Created                  // there was none
	Updated
)

// RefreshOptions say how a connection is refreshed.
type RefreshOptions struct {
	Only    bool // only compare: write nothing
	OneShot bool // over a session of its own, without the pool
}

// Refresh connects to a connection, lists what its server offers, and writes
// the snapshot where it differs from the project's. It may be called for several
// connections at once.
func (s *Service) Refresh(ctx context.Context, c *compiler.Reach, o RefreshOptions) (*Refreshed, error) {
	live, found, err := s.usable(ctx, c)
	if err != nil {
		return nil, err
	}
	// What the snapshot remembers is what is to be found out: an updated server may
	// speak another revision, and refuse this one.
	live.ProtocolVersion = ""
	var snap *catalog.Snapshot
	if o.OneShot {
		snap, err = oneshot.Do(ctx, s.session(live), func(ctx context.Context, on oneshot.Server) (*catalog.Snapshot, error) { return on.Snapshot(ctx) })
	} else {
		snap, err = discover.Snapshot(ctx, s.pool, pool.Target{Connection: live})
	}
	if err == nil {
		cleanSnapshot(found.redactor(), snap)
		err = s.loses(c.Connection.ID, snap)
	}
	if err != nil {
		return nil, err
	}
	r, err := s.Compare(c.Connection.ID, snap)
	if err != nil || o.Only || r.Change == Unchanged {
		return r, err
	}
	return r, s.WriteSnapshot(c.Connection.ID, snap)
}

// loses returns an error if the server failed to give a list that the project's
// snapshot has: a failure of the day must not replace it.
func (s *Service) loses(id string, snap *catalog.Snapshot) error {
	old, err := s.project().Snapshot(id)
	if err != nil {
		return nil // there is none to lose
	}
	have := map[string]int{
		"tools": len(old.Tools), "resources": len(old.Resources),
		"resource_templates": len(old.ResourceTemplates), "prompts": len(old.Prompts),
	}
	for _, e := range old.Errors {
		delete(have, e.List) // it had failed then, too
	}
	for _, e := range snap.Errors {
		if have[e.List] > 0 {
			return fmt.Errorf("the server failed to list its %s, of which the snapshot has %d, so that the snapshot was left as it is: %s",
				strings.ReplaceAll(e.List, "_", " "), have[e.List], e.Message)
		}
	}
	return nil
}

// Compare says how snap differs from the snapshot that the project has.
func (s *Service) Compare(id string, snap *catalog.Snapshot) (*Refreshed, error) {
	r := &Refreshed{Connection: id, File: project.SnapshotFile(id), Snapshot: snap, Change: Updated}
	old, err := s.project().Snapshot(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.Change = Created
		r.Added = snap.ToolNames()
		return r, nil
	case err != nil:
		// One that cannot be read is replaced: it is no word of anybody's.
		return r, nil
	case bytes.Equal(old.Encode(), snap.Encode()):
		r.Change = Unchanged
	default:
		r.Others = otherChanges(old, snap)
	}
	r.Added, r.Removed, r.Changed = toolChanges(old, snap)
	return r, nil
}

// otherChanges compares what is no tool.
func otherChanges(old, now *catalog.Snapshot) []string {
	var changes []string
	for _, c := range catalog.Diff(old, now) {
		switch c.List {
		case "tools":
		case "":
			changes = append(changes, c.Detail)
		default:
			what := strings.TrimSuffix(strings.ReplaceAll(c.List, "_", " "), "s")
			changes = append(changes, fmt.Sprintf("%s %s: %s", what, c.Name, c.Detail))
		}
	}
	return changes
}

// toolChanges compares the tools of two snapshots by name and digest.
func toolChanges(old, now *catalog.Snapshot) (added, removed, changed []string) {
	for _, name := range now.ToolNames() {
		switch before := old.Tool(name); {
		case before == nil:
			added = append(added, name)
		case before.Digest != now.Tool(name).Digest:
			changed = append(changed, name)
		}
	}
	for _, name := range old.ToolNames() {
		if now.Tool(name) == nil {
			removed = append(removed, name)
		}
	}
	return added, removed, changed
}

// WriteSnapshot writes a connection's snapshot into the project: whole or not at all.
func (s *Service) WriteSnapshot(id string, snap *catalog.Snapshot) error {
	file := filepath.Join(s.project().Root, filepath.FromSlash(project.SnapshotFile(id)))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("the snapshot cannot be written: %w", err)
	}
	return wholefile.Write(file, snap.Encode(), 0o644)
}
