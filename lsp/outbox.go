package lsp

import (
	"context"
	"io"
	"sync"

	"github.com/lda-wf/wfc/lsp/protocol"
)

// maxWaiting bounds the bytes that wait for a client to read them. A client that
// writes much before it reads is no reason to stop; one that never reads is.
const maxWaiting = 64 << 20

// outbox has the messages for the client, in order. One goroutine writes them, so
// that a client that does not read holds nobody up until much is waiting.
type outbox struct {
	w io.Writer

	mu     sync.Mutex
	queue  []*letter
	keyed  map[string]*letter // those of the queue that a newer one may replace
	bytes  int
	closed bool          // nothing is sent any more: the client is gone, or the session is over
	some   chan struct{} // something is in the queue, or it is closed
	room   chan struct{} // something was sent
}

type letter struct {
	src []byte
	key string
}

func newOutbox(w io.Writer) *outbox {
	return &outbox{w: w, keyed: map[string]*letter{}, some: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// put adds a message. It waits while too much is waiting already.
func (o *outbox) put(ctx context.Context, src []byte, key string) {
	for {
		o.mu.Lock()
		if o.closed {
			o.mu.Unlock()
			return
		}
		if old := o.keyed[key]; old != nil && key != "" {
			o.bytes += len(src) - len(old.src)
			old.src = src
			o.mu.Unlock()
			return
		}
		if o.bytes < maxWaiting {
			l := &letter{src, key}
			if key != "" {
				o.keyed[key] = l
			}
			o.queue = append(o.queue, l)
			o.bytes += len(src)
			o.mu.Unlock()
			signal(o.some)
			return
		}
		o.mu.Unlock()
		select {
		case <-o.room:
			signal(o.room) // for others that wait
		case <-ctx.Done():
			return
		}
	}
}

// write sends messages until the outbox is closed and empty, or the client is gone.
func (o *outbox) write() {
	for range o.some {
		for {
			o.mu.Lock()
			if len(o.queue) == 0 {
				done := o.closed
				o.mu.Unlock()
				if done {
					return
				}
				break
			}
			l := o.queue[0]
			o.queue = o.queue[1:]
			if l.key != "" {
				delete(o.keyed, l.key)
			}
			src := l.src
			o.mu.Unlock()
			_, err := o.w.Write(protocol.Frame(src))
			o.mu.Lock()
			o.bytes -= len(src)
			if err != nil {
				o.closed, o.queue, o.bytes = true, nil, 0
			}
			o.mu.Unlock()
			signal(o.room)
		}
	}
}

// close ends the outbox once what is in it was sent.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	signal(o.some)
}

// signal notes that something happened, for whoever waits or will.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
