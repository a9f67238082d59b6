package lsp

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"

	"github.com/lda-wf/wfc/lsp/feature"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// maxCalls bounds the requests that are being answered. A client that asks more
// than that at once waits.
const maxCalls = 512

// handler answers a request from a snapshot.
type handler func(context.Context, *workspace.Snapshot, *protocol.Message) (any, error)

// table returns the handlers by method.
func table() map[string]handler {
	out := map[string]handler{}
	for _, f := range feature.All() {
		out[f.Method] = f.Call
	}
	return out
}

// calls are the requests that are being answered.
type calls struct {
	mu   sync.Mutex
	open map[protocol.ID]*call
	all  sync.WaitGroup
	slot chan struct{}
}

// call is a request that is being answered, once.
type call struct {
	cancel   context.CancelFunc
	answered sync.Once
}

func newCalls() *calls {
	return &calls{open: map[protocol.ID]*call{}, slot: make(chan struct{}, maxCalls)}
}

func (c *calls) wait() { c.all.Wait() }

// call answers a request on a goroutine of its own, from the state of now.
func (s *Server) call(m *protocol.Message, h handler) {
	snapshot := s.workspace.Snapshot()
	ctx, cancel := context.WithCancel(s.ctx)
	k := &call{cancel: cancel}
	c := s.calls
	c.mu.Lock()
	if c.open[m.ID] != nil {
		c.mu.Unlock()
		cancel()
		s.respond(m.ID, nil, protocol.Errorf(protocol.InvalidRequest, "The request %s is not answered yet, and its id was used again.", m.ID))
		return
	}
	c.open[m.ID] = k
	c.mu.Unlock()
	select {
	case c.slot <- struct{}{}:
	case <-ctx.Done(): // the session is over
	}
	c.all.Go(func() {
		defer func() { <-c.slot }()
		defer cancel()
		result, err := s.safely(ctx, snapshot, m, h)
		s.answer(m.ID, k, result, err)
	})
}

// answer answers a request, unless it was.
func (s *Server) answer(id protocol.ID, k *call, result any, err error) {
	k.answered.Do(func() {
		s.calls.mu.Lock()
		delete(s.calls.open, id)
		s.calls.mu.Unlock()
		if errors.Is(err, context.Canceled) {
			err = protocol.Errorf(protocol.RequestCancelled, "The request was cancelled.")
		}
		s.respond(id, result, err)
	})
}

// cancelCall takes back a request: it is answered as cancelled at once.
func (s *Server) cancelCall(id protocol.ID) {
	s.calls.mu.Lock()
	k := s.calls.open[id]
	s.calls.mu.Unlock()
	if k == nil { // it was answered
		return
	}
	k.cancel()
	s.answer(id, k, nil, context.Canceled)
}

// safely calls a handler. A fault of wfc is an error of this one request.
func (s *Server) safely(ctx context.Context, snapshot *workspace.Snapshot, m *protocol.Message, h handler) (result any, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			s.log.printf("a fault in %s: %v\n%s", m.Method, fault, debug.Stack())
			result, err = nil, protocol.Errorf(protocol.InternalError, "This is a bug in wfc: %s failed (%v). Please report it with what the server wrote to its log.", m.Method, fault)
		}
	}()
	return h(ctx, snapshot, m)
}
