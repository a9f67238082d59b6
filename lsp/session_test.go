package lsp_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lda-wf/wfc/lsp"
	"github.com/lda-wf/wfc/lsp/document"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/testdata/lspclient"
)

// running is a server in this process, and its client.
type running struct {
	*lspclient.Client
	t    testing.TB
	root string
	log  *lockedBuffer
	in   io.Closer // what the client writes to
	exit chan int  // gets the exit code

	finish   func() // ends the session and looks at what was wrong with it
	forgiven int    // strange messages that a test wanted
}

// lockedBuffer is a buffer that a server writes its log to.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// begin starts a server with nothing said yet. root is where its files are.
func begin(t testing.TB, root string) *running {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	s := &running{t: t, root: root, log: &lockedBuffer{}, in: toServer, exit: make(chan int, 1)}
	server := lsp.New(toClient, lsp.Options{Version: "0.1.0", Log: s.log})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.exit <- server.Serve(fromClient)
		fromClient.Close()
		server.Close()
		toClient.Close()
	}()
	s.Client = lspclient.New(fromServer, toServer)
	s.finish = sync.OnceFunc(func() {
		toServer.Close()
		<-ended
		s.Wait()
		if strings.Contains(s.log.String(), "a fault in") {
			t.Errorf("the server's log:\n%s", s.log)
		}
		for _, what := range s.Strange()[s.forgiven:] {
			t.Errorf("the server sent %s", what)
		}
	})
	t.Cleanup(s.finish)
	return s
}

// initialized starts a server and begins a session with a client that can do what
// change says, in the workspace folder root unless that is empty.
func initialized(t testing.TB, root string, change func(*protocol.InitializeParams)) *running {
	t.Helper()
	s := begin(t, root)
	var p protocol.InitializeParams
	if root != "" {
		p.WorkspaceFolders = []protocol.WorkspaceFolder{{URI: document.URI(root), Name: "root"}}
	}
	if change != nil {
		change(&p)
	}
	if _, err := s.Initialize(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return s
}

// folder writes an archive into a temporary folder.
func folder(t testing.TB, archive string) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		write(t, filepath.Join(root, filepath.FromSlash(f.Name)), string(f.Data))
	}
	return root
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// uri returns the URI of a file of the session's root.
func (s *running) uri(name string) protocol.DocumentURI {
	return document.URI(filepath.Join(s.root, filepath.FromSlash(name)))
}

// text returns the text of a file on disk.
func (s *running) text(name string) string {
	s.t.Helper()
	src, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(src)
}

// must fails the test on an error of the connection.
func (s *running) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("%v\nthe server's log:\n%s", err, s.log)
	}
}

// codes waits for the diagnostics of a version of a document and returns their codes.
func (s *running) codes(uri protocol.DocumentURI, version int32) string {
	s.t.Helper()
	found, err := s.Diagnostics(s.t.Context(), uri, version)
	s.must(err)
	return codesOf(found)
}

func codesOf(list []protocol.Diagnostic) string {
	var out []string
	for _, d := range list {
		out = append(out, d.Code.(string))
	}
	return strings.Join(out, " ")
}

// patience is how long a test waits for what does not come, so that it can say so: longer
// than a busy machine takes for what does.
const patience = time.Minute

// untilCodes waits for a document to have findings of these codes.
func (s *running) untilCodes(uri protocol.DocumentURI, want string) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	got := "nothing"
	err := s.Until(ctx, func() bool {
		p, ok := s.Published(uri)
		if ok {
			got = codesOf(p.Diagnostics)
		}
		return ok && got == want
	})
	if err != nil {
		s.t.Fatalf("%s has %s, want %q: %v\nthe server's log:\n%s", uri, got, want, err, s.log)
	}
}

// quiet waits until the server has done what it was told so far, as far as an answer to
// a request shows.
func (s *running) quiet() {
	s.t.Helper()
	s.must(s.Call(s.t.Context(), "workspace/diagnostic", protocol.WorkspaceDiagnosticParams{}, nil))
}

// refused sends a request that is to be refused with a code.
func (s *running) refused(method string, params any, code protocol.ErrorCode) {
	s.t.Helper()
	err := s.Call(context.Background(), method, params, nil)
	e, ok := err.(*protocol.Error)
	if !ok || e.Code != code {
		s.t.Errorf("%s: got %v, want an error with the code %d", method, err, code)
	}
}

// forgive takes what the server sent strangely so far as it was wanted.
func (s *running) forgive() { s.forgiven = len(s.Strange()) }
