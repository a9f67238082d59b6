package connection

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

func TestMessagesKeepTheirOrderWhenThePipeIsFull(t *testing.T) {
	in, stdin, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	s := &stream{rw: out, gone: make(chan struct{})}
	c := newPipeChannel("test.main", stdin, stdout, s, nil, time.Second, Sinks{})

	// More than a pipe holds, in messages that go into it at once and others that do not.
	const n = 300
	for i := range n {
		req := request(t, int64(i), "tools/call")
		text := strings.Repeat("x", 1000)
		if i%50 == 7 {
			text = strings.Repeat("x", 100_000)
		}
		req.Params = json.RawMessage(`{"text":"` + text + `"}`)
		if err := c.Write(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	lines := bufio.NewReader(in)
	for i := range n {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ ID int }
		if err := json.Unmarshal(line, &got); err != nil || got.ID != i {
			t.Fatalf("message %d is of id %d, %v", i, got.ID, err)
		}
	}
	// And nothing is left behind: the next one goes out at once.
	if err := c.Write(t.Context(), request(t, n, "ping")); err != nil {
		t.Fatal(err)
	}
	if line, err := lines.ReadBytes('\n'); err != nil || !strings.Contains(string(line), "ping") {
		t.Errorf("got %q, %v", line, err)
	}
	end(t, c)
	if _, err := lines.ReadBytes('\n'); err != io.EOF {
		t.Errorf("after the end: %v", err)
	}
}
