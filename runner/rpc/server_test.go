package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/rpc/client"
	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/rpc/token"
	"github.com/lda-wf/wfc/runner/service"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// tools are those of the test server that the workflows use.
const tools = `{"name":"counter","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["count"],"properties":{"count":{"type":"integer"}}},"annotations":{"readOnlyHint":false,"destructiveHint":false}}
{"name":"echo","inputSchema":{"type":"object","properties":{"value":true}}}
{"name":"wait","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}
`

const workflows = `
connection "fixture" "default" {
  stdio {
    command = env("TESTSERVER")
    args    = ["-list", env("TOOLS"), "-starts", env("STARTS"), "-log", env("LOG"), "-waiting", env("WAITING")]
  }
}

workflow "count" {
  source "s" {
    bind = connection.fixture.default
  }
  step "counter" {
    call = s.counter
  }
  output "count" {
    value = step.counter.output.count
  }
}

workflow "waits" {
  source "s" {
    bind = connection.fixture.default
  }
  step "counter" {
    call = s.counter
  }
  step "wait" {
    call       = s.wait
    depends_on = [step.counter]
  }
}
`

// serverTest is a server that is served over HTTP.
type serverTest struct {
	*Server
	t    testing.TB
	host *service.Host
	root string
	url  string
	logs *lockedBuffer
	stop func() // in good order, once

	openHost func(shared bool) *service.Host
}

