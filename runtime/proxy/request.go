package proxy

import (
	"net/http"
	"sync"

	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// request is one request of a client.
type request struct {
	client *client
	m      raw.Message
	id     []byte // raw JSON
	out    sink
	token  []byte      // its progress token as raw JSON, nil if it wants no progress
	header http.Header // what goes beside it over HTTP; may be nil

	mu     sync.Mutex
	over   bool // it is answered or cancelled
	cancel []func(reason []byte)
	gone   chan struct{} // closed with over
}

// newRequest returns the request that m is, known to the client for a cancellation.
func (c *client) newRequest(m raw.Message, out sink, header http.Header) *request {
	r := &request{client: c, m: m, id: m.ID.Of(m.Data), out: out, token: m.Param("_meta", "progressToken").Of(m.Data), header: header, gone: make(chan struct{})}
	c.mu.Lock()
	c.requests[string(r.id)] = r
	c.mu.Unlock()
	return r
}

// finish reports whether r was not over yet; it is now.
func (r *request) finish() bool {
	r.mu.Lock()
	over := r.over
	r.over = true
	if !over {
		close(r.gone)
	}
	r.mu.Unlock()
	if over {
		return false
	}
	c := r.client
	c.mu.Lock()
	if c.requests[string(r.id)] == r {
		delete(c.requests, string(r.id))
	}
	c.mu.Unlock()
	return true
}

// answer sends the message that answers r, unless it is over.
func (r *request) answer(data []byte) {
	if r.finish() {
		r.client.emit(r.out, data, true)
	}
}

func (r *request) fail(f *failure) { r.answer(f.reply(r.id)) }

// onCancel has f called once if r is cancelled, also if it was before.
func (r *request) onCancel(f func(reason []byte)) {
	r.mu.Lock()
	over := r.over
	if !over {
		r.cancel = append(r.cancel, f)
	}
	r.mu.Unlock()
	if over {
		f(nil)
	}
}

// abort cancels r. Reason is raw JSON, or nil.
func (r *request) abort(reason []byte) {
	if !r.finish() {
		return
	}
	r.mu.Lock()
	all := r.cancel
	r.cancel = nil
	r.mu.Unlock()
	for _, f := range all {
		f(reason)
	}
	r.out.close()
}

// meta returns the member of the request's _meta that the protocol calls name.
func (r *request) meta(name string) []byte {
	return r.m.Param("_meta", "io.modelcontextprotocol/"+name).Of(r.m.Data)
}
