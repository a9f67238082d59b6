package connection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

// read takes all messages from text and returns their ids, and the noise.
func read(src io.Reader, limit int) (ids, noise []string, large int) {
	f := frames{src: src, limit: limit, noise: func(line []byte) { noise = append(noise, string(line)) }}
	for {
		e, err := f.next()
		if big := (*tooLarge)(nil); errors.As(err, &big) {
			large++
			continue
		}
		if err != nil {
			return ids, noise, large
		}
		ids = append(ids, string(e.id))
	}
}

func message(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, id) }

func TestFrames(t *testing.T) {
	m := message
	for _, c := range []struct {
		name, text string
		ids, noise string // joined by |
	}{
		{"one a line", m(1) + "\n" + m(2) + "\n", "1|2", ""},
		{"the last without an end of line", m(1) + "\n" + m(2), "1|2", ""},
		{"CRLF and empty lines", m(1) + "\r\n\r\n" + m(2) + "\r\n", "1|2", ""},
		{"a byte order mark", "\ufeff" + m(1) + "\n\ufeff" + m(2) + "\n", "1|2", ""},
		{"several on a line", m(1) + m(2) + " " + m(3) + "\n", "1|2|3", ""},
		{"a batch", "[" + m(1) + "," + m(2) + "]\n" + m(3) + "\n", "1|2|3", ""},
		{"a batch on several lines", "[\n" + m(1) + ",\n" + m(2) + "\n]\n" + m(3) + "\n", "1|2|3", ""},
		{"an indented one", "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"result\": {\n    \"a\": \"}{\\\"\"\n  }\n}\n" + m(2) + "\n", "1|2", ""},
		{"a banner", "Starting ...\n" + m(1) + "\n", "1", "Starting ..."},
		{"a log line in JSON", `{"level":30,"msg":"x"}` + "\n" + m(1) + "\n", "1", `{"level":30,"msg":"x"}`},
		{"a list that is no batch", "[1, 2]\n" + m(1) + "\n", "1", "[1, 2]"},
		{"an open brace", "{ not JSON\n" + m(1) + "\n", "1", "{ not JSON"},
		{"a brace that looks like JSON", `{"a": ` + "\n" + m(1) + "\n", "1", `{"a":`},
		{"half a message at the end", m(1) + "\n" + `{"jsonrpc":"2.0","id":2`, "1", `{"jsonrpc":"2.0","id":2`},
		{"text behind a message", m(1) + " done\n" + m(2) + "\n", "1|2", "done"},
		{"another version", `{"jsonrpc":"1.0","id":1,"result":{}}` + "\n" + m(2) + "\n", "2", `{"jsonrpc":"1.0","id":1,"result":{}}`},
		{"strange members", `{"id":1,"x":[{"id":9}],"result":"\\\"}","jsonrpc":"2.0"}` + "\n", "1", ""},
		{"nothing", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, src := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text))} {
				ids, noise, _ := read(src, MaxFrame)
				if got := strings.Join(ids, "|"); got != c.ids {
					t.Errorf("messages %s, want %s", got, c.ids)
				}
				if got := strings.Join(noise, "|"); got != c.noise {
					t.Errorf("noise %q, want %q", got, c.noise)
				}
			}
		})
	}
}

func TestFrameOverTheLimitIsSkipped(t *testing.T) {
	big := `{"jsonrpc":"2.0","id":2,"result":"` + strings.Repeat("x", 100_000) + `"}`
	ids, noise, large := read(strings.NewReader(message(1)+"\n"+big+"\n"+message(3)+"\n"), 50_000)
	if strings.Join(ids, "|") != "1|3" || large != 1 || len(noise) != 0 {
		t.Errorf("messages %q, %d too large, noise %q", ids, large, noise)
	}
}

func TestObjectThatNeverEndsIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := net.Pipe()
		var noise []string
		f := frames{src: client, limit: MaxFrame, noise: func(line []byte) { noise = append(noise, string(line)) }}
		go func() {
			_, _ = io.WriteString(server, "{\"a\": [\nhello\n"+`{"jsonrpc":"2.0",`+"\n")
			time.Sleep(joinWait + time.Millisecond) // of the bubble's clock
			_, _ = io.WriteString(server, `"id":1,"result":{}}`+"\n"+message(2)+"\n")
			server.Close()
		}()
		var ids []string
		for {
			e, err := f.next()
			if err != nil {
				break
			}
			ids = append(ids, string(e.id))
		}
		if got := strings.Join(ids, "|"); got != "1|2" {
			t.Errorf("messages %s", got)
		}
		if got := strings.Join(noise, "|"); got != `{"a": [|hello` {
			t.Errorf("noise %q", got)
		}
	})
}

func TestIndentedMessagesTakeLinearTime(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("{\n\"jsonrpc\": \"2.0\",\n\"id\": 1,\n\"result\": [\n")
	for range 400_000 {
		b.WriteString("{\n},\n")
	}
	b.WriteString("{}\n]\n}\n")
	if ids, _, _ := read(&b, MaxFrame); strings.Join(ids, "|") != "1" {
		t.Errorf("messages %q", ids)
	}
}

// FuzzEnvelope compares the scanner with encoding/json, on what that accepts.
func FuzzEnvelope(f *testing.F) {
	for _, s := range []string{message(1), `{}`, `{"a":"\\\"","id":[1,{"b":"]"}],"error":null}`, `{"id":1e5,"method":"x" }`, `{"id":`, `{"id":tru}`, `{"\u0069d":1}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, n, how := scanEnvelope(data)
		if how == complete && (n <= 0 || n > len(data)) {
			t.Fatalf("took %d of %d bytes", n, len(data))
		}
		var want map[string]json.RawMessage
		if json.Unmarshal(data, &want) != nil || want == nil {
			return
		}
		if data = bytes.TrimLeft(data, " \t\r\n"); how != complete {
			if e, _, how = scanEnvelope(data); how != complete {
				t.Fatalf("%q is an object, and the scan says %d", data, how)
			}
		}
		if bytes.Contains(data, []byte(`\`)) || !utf8.Valid(data) {
			return // encoding/json decodes keys, which no server writes with escapes
		}
		for name, got := range map[string][]byte{"jsonrpc": e.version, "id": e.id, "method": e.method, "params": e.params, "result": e.result, "error": e.err} {
			if !bytes.Equal(got, want[name]) {
				t.Errorf("%s is %q, want %q", name, got, want[name])
			}
		}
	})
}
