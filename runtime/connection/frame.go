package connection

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"
)

// MaxFrame is the largest message that is taken from a server, in bytes. The
// SDK's own transport ends the session at 16 MiB, which screenshots and dumps reach.
const MaxFrame = 64 << 20

// joinWait is how long an object that a line begins may take to end on later
// lines: servers that indent their JSON write it at once.
const joinWait = time.Second

// frames takes JSON-RPC messages from a stream of lines. What is no message is
// noise: it is handed to noise and dropped, since servers print banners,
// warnings and logs where only messages belong.
type frames struct {
	src   io.Reader
	noise func(line []byte)
	limit int

	buf  []byte // unread bytes are buf[r:w]
	r, w int
	err  error // what src ended with

	pending []byte // an object that began and has not ended
	nested  nesting
	queue   []byte // further messages of the line taken last
}

// tooLarge is the error for a message over the limit. Head and tail are parts
// of it, in which the id may be found.
type tooLarge struct{ head, tail []byte }

func (*tooLarge) Error() string { return "a message is larger than the limit" }

// next returns the next message; its memory is valid until the next call. The
// error is a *tooLarge, after which one may go on, or the end of the stream.
func (f *frames) next() (envelope, error) {
	for {
		if len(f.queue) > 0 {
			if e, ok := f.take(); ok {
				return e, nil
			}
			continue
		}
		line, err := f.line()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			f.giveUp()
			continue
		}
		if err != nil {
			if len(f.pending) > 0 {
				f.giveUp()
				continue
			}
			return envelope{}, err
		}
		f.add(line)
	}
}

// add makes line the queue, joined with the object that is pending if there is one.
func (f *frames) add(line []byte) {
	line = bytes.TrimPrefix(line, []byte("\ufeff"))
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	if len(f.pending) == 0 {
		f.queue = line
		return
	}
	// A whole message on a line of its own is never the inside of an object.
	if e, _, how := scanEnvelope(line); how == complete && e.isMessage() {
		f.noise(f.pending)
		f.pending = f.pending[:0]
		f.queue = line
		f.deadline(time.Time{})
		return
	}
	f.pending = append(append(f.pending, '\n'), line...)
	if f.nested.closes(line) {
		f.queue, f.pending = f.pending, nil
		f.deadline(time.Time{})
	} else if len(f.pending) > f.limit {
		f.noise(f.pending)
		f.pending = nil
	}
}

// nesting follows how deep an object is that comes in several lines, so that
// each byte is looked at once.
type nesting struct {
	depth  int
	quoted bool
}

// closes takes the next line and reports whether the object ends in it.
func (n *nesting) closes(line []byte) bool {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && n.quoted:
			i++
		case c == '"':
			n.quoted = !n.quoted
		case n.quoted:
		case c == '{' || c == '[':
			n.depth++
		case c == '}' || c == ']':
			if n.depth--; n.depth <= 0 {
				return true
			}
		}
	}
	return false
}

// take takes one message from the queue.
func (f *frames) take() (envelope, bool) {
	q := bytes.TrimLeft(f.queue, " \t\r\n,")
	if q[0] == '[' || q[0] == ']' && len(q) == 1 {
		// A batch (revision 2025-03-26): its messages follow one another.
		if f.queue = bytes.TrimLeft(q[1:], " \t\r\n"); len(f.queue) > 0 && f.queue[0] != '{' {
			f.noise(q)
			f.queue = nil
		}
		return envelope{}, false
	}
	e, n, how := scanEnvelope(q)
	switch how {
	case incomplete:
		f.pending = append(f.pending[:0], q...)
		f.queue = nil
		f.nested = nesting{}
		f.nested.closes(q)
		f.deadline(time.Now().Add(joinWait))
		return e, false
	case malformed:
		line, rest, _ := bytes.Cut(q, []byte{'\n'})
		f.noise(line)
		f.queue = bytes.TrimSpace(rest)
		return e, false
	}
	f.queue = bytes.TrimLeft(q[n:], " \t\r\n,")
	if !e.isMessage() {
		f.noise(q[:n])
		return e, false
	}
	return e, true
}

// giveUp drops the first line of the pending object and takes the others by themselves.
func (f *frames) giveUp() {
	f.deadline(time.Time{})
	first, rest, _ := bytes.Cut(f.pending, []byte{'\n'})
	if len(first) > 0 {
		f.noise(first)
	}
	f.queue = append([]byte(nil), bytes.TrimSpace(rest)...)
	f.pending = f.pending[:0]
}

func (f *frames) deadline(t time.Time) {
	if d, ok := f.src.(interface{ SetReadDeadline(time.Time) error }); ok {
		_ = d.SetReadDeadline(t) // without deadlines the next line or the end decides
	}
}

// line returns the next line without its end. The last line of a stream may lack one.
func (f *frames) line() ([]byte, error) {
	scanned := 0
	for {
		if i := bytes.IndexByte(f.buf[f.r+scanned:f.w], '\n'); i >= 0 {
			line := f.buf[f.r : f.r+scanned+i]
			f.r += scanned + i + 1
			return line, nil
		}
		scanned = f.w - f.r
		if f.err != nil {
			line := f.buf[f.r:f.w]
			if f.r = f.w; len(line) > 0 {
				return line, nil
			}
			return nil, f.err
		}
		if scanned > f.limit {
			return nil, f.skip()
		}
		if err := f.fill(); err != nil {
			return nil, err
		}
	}
}

// skip drops the line that is too long, up to its end.
func (f *frames) skip() error {
	e := &tooLarge{head: append([]byte(nil), f.buf[f.r:min(f.w, f.r+256)]...)}
	for {
		i := bytes.IndexByte(f.buf[f.r:f.w], '\n')
		end := f.w
		if i >= 0 {
			end = f.r + i
		}
		e.tail = append(e.tail, f.buf[max(f.r, end-256):end]...)
		if n := len(e.tail); n > 256 {
			e.tail = append([]byte(nil), e.tail[n-256:]...)
		}
		if i >= 0 {
			f.r = end + 1
			return e
		}
		if f.r, f.w = 0, 0; f.err != nil {
			return e
		}
		if len(f.buf) > keptBuffer {
			f.buf = make([]byte, keptBuffer)
		}
		if err := f.fill(); err != nil {
			return err
		}
	}
}

// keptBuffer is the buffer that a channel keeps between messages; a larger one
// is given back once its message was taken.
const keptBuffer = 256 << 10

// fill reads more bytes behind w. Its only error is a passed deadline; the end
// of the stream is kept in err.
func (f *frames) fill() error {
	if f.r == f.w && len(f.buf) > keptBuffer {
		f.buf = nil
	}
	if f.r > 0 && f.r == f.w {
		f.r, f.w = 0, 0
	}
	if f.w == len(f.buf) {
		if f.r > 0 && f.w-f.r <= len(f.buf)/2 {
			copy(f.buf, f.buf[f.r:f.w])
		} else {
			grown := make([]byte, max(32<<10, 2*(f.w-f.r)))
			copy(grown, f.buf[f.r:f.w])
			f.buf = grown
		}
		f.r, f.w = 0, f.w-f.r
	}
	n, err := f.src.Read(f.buf[f.w:])
	f.w += n
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if n > 0 {
			return nil
		}
		return err
	}
	f.err = err
	return nil
}
