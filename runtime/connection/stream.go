package connection

import (
	"io"
	"sync"
)

// Stream returns a connection to a server that is reached over a stream that
// dial opens, for servers inside this process. It has the identity of id and
// identity alone.
func Stream(id, identity string, dial func() (io.ReadWriteCloser, error)) Connection {
	return Connection{ID: id, dial: dial, identity: identity}
}

func (c Connection) openStream(sinks Sinks) (*pipeChannel, error) {
	rw, err := c.dial()
	if err != nil {
		return nil, err
	}
	s := &stream{rw: rw, gone: make(chan struct{})}
	return newPipeChannel(c.ID, s, s, s, nil, c.Timeouts.CloseTimeout(), sinks), nil
}

// stream is a server without a process: closing it, from either side, is its exit.
type stream struct {
	rw   io.ReadWriteCloser
	once sync.Once
	gone chan struct{}
}

func (s *stream) Read(p []byte) (int, error) {
	n, err := s.rw.Read(p)
	if err != nil {
		s.Close()
	}
	return n, err
}

func (s *stream) Write(p []byte) (int, error) { return s.rw.Write(p) }

func (s *stream) Close() (err error) {
	s.once.Do(func() {
		err = s.rw.Close()
		close(s.gone)
	})
	return err
}

func (s *stream) exited() <-chan struct{} { return s.gone }
func (s *stream) terminate()              { s.Close() }
func (s *stream) kill()                   { s.Close() }
func (s *stream) release() string         { s.Close(); return "" }
