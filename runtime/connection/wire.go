package connection

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// Wire is a live channel to one server that carries JSON-RPC messages as bytes and
// looks at no more of them than the transport needs. All methods are safe for
// concurrent use, and none but [Wire.End] waits for the server.
//
// Whoever sends gives every request a whole number as its id, none twice.
type Wire interface {
	// Send hands on one message, which it keeps. Messages leave in the order of Send,
	// but over HTTP requests overlap. The error says that the wire has ended.
	Send(Packet) error
	// Abandon gives up the answer to a request. Over HTTP from 2026-07-28 on that is
	// how a request is cancelled.
	Abandon(id int64)
	// Speak tells the wire which revision was agreed on, before anything but the
	// handshake is sent.
	Speak(version string)
	// Close, Kill, Done and End are as of [Channel].
	Close() error
	Kill(cause error)
	Done() <-chan struct{}
	End() End
}

// Packet is a message on its way to a server.
type Packet struct {
	Data []byte // one JSON object, without line ends
	// Header is what goes beside the message over HTTP from 2026-07-28 on, where a
	// tool wants some of its arguments there. May be nil.
	Header http.Header
}

// Delivery is what comes from a server.
type Delivery struct {
	// Data is one JSON-RPC message, nil if Err is set. It is valid until the sink returns.
	Data []byte
	// Of is the id of the request in answer to which the message came, as far as the
	// transport tells: 0 where it does not.
	Of int64
	// Err says in place of an answer why request Of has none: a *[Failure], or an error
	// in a full sentence. If Of is 0 all requests in flight have none.
	Err error
}

// Wire opens a channel of raw messages, which starts a process where c has one.
// deliver gets what comes, in the order of the wire: on one goroutine for a process,
// on one for each stream over HTTP. It must not block for long. stderr, which may be
// nil, gets lines as of [Sinks]. The error is a [Problem] without the connection's
// name. What is opened is freed by [Wire.Close].
func (c Connection) Wire(deliver func(Delivery), stderr func(string)) (Wire, error) {
	sinks := Sinks{Stderr: stderr}
	switch {
	case c.dial != nil:
		return wired(c.openStream(sinks))(deliver)
	case c.Stdio != nil:
		return wired(c.openStdio(sinks))(deliver)
	case c.HTTP != nil:
		return c.httpWire(c.HTTP, false, deliver)
	case c.SSE != nil:
		return c.httpWire(c.SSE, true, deliver)
	}
	return nil, Problem("It has no transport. Give it a stdio, http or sse block.")
}

// pipeWire is the [Wire] over a pair of byte streams.
type pipeWire struct {
	*pipeChannel
}

func wired(c *pipeChannel, err error) func(func(Delivery)) (Wire, error) {
	return func(deliver func(Delivery)) (Wire, error) {
		if err != nil {
			return nil, err
		}
		w := pipeWire{c}
		go w.read(deliver)
		return w, nil
	}
}

// Send implements [Wire].
func (w pipeWire) Send(p Packet) error {
	return w.send(outgoing{data: append(p.Data, '\n')})
}

// Abandon implements [Wire]. A pipe has nothing to free.
func (w pipeWire) Abandon(int64) {}

// Speak implements [Wire].
func (w pipeWire) Speak(string) {}

// read takes messages until the stream ends. The channel's end waits for it.
func (w pipeWire) read(deliver func(Delivery)) {
	defer w.endStdout()
	for {
		e, err := w.frames.next()
		if big := (*tooLarge)(nil); errors.As(err, &big) {
			deliver(Delivery{Of: idOf(big), Err: overLimit(w.frames.limit)})
			continue
		}
		if err != nil {
			return
		}
		deliver(Delivery{Data: e.whole})
	}
}

// idOf returns the id in an answer over the limit, 0 if it is in neither end of it.
func idOf(big *tooLarge) int64 {
	for _, found := range [][][]byte{idAtStart().FindSubmatch(big.head), idAtEnd().FindSubmatch(big.tail)} {
		if found == nil {
			continue
		}
		if n, err := strconv.ParseInt(string(found[1]), 10, 64); err == nil {
			return n
		}
	}
	return 0
}

// messagesIn splits what came as one text, which may be a batch, into messages. What
// is none is dropped; none is true if that was all of it.
func messagesIn(data []byte) (all [][]byte, none bool) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	batch := []json.RawMessage{data}
	if len(data) > 0 && data[0] == '[' {
		if json.Unmarshal(data, &batch) != nil {
			return nil, true
		}
	}
	for _, one := range batch {
		if e, _, how := scanEnvelope(one); how == complete && e.isMessage() {
			all = append(all, e.whole)
		}
	}
	return all, len(all) == 0
}
