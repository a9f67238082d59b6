package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// messages reads the lines of a client and hands on those that are messages. What is
// none is answered with an error, by its line alone: a client that prints something
// else between its messages keeps its session.
type messages struct {
	io.Closer
	in   *bufio.Reader
	out  io.Writer
	log  *slog.Logger
	rest []byte // of the line that is handed on
}

// Read implements [io.Reader].
func (m *messages) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.line()
		if code := codeOf(line); code != 0 {
			m.refuse(code)
		} else {
			m.rest = line
		}
		if err != nil && len(m.rest) == 0 {
			return 0, err
		}
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// line reads a line; of one that is longer than messages may be, no more than that.
func (m *messages) line() (line []byte, err error) {
	for {
		part, err := m.in.ReadSlice('\n')
		if len(line) <= MaxBody {
			line = append(line, part...)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// codeOf returns the code of the error that a line is answered with; 0: it is a message,
// or blank.
func codeOf(line []byte) int64 {
	line = bytes.TrimSpace(line)
	var batch []json.RawMessage
	switch {
	case len(line) == 0:
		return 0
	case len(line) > MaxBody:
		return jsonrpc.CodeInvalidRequest
	case !json.Valid(line):
		return jsonrpc.CodeParseError
	case line[0] != '[':
		batch = []json.RawMessage{line}
	case json.Unmarshal(line, &batch) != nil || len(batch) == 0:
		return jsonrpc.CodeInvalidRequest
	}
	for _, one := range batch {
		if _, err := jsonrpc.DecodeMessage(one); err != nil {
			return jsonrpc.CodeInvalidRequest
		}
	}
	return 0
}

func (m *messages) refuse(code int64) {
	why := "This is no request."
	if code == jsonrpc.CodeParseError {
		why = "This is no JSON."
	}
	m.log.Warn("a client sent what is no message", "code", code)
	// Who does not read that has gone, which reading tells.
	_, _ = fmt.Fprintf(m.out, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`+"\n", code, why)
}

// oneAtATime is a writer for several: a message is one write.
type oneAtATime struct {
	io.WriteCloser
	mu sync.Mutex
}

func (o *oneAtATime) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.WriteCloser.Write(p)
}
