// Package load puts a server under load: many clients start runs of a deployment of
// three steps, one after the other each, on an MCP server in the same process, through
// HTTP and back. Its command prints what came of it.
//
// Its central function is [Run]. Only tests and the command import it.
package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/rpc"
	"github.com/lda-wf/wfc/runner/rpc/client"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/service"
)

const files = `
connection "load" "main" {
  http {
    url = env("LOAD_MCP")
  }
}

workflow "three" {
  source "s" {
    bind = connection.load.main
  }
  input "n" {
    type = integer
  }
  step "first" {
    call = s.add
    args = { n = input.n }
  }
  step "second" {
    call = s.add
    args = { n = step.first.output.sum }
  }
  step "third" {
    call = s.add
    args = { n = step.second.output.sum }
  }
  output "sum" {
    value = step.third.output.sum
  }
}

deployment "three" {
  workflow = workflow.three
}
`

type number struct {
	N int `json:"n"`
}

type sum struct {
	Sum int `json:"sum"`
}

// mcpServer serves a tool that adds one.
func mcpServer() *httptest.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "load", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "add", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *mcp.CallToolRequest, in number) (*mcp.CallToolResult, sum, error) {
			return nil, sum{in.N + 1}, nil
		})
	return httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
}

// Report says what came of it.
type Report struct {
	Runs, Errors, Lost int // Lost: runs that a client was told of and the journal does not have as completed
	First              error
	Took               time.Duration
	P50, P99, Most     time.Duration // of a run, as its client sees it
	HeapBefore, Heap   uint64        // bytes in use after a collection, when a tenth of the time was over, and at the end
}

// Write prints the report.
func (r *Report) Write(w io.Writer) {
	fmt.Fprintf(w, "runs        %d in %s, %.0f a second\n", r.Runs, r.Took.Round(time.Millisecond), float64(r.Runs)/r.Took.Seconds())
	fmt.Fprintf(w, "errors      %d, lost %d\n", r.Errors, r.Lost)
	fmt.Fprintf(w, "latency     p50 %s, p99 %s, most %s\n", r.P50.Round(10*time.Microsecond), r.P99.Round(10*time.Microsecond), r.Most.Round(10*time.Microsecond))
	fmt.Fprintf(w, "heap in use %.1f MiB after a tenth of the time, %.1f MiB at the end\n", float64(r.HeapBefore)/(1<<20), float64(r.Heap)/(1<<20))
	if r.First != nil {
		fmt.Fprintf(w, "first error %v\n", r.First)
	}
}

// Run has so many clients start runs for a time, in a project in the folder dir, which
// must be there and empty.
func Run(ctx context.Context, dir string, clients int, d time.Duration) (report *Report, err error) {
	upstream := mcpServer()
	defer upstream.Close()
	for name, text := range map[string]string{"wfc.hcl": "", "load.wf.hcl": files} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	p, err := project.Load(dir, project.Options{})
	if err != nil {
		return nil, err
	}
	host, err := service.OpenHost(ctx, p, service.HostOptions{Options: service.Options{
		Environment: service.Environment{ProjectRoot: dir, Lookup: func(name string) (string, bool) { return upstream.URL, name == "LOAD_MCP" }},
		Keys:        journal.KeyFile(filepath.Join(dir, "key")),
	}})
	if err != nil {
		return nil, err
	}
	server, err := rpc.New(rpc.Options{Host: host})
	if err != nil {
		return nil, errors.Join(err, host.Close(ctx))
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, host.Close(ctx))
	}
	serving, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() {
		var closed error
		err := server.Serve(serving, listener, func() { closed = host.Close(context.WithoutCancel(ctx)) })
		served <- errors.Join(err, closed)
	}()
	defer func() {
		stop()
		err = errors.Join(err, <-served)
	}()
	if _, err := host.RefreshSource(ctx, "load.main", service.RefreshOptions{}); err != nil {
		return nil, err
	}
	c, err := client.New("http://"+listener.Addr().String(), client.Options{})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	l := &load{client: c, until: time.Now().Add(d)}
	return l.run(ctx, clients, d)
}

// load is what the clients share.
type load struct {
	client *client.Client
	until  time.Time

	mu     sync.Mutex
	took   []time.Duration
	failed int
	first  error
}

func (l *load) run(ctx context.Context, clients int, d time.Duration) (*Report, error) {
	report := &Report{}
	early := time.AfterFunc(d/10, func() {
		heap := heapInUse()
		l.mu.Lock()
		defer l.mu.Unlock()
		report.HeapBefore = heap
	})
	defer early.Stop()
	begun := time.Now()
	var all sync.WaitGroup
	for n := range clients {
		all.Go(func() { l.start(ctx, n) })
	}
	all.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	report.Took, report.Heap = time.Since(begun), heapInUse()
	report.Runs, report.Errors, report.First = len(l.took), l.failed, l.first
	slices.Sort(l.took)
	if n := len(l.took); n > 0 {
		report.P50, report.P99, report.Most = l.took[n/2], l.took[n*99/100], l.took[n-1]
	}
	completed, err := l.completed(ctx)
	report.Lost = report.Runs - completed
	return report, err
}

// start starts one run after the other.
func (l *load) start(ctx context.Context, n int) {
	for i := 0; time.Now().Before(l.until); i++ {
		begun := time.Now()
		in := value.NewObject(1)
		in.Set("n", value.OfInt(int64(n*i)))
		params := protocol.DeploymentRunParams{DeploymentID: "three", Input: value.OfObject(in), Start: protocol.Start{Wait: true}}
		r, err := client.Call(ctx, l.client, protocol.DeploymentsRun, params)
		if want := fmt.Sprintf(`{"sum":%d}`, n*i+3); err == nil && r.Output.JSON() != want {
			err = fmt.Errorf("the run %s is %s with %s, want %s", r.RunID, r.Status, r.Output, want)
		}
		l.mu.Lock()
		if err == nil {
			l.took = append(l.took, time.Since(begun))
		} else {
			l.failed++
			if l.first == nil {
				l.first = err
			}
		}
		l.mu.Unlock()
	}
}

// completed counts the runs that the server has as completed.
func (l *load) completed(ctx context.Context) (n int, err error) {
	params := protocol.RunsListParams{Statuses: []string{"completed"}, Page: protocol.Page{Limit: 1000}}
	for {
		page, err := client.Call(ctx, l.client, protocol.RunsList, params)
		if err != nil {
			return n, err
		}
		n += len(page.Runs)
		if params.After = page.Next; params.After == "" {
			return n, nil
		}
	}
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
