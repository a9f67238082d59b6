package connection

import (
	"io"
	"sync"
)

// inbox is the body of an answer that the SDK reads in place of the server's. What
// is put in comes out in the same pieces: the SDK reads ahead and forgets the rest
// of a piece where it changes readers.
type inbox struct {
	mu     sync.Mutex
	pieces [][]byte
	err    error // set: what ends the stream
	ready  chan struct{}
}

func newInbox() *inbox { return &inbox{ready: make(chan struct{}, 1)} }

// put adds a message as an event.
func (b *inbox) put(message []byte) {
	piece := make([]byte, 0, len(message)+len("data: \n\n"))
	piece = append(piece, "data: "...)
	piece = append(piece, message...)
	b.add(append(piece, "\n\n"...), nil)
}

// holds reports whether there is something to read.
func (b *inbox) holds() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.pieces) > 0
}

// end lets the reader meet the end of the stream once it has read all.
func (b *inbox) end() { b.add(nil, io.EOF) }

func (b *inbox) add(piece []byte, err error) {
	b.mu.Lock()
	if b.err == nil {
		if piece != nil {
			b.pieces = append(b.pieces, piece)
		}
		b.err = err
	}
	b.mu.Unlock()
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// Read implements io.Reader for one reader.
func (b *inbox) Read(p []byte) (int, error) {
	for {
		b.mu.Lock()
		if len(b.pieces) > 0 {
			n := copy(p, b.pieces[0])
			if b.pieces[0] = b.pieces[0][n:]; len(b.pieces[0]) == 0 {
				b.pieces[0] = nil
				b.pieces = b.pieces[1:]
			}
			b.mu.Unlock()
			return n, nil
		}
		err := b.err
		b.mu.Unlock()
		if err != nil {
			return 0, err
		}
		<-b.ready
	}
}

// Close implements io.Closer: what is put in from now on is dropped.
func (b *inbox) Close() error {
	b.mu.Lock()
	b.pieces = nil
	b.mu.Unlock()
	b.add(nil, io.ErrClosedPipe)
	return nil
}
