package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/runner/rpc/client"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/service"
)

// start starts a run of the workflow that waits, and returns once its second step waits.
func (s *serverTest) start(c *client.Client) string {
	s.t.Helper()
	run := call(s.t, c, protocol.RunsStart, protocol.RunStartParams{Target: "waits"})
	for ev, err := range c.Events(s.t.Context(), run.RunID, "") {
		must(s.t, err)
		if strings.Contains(string(ev.Data), `"step.started","step":"wait"`) {
			break
		}
	}
	return run.RunID
}

// follow opens the stream of a run.
func (s *serverTest) follow(run string, headers ...string) (*http.Response, *bufio.Reader) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+"/runs/"+run+"/events", nil)
	must(s.t, err)
	for _, h := range headers {
		name, text, _ := strings.Cut(h, ": ")
		r.Header.Set(name, text)
	}
	answer, err := http.DefaultClient.Do(r)
	must(s.t, err)
	s.t.Cleanup(func() { answer.Body.Close() })
	return answer, bufio.NewReader(answer.Body)
}

// events returns the lines of a stream that has ended, without the signs of life.
func events(t *testing.T, from io.Reader) []string {
	t.Helper()
	text, err := io.ReadAll(from)
	must(t, err)
	var out []string
	for line := range strings.SplitSeq(string(text), "\n") {
		if line != "" && line != ":" {
			out = append(out, line)
		}
	}
	return out
}

func TestTheEventsOfARunAreToldFromAPlaceOn(t *testing.T) {
	s := newServerTest(t, Options{}).refresh()
	c := s.client()
	run := call(t, c, protocol.RunsStart, protocol.RunStartParams{Target: "count", Start: protocol.Start{Wait: true}})
	if run.Status != "completed" || run.Output.JSON() != `{"count":1}` {
		t.Fatalf("the run is %s with %s", run.Status, run.Output)
	}
	_, lines := s.follow(run.RunID)
	all := events(t, lines)
	if all[0] != "id: 1" || !strings.HasPrefix(all[1], `data: {"event":"run.started","run":"`+run.RunID) || all[len(all)-2] != "event: end" {
		t.Errorf("the events are\n%s", strings.Join(all, "\n"))
	}
	_, lines = s.follow(run.RunID[:6], "Last-Event-ID: 1")
	if rest := events(t, lines); strings.Join(rest, "\n") != strings.Join(all[2:], "\n") {
		t.Errorf("after the first one come\n%s\nwant\n%s", strings.Join(rest, "\n"), strings.Join(all[2:], "\n"))
	}
	_, lines = s.follow(run.RunID, "Last-Event-ID: 999")
	if rest := events(t, lines); len(rest) != 2 {
		t.Errorf("after the last one come %q", rest)
	}

	// The same by a method, page by page.
	data := func(lines []string) string {
		var out []string
		for _, line := range lines {
			if strings.HasPrefix(line, `data: {"event"`) {
				out = append(out, line)
			}
		}
		return strings.Join(out, "\n")
	}
	var paged []string
	for after, end := "", false; !end; {
		got := call(t, c, protocol.RunsEvents, protocol.RunEventsParams{RunID: run.RunID, After: after, Limit: 1})
		for _, ev := range got.Events {
			paged = append(paged, "data: "+string(ev.Event))
			after = ev.Cursor
		}
		end = got.End
	}
	if data(paged) != data(all) {
		t.Errorf("by pages come\n%s", strings.Join(paged, "\n"))
	}
	var e *client.Error
	if _, err := client.Call(t.Context(), c, protocol.RunsEvents, protocol.RunEventsParams{RunID: run.RunID, After: "x"}); !errors.As(err, &e) || e.Code != -32602 {
		t.Errorf("a cursor that is none gives %v", err)
	}
}

