package pool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/content"
	"github.com/lda-wf/wfc/runtime/oneshot"
	"github.com/lda-wf/wfc/runtime/pool"
	"github.com/lda-wf/wfc/runtime/session"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// What a call through the pool costs beside one through a bare session of the SDK
// on the same server. Both sides take turns in one run, because a machine that does
// something else makes both slower: compare within a line. The issue that asked for
// them wants 50 µs of overhead at most, and a throughput of at least 0.9.
//
//	go test -run '^$' -bench . ./runtime/pool

// side is one way to call a tool of the test server.
type side func(ctx context.Context, tool string, args json.RawMessage) error

var (
	smallArgs = json.RawMessage(`{"value":{"id":1,"title":"Write the report","labels":["a","b"]}}`)
	largeArgs = json.RawMessage(`{"n":1048576}`)
)

// place is where the server of a benchmark is.
type place struct {
	name      string
	transport func(*testing.B) mcp.Transport
	at        func(*testing.B) connection.Connection
}

// places are a process and a server over HTTP, with sessions and event streams, which
// is in this process: what it costs counts on both sides.
func places(b *testing.B) []place {
	server := mcp.NewServer(&mcp.Implementation{Name: "bench"}, nil)
	server.AddTool(&mcp.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: req.Params.Arguments}, nil
	})
	web := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	b.Cleanup(web.Close)
	return []place{
		{"stdio",
			func(b *testing.B) mcp.Transport {
				return &mcp.CommandTransport{Command: exec.Command(servertest.Path(b))}
			},
			func(b *testing.B) connection.Connection {
				return connection.Connection{Stdio: &connection.Stdio{Command: servertest.Path(b)}}
			}},
		{"http",
			func(*testing.B) mcp.Transport {
				// As a program would have it that makes many calls: the default keeps two connections.
				own := http.DefaultTransport.(*http.Transport).Clone()
				own.MaxIdleConnsPerHost = 64
				b.Cleanup(own.CloseIdleConnections)
				return &mcp.StreamableClientTransport{Endpoint: web.URL, DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: own}}
			},
			func(*testing.B) connection.Connection {
				return connection.Connection{HTTP: &connection.HTTP{URL: web.URL}}
			}},
	}
}

// bare is a session of the SDK.
func (at place) bare(b *testing.B) side {
	client, err := mcp.NewClient(&mcp.Implementation{Name: "bench"}, nil).
		Connect(b.Context(), at.transport(b), &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { client.Close() })
	token := atomic.Int64{}
	return func(ctx context.Context, tool string, args json.RawMessage) error {
		// The same request as ours: with a token for progress, which costs the server something.
		_, err := client.CallTool(ctx, &mcp.CallToolParams{Meta: mcp.Meta{"progressToken": token.Add(1)}, Name: tool, Arguments: args})
		return err
	}
}

// connection is the same server as a connection.
func (at place) connection(b *testing.B, inFlight int) connection.Connection {
	c := at.at(b)
	c.ID, c.ProtocolVersion, c.MaxInFlight = "bench.main", "2025-11-25", inFlight
	return c
}

// pooled is a pool with one session.
func (at place) pooled(b *testing.B, inFlight int) side {
	p, t := pool.New(pool.Options{}), pool.Target{Connection: at.connection(b, inFlight)}
	if _, err := p.Server(b.Context(), t); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := p.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	return func(ctx context.Context, tool string, args json.RawMessage) error {
		_, err := p.CallTool(ctx, t, session.Call{Tool: tool, Args: args, ReadOnly: true, IdleTimeout: time.Minute})
		return err
	}
}

// times are how long calls took.
type times []time.Duration

func (t times) p50() float64 {
	slices.Sort(t)
	return float64(t[len(t)/2].Nanoseconds()) / 1e3
}

func (t times) report(b *testing.B, unit string) { b.ReportMetric(t.p50(), unit) }

// BenchmarkCall is one call after the other.
func BenchmarkCall(b *testing.B) {
	for _, at := range places(b) {
		for _, c := range []struct {
			name, tool string
			args       json.RawMessage
		}{{"small", "echo", smallArgs}, {"1MiB", "big", largeArgs}} {
			if c.tool == "big" && at.name == "http" {
				continue
			}
			b.Run(at.name+"/"+c.name, func(b *testing.B) {
				sides := []side{at.bare(b), at.pooled(b, 1)}
				took := make([]times, len(sides))
				for b.Loop() {
					for i, call := range sides {
						begin := time.Now()
						if err := call(b.Context(), c.tool, c.args); err != nil {
							b.Fatal(err)
						}
						took[i] = append(took[i], time.Since(begin))
					}
				}
				b.ReportMetric(0, "ns/op")
				took[0].report(b, "bare-µs")
				took[1].report(b, "pool-µs")
				b.ReportMetric(took[1].p50()-took[0].p50(), "overhead-µs")
			})
		}
	}
}

// BenchmarkThroughput is as many callers at once as may be in flight.
func BenchmarkThroughput(b *testing.B) {
	for _, at := range places(b) {
		for _, callers := range []int{8, 32} {
			b.Run(fmt.Sprintf("%s/%d", at.name, callers), func(b *testing.B) { throughput(b, at, callers) })
		}
	}
}

func throughput(b *testing.B, at place, callers int) {
	const perCaller = 4 // few, so that the sides take turns often
	sides := []side{at.bare(b), at.pooled(b, callers)}
	round := func(call side) time.Duration {
		left := atomic.Int64{}
		left.Store(int64(callers) * perCaller)
		begin := time.Now()
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for left.Add(-1) >= 0 {
					if err := call(b.Context(), "echo", smallArgs); err != nil {
						b.Error(err)
					}
				}
			})
		}
		wg.Wait()
		return time.Since(begin)
	}
	took := make([]times, len(sides))
	for b.Loop() {
		for i, call := range sides {
			took[i] = append(took[i], round(call))
		}
	}
	calls := float64(callers) * perCaller
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(calls/took[0].p50()*1e6, "bare-calls/s")
	b.ReportMetric(calls/took[1].p50()*1e6, "pool-calls/s")
	b.ReportMetric(took[0].p50()/took[1].p50(), "ratio")
}

// BenchmarkOneShot is a call with a session of its own beside one of a session that lasts.
func BenchmarkOneShot(b *testing.B) {
	for _, at := range places(b) {
		b.Run(at.name, func(b *testing.B) {
			cfg, persistent := session.Config{Connection: at.connection(b, 1)}, at.pooled(b, 1)
			var once, lasting times
			for b.Loop() {
				begin := time.Now()
				_, err := oneshot.Do(b.Context(), cfg, func(ctx context.Context, s oneshot.Server) (*content.Result, error) {
					return s.CallTool(ctx, session.Call{Tool: "echo", Args: smallArgs})
				})
				if err != nil {
					b.Fatal(err)
				}
				once = append(once, time.Since(begin))
				for range 10 {
					begin = time.Now()
					if err := persistent(b.Context(), "echo", smallArgs); err != nil {
						b.Fatal(err)
					}
					lasting = append(lasting, time.Since(begin))
				}
			}
			b.ReportMetric(0, "ns/op")
			once.report(b, "oneshot-µs")
			lasting.report(b, "persistent-µs")
			b.ReportMetric(once.p50()/lasting.p50(), "ratio")
		})
	}
}
