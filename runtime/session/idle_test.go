package session

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
)

// inside opens a session with a server in this process, whose tool "work" reports
// its progress after each of the pauses but the last, and then answers.
func inside(t *testing.T, change func(*Config), pauses ...time.Duration) *Session {
	return insideOf(t, nil, change, pauses...)
}

// insideOf is inside with something done to the server, if prepare is not nil.
func insideOf(t *testing.T, prepare func(*mcp.Server), change func(*Config), pauses ...time.Duration) *Session {
	return Open(insideConfig(t, prepare, change, pauses...))
}

// insideConfig returns the configuration of insideOf's session.
func insideConfig(t *testing.T, prepare func(*mcp.Server), change func(*Config), pauses ...time.Duration) Config {
	server := mcp.NewServer(&mcp.Implementation{Name: "inside"}, nil)
	if prepare != nil {
		prepare(server)
	}
	mcp.AddTool(server, &mcp.Tool{Name: "work"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		for i, pause := range pauses {
			select {
			case <-time.After(pause):
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
			if i < len(pauses)-1 {
				err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(i + 1)})
				if err != nil {
					return nil, nil, err
				}
			}
		}
		return &mcp.CallToolResult{}, nil, nil
	})
	cfg := Config{
		Connection: connection.Stream("test.main", "", func() (io.ReadWriteCloser, error) {
			ours, theirs := net.Pipe()
			go func() { _ = server.Run(t.Context(), &mcp.IOTransport{Reader: theirs, Writer: theirs}) }()
			return ours, nil
		}),
		ClientInfo: &mcp.Implementation{Name: "test"}, Generation: 1,
	}
	cfg.Connection.ProtocolVersion = legacyVersion
	if change != nil {
		change(&cfg)
	}
	return cfg
}

func TestIdleTimeout(t *testing.T) {
	const idle = 60 * time.Second
	for _, c := range []struct {
		name   string
		pauses []time.Duration
		fails  time.Duration // zero: it succeeds
	}{
		{"an answer in time", []time.Duration{59 * time.Second}, 0},
		{"silence", []time.Duration{time.Hour}, idle},
		{"progress begins the time anew", []time.Duration{50 * time.Second, 50 * time.Second, 50 * time.Second, 50 * time.Second}, 0},
		{"silence after progress", []time.Duration{50 * time.Second, time.Hour}, 110 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := inside(t, nil, c.pauses...)
				begin, reported := time.Now(), atomic.Int32{}
				_, err := s.CallTool(t.Context(), Call{Tool: "work", IdleTimeout: idle, Progress: func(Progress) { reported.Add(1) }})
				reports := int(reported.Load())
				if c.fails == 0 {
					if err != nil || reports != len(c.pauses)-1 {
						t.Errorf("it failed after %s and %d progress messages: %v", time.Since(begin), reports, err)
					}
				} else {
					e := failure(t, err)
					sent, received := SentMaybe, "Whether the server received it is not known."
					if reports > 0 {
						sent, received = SentYes, "The server had received it."
					}
					want := "connection test.main, tools/call work: It had no answer and no progress message for 1m0s and was cancelled. " + received
					if e.Reason != Quiet || e.Sent != sent || e.Error() != want || time.Since(begin) != c.fails {
						t.Errorf("after %s: %v", time.Since(begin), e)
					}
				}
				// One that is given up leaves the session as it is.
				if _, err := s.CallTool(t.Context(), Call{Tool: "nothing"}); failure(t, err).Reason != Refused {
					t.Errorf("the next call: %v", err)
				}
				s.Close()
				<-s.Ended()
			})
		})
	}
}

func TestIdleTimeoutCountsFromWhenTheRequestLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := inside(t, func(cfg *Config) {
			cfg.Admit = func(context.Context) error { time.Sleep(time.Hour); return nil }
		}, 30*time.Second)
		_, err := s.CallTool(t.Context(), Call{Tool: "work", IdleTimeout: time.Minute, Started: func(uint64) error {
			time.Sleep(time.Hour)
			return nil
		}})
		if err != nil {
			t.Error(err)
		}
		s.Close()
		<-s.Ended()
	})
}

// What has no setting of its own has a limit all the same, and the session goes on.
func TestListsAreNotAwaitedForEver(t *testing.T) {
	for name, ask := range map[string]func(context.Context, *Session) error{
		"tools/list":               func(ctx context.Context, s *Session) error { _, err := s.ListTools(ctx, ""); return err },
		"resources/list":           func(ctx context.Context, s *Session) error { _, err := s.ListResources(ctx, ""); return err },
		"resources/templates/list": func(ctx context.Context, s *Session) error { _, err := s.ListResourceTemplates(ctx, ""); return err },
		"prompts/list":             func(ctx context.Context, s *Session) error { _, err := s.ListPrompts(ctx, ""); return err },
		"completion/complete": func(ctx context.Context, s *Session) error {
			_, err := s.Complete(ctx, Completion{Prompt: "p"})
			return err
		},
		"ping": func(ctx context.Context, s *Session) error { return s.Ping(ctx) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := insideOf(t, func(server *mcp.Server) {
					server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
						return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
							if method == name {
								<-ctx.Done()
								return nil, ctx.Err()
							}
							return next(ctx, method, req)
						}
					})
				}, nil, 0)
				begin := time.Now()
				if e := failure(t, ask(t.Context(), s)); e.Reason != Quiet || time.Since(begin) != quietFor {
					t.Errorf("after %s: %v", time.Since(begin), e)
				}
				if _, err := s.CallTool(t.Context(), Call{Tool: "work"}); err != nil {
					t.Errorf("the next operation: %v", err)
				}
				s.Close()
				<-s.Ended()
			})
		})
	}
}

// A server that asks something waits for us: that is no silence of its own.
func TestIdleClocksStandStillWhileTheServerIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c clocks
		running := func() (ctx context.Context, k *idleClock) {
			ctx, cancel := context.WithCancelCause(t.Context())
			return ctx, c.begin(time.Minute, cancel)
		}
		one, first := running()
		time.Sleep(59 * time.Second)
		resume := c.pause()
		two, second := running() // begun meanwhile
		again := c.pause()
		time.Sleep(time.Hour)
		resume()
		resume() // once is enough
		time.Sleep(time.Hour)
		again()
		time.Sleep(59 * time.Second)
		if one.Err() != nil || two.Err() != nil {
			t.Error("a clock went on")
		}
		c.end(second)
		time.Sleep(time.Second)
		synctest.Wait()
		if one.Err() == nil || two.Err() != nil {
			t.Errorf("a minute after the answer: %v, %v", one.Err(), two.Err())
		}
		c.end(first)
	})
}

func TestASessionThatIsDrainedAsItConnectsEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*Session)
	}{{"drained", (*Session).Drain}, {"closed", (*Session).Close}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSession(insideConfig(t, nil, nil))
				client, err := dial(t.Context(), &s.cfg)
				if err != nil {
					t.Fatal(err)
				}
				c.end(s)
				connected := make(chan dialled, 1)
				// The handshake is done in the moment in which it is given up.
				if s.connect(connected, func(error) { connected <- dialled{client, nil} }) != client {
					t.Fatal("there is no session")
				}
				s.serve(client) // for ever, if it is forgotten that the session is to end
				<-client.channel.Done()
				_ = client.sdk.Close()
			})
		})
	}
}