// The stream of a run that goes on gives signs of life, and events as they come.
func TestAStreamLivesAsLongAsItsRun(t *testing.T) {
	s := newServerTest(t, Options{Limits: Limits{Beat: 20 * time.Millisecond}}).refresh()
	c := s.client()
	run := s.start(c)
	_, lines := s.follow(run)
	for beats := 0; beats < 3; {
		line, err := lines.ReadString('\n')
		must(t, err)
		if line == ":\n" {
			beats++
		}
	}
	got := call(t, c, protocol.RunsCancel, protocol.RunParams{RunID: run})
	if got.RunID != run {
		t.Errorf("cancelled %q", got.RunID)
	}
	rest := events(t, lines)
	if n := len(rest); n < 3 || rest[n-2] != "event: end" || !strings.Contains(strings.Join(rest, "\n"), `"status":"cancelled"`) {
		t.Errorf("the stream ends with %q", rest)
	}
}

// Those who only wait have places of their own: however many they are, runs can be looked
// at and cancelled, and a busy server is no server that is dead.
func TestWhoWaitsKeepsNobodyElseOut(t *testing.T) {
	s := newServerTest(t, Options{Limits: Limits{Requests: 1}, MCP: http.NotFoundHandler()}).refresh()
	run := call(t, s.client(), protocol.RunsStart, protocol.RunStartParams{Target: "count", Start: protocol.Start{Wait: true}}).RunID
	post := func(method, params string) func() (int, string) {
		return func() (int, string) {
			return s.post(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`)
		}
	}
	get := func(path string) func() (int, string) {
		return func() (int, string) { return s.do(http.MethodGet, path, "") }
	}
	short, waiting, streams, none := s.places.short, s.places.waiting, s.places.streams, chan struct{}(nil)
	for _, test := range []struct {
		name string
		do   func() (int, string)
		in   []chan struct{} // any of them being full keeps it out
	}{
		{"runs.list", post("runs.list", `{}`), []chan struct{}{short}},
		{"runs.cancel", post("runs.cancel", `{"run_id":"x"}`), []chan struct{}{short}},
		{"deployments.run", post("deployments.run", `{"deployment_id":"x"}`), []chan struct{}{short}},
		{"runs.start that waits", post("runs.start", `{"target":"count","wait":true}`), []chan struct{}{short, waiting}},
		{"runs.events that waits", post("runs.events", `{"run_id":"`+run+`","wait":true}`), []chan struct{}{short, waiting}},
		{"runs.resume that waits", post("runs.resume", `{"run_id":"`+run+`","wait":true}`), []chan struct{}{short, waiting}},
		{"capabilities.call", post("capabilities.call", `{"capability":"fixture.default.counter"}`), []chan struct{}{short, waiting}},
		{"sources.refresh", post("sources.refresh", `{"source":"fixture.default"}`), []chan struct{}{short, waiting}},
		{"sources.check", post("sources.check", `{"source":"fixture.default"}`), []chan struct{}{short, waiting}},
		{"sources.invoke", post("sources.invoke", `{"source":"fixture.default","method":"ping"}`), []chan struct{}{short, waiting}},
		{"events", get("/runs/" + run + "/events"), []chan struct{}{streams}},
		{"MCP", get("/mcp"), []chan struct{}{streams}},
		{"metrics", get("/metrics"), []chan struct{}{short}},
		{"health", get("/healthz"), nil},
		{"ready", get("/readyz"), nil},
	} {
		for _, full := range []chan struct{}{none, short, waiting, streams} {
			if full != nil {
				full <- struct{}{}
			}
			status, text := test.do()
			if full != nil {
				<-full
			}
			if busy := strings.Contains(text, `"code":-32005`); busy != slices.Contains(test.in, full) || busy && !strings.Contains(text, `"retry_after":1`) {
				t.Errorf("%s, the place %d being full: %d %s", test.name, slices.Index([]chan struct{}{none, short, waiting, streams}, full), status, text)
			}
		}
	}
	s.stop() // when all have been let go
	if n := s.places.count(); n != 0 {
		t.Errorf("%d places are held by nobody", n)
	}
}

// What waits gives the place back that it had before.
func TestARequestThatWaitsHasOnePlace(t *testing.T) {
	p := newPlaces(1)
	at, ok := p.take(httptest.NewRequest(http.MethodPost, "/rpc", nil))
	if !ok {
		t.Fatal("there is no place")
	}
	ctx := context.WithValue(t.Context(), placeKey{}, at)
	for range 2 { // two of a batch
		must(t, waits(ctx))
		if len(p.short) != 0 || len(p.waiting) != 1 {
			t.Errorf("%d short ones, %d wait", len(p.short), len(p.waiting))
		}
	}
	at.give()
	if p.count() != 0 {
		t.Error("the place is held by nobody")
	}
}

// What a run of another process does is told as it comes, each thing once, to streams
// and to those who ask for events and wait.
func TestTheEventsOfARunOfAnotherProcessAreTold(t *testing.T) {
	s := newServerTest(t, Options{Limits: Limits{Look: time.Millisecond}}).refresh()
	other := s.otherHost()
	run, err := other.Start(t.Context(), service.StartRun{Target: "waits"}, false)
	must(t, err)
	_, lines := s.follow(run.ID)
	var seen strings.Builder
	for !strings.Contains(seen.String(), `"step.started","step":"wait"`) {
		line, err := lines.ReadString('\n')
		must(t, err)
		seen.WriteString(line)
	}
	c := s.client()
	last, err := other.Place(t.Context(), run.ID)
	must(t, err)
	waited := make(chan protocol.RunEventsResult, 1)
	go func() {
		got, err := client.Call(t.Context(), c, protocol.RunsEvents, protocol.RunEventsParams{RunID: run.ID, After: strconv.FormatInt(last, 10), Wait: true})
		if err != nil {
			t.Errorf("who waits is told %v", err)
		}
		waited <- got
	}()
	call(t, c, protocol.RunsCancel, protocol.RunParams{RunID: run.ID})
	rest := strings.Join(events(t, lines), "\n")
	all := seen.String() + rest
	for _, want := range []string{`"run.started"`, `"step.started","step":"counter"`, `"step.started","step":"wait"`, `"step.finished","step":"wait"`, `"status":"cancelled"`, "event: end"} {
		if strings.Count(all, want) != 1 {
			t.Errorf("%s comes %d times in\n%s", want, strings.Count(all, want), all)
		}
	}
	if got := <-waited; len(got.Events) == 0 || got.Events[len(got.Events)-1].Cursor == strconv.FormatInt(last, 10) {
		t.Errorf("who waited is told %+v", got)
	}
}

// A server that stops parks its runs: who waits for one, or follows it, is let go, and
// the next server goes on.
func TestAServerThatStopsLetsGoWhoWaits(t *testing.T) {
	s := newServerTest(t, Options{}).refresh()
	c := s.client()
	run := s.start(c)
	_, lines := s.follow(run)
	there := make(chan struct{})
	start := s.methods["runs.start"]
	s.methods["runs.start"] = method{start.spec, func(ctx context.Context, params json.RawMessage) (any, error) {
		close(there)
		return start.call(ctx, params)
	}}
	waited := make(chan error, 1)
	go func() {
		_, err := client.Call(context.WithoutCancel(t.Context()), c, protocol.RunsStart, protocol.RunStartParams{Target: "waits", Start: protocol.Start{Wait: true}})
		waited <- err
	}()
	_, err := lines.ReadString('\n')
	must(t, err)
	<-there
	s.stop()
	for _, line := range events(t, lines) {
		if line == "event: end" {
			t.Error("the stream of a run that was parked says that it has ended")
		}
	}
	if err := <-waited; err != nil {
		if e := (*client.Error)(nil); !errors.As(err, &e) || e.Code != protocol.CodeStopping {
			t.Errorf("who waits is told %v", err)
		}
	}
}
