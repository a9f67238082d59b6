package lsp

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
	"github.com/lda-wf/wfc/testdata/lspclient"
)

// A fault in a handler is the end of one request, with a trace in the log.
func TestAFaultIsTheErrorOfOneRequest(t *testing.T) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	var log bytes.Buffer
	s := New(toClient, Options{Log: &log})
	s.features["test/fault"] = func(context.Context, *workspace.Snapshot, *protocol.Message) (any, error) {
		panic("nobody thought of it")
	}
	s.features["test/unwritable"] = func(context.Context, *workspace.Snapshot, *protocol.Message) (any, error) { return func() {}, nil }
	var ended sync.WaitGroup
	ended.Go(func() {
		s.Serve(fromClient)
		s.Close()
		toClient.Close()
	})
	c := lspclient.New(fromServer, toServer)
	if _, err := c.Initialize(t.Context(), protocol.InitializeParams{}); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"test/fault", "test/unwritable"} {
		err := c.Call(t.Context(), method, nil, nil)
		if e, ok := err.(*protocol.Error); !ok || e.Code != protocol.InternalError || !strings.Contains(e.Message, "bug in wfc") {
			t.Errorf("%s is answered with %v", method, err)
		}
	}
	if err := c.Call(t.Context(), "shutdown", nil, nil); err != nil {
		t.Errorf("after that: %v", err)
	}
	toServer.Close()
	ended.Wait()
	c.Wait()
	if !strings.Contains(log.String(), "nobody thought of it") || !strings.Contains(log.String(), "fault_test.go") {
		t.Errorf("the log has no trace:\n%s", log.String())
	}
}

// A request that is cancelled is answered at once, whatever its handler does.
func TestACancelledRequestIsAnsweredAtOnce(t *testing.T) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	s := New(toClient, Options{})
	let := make(chan struct{})
	s.features["test/stuck"] = func(context.Context, *workspace.Snapshot, *protocol.Message) (any, error) { <-let; return 1, nil }
	var ended sync.WaitGroup
	ended.Go(func() {
		s.Serve(fromClient)
		s.Close()
		toClient.Close()
	})
	c := lspclient.New(fromServer, toServer)
	if _, err := c.Initialize(t.Context(), protocol.InitializeParams{}); err != nil {
		t.Fatal(err)
	}
	id, answer, err := c.Begin("test/stuck", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Notify("$/cancelRequest", protocol.CancelParams{ID: id}); err != nil {
		t.Fatal(err)
	}
	if m := <-answer; m == nil || m.Error == nil || m.Error.Code != protocol.RequestCancelled {
		t.Errorf("it is answered with %+v", m)
	}
	close(let)
	toServer.Close()
	ended.Wait()
	c.Wait()
	if strange := c.Strange(); len(strange) > 0 {
		t.Errorf("it was answered twice: %v", strange)
	}
}
