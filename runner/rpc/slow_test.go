package rpc

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A client that is slow, or stops, holds nothing for long.
func TestSlowClientsAreLetGo(t *testing.T) {
	// It reads what it is sent, as the front end for agents does, and then sends without end.
	agents := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, "slow", http.StatusRequestTimeout)
			return
		}
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
			if http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	})
	const header, transfer = time.Second, 5 * time.Second
	for _, test := range []struct {
		name, sends, want string
		reads             bool
		after             time.Duration
	}{
		{"half a header", "POST /rpc HTTP/1.1\r\nHost: localhost\r\n", "", true, header},
		{"half a body", "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
			"HTTP/1.1 408", true, transfer},
		{"half a body of an agent", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
			"HTTP/1.1 408", true, transfer},
		{"an agent that does not read", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", "", false, transfer},
		// One that says how much it will send is refused before it has.
		{"a large body", "POST /rpc HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\nConnection: close\r\n\r\n",
			"HTTP/1.1 413", true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			// A pipe in place of a network: time is that of the test, and not that of the machine.
			synctest.Test(t, func(t *testing.T) {
				gone := make(chan struct{}, 1)
				s, err := New(Options{Limits: Limits{Header: header, Transfer: transfer}, MCP: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					defer close(gone)
					agents(w, r)
				})})
				must(t, err)
				conn, theirs := net.Pipe()
				ctx, cancel := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() { served <- s.Serve(ctx, newPipeListener(theirs), nil) }()
				began := time.Now()
				_, err = io.WriteString(conn, test.sends)
				must(t, err)
				if test.reads {
					text, err := io.ReadAll(conn) // until the server lets go
					must(t, err)
					if !strings.HasPrefix(string(text), test.want) {
						t.Errorf("answered %q, want %q", text, test.want)
					}
				} else {
					<-gone // the handler has ended, although nobody reads
				}
				if took := time.Since(began); took < test.after || took > test.after+time.Second {
					t.Errorf("it was let go after %s, want %s", took, test.after)
				}
				conn.Close()
				cancel()
				must(t, <-served)
			})
		})
	}
}

// pipeListener gives one connection.
type pipeListener struct {
	conns  chan net.Conn
	closed context.Context
	close  context.CancelFunc
}

func newPipeListener(conn net.Conn) *pipeListener {
	l := &pipeListener{conns: make(chan net.Conn, 1)}
	l.conns <- conn
	l.closed, l.close = context.WithCancel(context.Background())
	return l
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed.Done():
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { l.close(); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

// A large answer may take a slow client as long as it takes, as long as it takes it.
func TestALargeAnswerIsSentInPieces(t *testing.T) {
	w := &countedWriter{ResponseRecorder: httptest.NewRecorder()}
	n, err := newPatient(w, time.Minute).Write(make([]byte, 3*pieceSize+1))
	if n != 3*pieceSize+1 || err != nil || w.Body.Len() != n || !slices.Equal(w.sizes, []int{pieceSize, pieceSize, pieceSize, 1}) || w.deadlines != 4 {
		t.Errorf("wrote %d (%v) as %v, with %d deadlines", n, err, w.sizes, w.deadlines)
	}
}

type countedWriter struct {
	*httptest.ResponseRecorder
	sizes     []int
	deadlines int
}

func (w *countedWriter) Write(b []byte) (int, error) {
	w.sizes = append(w.sizes, len(b))
	return w.ResponseRecorder.Write(b)
}

func (w *countedWriter) SetWriteDeadline(time.Time) error {
	w.deadlines++
	return nil
}

// A stream lives as long as its run: it is each piece of it that has to be taken in time.
func TestEachPieceOfAStreamHasATimeOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		w := &pipedWriter{ResponseRecorder: httptest.NewRecorder(), conn: ours}
		out := stream{w: w, control: http.NewResponseController(w), limit: time.Second}
		read := make([]byte, 10)
		for range 10 {
			go io.ReadFull(theirs, read[:3])
			if !out.send(":\n\n") {
				t.Fatal("who takes what is sent is let go")
			}
			time.Sleep(time.Minute) // of the bubble's clock
		}
		began := time.Now()
		if out.send(":\n\n") || time.Since(began) != time.Second {
			t.Errorf("who takes nothing is let go after %s", time.Since(began))
		}
	})
}

// pipedWriter writes to a connection.
type pipedWriter struct {
	*httptest.ResponseRecorder
	conn net.Conn
}

func (w *pipedWriter) Write(b []byte) (int, error)         { return w.conn.Write(b) }
func (w *pipedWriter) SetWriteDeadline(at time.Time) error { return w.conn.SetWriteDeadline(at) }
