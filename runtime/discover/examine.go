package discover

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/session"
)

// Examination is what one session with a server showed, from its start to its end.
type Examination struct {
	Snapshot *catalog.Snapshot // what the server offers; nil where Err is not
	// Err says why the server did not come up, or was lost while it was asked.
	Err error
	// Starts counts how often the server was started, or the channel to it opened: a
	// second time where it did not survive the question for its era. 0: never.
	Starts int
	// How long it took to start it, the last time, to come to terms with it, to list
	// what it offers, and to close the session. Zero: it did not come so far.
	Start, Handshake, Listing, Closing time.Duration
	StderrLines                        int            // how many lines it printed on stderr
	End                                connection.End // how it ended; zero if it never came up
}

// Examine opens a session, lists what its server offers, and closes it. It returns
// when nothing of the session is left.
func Examine(ctx context.Context, cfg session.Config) *Examination {
	e := &Examination{}
	var mu sync.Mutex
	began := time.Now()
	var started, opened time.Time
	stderr := cfg.Stderr
	cfg.Started = func() {
		mu.Lock()
		defer mu.Unlock()
		started = time.Now()
		e.Starts++
	}
	cfg.Opened = func() {
		mu.Lock()
		defer mu.Unlock()
		opened = time.Now()
	}
	cfg.Stderr = func(line string) {
		mu.Lock()
		e.StderrLines++
		mu.Unlock()
		if stderr != nil {
			stderr(line)
		}
	}
	s := session.Open(cfg)
	e.Snapshot, e.Err = Of(ctx, cfg.Connection.ID, s)
	listed := time.Now()
	s.Close()
	<-s.Ended()
	ended := time.Now()
	e.End = s.End()
	if e.End.Noise > 0 {
		e.StderrLines-- // the remark about it came the same way
	}
	if e.Starts == 1 {
		e.Start = started.Sub(began)
	}
	if !opened.IsZero() {
		e.Handshake, e.Listing, e.Closing = opened.Sub(started), listed.Sub(opened), ended.Sub(listed)
	}
	return e
}

// Withheld returns the tools that a server lists only for clients that offer more
// than a connection does, sorted by name, and what each needs. shown are those that
// it lists anyway. It opens a session for all offers together and, where that shows
// more tools, one for each. A server that fails then withholds nothing that could be
// known.
func Withheld(ctx context.Context, cfg session.Config, shown *catalog.Snapshot, root string) []catalog.Withheld {
	all := cfg.Connection.Offers
	all.Elicitation, all.Sampling, all.Root = true, true, root
	if all == cfg.Connection.Offers {
		return nil
	}
	if slices.ContainsFunc(shown.Errors, func(e catalog.ListError) bool { return e.List == "tools" }) {
		return nil // which tools it lists anyway is not known
	}
	hidden := map[string][]string{}
	for _, name := range hiddenTools(ctx, cfg, all, shown) {
		hidden[name] = nil
	}
	if len(hidden) == 0 {
		return nil
	}
	var missing []string
	for _, one := range []struct {
		name   string
		offers func(*connection.Offers)
	}{
		{"elicitation", func(o *connection.Offers) { o.Elicitation = true }},
		{"roots", func(o *connection.Offers) { o.Root = root }},
		{"sampling", func(o *connection.Offers) { o.Sampling = true }},
	} {
		more := cfg.Connection.Offers
		if one.offers(&more); more == cfg.Connection.Offers {
			continue
		}
		missing = append(missing, one.name)
		for _, name := range hiddenTools(ctx, cfg, more, shown) {
			if needs, known := hidden[name]; known {
				hidden[name] = append(needs, one.name)
			}
		}
	}
	var out []catalog.Withheld
	for _, name := range slices.Sorted(maps.Keys(hidden)) {
		needs := hidden[name]
		if len(needs) == 0 {
			needs = missing // together only
		} else {
			needs = needs[:1] // each of them suffices
		}
		out = append(out, catalog.Withheld{Tool: name, Needs: needs})
	}
	return out
}

// hiddenTools returns the tools that a server lists with other offers and not in shown.
func hiddenTools(ctx context.Context, cfg session.Config, offers connection.Offers, shown *catalog.Snapshot) []string {
	cfg.Connection.Offers = offers
	e := Examine(ctx, cfg)
	if e.Err != nil {
		return nil
	}
	var out []string
	for _, name := range e.Snapshot.ToolNames() {
		if shown.Tool(name) == nil {
			out = append(out, name)
		}
	}
	return out
}
