package connection

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// event is one server-sent event. Data is nil if it has none.
type event struct {
	name  string
	id    string
	data  []byte
	retry time.Duration // what the server says to wait before the stream is opened again; 0: nothing
}

// events takes server-sent events from a stream.
type events struct {
	r     *bufio.Reader
	limit int // bytes of one event's data
	lines int
}

func newEvents(r io.Reader, limit int) *events {
	return &events{r: bufio.NewReaderSize(r, 4<<10), limit: limit}
}

// next returns the next event. The error is a *[tooLarge], after which one may go
// on, or the end of the stream. What a stream ends in without an empty line counts
// as an event, since not every server writes that line; what it breaks off in does not.
func (s *events) next() (event, error) {
	var e event
	var over *tooLarge
	began := false
	for {
		line, err := s.line()
		if big := (*tooLarge)(nil); errors.As(err, &big) {
			over = big
			continue
		}
		if len(line) > 0 {
			if over != nil {
				continue
			}
			began = e.take(line) || began
			if len(e.data) > s.limit {
				over = endsOf(e.data)
			}
			continue
		}
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return event{}, err
		case over != nil:
			return event{}, over
		case began:
			return e, nil
		case err != nil:
			return event{}, err
		}
	}
}

// partOfLarge is how much of the ends of a message over the limit is kept.
const partOfLarge = 256

// endsOf is the error of a message over the limit.
func endsOf(data []byte) *tooLarge {
	return &tooLarge{head: bytes.Clone(data[:min(len(data), partOfLarge)]), tail: bytes.Clone(data[max(0, len(data)-partOfLarge):])}
}

// take adds a line to e and reports whether it says anything.
func (e *event) take(line []byte) bool {
	field, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(field) {
	case "event":
		e.name = string(value)
	case "id":
		e.id = string(value)
	case "data":
		if e.data != nil {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, value...)
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			e.retry = time.Duration(ms) * time.Millisecond
		}
	default: // a comment, or nothing that we know
		return false
	}
	return true
}

// line returns the next line without its end; the last may lack one. It is valid
// until the next call. The error is a *tooLarge, or the end of the stream.
func (s *events) line() ([]byte, error) {
	line, err := s.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line, err = s.longLine(line)
	}
	if err != nil && len(line) > 0 && errors.Is(err, io.EOF) {
		err = nil // it comes again
	}
	if s.lines++; s.lines == 1 {
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// longLine returns the line that begins with start, or skips it.
func (s *events) longLine(start []byte) ([]byte, error) {
	line := bytes.Clone(start)
	var big *tooLarge
	for {
		part, err := s.r.ReadSlice('\n')
		switch {
		case big != nil:
			big.tail = append(big.tail, part...)
			big.tail = bytes.Clone(big.tail[max(0, len(big.tail)-partOfLarge):])
		case len(line)+len(part) > s.limit+partOfLarge:
			line = append(line, part...)
			big, line = endsOf(line), nil
		default:
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if big == nil {
			return line, err
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		big.head = bytes.TrimLeft(bytes.TrimPrefix(big.head, []byte("data:")), " ")
		big.tail = bytes.TrimRight(big.tail, "\r\n")
		return nil, big
	}
}
