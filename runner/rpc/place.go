package rpc

import (
	"context"
	"net/http"
	"strings"

	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
)

// places are how many requests may be here at once, by what they do. Those that only
// wait, for a run or a tool or what an agent may want to hear, have places of their own:
// however many they are, a run can be looked at and cancelled.
type places struct {
	short   chan struct{} // holds one for each request that is answered at once
	waiting chan struct{} // for each that waits for a run or a tool
	streams chan struct{} // for each stream of events, and each request to /mcp
}

func newPlaces(most int) places {
	return places{make(chan struct{}, most), make(chan struct{}, most), make(chan struct{}, most)}
}

// of returns where a request has its place; nil: it needs none.
func (p *places) of(r *http.Request) chan struct{} {
	switch path := r.URL.Path; {
	case path == "/healthz" || path == "/readyz":
		return nil // a server that is busy is no server that is dead
	case path == "/mcp" || strings.HasPrefix(path, "/runs/"):
		return p.streams
	}
	return p.short
}

// count returns how many requests are here.
func (p *places) count() int { return len(p.short) + len(p.waiting) + len(p.streams) }

// held is the place of one request.
type held struct {
	all *places
	at  chan struct{} // nil: none is needed
}

// take takes a place for a request; ok is false where there is none left.
func (p *places) take(r *http.Request) (taken *held, ok bool) {
	at := p.of(r)
	if at == nil {
		return &held{all: p}, true
	}
	select {
	case at <- struct{}{}:
		return &held{p, at}, true
	default:
		return nil, false
	}
}

func (p *held) give() {
	if p.at != nil {
		<-p.at
		p.at = nil
	}
}

type placeKey struct{}

// waits says that the request of ctx waits from now on for something that may take
// long. The error says that too many do.
func waits(ctx context.Context) error {
	p, _ := ctx.Value(placeKey{}).(*held)
	if p == nil || p.at != p.all.short {
		return nil
	}
	select {
	case p.all.waiting <- struct{}{}:
		p.give()
		p.at = p.all.waiting
		return nil
	default:
		return errBusy("As many requests wait for runs and tools as may.")
	}
}

// errBusy is the error of what there is too much of now.
func errBusy(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: protocol.CodeBusy, Message: message + " Try again.", Data: map[string]any{"retry_after": retryAfter}}
}
