package proxy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// recorder writes what passes as lines of JSON.
type recorder struct {
	redact []func(string) string

	mu  sync.Mutex
	out io.Writer
	err error // the first; nothing is written after it
}

func newRecorder(out io.Writer, sources []*source) *recorder {
	r := &recorder{out: out}
	for _, s := range sources {
		r.redact = append(r.redact, s.redact)
	}
	return r
}

// add records one message. To is "client" or "proxy".
func (r *recorder) add(session, to string, message []byte) {
	text := string(message)
	for _, redact := range r.redact {
		text = redact(text)
	}
	if !json.Valid([]byte(text)) { // it was none before, or a secret was a part of its syntax
		quoted, err := json.Marshal(text)
		if err != nil {
			return
		}
		text = string(quoted)
	}
	var line bytes.Buffer
	fmt.Fprintf(&line, `{"time":%q,"session":%q,"to":%q,"message":`, time.Now().UTC().Format(time.RFC3339Nano), session, to)
	if json.Compact(&line, []byte(text)) != nil {
		return
	}
	line.WriteString("}\n")
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		_, r.err = r.out.Write(line.Bytes())
	}
}

// failed returns why a message was not recorded, nil if all were.
func (r *recorder) failed() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}
