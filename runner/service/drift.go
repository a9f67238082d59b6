package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/redact"
	"github.com/lda-wf/wfc/runtime/discover"
	"github.com/lda-wf/wfc/runtime/pool"
	"github.com/lda-wf/wfc/runtime/session"
)

// liveLists are the tools that the servers of a run have now, each asked for once.
type liveLists struct {
	mu    sync.Mutex
	known map[engine.SessionID]*list
}

type list struct {
	once sync.Once
	live *catalog.Snapshot
	err  error
}

// Drift implements [engine.Drifter].
func (c *caller) Drift(ctx context.Context, id engine.SessionID, tool, digest string) (*engine.Drift, error) {
	target := c.targets[id]
	live, err := c.lists.of(ctx, c.service.pool, c.redact, id, target)
	if err != nil {
		if e := (*session.Error)(nil); errors.As(err, &e) && e.Answered() {
			return &engine.Drift{Message: fmt.Sprintf("The tools of %s cannot be compared with the snapshot: %s", id.Connection, err)}, nil
		}
		failed := callError(target, err)
		failed.Sent = engine.SentNo // the call, which is what the engine asks about
		return nil, failed
	}
	now := live.Tool(tool)
	if now != nil && now.Digest == digest {
		return nil, nil
	}
	committed, err := c.service.project().Snapshot(id.Connection)
	if err != nil {
		committed = nil // one that cannot be read says nothing
	}
	return compared(id.Connection, tool, digest, committed, live), nil
}

// of returns what a server offers now, without secrets.
func (l *liveLists) of(ctx context.Context, p *pool.Pool, secrets *redact.Redactor, id engine.SessionID, t pool.Target) (*catalog.Snapshot, error) {
	l.mu.Lock()
	x := l.known[id]
	if x == nil {
		x = &list{}
		if l.known == nil {
			l.known = map[engine.SessionID]*list{}
		}
		l.known[id] = x
	}
	l.mu.Unlock()
	x.once.Do(func() {
		if x.live, x.err = discover.Tools(ctx, p, t); x.err != nil {
			l.mu.Lock()
			delete(l.known, id) // whoever comes next asks anew
			l.mu.Unlock()
			return
		}
		cleanSnapshot(secrets, x.live) // as the snapshot is
	})
	return x.live, x.err
}

// compared says how a tool differs from the snapshot that the plan was made with:
// committed, if that is the project's still; nil: there is none.
func compared(connection, tool, digest string, committed, live *catalog.Snapshot) *engine.Drift {
	refresh := "\n    wfc catalog refresh " + connection
	if live.Tool(tool) == nil {
		return &engine.Drift{Breaking: true, Message: fmt.Sprintf("The server of %s has no tool %q any more. Take its snapshot anew, and see what else has changed:%s", connection, tool, refresh)}
	}
	if committed == nil || committed.Tool(tool) == nil || committed.Tool(tool).Digest != digest {
		return &engine.Drift{Breaking: true, Message: fmt.Sprintf("The tool %s.%s is not what it was when the plan was made, and the snapshot of that time is not there any more. Compile the workflow anew.", connection, tool)}
	}
	d := &engine.Drift{}
	var details []string
	for _, change := range catalog.Diff(committed, live) {
		if change.List != "tools" || change.Name != tool {
			continue
		}
		if change.Breaking && !d.Breaking {
			d.Breaking, details = true, nil
		}
		if change.Breaking == d.Breaking {
			details = append(details, change.Detail)
		}
	}
	d.Message = fmt.Sprintf("The tool %s.%s is not what its snapshot says. %s", connection, tool, strings.Join(details, " "))
	if d.Breaking {
		d.Message += " Review that, and take the snapshot anew:" + refresh
	}
	return d
}
