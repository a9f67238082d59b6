package protocol

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	// maxHeaderLine bounds a line of a header. Clients write two, of 60 bytes.
	maxHeaderLine = 4 << 10
	// maxHeaderLines bounds a header.
	maxHeaderLines = 32
	// maxBody bounds a message. A document of ours has at most 8 MB, which JSON may
	// make six times as long.
	maxBody = 64 << 20
	// maxSkipped bounds the message that is read past. A length above it is taken for a mistake
	// of the header.
	maxSkipped = 1 << 30
)

// FrameError is a frame that could not be read. The next one can.
type FrameError struct{ what string }

func (e *FrameError) Error() string { return e.what }

// Reader reads the frames of a connection: a header with the length, an empty
// line, and so many bytes. It is not for concurrent use.
type Reader struct {
	r     *bufio.Reader
	begun string // the first line of the next header, where it is read already
}

// NewReader returns a reader of frames.
func NewReader(r io.Reader) *Reader { return &Reader{r: bufio.NewReaderSize(r, 64<<10)} }

// Read returns the bytes of the next message. A *[FrameError] says that there is
// something else where a frame should begin, or that it is too long: what
// follows it can still be read. Any other error is the end of the connection,
// io.EOF where it ended between two frames.
func (r *Reader) Read() ([]byte, error) {
	length, err := r.header()
	if err != nil {
		return nil, err
	}
	if length > maxBody {
		if _, err := io.CopyN(io.Discard, r.r, length); err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, &FrameError{fmt.Sprintf("a message of %d bytes was left out: at most %d are read", length, int64(maxBody))}
	}
	// What a header promises is not believed before it came.
	var body bytes.Buffer
	body.Grow(int(min(length, 1<<20)))
	if _, err := io.CopyN(&body, r.r, length); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return body.Bytes(), nil
}

// header reads a header and returns the length that it says. What is no header
// is skipped up to where one begins: a message that a wrong header came before
// has no line end, so that the next header begins in the middle of a line.
func (r *Reader) header() (int64, error) {
	length, wrong := int64(-1), ""
	for n := 0; ; n++ {
		line, err := r.line()
		switch {
		case errors.Is(err, io.EOF) && n > 0:
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		case n > maxHeaderLines:
			return 0, &FrameError{fmt.Sprintf("a header has more than %d lines", maxHeaderLines)}
		case line == "" && n == 0: // a blank line between messages harms nobody
			n--
			continue
		case line == "" && wrong != "":
			return 0, &FrameError{wrong}
		case line == "" && length < 0:
			return 0, &FrameError{"a header has no Content-Length"}
		case line == "":
			return length, nil
		}
		if i := strings.LastIndex(line, lengthField); i > 0 {
			r.begun = line[i:]
			return 0, &FrameError{fmt.Sprintf("%q is no header", short(line))}
		}
		name, value, isField := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch {
		case len(line) > maxHeaderLine:
			wrong = fmt.Sprintf("a line of a header has more than %d bytes", maxHeaderLine)
		case !isField:
			wrong = fmt.Sprintf("%q is no line of a header", short(line))
		case strings.EqualFold(name+":", lengthField):
			if length, err = strconv.ParseInt(value, 10, 64); err != nil || length < 0 || length > maxSkipped {
				wrong = fmt.Sprintf("%q is no length of a message", short(value))
			}
		}
	}
}

const lengthField = "Content-Length:"

// line reads a line without its end. Of one that is too long it returns the last
// bytes, one more than a line may have.
func (r *Reader) line() (string, error) {
	if line := r.begun; line != "" {
		r.begun = ""
		return line, nil
	}
	var out []byte
	for {
		part, err := r.r.ReadSlice('\n')
		out = append(out, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			out = out[:copy(out, out[max(0, len(out)-maxHeaderLine-1):])]
			continue
		case errors.Is(err, io.EOF) && len(out) > 0:
			return "", io.ErrUnexpectedEOF
		case err != nil:
			return "", err
		}
		out = bytes.TrimRight(out, "\r\n")
		return string(out[max(0, len(out)-maxHeaderLine-1):]), nil
	}
}

func short(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// Frame returns a message as it goes over the wire.
func Frame(body []byte) []byte {
	out := make([]byte, 0, len(body)+32)
	out = append(out, "Content-Length: "...)
	out = strconv.AppendInt(out, int64(len(body)), 10)
	out = append(out, "\r\n\r\n"...)
	return append(out, body...)
}
