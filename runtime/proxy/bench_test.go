package proxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/proxy"
)

// The server is the same process in all: reached directly over stdio and over HTTP, and
// through the proxy over HTTP from stdio. In one run the ratios hold, whatever else the
// machine does; the figures of runs do not compare.
func BenchmarkProxy(b *testing.B) {
	one := newServer()
	overHTTP := func(name string, o mcp.StreamableHTTPOptions) site {
		url := serveHTTPAs(b, o, func() *mcp.Server { return one })
		return site{name, func() mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: url} }}
	}
	sites := []site{
		direct(b, "stdio", older),
		overHTTP("direct http", mcp.StreamableHTTPOptions{}),
		overHTTP("direct http with JSON answers", mcp.StreamableHTTPOptions{JSONResponse: true}),
		behind(b, "http", proxy.Options{Sources: []proxy.Source{{Connection: upstreamOf(b, "a.b", "stdio", false)}}}),
		behind(b, "stdio", proxy.Options{Sources: []proxy.Source{{Connection: upstreamOf(b, "a.b", "stdio", false)}}}),
	}
	for _, s := range sites {
		v, err := enter(b, s, older)
		if err != nil {
			b.Fatal(err)
		}
		call := func(b *testing.B, tool string, args any) {
			if _, err := v.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args}); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(s.name+"/call", func(b *testing.B) {
			b.ReportAllocs()
			var all []time.Duration
			for b.Loop() {
				began := time.Now()
				call(b, "recall", json.RawMessage(`{}`))
				all = append(all, time.Since(began))
			}
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "p99-µs")
		})
		b.Run(s.name+"/8 callers", func(b *testing.B) {
			const callers = 8
			var left atomic.Int64
			left.Store(int64(b.N))
			b.ResetTimer()
			var wait sync.WaitGroup
			for range callers {
				wait.Go(func() {
					for left.Add(-1) >= 0 {
						call(b, "recall", json.RawMessage(`{}`))
					}
				})
			}
			wait.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
		b.Run(s.name+"/1 MB", func(b *testing.B) {
			args := json.RawMessage(fmt.Sprintf(`{"n":%d}`, 1<<20))
			for b.Loop() {
				call(b, "big", args)
			}
		})
	}
}
