package proxy

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// stream is the sink of a client over HTTP: what is sent waits for the handler that
// writes it.
type stream struct {
	wake    chan struct{} // something to write, or closed
	endless bool          // no answer ends it

	mu     sync.Mutex
	queue  [][]byte
	left   int  // answers that are still to come
	single bool // it is one answer's, and nothing else was sent: it needs no events
	closed bool
}

// mostQueued is how many messages wait for a client that does not listen.
const mostQueued = 1024

// newStream returns a stream that ends with so many answers, or never if it is -1.
func newStream(answers int) *stream {
	return &stream{wake: make(chan struct{}, 1), endless: answers < 0, left: answers, single: answers == 1}
}

func (s *stream) send(data []byte, final bool) {
	s.mu.Lock()
	switch {
	case s.closed, s.endless && len(s.queue) >= mostQueued:
	default:
		s.queue = append(s.queue, oneLine(data))
		if final && s.left > 0 {
			s.left--
			s.closed = s.left == 0
		} else {
			s.single = false
		}
	}
	s.mu.Unlock()
	s.rouse()
}

// close ends the stream where no answer comes any more.
func (s *stream) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.rouse()
}

func (s *stream) rouse() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// next takes what there is to write.
func (s *stream) next() (all [][]byte, single, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, s.queue = s.queue, nil
	return all, s.single, s.closed
}

// silence is how long nothing comes before a comment does: what is between client and
// proxy, and the client itself, may take silence for a lost connection.
const silence = 15 * time.Second

// pump writes what is sent on s as the answer to an HTTP request, until s is closed or
// the client has gone, which it reports. A single answer is written as JSON, which costs
// the client less, unless plain is false; anything else as events.
func (s *stream) pump(ctx context.Context, w http.ResponseWriter, plain bool) (gone bool) {
	begun := false
	begin := func() {
		if !begun {
			begun = true
			h := w.Header()
			h.Set("Content-Type", "text/event-stream")
			h.Set("Cache-Control", "no-cache, no-transform")
			h.Set("X-Accel-Buffering", "no")
			w.WriteHeader(http.StatusOK)
		}
	}
	flush := http.NewResponseController(w).Flush
	if s.endless {
		begin()
		_ = flush()
	}
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		all, single, closed := s.next()
		if plain && single && closed && !begun && len(all) == 1 {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", strconv.Itoa(len(all[0])))
			_, err := w.Write(all[0])
			return err != nil
		}
		for _, data := range all {
			begin()
			if !writeEvent(w, data) {
				return true
			}
		}
		if closed {
			begin()
			return false
		}
		if len(all) > 0 {
			if flush() != nil {
				return true
			}
			quiet.Reset(silence)
		}
		select {
		case <-s.wake:
		case <-ctx.Done():
			return true
		case <-quiet.C:
			begin()
			if _, err := w.Write([]byte(": \n\n")); err != nil || flush() != nil {
				return true
			}
			quiet.Reset(silence)
		}
	}
}

func writeEvent(w http.ResponseWriter, data []byte) bool {
	event := make([]byte, 0, len(data)+32)
	event = append(event, "event: message\ndata: "...)
	event = append(event, data...)
	_, err := w.Write(append(event, "\n\n"...))
	return err == nil
}
