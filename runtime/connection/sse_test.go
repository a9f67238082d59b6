package connection

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// readEvents returns the events of a stream, one a line, and what it ended with.
func readEvents(r io.Reader, limit int) (string, error) {
	in := newEvents(r, limit)
	var out strings.Builder
	for {
		e, err := in.next()
		if big := (*tooLarge)(nil); errors.As(err, &big) {
			fmt.Fprintf(&out, "too large\n")
			continue
		}
		if err != nil {
			return out.String(), err
		}
		fmt.Fprintf(&out, "%s|%s|%s|%s\n", e.name, e.id, e.data, e.retry)
	}
}

func TestEvents(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"one", "event: message\nid: 7\ndata: {}\n\n", "message|7|{}|0s\n"},
		{"without spaces", "event:x\ndata:{}\n\n", "x||{}|0s\n"},
		{"one space belongs to the syntax", "data:  a\n\n", "|| a|0s\n"},
		{"lines of data", "data: {\ndata: }\n\n", "||{\n}|0s\n"},
		{"comments and unknown fields", ": ping\n\nfoo: bar\nfoo\ndata: 1\n\n", "||1|0s\n"},
		{"CRLF", "data: 1\r\n\r\ndata: 2\r\n\r\n", "||1|0s\n||2|0s\n"},
		{"a byte order mark", "\ufeffdata: 1\n\n", "||1|0s\n"},
		{"no data, but an id", "id: 9\n\n", "|9||0s\n"},
		{"when to come again", "retry: 1500\nretry: soon\n\n", ""},
		{"when to come again, with an id", "id: 1\nretry: 1500\nretry: soon\n\n", "|1||1.5s\n"},
		{"no empty line at the end", "data: 1\n\ndata: 2\n", "||1|0s\n||2|0s\n"},
		{"no end of the last line", "data: 1", "||1|0s\n"},
		{"nothing", "", ""},
		{"over the limit", "data: " + strings.Repeat("x", 200) + "\n\ndata: 2\n\n", "too large\n||2|0s\n"},
		{"over the limit in lines", strings.Repeat("data: "+strings.Repeat("x", 60)+"\n", 3) + "\ndata: 2\n\n", "too large\n||2|0s\n"},
		{"over the limit at the end", "data: " + strings.Repeat("x", 200), "too large\n"},
		{"far over the limit", "data: " + strings.Repeat("x", 100_000) + "\n\ndata: 2\n\n", "too large\n||2|0s\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{"at once": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in))} {
				if got, err := readEvents(r, 100); got != c.want && c.want != "" || !errors.Is(err, io.EOF) {
					t.Errorf("%s: got\n%s(%v), want\n%s", name, got, err, c.want)
				}
			}
		})
	}
}

// What a stream breaks off in is no event: the rest may have said something else.
func TestABrokenEventIsNone(t *testing.T) {
	cause := errors.New("reset")
	r := io.MultiReader(strings.NewReader("data: 1\n\ndata: 2\n"), iotest.ErrReader(cause))
	if got, err := readEvents(r, 100); got != "||1|0s\n" || !errors.Is(err, cause) {
		t.Errorf("got %q, %v", got, err)
	}
}

// FuzzEvents: no stream makes the reader fail, or keep more than the limit.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("event: message\nid: 7\ndata: {}\n\n: ping\n\nretry: 3\n"), 10)
	f.Add([]byte("data: "+strings.Repeat("x", 5000)), 100)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit = 2*partOfLarge + abs(limit)%4096
		s := newEvents(strings.NewReader(string(in)), limit)
		for range len(in) + 2 {
			e, err := s.next()
			if big := (*tooLarge)(nil); errors.As(err, &big) {
				if len(big.head) > partOfLarge || len(big.tail) > partOfLarge {
					t.Fatalf("%d and %d bytes of it are kept", len(big.head), len(big.tail))
				}
				continue
			}
			if err != nil {
				return
			}
			if len(e.data) > limit {
				t.Fatalf("an event of %d bytes, over the limit of %d", len(e.data), limit)
			}
		}
		t.Fatal("the stream has no end")
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 10, 21, 7, 28, 0, 0, time.UTC)
	for in, want := range map[string]time.Duration{
		"":                              0,
		"0":                             0,
		"7":                             7 * time.Second,
		" 7 ":                           7 * time.Second,
		"-1":                            0,
		"soon":                          0,
		"99999999999999":                0,
		"Wed, 21 Oct 2026 07:28:30 GMT": 30 * time.Second,
		"Wed, 21 Oct 2026 07:27:30 GMT": 0,
	} {
		if got := retryAfter(map[string][]string{"Retry-After": {in}}, now); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestWordsOfARefusal(t *testing.T) {
	for _, c := range []struct{ kind, challenge, body, want string }{
		{"text/plain", "", "no\nway\x00", `"no way"`},
		{"", "", "no", `"no"`},
		{"text/html", "", "<html>no</html>", ""},
		{"application/json; charset=utf-8", "", `{"error":"invalid_token","error_description":"It has expired"}`, `"It has expired"`},
		{"application/json", "", `{"error":{"code":-1,"message":"no"}}`, `"no"`},
		{"application/problem+json", "", `{"title":"Bad","detail":"The page is not there"}`, `"The page is not there"`},
		{"application/json", "", `["no"]`, ""},
		{"application/json", `Bearer realm="x", error="invalid_token"`, `{}`, `"invalid_token"`},
		{"text/plain", "", strings.Repeat("x", 300), `"` + strings.Repeat("x", 200) + ` …"`},
	} {
		h := map[string][]string{"Content-Type": {c.kind}, "Www-Authenticate": {c.challenge}}
		if got := saidIn(h, []byte(c.body), func(s string) string { return s }); got != c.want {
			t.Errorf("%s: got %s, want %s", c.body, got, c.want)
		}
	}
}
