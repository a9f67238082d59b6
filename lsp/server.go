// Package lsp is the language server: LSP on one side, the compiler on the other,
// and no analysis of its own.
//
// Its central type is [Server]. It may import the compiler and lang. The
// requests of editors are answered by lsp/feature, from snapshots of
// lsp/workspace.
package lsp

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// Options are how a server runs.
type Options struct {
	// Version is that of wfc: what it says of itself, and what requires_wfc is compared with.
	Version string
	// Log gets a line for what is wrong with the connection, and the traces of faults;
	// nil: nothing. Editors show what a server writes to its standard error.
	Log io.Writer
}

// Server is one session with one client. Serve reads its messages; all that changes
// the session happens there, in the order of the wire.
type Server struct {
	options  Options
	out      *outbox
	log      *log
	features map[string]handler

	ctx    context.Context // ends with the session
	cancel context.CancelFunc
	work   sync.WaitGroup // the writer of messages

	logging sync.WaitGroup // the writer of the log, which outlives all that writes into it

	// Of Serve's goroutine alone.
	phase     phase
	client    *workspace.Client
	workspace *workspace.Workspace

	asked     atomic.Int64 // requests to the client
	publisher *publisher   // nil before initialize

	calls *calls
}

// phase is how far a session is.
type phase int

const (
	begun phase = iota
	initialized
	shutDown
)

// New returns a server that reads from and writes to a client.
func New(out io.Writer, o Options) *Server {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Server{options: o, ctx: ctx, cancel: cancel, calls: newCalls(), features: table()}
	s.log = newLog(o.Log)
	s.out = newOutbox(out)
	s.work.Go(s.out.write)
	s.logging.Go(s.log.write)
	return s
}

// errExit is how the exit notification ends Serve's loop.
var errExit = errors.New("exit")

// Serve reads messages until the client says exit, or is gone, and returns the
// exit code of the process: 0 where the client said shutdown before. It returns
// at once then, and the process may end; who goes on calls Close.
func (s *Server) Serve(in io.Reader) (code int) {
	defer s.cancel()
	r := protocol.NewReader(in)
	for {
		src, err := r.Read()
		var frame *protocol.FrameError
		switch {
		case errors.As(err, &frame):
			s.logf("%v", err)
			continue
		case err != nil:
			return s.exitCode()
		}
		if err := s.receive(src); err != nil {
			return s.exitCode()
		}
	}
}

func (s *Server) exitCode() int {
	if s.phase == shutDown {
		return 0
	}
	return 1
}

// Close ends the session and waits for all that it began.
func (s *Server) Close() {
	s.cancel()
	s.calls.wait()
	if s.publisher != nil {
		s.publisher.wait()
	}
	s.out.close()
	s.work.Wait()
	s.log.close()
	s.logging.Wait()
}

// receive takes one message. The error ends the session.
func (s *Server) receive(src []byte) error {
	m, err := protocol.Decode(src)
	switch {
	case err != nil && (m.ID != "" && m.Method != "" || m.IsResponse() && m.Result == nil && m.Error == nil):
		// A request that can be answered, or what nobody can tell.
		s.respond(m.ID, nil, err)
		return nil
	case err != nil:
		s.logf("%v", err)
		return nil
	case m.IsResponse():
		if m.Error != nil {
			s.logf("The client answered %s: %s", m.ID, m.Error.Message)
		}
		return nil
	case m.IsRequest():
		s.request(m)
		return nil
	}
	return s.notification(m)
}

// request answers a request, or sees to it that it is.
func (s *Server) request(m *protocol.Message) {
	switch {
	case s.phase == shutDown:
		s.respond(m.ID, nil, protocol.Errorf(protocol.InvalidRequest, "The server was shut down, and only exit may follow."))
	case m.Method == "initialize":
		if s.phase != begun {
			s.respond(m.ID, nil, protocol.Errorf(protocol.InvalidRequest, "The session is initialized already."))
			return
		}
		result, err := s.initialize(m)
		s.respond(m.ID, result, err)
	case s.phase == begun:
		s.respond(m.ID, nil, protocol.Errorf(protocol.ServerNotInitialized, "The first request is initialize."))
	case m.Method == "shutdown":
		s.phase = shutDown
		s.publisher.stop()
		s.respond(m.ID, nil, nil)
	default:
		h, ok := s.features[m.Method]
		if !ok {
			s.respond(m.ID, nil, protocol.Errorf(protocol.MethodNotFound, "wfc does not know the request %s.", m.Method))
			return
		}
		s.call(m, h)
	}
}

// respond sends the answer to a request.
func (s *Server) respond(id protocol.ID, result any, err error) {
	m, bad := protocol.Response(id, result, err)
	if bad != nil {
		m, _ = protocol.Response(id, nil, protocol.Errorf(protocol.InternalError, "This is a bug in wfc: %v.", bad))
	}
	s.send(m, "")
}

// ask sends a request to the client, of which only a failure matters.
func (s *Server) ask(method string, params any) {
	m, err := protocol.Request(protocol.ID(strconv.FormatInt(s.asked.Add(1), 10)), method, params)
	if err != nil {
		s.log.printf("This is a bug in wfc: %v.", err)
		return
	}
	s.send(m, "")
}

// notify sends a notification. Of those with the same key, a newer one takes the
// place of one that was not sent yet; "": none does.
func (s *Server) notify(method, key string, params any) {
	m, err := protocol.Notification(method, params)
	if err != nil {
		s.log.printf("This is a bug in wfc: %v.", err)
		return
	}
	s.send(m, key)
}

func (s *Server) send(m *protocol.Message, key string) {
	src, err := m.Encode()
	if err != nil {
		s.log.printf("This is a bug in wfc: %v.", err)
		return
	}
	s.out.put(s.ctx, src, key)
}
