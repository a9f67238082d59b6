package pool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/session"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

func TestRateLimitHoldsInEveryStretchOfTime(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := newRate()
		limit := connection.RateLimit{Requests: rapid.IntRange(1, 5).Draw(rt, "requests"), Per: time.Minute}
		r.set(limit)
		now, begin := time.Now(), time.Now()
		var left []time.Time
		for range rapid.IntRange(1, 30).Draw(rt, "calls") {
			now = now.Add(time.Duration(rapid.IntRange(0, 90).Draw(rt, "pause")) * time.Second)
			arrived := now
			if d := r.take(now); d > 0 {
				now = now.Add(d)
				if r.take(now) > 0 {
					rt.Fatal("it waited as long as it was told to, and must wait again")
				}
				// It did not wait for nothing: a nanosecond earlier the window was full.
				if n := len(left) - limit.Requests; now.Add(-1).Sub(left[n]) >= limit.Per || arrived.Sub(left[n]) >= limit.Per {
					rt.Fatalf("it waited %s though there was room", d)
				}
			}
			left = append(left, now)
		}
		for i := limit.Requests; i < len(left); i++ {
			if d := left[i].Sub(left[i-limit.Requests]); d < limit.Per {
				rt.Fatalf("requests %d to %d left within %s (begin %s)", i-limit.Requests, i, d, begin)
			}
		}
	})
}

// limited is a target that may get 2 requests a minute.
func limited(t *testing.T) Target {
	target := demo(t)
	target.Connection.RateLimit = connection.RateLimit{Requests: 2, Per: time.Minute}
	return target
}

func TestRateLimitCountsTheSessionsOfAllScopes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{})
		begin := time.Now()
		var left []string
		for i := range 6 {
			target := limited(t)
			target.Scope = connection.Scope([]string{"", "run-1", "run-2"}[i%3])
			_, err := p.CallTool(t.Context(), target, session.Call{Tool: "counter", Started: func(uint64) error {
				left = append(left, time.Since(begin).String())
				return nil
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
		if got, want := strings.Join(left, " "), "0s 0s 1m0s 1m0s 2m0s 2m0s"; got != want {
			t.Errorf("requests left after %s, want %s", got, want)
		}
		other := demo(t)
		other.Connection.ID = "demo.other"
		if _, err := p.CallTool(t.Context(), other, session.Call{Tool: "counter"}); err != nil || time.Since(begin) != 2*time.Minute {
			t.Errorf("another connection: %v after %s", err, time.Since(begin))
		}
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestWaitsForTheRateLimitKeepTheirOrderAndEndWithTheirCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{})
		target := limited(t)
		begin := time.Now()
		var mu sync.Mutex
		var left []string
		var wg sync.WaitGroup
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		for i := range 6 {
			wg.Go(func() {
				ctx := ctx
				if i != 3 {
					ctx = t.Context()
				}
				_, err := p.CallTool(ctx, target, session.Call{Tool: "counter", ReadOnly: true, Started: func(uint64) error {
					mu.Lock()
					defer mu.Unlock()
					left = append(left, fmt.Sprint(i, " ", time.Since(begin)))
					return nil
				}})
				if i != 3 {
					if err != nil {
						t.Error(err)
					}
					return
				}
				var e *session.Error
				if !errors.As(err, &e) || e.Reason != session.Cancelled || e.Sent != session.SentNo || !errors.Is(err, context.DeadlineExceeded) ||
					!strings.Contains(e.Error(), "nothing was sent: it waited for its turn under rate_limit (2 requests per 1m0s): context deadline exceeded") {
					t.Errorf("a caller that gave up: %v", err)
				}
				if d := time.Since(begin); d != 30*time.Second {
					t.Errorf("a caller that gave up returned after %s", d)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		if want := []string{"0 0s", "1 0s", "2 1m0s", "4 1m0s", "5 2m0s"}; !slices.Equal(left, want) {
			t.Errorf("requests left so: %q, want %q", left, want)
		}
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestAWaitForTheRateLimitEndsWithThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Options{})
		target := limited(t)
		target.Connection.RateLimit.Requests = 1
		if _, err := p.CallTool(t.Context(), target, session.Call{Tool: "counter"}); err != nil {
			t.Fatal(err)
		}
		waiting := make(chan error)
		go func() {
			_, err := p.CallTool(t.Context(), target, session.Call{Tool: "counter"})
			waiting <- err
		}()
		synctest.Wait()
		begin := time.Now()
		var closing sync.WaitGroup
		defer closing.Wait()
		closing.Go(func() {
			if err := p.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
		var e *session.Error
		if err := <-waiting; !errors.As(err, &e) || e.Reason != session.Lost || e.Sent != session.SentNo || time.Since(begin) != 0 {
			t.Errorf("got %v after %s", err, time.Since(begin))
		}
	})
}
