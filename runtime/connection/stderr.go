package connection

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
)

// Of what a server says on stderr the last lines are kept for error texts.
const (
	tailLines = 20
	tailWidth = 2000 // bytes of a line; what is longer is data, not a message
)

// stderrTail drains the stderr of a server. A nil one is of a server without stderr.
type stderrTail struct {
	src    io.ReadCloser
	redact redactor
	sink   func(line string) // may be nil
	ended  chan struct{}

	mu   sync.Mutex
	tail []string
}

// newStderrTail starts to drain src. Its goroutine ends with src.
func newStderrTail(src io.ReadCloser, redact redactor, sink func(string)) *stderrTail {
	t := &stderrTail{src: src, redact: redact, sink: sink, ended: make(chan struct{})}
	go t.drain()
	return t
}

func (t *stderrTail) drain() {
	defer close(t.ended)
	defer t.src.Close()
	r := bufio.NewReaderSize(t.src, 4096)
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if room := t.redact.enough(tailWidth) - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			t.add(string(line))
		}
		if line = line[:0]; err != nil {
			return
		}
	}
}

func (t *stderrTail) add(line string) string {
	line = t.redact.beginning(line, tailWidth)
	t.mu.Lock()
	if len(t.tail) == tailLines {
		t.tail = append(t.tail[:0], t.tail[1:]...)
	}
	t.tail = append(t.tail, line)
	t.mu.Unlock()
	if t.sink != nil {
		t.sink(line)
	}
	return line
}

// shown returns the beginning of a line of stdout, redacted.
func (t *stderrTail) shown(line []byte) string {
	const width = 200 // bytes; enough to recognise what it is
	if t == nil {
		return string(line[:min(len(line), width)])
	}
	return t.redact.beginning(string(line[:min(len(line), t.redact.enough(width))]), width)
}

// note shows a remark of ours to the sink. It does not count as a line of stderr.
func (t *stderrTail) note(remark string) {
	if t != nil && t.sink != nil {
		t.sink(remark)
	}
}

func (t *stderrTail) wait() {
	if t != nil {
		<-t.ended
	}
}

func (t *stderrTail) close() {
	if t != nil {
		t.src.Close()
	}
}

func (t *stderrTail) lines() []string {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.tail...)
}
