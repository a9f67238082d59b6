package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
)

// Times of a stream of events.
const (
	// silence is for how long a stream may be silent before it counts as lost: the server
	// gives a sign of life every 15 seconds.
	silence   = 45 * time.Second
	firstWait = 100 * time.Millisecond // before a lost stream is opened anew; doubled each time
	mostWait  = 5 * time.Second
	// patience is for how long a stream that was there is tried to be opened again: a
	// server that is started anew is back by then.
	patience = 2 * time.Minute
)

// Event is an event of a run: its place, and what `wfc run --json` prints.
type Event struct {
	Cursor string
	Data   json.RawMessage
}

// Events follows a run from the event after a cursor, "" being its beginning, until the
// run has ended or waits for a person. A connection that is lost is opened anew: what is
// told with a place of its own comes once, and starts of steps, progress and warnings
// may be missed or come twice. One that cannot be opened at all, or again for two
// minutes, is an error. An error ends the sequence; it is as of [Call].
func (c *Client) Events(ctx context.Context, run, after string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		s := stream{client: c, run: run, after: after, yield: yield, seen: time.Now().Add(-patience)}
		for wait := firstWait; ; wait = min(2*wait, mostWait) {
			before := s.seen
			done, err := s.follow(ctx)
			if ctx.Err() != nil {
				done, err = true, context.Cause(ctx)
			}
			if !done && time.Since(s.seen) >= patience {
				done = true
			}
			if done {
				if err != nil && err != errStopped {
					yield(Event{}, err)
				}
				return
			}
			if s.seen != before {
				wait = firstWait
			}
			select {
			case <-time.After(wait):
			case <-ctx.Done():
			}
		}
	}
}

// errStopped says that the reader wants no more.
var errStopped = errors.New("stopped")

// stream is the events of a run as they are read.
type stream struct {
	client *Client
	run    string
	after  string // the cursor of the last event
	yield  func(Event, error) bool
	seen   time.Time // when the server was heard last
}

// follow opens the stream and reads it. done says that there is no use in opening it again.
func (s *stream) follow(ctx context.Context) (done bool, err error) {
	c := s.client
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := c.request(ctx, http.MethodGet, "/runs/"+url.PathEscape(s.run)+"/events", nil)
	if err != nil {
		return true, err
	}
	r.Header.Set("Accept", "text/event-stream")
	if s.after != "" {
		r.Header.Set("Last-Event-ID", s.after)
	}
	alive := time.AfterFunc(silence, cancel)
	defer alive.Stop()
	answer, err := c.do(r)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	switch {
	case answer.StatusCode == http.StatusOK:
		return s.read(answer.Body, alive)
	case answer.StatusCode == http.StatusNoContent: // there are no more
		return true, nil
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	if err == nil {
		_, err = jsonrpc.ReadResponse(text, nil)
	}
	if e := (*jsonrpc.Error)(nil); errors.As(err, &e) {
		err = told(e)
	} else {
		err = c.strange(answer, err)
	}
	return answer.StatusCode < 500, err // a server that is busy, or starts, answers later
}

// read reads events until the stream ends. alive runs out when it is silent.
func (s *stream) read(from io.Reader, alive *time.Timer) (done bool, err error) {
	lines := bufio.NewReader(from)
	ev := Event{Cursor: s.after}
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return false, &UnreachableError{s.client.base.String(), err}
		}
		alive.Reset(silence)
		s.seen = time.Now()
		line = strings.TrimRight(line, "\r\n")
		field, rest, _ := strings.Cut(line, ":")
		rest = strings.TrimPrefix(rest, " ")
		switch {
		case field == "id":
			ev.Cursor = rest
		case field == "data":
			ev.Data = json.RawMessage(rest)
		case field == "event" && rest == "end":
			return true, nil
		case line == "" && ev.Data != nil:
			s.after = ev.Cursor
			if !s.yield(ev, nil) {
				return true, errStopped
			}
			ev.Data = nil // the cursor is that of the last event which has one
		}
	}
}
