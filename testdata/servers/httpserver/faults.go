package httpserver

import (
	"fmt"
	"io"
	"net"
	"net/http"
)

// Status answers with a status, a body and headers, which come in pairs.
func Status(code int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}
}

// JSON answers 200 with a body.
func JSON(body string) http.HandlerFunc {
	return Status(http.StatusOK, body, "Content-Type", "application/json")
}

// Events answers 200 with a stream of events, and ends it.
func Events(stream string) http.HandlerFunc {
	return Status(http.StatusOK, stream, "Content-Type", "text/event-stream")
}

// Cut closes the connection without an answer, after it sent what before holds,
// which begins with a status line if it is not empty.
func Cut(before string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		if tcp, ok := conn.(*net.TCPConn); ok && before == "" {
			_ = tcp.SetLinger(0)
		}
		_, _ = conn.Write([]byte(before))
	}
}

// Close closes the connection without an answer, in the way that a server does which ends.
func Close(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(err)
	}
	conn.Close()
}

// Hang answers nothing until the client has gone.
func Hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // else the server does not see that the client has gone
	<-r.Context().Done()
}

// HangAfter sends a stream of events and leaves it open until the client has gone.
func HangAfter(stream string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, stream)
		_ = http.NewResponseController(w).Flush()
		Hang(w, r)
	}
}
