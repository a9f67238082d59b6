package rpc

import (
	"io"
	"net/http"
	"time"
)

// A client that is slow, or has stopped, must not hold anything for ever. What is sent
// to it is sent in pieces, each of which it has a while to take; a body has one while as
// a whole.

// pieceSize is how much of an answer a client must take in the time that it has.
const pieceSize = 64 << 10

// patient is an answer that is written in pieces, each in its own time.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
	each    time.Duration
}

func newPatient(w http.ResponseWriter, each time.Duration) *patient {
	return &patient{w, http.NewResponseController(w), each}
}

// Unwrap is for http.ResponseController.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// Write writes b; what the client does not take in time ends its connection.
func (p *patient) Write(b []byte) (n int, err error) {
	for {
		piece := b[:min(len(b), pieceSize)]
		_ = p.control.SetWriteDeadline(time.Now().Add(p.each))
		m, err := p.ResponseWriter.Write(piece)
		n += m
		if b = b[len(piece):]; err != nil || len(b) == 0 {
			return n, err
		}
	}
}

// FlushError sends what was written, for http.ResponseController.
func (p *patient) FlushError() error {
	_ = p.control.SetWriteDeadline(time.Now().Add(p.each))
	return p.control.Flush()
}

// timely returns a body that must come within a time. The time ends with the body: what
// the connection is read for afterwards, such as its end, may take as long as it likes.
func timely(w http.ResponseWriter, body io.ReadCloser, within time.Duration) io.ReadCloser {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(within))
	return &timedBody{body, control}
}

type timedBody struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}
