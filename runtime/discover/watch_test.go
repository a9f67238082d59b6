package discover

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/pool"
	"github.com/lda-wf/wfc/runtime/session"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// watching is a watcher in a bubble of synctest, and what it did when.
type watching struct {
	*Watcher
	began time.Time

	mu   sync.Mutex
	told []string // "500ms a#1": when, of what, and which listing
	list func(context.Context) error
	n    int
}

func inBubble(t *testing.T, test func(*testing.T, *watching)) {
	synctest.Test(t, func(t *testing.T) {
		w := &watching{began: time.Now()}
		w.Watcher = NewWatcher(WatcherOptions{
			List: func(ctx context.Context, t pool.Target) (*catalog.Snapshot, error) {
				w.mu.Lock()
				w.n++
				s, list := &catalog.Snapshot{Connection: t.Connection.ID, Instructions: fmt.Sprint(w.n)}, w.list
				w.mu.Unlock()
				if list != nil {
					if err := list(ctx); err != nil {
						return nil, err
					}
				}
				return s, nil
			},
			Changed: func(l Listed) {
				w.mu.Lock()
				defer w.mu.Unlock()
				what := fmt.Sprintf("%v %s%s", time.Since(w.began), l.Connection, l.Scope)
				if l.Err != nil {
					what += ": " + l.Err.Error()
				} else {
					what += "#" + l.Snapshot.Instructions
				}
				w.told = append(w.told, what)
			},
		})
		test(t, w)
		w.Close()
	})
}

// pass lets time pass, the bubble's, and all that it leads to.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// lists makes list what listing does.
func (w *watching) lists(list func(context.Context) error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = list
}

func (w *watching) notice(id string) {
	w.Notice(pool.Target{Connection: connection.Connection{ID: id}})
}

func (w *watching) check(t *testing.T, want ...string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Equal(w.told, want) {
		t.Errorf("told %q, want %q", w.told, want)
	}
}

func TestChangesThatFollowOneAnotherAreOne(t *testing.T) {
	inBubble(t, func(t *testing.T, w *watching) {
		for range 5 {
			w.notice("a")
			pass(100 * time.Millisecond)
		}
		pass(time.Second)
		w.check(t, "900ms a#1")
		if s := w.Latest("a"); s == nil || s.Instructions != "1" {
			t.Errorf("the latest is %v", s)
		}
		w.notice("a")
		pass(time.Second)
		w.check(t, "900ms a#1", "2s a#2")
	})
}

func TestListsThatNeverSettleAreTakenAllTheSame(t *testing.T) {
	inBubble(t, func(t *testing.T, w *watching) {
		for range 110 {
			w.notice("a")
			pass(100 * time.Millisecond)
		}
		w.check(t, "5s a#1", "10s a#2")
	})
}

func TestConnectionsAreWatchedApart(t *testing.T) {
	inBubble(t, func(t *testing.T, w *watching) {
		w.notice("a")
		pass(300 * time.Millisecond)
		w.notice("b")
		w.Notice(pool.Target{Connection: connection.Connection{ID: "a"}, Scope: "/run"})
		pass(400 * time.Millisecond)
		w.check(t, "500ms a#1")
		pass(time.Second)
		if len(w.told) != 3 || w.Latest("a").Instructions != "1" || w.Latest("b") == nil || w.Latest("c") != nil {
			t.Errorf("told %q", w.told)
		}
	})
}

func TestChangeDuringTheListingIsListedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, w *watching) {
		listing, goOn := make(chan struct{}), make(chan struct{})
		w.lists(func(context.Context) error {
			select {
			case listing <- struct{}{}:
				<-goOn
			default:
			}
			return nil
		})
		w.notice("a")
		<-listing
		w.notice("a")
		close(goOn)
		pass(time.Second)
		w.check(t, "500ms a#1", "1s a#2")
	})
}

func TestListingThatFailsKeepsWhatWasThere(t *testing.T) {
	inBubble(t, func(t *testing.T, w *watching) {
		w.notice("a")
		pass(time.Second)
		w.lists(func(context.Context) error { return errors.New("down") })
		w.notice("a")
		pass(time.Second)
		w.check(t, "500ms a#1", "1.5s a: down")
		if s := w.Latest("a"); s == nil || s.Instructions != "1" {
			t.Errorf("the latest is %v", s)
		}
	})
}

func TestListingHasATimeLimit(t *testing.T) {
	inBubble(t, func(t *testing.T, w *watching) {
		w.lists(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		w.notice("a")
		pass(time.Minute)
		w.check(t, "30.5s a: context deadline exceeded")
	})
}

func TestCloseEndsAListing(t *testing.T) {
	inBubble(t, func(t *testing.T, w *watching) {
		listing := make(chan struct{})
		w.lists(func(ctx context.Context) error { close(listing); <-ctx.Done(); return ctx.Err() })
		w.notice("a")
		<-listing
		w.notice("b")
		w.Close()
		w.notice("a")
		w.check(t)
	})
}

func TestWatcherOfAPool(t *testing.T) {
	var p *pool.Pool
	listed := make(chan Listed, 10)
	w := NewWatcher(WatcherOptions{
		List:    func(ctx context.Context, t pool.Target) (*catalog.Snapshot, error) { return Snapshot(ctx, p, t) },
		Changed: func(l Listed) { listed <- l },
	})
	p = pool.New(pool.Options{ListChanged: w.Notice})
	target := pool.Target{Connection: connection.Connection{ID: "test.main", Stdio: &connection.Stdio{Command: servertest.Path(t), Dir: t.TempDir()}}}
	if _, err := p.CallTool(t.Context(), target, session.Call{Tool: "change", Args: []byte(`{"n":3}`)}); err != nil {
		t.Fatal(err)
	}
	if l := <-listed; l.Err != nil || l.Connection != "test.main" || len(l.Snapshot.Tools) != 4 || w.Latest("test.main") != l.Snapshot {
		t.Errorf("listed %d tools, %v", len(l.Snapshot.Tools), l.Err)
	}
	w.Close()
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
	servertest.CheckGoroutines(t)
	if len(listed) > 0 {
		t.Errorf("changes that followed one another were listed %d times more", len(listed))
	}
}
