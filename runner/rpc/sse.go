package rpc

import (
	"context"
	"errors"
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
	events := follow(ctx, host, run.ID, after)
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
			switch {
			case !open && events.err == nil && s.over(ctx, run.ID):
				out.send("event: end\ndata: {}\n\n")
				return 0, nil
			case !open:
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

// over reports whether a run has no more events. One that was parked, because the
// server stops, has.
func (s *Server) over(ctx context.Context, id string) bool {
	r, err := s.options.Host.Run(ctx, id)
	return err == nil && isOver(r)
}

// followed is the events of a run, read by a goroutine of its own.
type followed struct {
	next chan service.RunEvent // closed when there are no more
	err  error                 // why; set before next is closed
	done chan struct{}         // closed when the goroutine has ended
}

// follow reads the events of a run until ctx is done.
func follow(ctx context.Context, host *service.Host, id string, after int64) *followed {
	f := &followed{next: make(chan service.RunEvent), done: make(chan struct{})}
	go func() {
		defer close(f.done)
		defer close(f.next)
		for ev, err := range host.Follow(ctx, id, after) {
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
