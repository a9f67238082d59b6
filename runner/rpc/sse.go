package rpc

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/service"
)

// serveEvents streams the events of a run as server-sent events, from the one after
// Last-Event-ID, or ?after=, until it has ended or waits for a person. The last event
// is "end": whoever sees the stream end without it opens it again.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	begun := time.Now()
	code, err := s.streamEvents(w, r)
	if err != nil {
		e := s.told(r.Context(), "events", err)
		status := map[int]int{protocol.CodeNotFound: http.StatusNotFound, jsonrpc.CodeInvalidParams: http.StatusBadRequest, protocol.CodeInvalid: http.StatusBadRequest}[e.Code]
		if status == 0 {
			status = http.StatusInternalServerError
		}
		code = e.Code
		s.write(w, status, jsonrpc.Response{Err: e})
	}
	s.observe("events", code, time.Since(begun))
}

// streamEvents returns an error where nothing has been sent.
func (s *Server) streamEvents(w http.ResponseWriter, r *http.Request) (code int, err error) {
	cursor := r.Header.Get("Last-Event-ID")
	if cursor == "" {
		cursor = r.URL.Query().Get("after")
	}
	after, err := place(cursor)
	if err != nil {
		return 0, err
	}
	host := s.options.Host
	run, err := host.Run(r.Context(), r.PathValue("id"))
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(r.Context(), cancel)()
	events := s.follow(ctx, run.ID, after)
	defer events.stop(cancel)
	out := stream{w: w, control: http.NewResponseController(w), limit: s.limits.Transfer}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // proxies that gather answers
	w.WriteHeader(http.StatusOK)
	if !out.send(":\n\n") {
		return 0, nil
	}
	beat := time.NewTicker(s.limits.Beat)
	defer beat.Stop()
	for {
		select {
		case ev, open := <-events.next:
			if !open {
				if events.err == nil {
					out.send("event: end\ndata: {}\n\n")
				}
				return 0, nil
			}
			text := ""
			if ev.Kept {
				text = "id: " + strconv.FormatInt(ev.Seq, 10) + "\n"
			}
			if !out.send(text + "data: " + string(eventJSON(ev.Event)) + "\n\n") {
				return protocol.CodeTimeout, nil
			}
		case <-beat.C:
			if !out.send(":\n\n") {
				return protocol.CodeTimeout, nil
			}
		case <-s.stopped:
			return 0, nil
		}
	}
}

// events iterates over the events of a run behind the place after until it has ended or
// waits for a person. Those of one that another process executes are looked for in the
// journal now and then: nobody tells us of them.
func (s *Server) events(ctx context.Context, id string, after int64) iter.Seq2[service.RunEvent, error] {
	return func(yield func(service.RunEvent, error) bool) {
		host := s.options.Host
		again := time.NewTimer(s.limits.Look)
		defer again.Stop()
		for passed := 0; ; { // events behind after that have no place, and were told
			skip := passed
			before, err := host.Run(ctx, id)
			if err != nil {
				yield(service.RunEvent{}, err)
				return
			}
			for ev, err := range host.Follow(ctx, id, after) {
				if err == nil && !ev.Kept && skip > 0 {
					skip--
					continue
				}
				if !yield(ev, err) || err != nil {
					return
				}
				if passed++; ev.Kept {
					after, passed, skip = ev.Seq, 0, 0
				}
			}
			over, err := s.over(ctx, before, after)
			if err != nil {
				yield(service.RunEvent{}, err)
				return
			}
			if over {
				return
			}
			again.Reset(s.limits.Look)
			select {
			case <-again.C:
			case <-ctx.Done():
				yield(service.RunEvent{}, ctx.Err())
				return
			}
		}
	}
}

// over reports whether there are no events of a run behind the place after, and will be
// none. before is how it was when they were read.
func (s *Server) over(ctx context.Context, before *service.Run, after int64) (bool, error) {
	if isOver(before) {
		return true, nil
	}
	r, err := s.options.Host.Run(ctx, before.ID)
	if err != nil || !isOver(r) {
		return false, err
	}
	last, err := s.options.Host.Place(ctx, before.ID) // it may have ended since
	return last <= after, err
}

// followed is the events of a run, read by a goroutine of its own.
type followed struct {
	next chan service.RunEvent // closed when there are no more
	err  error                 // why; set before next is closed
	done chan struct{}         // closed when the goroutine has ended
}

// follow reads the events of a run until ctx is done.
func (s *Server) follow(ctx context.Context, id string, after int64) *followed {
	f := &followed{next: make(chan service.RunEvent), done: make(chan struct{})}
	go func() {
		defer close(f.done)
		defer close(f.next)
		for ev, err := range s.events(ctx, id, after) {
			if err != nil {
				f.err = err
				return
			}
			select {
			case f.next <- ev:
			case <-ctx.Done():
				f.err = ctx.Err()
				return
			}
		}
	}()
	return f
}

func (f *followed) stop(cancel context.CancelFunc) {
	cancel()
	<-f.done
}

// stream is a stream of server-sent events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration // for the client to take what is sent
}

// send sends text; false says that the client is gone, or takes too long.
func (s *stream) send(text string) bool {
	if err := s.control.SetWriteDeadline(time.Now().Add(s.limit)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return false
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return false
	}
	return s.control.Flush() == nil
}
