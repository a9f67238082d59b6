package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/session"
)

// crowd is a pool over servers in this process, in a bubble of synctest.
type crowd struct {
	*testing.T
	*Pool
	mu   sync.Mutex
	open map[string]bool // sessions by "connection scope"
}

func newCrowd(t *testing.T, o Options) *crowd {
	c := &crowd{T: t, open: map[string]bool{}}
	o.Log = func(e Event) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open[e.Connection+" "+string(e.Scope)] = e.Kind == Opened
	}
	c.Pool = New(o)
	return c
}

func (c *crowd) target(id string, scope connection.Scope) Target {
	t := demo(c.T)
	t.Connection.ID, t.Scope = id, scope
	return t
}

func (c *crowd) use(id string, scope connection.Scope) error {
	_, err := c.CallTool(c.Context(), c.target(id, scope), session.Call{Tool: "counter"})
	time.Sleep(time.Second) // so that the next use is later
	return err
}

func (c *crowd) must(id string, scope connection.Scope) {
	c.Helper()
	if err := c.use(id, scope); err != nil {
		c.Fatal(err)
	}
}

// hold begins a call that lasts until free is called.
func (c *crowd) hold(id string, scope connection.Scope) (free func()) {
	began, finish := make(chan struct{}), make(chan struct{})
	var over sync.WaitGroup
	over.Go(func() {
		_, err := c.CallTool(c.Context(), c.target(id, scope), session.Call{Tool: "counter", Started: func(uint64) error {
			close(began)
			<-finish
			return nil
		}})
		if err != nil {
			c.Error(err)
		}
	})
	<-began
	return func() {
		close(finish)
		over.Wait()
	}
}

func (c *crowd) want(sessions ...string) {
	c.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	var got []string
	for name, open := range c.open {
		if open {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, sessions) {
		c.Errorf("open are %q, want %q", got, sessions)
	}
}

func (c *crowd) close() {
	c.Helper()
	if err := c.Close(c.Context()); err != nil {
		c.Error(err)
	}
}

func TestAFullPoolClosesTheSessionThatWasUsedTheLongestAgo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, Options{MaxSessions: 3})
		for _, id := range []string{"a", "b", "c", "a"} {
			c.must(id, "")
		}
		begin := time.Now()
		c.must("d", "")
		c.want("a ", "c ", "d ")
		if d := time.Since(begin); d > 2*time.Second {
			t.Errorf("it took %s", d)
		}
		c.must("b", "")
		c.want("a ", "b ", "d ")
		c.close()
	})
}

func TestOneConnectionHasItsOwnBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, Options{MaxPerConnection: 2})
		c.must("a", "")
		c.must("b", "")
		c.must("a", "run-1")
		c.must("a", "run-2") // in place of the shared one, though that of b is idle for as long
		c.want("a run-1", "a run-2", "b ")
		c.close()
	})
}

func TestWhatIsBusyOrPrivateIsNotClosedForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, Options{MaxSessions: 2})
		free := c.hold("a", "")
		c.must("b", "run-1")

		// Nothing gives way: the error says so after as long as connecting may take.
		begin := time.Now()
		err := c.use("c", "")
		var e *session.Error
		want := `connection c: No session could be opened within 1m0s: 2 sessions are open at most, and 16 of one connection,` +
			` and none of those in its way is idle. Let fewer runs go at once, or fewer of them with session = "run".`
		if !errors.As(err, &e) || e.Reason != session.NotStarted || e.Sent != session.SentNo || !errors.Is(err, ErrFull) || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if d := time.Since(begin); d != connection.DefaultConnect+time.Second {
			t.Errorf("it took %s", d)
		}
		c.want("a ", "b run-1")

		// The caller may give up first.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = c.CallTool(ctx, c.target("c", ""), session.Call{Tool: "counter"})
		if !errors.As(err, &e) || e.Reason != session.Cancelled || e.Sent != session.SentNo || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}

		// The end of a run makes room, and so does the end of a call.
		for _, end := range []func(){func() { c.Release("run-1") }, free} {
			waiting := make(chan error)
			go func() { waiting <- c.use(fmt.Sprint("d", time.Now().Unix()), "") }()
			synctest.Wait()
			end()
			if err := <-waiting; err != nil {
				t.Error(err)
			}
		}
		c.close()
	})
}

func TestWarmingMakesNoRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, Options{MaxSessions: 1})
		c.must("a", "")
		c.Warm(c.target("b", ""))
		c.want("a ")
		c.close()
	})
}

func TestManyConnectionsThroughAPoolOfFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, Options{MaxSessions: 4})
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				for range 3 {
					if err := c.use(fmt.Sprint("c", i%20), ""); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		c.close()
	})
}

func TestPrivateSessionLivesAsLongAsItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, Options{})
		c.must("a", "")
		c.must("a", "run-1")
		time.Sleep(24 * time.Hour)
		c.want("a run-1")
		c.Release("run-1")
		time.Sleep(time.Minute)
		c.want()
		c.close()
	})
}