// otherHost is a host beside that of the server, as another process has.
func (s *serverTest) otherHost() *service.Host {
	s.t.Helper()
	h := s.openHost(true)
	s.t.Cleanup(func() { must(s.t, h.Close(context.WithoutCancel(s.t.Context()))) })
	must(s.t, h.Reload(s.t.Context())) // with the snapshots that there are by now
	return h
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func newServerTest(t testing.TB, o Options) *serverTest {
	t.Helper()
	s := &serverTest{t: t, root: t.TempDir(), logs: &lockedBuffer{}}
	for name, text := range map[string]string{"wfc.hcl": "", "a.wf.hcl": workflows, "tools": tools} {
		must(t, os.WriteFile(filepath.Join(s.root, name), []byte(text), 0o600))
	}
	p, err := project.Load(s.root, project.Options{})
	must(t, err)
	env := map[string]string{"TESTSERVER": servertest.Path(t)}
	for _, name := range []string{"TOOLS", "STARTS", "LOG", "WAITING"} {
		env[name] = filepath.Join(s.root, strings.ToLower(name))
	}
	s.openHost = func(shared bool) *service.Host {
		host, err := service.OpenHost(t.Context(), p, service.HostOptions{Drain: 10 * time.Millisecond, Shared: shared, Options: service.Options{
			Environment: service.Environment{ProjectRoot: s.root, Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }},
			Keys:        journal.KeyFile(filepath.Join(s.root, "key")),
		}})
		must(t, err)
		return host
	}
	s.host = s.openHost(false)
	o.Host = s.host
	o.Log = slog.New(slog.NewTextHandler(s.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if o.Tokens == nil {
		o.Tokens = token.New(filepath.Join(s.root, ".wfc"))
	}
	s.Server, err = New(o)
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	s.url = "http://" + listener.Addr().String()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() {
		served <- s.Serve(ctx, listener, func() {
			if status, _ := s.do(http.MethodGet, "/readyz", ""); status != http.StatusServiceUnavailable {
				t.Errorf("a server that stops says that it is ready: %d", status)
			}
			_ = s.host.Close(context.WithoutCancel(ctx))
		})
	}()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	t.Cleanup(s.stop)
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refresh makes the snapshot of the source.
func (s *serverTest) refresh() *serverTest {
	s.t.Helper()
	_, err := s.host.RefreshSource(s.t.Context(), "fixture.default", service.RefreshOptions{})
	must(s.t, err)
	return s
}

func (s *serverTest) client() *client.Client {
	s.t.Helper()
	c, err := client.New(s.url, client.Options{})
	must(s.t, err)
	s.t.Cleanup(c.Close)
	return c
}

// post sends a body with headers, NAME: VALUE, and returns status and answer.
func (s *serverTest) post(body string, headers ...string) (int, string) {
	s.t.Helper()
	return s.do(http.MethodPost, "/rpc", body, append([]string{"Content-Type: application/json"}, headers...)...)
}

func (s *serverTest) do(method, path, body string, headers ...string) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(context.WithoutCancel(s.t.Context()), method, s.url+path, strings.NewReader(body))
	must(s.t, err)
	for _, h := range headers {
		name, text, _ := strings.Cut(h, ": ")
		if name == "Host" {
			r.Host = text
			continue
		}
		r.Header.Add(name, text)
	}
	answer, err := http.DefaultClient.Do(r)
	must(s.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(s.t, err)
	return answer.StatusCode, string(text)
}

func call[P, R any](t testing.TB, c *client.Client, m protocol.Method[P, R], params P) R {
	t.Helper()
	out, err := client.Call(t.Context(), c, m, params)
	must(t, err)
	return out
}

const list = `{"jsonrpc":"2.0","id":1,"method":"runs.list"}`

func TestPagesOfOtherSitesAreNotAnswered(t *testing.T) {
	s := newServerTest(t, Options{})
	host := strings.TrimPrefix(s.url, "http://")
	_, port, _ := net.SplitHostPort(host)
	for _, test := range []struct {
		name   string
		header string
		want   int
	}{
		{"no browser", "Accept: */*", 200},
		{"a page of the server itself", "Origin: http://" + host, 200},
		{"another site", "Origin: https://evil.example", 403},
		{"a page of a file", "Origin: null", 403},
		{"another port of this computer", "Origin: http://127.0.0.1:1", 403},
		{"a browser that says it", "Sec-Fetch-Site: cross-site", 403},
		{"a name that was made to point here", "Host: evil.example:" + port, 403},
		{"a name that only begins so", "Host: localhost.evil.example", 403},
		{"a public address", "Host: 8.8.8.8", 403},
		{"localhost", "Host: LocalHost:" + port, 200},
		{"another loopback address", "Host: [::1]:" + port, 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, path := range []string{"/rpc", "/healthz"} {
				method, kind := http.MethodPost, "Content-Type: application/json"
				if path != "/rpc" {
					method = http.MethodGet
				}
				if got, text := s.do(method, path, list, test.header, kind); got != test.want {
					t.Errorf("%s gives %d %s, want %d", path, got, text, test.want)
				}
			}
		})
	}
	// A form of a page can send text, and no JSON.
	if got, _ := s.do(http.MethodPost, "/rpc", list, "Content-Type: text/plain"); got != http.StatusUnsupportedMediaType {
		t.Errorf("text gives %d", got)
	}
}

func TestTokensAreWantedWhereOthersReachTheServer(t *testing.T) {
	tokens := token.New(t.TempDir())
	s := newServerTest(t, Options{RequireToken: true, AnyName: true, Tokens: tokens})
	texts := map[protocol.Scope]string{}
	for _, scope := range protocol.Scopes() {
		text, _, err := tokens.Create(string(scope), scope, time.Time{})
		must(t, err)
		texts[scope] = text
	}
	expired, _, err := tokens.Create("old", protocol.Admin, time.Now().Add(-time.Second))
	must(t, err)
	for _, test := range []struct {
		name, header string
		status       int
	}{
		{"none", "Accept: */*", 401},
		{"an empty one", "Authorization: Bearer ", 401},
		{"another kind", "Authorization: Basic " + texts[protocol.Admin], 401},
		{"a wrong one", "Authorization: Bearer " + texts[protocol.Admin] + "x", 401},
		{"an expired one", "Authorization: Bearer " + expired, 401},
		{"one that may read", "Authorization: Bearer " + texts[protocol.Read], 200},
		{"under whatever name", "authorization: bearer " + texts[protocol.Read], 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, text := s.post(list, test.header, "Host: wfc.example")
			if status != test.status {
				t.Errorf("gives %d %s, want %d", status, text, test.status)
			}
			if strings.Contains(text, "wfc_") || strings.Contains(s.logs.String(), "wfc_") {
				t.Error("the token is told")
			}
		})
	}
	// Each method wants its scope.
	for _, m := range protocol.Methods() {
		for scope, text := range texts {
			_, answer := s.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"nosuch":1}}`, m.Name), "Authorization: Bearer "+text)
			forbidden := strings.Contains(answer, fmt.Sprint(protocol.CodeForbidden))
			if forbidden == scope.Allows(m.Scope) {
				t.Errorf("%s with a token that may %s: %s", m.Name, scope, answer)
			}
		}
	}
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 401, "/openrpc.json": 401, "/runs/x/events": 401} {
		if got, _ := s.do(http.MethodGet, path, ""); got != want {
			t.Errorf("%s without a token gives %d, want %d", path, got, want)
		}
	}
	if _, err := tokens.Revoke("read"); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.post(list, "Authorization: Bearer "+texts[protocol.Read]); got != 401 {
		t.Errorf("a token that was revoked gives %d", got)
	}
}

func TestAFaultOfOursIsInTheLogAndNotInTheAnswer(t *testing.T) {
	s := newServerTest(t, Options{})
	m := s.methods["runs.list"]
	s.methods["runs.list"] = method{m.spec, func(context.Context, json.RawMessage) (any, error) { panic("the secret of life") }}
	status, text := s.post(list)
	var answer struct {
		Error struct {
			Code int
			Data struct{ Request string }
		}
	}
	must(t, json.Unmarshal([]byte(text), &answer))
	if status != 200 || answer.Error.Code != jsonrpc.CodeInternal || strings.Contains(text, "secret") {
		t.Errorf("answered %d %s", status, text)
	}
	if log := s.logs.String(); !strings.Contains(log, answer.Error.Data.Request) || !strings.Contains(log, "the secret of life") {
		t.Errorf("the log does not tell of %q:\n%s", answer.Error.Data.Request, log)
	}
}

// Who asks while the server stops, when what it needs is closed already, is told that,
// and not that it has found a bug.
func TestWhoAsksAServerThatStopsIsToldSo(t *testing.T) {
	s := newServerTest(t, Options{})
	must(t, s.host.Close(t.Context()))
	methods := []string{"runs.list", "deployments.list", "drafts.list", "artifacts.list", "drafts.create"}
	for _, stopping := range []bool{false, true} {
		s.draining.Store(stopping)
		for _, method := range methods {
			_, text := s.post(`{"jsonrpc":"2.0","id":1,"method":"` + method + `"}`)
			want := jsonrpc.CodeInternal
			if stopping {
				want = protocol.CodeStopping
			}
			if !strings.Contains(text, fmt.Sprintf(`"code":%d,`, want)) {
				t.Errorf("%s is answered %s, want %d", method, text, want)
			}
		}
		// A run that was about to begin is given up by its context.
		want := protocol.CodeTimeout
		if stopping {
			want = protocol.CodeStopping
		}
		if e := s.told(t.Context(), "runs.start", fmt.Errorf("begin: %w", context.Canceled)); e.Code != want {
			t.Errorf("a run that did not begin is %d, want %d", e.Code, want)
		}
	}
}

func TestNotificationsAreDoneAndNotAnswered(t *testing.T) {
	s := newServerTest(t, Options{})
	status, text := s.post(`[{"jsonrpc":"2.0","method":"drafts.create","params":{"workspace_id":"d"}},{"jsonrpc":"2.0","method":"drafts.create"}]`)
	if status != http.StatusNoContent || text != "" {
		t.Errorf("answered %d %q", status, text)
	}
	if d := call(t, s.client(), protocol.DraftsGet, protocol.DraftParams{WorkspaceID: "d"}); d.WorkspaceID != "d" {
		t.Errorf("the draft is %+v", d)
	}
}

// requests of a batch are done in their order, and ids come back byte by byte.
func TestABatchIsDoneInItsOrder(t *testing.T) {
	s := newServerTest(t, Options{})
	_, text := s.post(`[
		{"jsonrpc":"2.0","id":1.50,"method":"drafts.create","params":{"workspace_id":"d","title":"<a & b>"}},
		{"jsonrpc":"2.0","id":"\u0041","method":"drafts.update","params":{"workspace_id":"d","title":"c"}},
		{"jsonrpc":"2.0","id":null,"method":"drafts.delete","params":{"workspace_id":"d"}},
		{"jsonrpc":"2.0","id":-0,"method":"drafts.get","params":{"workspace_id":"d"}}]`)
	for _, want := range []string{
		`"id":1.50,"result":{"workspace_id":"d","title":"<a & b>","revision":1`, `"id":"\u0041","result":{"workspace_id":"d","title":"c","revision":2`,
		`{"jsonrpc":"2.0","id":null,"result":{}}`, `"id":-0,"error":{"code":-32001`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}
