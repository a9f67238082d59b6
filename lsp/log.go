package lsp

import (
	"fmt"
	"io"
	"runtime/debug"
	"strconv"

	"github.com/lda-wf/wfc/lsp/protocol"
)

// log writes lines for whoever looks for why something does not work. A line is dropped
// where too many wait: a client that does not read them holds nothing up.
type log struct {
	w     io.Writer // nil: nothing is written
	lines chan string
}

// waitingLines is how many lines may wait.
const waitingLines = 256

func newLog(w io.Writer) *log { return &log{w, make(chan string, waitingLines)} }

// write writes lines until the log is closed.
func (l *log) write() {
	for line := range l.lines {
		if l.w != nil {
			_, _ = io.WriteString(l.w, line) // there is nobody to tell
		}
	}
}

// close ends the log; nothing is printed any more.
func (l *log) close() { close(l.lines) }

func (l *log) printf(format string, args ...any) {
	select {
	case l.lines <- fmt.Sprintf("wfc lsp: "+format+"\n", args...):
	default:
	}
}

// logf writes a line to the log and tells the client, once it may be told.
func (s *Server) logf(format string, args ...any) {
	s.log.printf(format, args...)
	if s.phase == initialized {
		s.notify("window/logMessage", "", protocol.LogMessageParams{Type: protocol.MessageWarning, Message: fmt.Sprintf(format, args...)})
	}
}

// fault notes a fault of wfc in something that is no request.
func (s *Server) fault(what string, fault any) {
	s.log.printf("a fault in %s: %v\n%s", what, fault, debug.Stack())
	s.notify("window/logMessage", "", protocol.LogMessageParams{Type: protocol.MessageError,
		Message: fmt.Sprintf("This is a bug in wfc: %s failed (%v). Please report it with what the server wrote to its log.", what, fault)})
}

// progress shows in the client that work goes on, until what it returns is called. A
// client that shows none is told nothing.
func (s *Server) progress(title string) (done func()) {
	if !s.client.Window.WorkDoneProgress {
		return func() {}
	}
	token := "wfc-" + strconv.FormatInt(s.asked.Add(1), 10)
	s.ask("window/workDoneProgress/create", protocol.WorkDoneProgressCreateParams{Token: token})
	s.notify("$/progress", "", protocol.ProgressParams{Token: token, Value: protocol.WorkDoneProgress{Kind: "begin", Title: title}})
	return func() {
		s.notify("$/progress", "", protocol.ProgressParams{Token: token, Value: protocol.WorkDoneProgress{Kind: "end"}})
	}
}
