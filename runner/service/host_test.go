package service

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

const fixtureConnection = `connection "fixture" "default" {
  stdio {
    command = env("TESTSERVER")
    args    = ["-starts", env("SERVER_STARTS"), "-log", env("SERVER_LOG")]
  }
}
`

// hostTest is a project with a host.
type hostTest struct {
	*Host
	T    *testing.T
	root string

	server string // the path of the test server; "": it is built
}

// newHostTest opens a host for a project with these files.
func newHostTest(t *testing.T, files map[string]string, o HostOptions) *hostTest {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	h := &hostTest{T: t, root: root}
	h.open(o)
	t.Cleanup(func() { h.end(t.Context()) })
	return h
}

func (h *hostTest) starts() string { return filepath.Join(h.root, "starts") }
func (h *hostTest) calls() string  { return filepath.Join(h.root, "calls") }

func (h *hostTest) open(o HostOptions) {
	h.T.Helper()
	p, err := project.Load(h.root, project.Options{})
	must(h.T, err)
	server := h.server
	if server == "" {
		server = servertest.Path(h.T)
	}
	o.Environment.Lookup = func(name string) (string, bool) {
		v, ok := map[string]string{"TESTSERVER": server, "SERVER_STARTS": h.starts(), "SERVER_LOG": h.calls()}[name]
		return v, ok
	}
	o.Keys = journal.KeyFile(filepath.Join(h.root, "key"))
	h.Host, err = OpenHost(h.T.Context(), p, o)
	must(h.T, err)
}

func (h *hostTest) end(ctx context.Context) {
	h.T.Helper()
	if h.Host == nil {
		return
	}
	must(h.T, h.Host.Close(context.WithoutCancel(ctx)))
	h.Host = nil
	servertest.CheckGoroutines(h.T)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused fails the test unless err is an *Error of the kind.
func refused(t testing.TB, err error, kind ErrorKind) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Fatalf("got the error %v, want one of the kind %s", err, kind)
	}
	return e
}

func object1(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	must(t, err)
	return v
}

// deploy makes a draft of a capability, an artifact of it, and a deployment of that, all called name.
func (h *hostTest) deploy(name, capability string) *Deployment {
	h.T.Helper()
	ctx := h.T.Context()
	d, err := h.CreateDraftFromCapability(ctx, NewDraft{ID: name}, capability, "")
	must(h.T, err)
	if d.Status != DraftValid {
		h.T.Fatalf("the draft is %s: %v\n%s", d.Status, d.Diagnostics.List, d.Source)
	}
	a, err := h.CreateArtifactFromDraft(ctx, d.ID, NewArtifact{ID: name, Version: "1.0.0"})
	must(h.T, err)
	out, err := h.SaveDeployment(ctx, SaveDeployment{ID: name, ArtifactID: a.ID, ArtifactVersion: a.Version, Bindings: map[string]string{a.Required[0]: strings.Join(strings.Split(capability, ".")[:2], ".")}})
	must(h.T, err)
	return out
}

// One session serves discovery, calls, content and runs alike.
func TestAHostKeepsOneSessionWithASource(t *testing.T) {
	h := newHostTest(t, map[string]string{"wfc.hcl": "", "a.wf.hcl": fixtureConnection}, HostOptions{})
	ctx := t.Context()
	r, err := h.RefreshSource(ctx, "fixture.default", RefreshOptions{})
	must(t, err)
	if r.Change != Created {
		t.Errorf("the snapshot was not created: %v", r.Change)
	}
	h.deploy("count", "fixture.default.counter")
	for _, want := range []string{"1", "2"} {
		run, err := h.Start(ctx, StartRun{Deployment: "count"}, true)
		must(t, err)
		if run.Status != journal.Completed || run.Output.JSON() != `{"result":{"count":`+want+`}}` {
			t.Errorf("the run is %s with %s, want count %s", run.Status, run.Output.JSON(), want)
		}
	}
	for _, want := range []string{"3", "4"} {
		reply, err := h.CallCapability(ctx, "fixture.default.counter", value.NullValue, Direct{})
		must(t, err)
		if reply.Text != want {
			t.Errorf("the call gives %s, want %s", reply.Text, want)
		}
	}
	if lines := servertest.Lines(t, h.starts()); len(lines) != 1 {
		t.Errorf("%d processes were started, want 1", len(lines))
	}
	calls := servertest.Lines(t, h.calls())
	for _, line := range calls {
		if strings.HasPrefix(line, "call ") && strings.TrimSpace(line) != "call counter {}" {
			t.Errorf("the server got %q, want empty arguments", line)
		}
	}
}

func TestANotificationReachesTheServer(t *testing.T) {
	h := newHostTest(t, map[string]string{"wfc.hcl": "", "a.wf.hcl": fixtureConnection}, HostOptions{})
	must(t, h.NotifySource(t.Context(), "fixture.default", "notifications/x/hello", nil))
	got := servertest.Lines(t, h.calls())
	if !slices.ContainsFunc(got, func(line string) bool { return strings.TrimSpace(line) == "notifications/x/hello" }) {
		t.Errorf("the server got %q", got)
	}
	refused(t, h.NotifySource(t.Context(), "fixture.default", "tools/call", nil), Invalid)
	refused(t, h.NotifySource(t.Context(), "fixture.other", "notifications/x", nil), NotFound)
}
