package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// frames reads all there is: messages as they are, what could not be read as "!".
func frames(t testing.TB, r io.Reader) (out []string, end error) {
	t.Helper()
	reader := NewReader(r)
	for range 1_000_000 {
		src, err := reader.Read()
		var frame *FrameError
		switch {
		case errors.As(err, &frame):
			out = append(out, "!")
		case err != nil:
			return out, err
		default:
			out = append(out, string(src))
		}
	}
	t.Fatal("the reader does not end")
	return nil, nil
}

func TestFrames(t *testing.T) {
	const good = "Content-Length: 2\r\n\r\n{}"
	long := strings.Repeat("x", maxHeaderLine+1)
	cases := map[string]struct {
		in   string
		want string
		end  error
	}{
		"nothing":                          {"", "", io.EOF},
		"one":                              {good, "{}", io.EOF},
		"two":                              {good + good, "{} {}", io.EOF},
		"other headers":                    {"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n" + good, "{}", io.EOF},
		"headers in any case":              {"content-length: 2\r\n\r\n{}", "{}", io.EOF},
		"lines that end with LF":           {"Content-Length: 2\n\n{}", "{}", io.EOF},
		"blank lines between":              {"\r\n\r\n" + good + "\r\n" + good, "{} {}", io.EOF},
		"an empty message":                 {"Content-Length: 0\r\n\r\n" + good, " {}", io.EOF},
		"no length":                        {"Content-Type: x\r\n\r\n{}" + good, "! ! {}", io.EOF},
		"a length that is no number":       {"Content-Length: two\r\n\r\n{}" + good, "! ! {}", io.EOF},
		"a negative length":                {"Content-Length: -2\r\n\r\n" + good, "! {}", io.EOF},
		"a length beyond all numbers":      {"Content-Length: 99999999999999999999\r\n\r\n" + good, "! {}", io.EOF},
		"a length beyond all messages":     {"Content-Length: 2000000000000\r\n\r\n" + good, "! {}", io.EOF},
		"a line that is no header":         {"hello\r\n\r\n" + good, "! {}", io.EOF},
		"text before a header":             {"hello" + good, "! {}", io.EOF},
		"a line that is too long":          {"X: " + long + "\r\n\r\n" + good, "! {}", io.EOF},
		"a long text before a header":      {long + long + good, "! {}", io.EOF},
		"more headers than anybody writes": {strings.Repeat("X: y\r\n", 40) + good, "! {}", io.EOF},
		"a length that is too small":       {"Content-Length: 1\r\n\r\n{}" + good, "{ ! {}", io.EOF},
		"it ends in a header":              {good + "Content-Len", "{}", io.ErrUnexpectedEOF},
		"it ends between header lines":     {good + "Content-Length: 2\r\n", "{}", io.ErrUnexpectedEOF},
		"it ends in a message":             {good + "Content-Length: 20\r\n\r\n{}", "{}", io.ErrUnexpectedEOF},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
				got, end := frames(t, r)
				if strings.Join(got, " ") != c.want || !errors.Is(end, c.end) {
					t.Errorf("got %q and %v, want %q and %v", strings.Join(got, " "), end, c.want, c.end)
				}
			}
		})
	}
}

func TestAMessageThatIsTooLongIsLeftOut(t *testing.T) {
	in := io.MultiReader(
		strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", maxBody+1)),
		io.LimitReader(zeros{}, maxBody+1),
		strings.NewReader("Content-Length: 2\r\n\r\n{}"))
	got, end := frames(t, in)
	if strings.Join(got, " ") != "! {}" || !errors.Is(end, io.EOF) {
		t.Errorf("got %q and %v", got, end)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestWhatIsFramedIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var wire []byte
		want := rapid.SliceOf(rapid.SliceOf(rapid.Byte())).Draw(t, "messages")
		for _, m := range want {
			wire = append(wire, Frame(m)...)
		}
		r := NewReader(bytes.NewReader(wire))
		for _, m := range want {
			got, err := r.Read()
			if err != nil || !bytes.Equal(got, m) {
				t.Fatalf("%q is read as %q, %v", m, got, err)
			}
		}
		if _, err := r.Read(); !errors.Is(err, io.EOF) {
			t.Fatalf("after the last: %v", err)
		}
	})
}

// Whatever comes, the reader ends, and a message that follows it whole is found
// unless something before it claimed its bytes.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{"", "Content-Length: 2\r\n\r\n{}", "Content-Length: 9\r\n\r\n{}", "x\nContent-Length:1\n\n", "Content-Length: 99999999999\r\n\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		got, end := frames(t, bytes.NewReader(src))
		if !errors.Is(end, io.EOF) && !errors.Is(end, io.ErrUnexpectedEOF) {
			t.Fatalf("it ends with %v", end)
		}
		total := 0
		for _, m := range got {
			total += len(m)
			if m != "!" {
				if _, err := Decode([]byte(m)); err != nil {
					var e *Error
					if !errors.As(err, &e) {
						t.Fatalf("%q: %v is no error of the protocol", m, err)
					}
				}
			}
		}
		if total > len(src)+len(got) {
			t.Fatalf("%d bytes are read of %d", total, len(src))
		}
	})
}
