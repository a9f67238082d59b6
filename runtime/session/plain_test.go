package session

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/runtime/connection"
)

// scripted opens a session with a server that gives these answers, by method: result or
// error members.
func scripted(answers map[string]string) *Session {
	cfg := Config{
		Connection: connection.Stream("test.main", "", func() (io.ReadWriteCloser, error) {
			ours, theirs := net.Pipe()
			go func() {
				defer theirs.Close()
				for lines := bufio.NewScanner(theirs); lines.Scan(); {
					var m struct {
						ID     json.RawMessage
						Method string
					}
					if json.Unmarshal(lines.Bytes(), &m) == nil && answers[m.Method] != "" {
						fmt.Fprintf(theirs, "{\"jsonrpc\":\"2.0\",\"id\":%s,%s}\n", m.ID, answers[m.Method])
					}
				}
			}()
			return ours, nil
		}),
		ClientInfo: &mcp.Implementation{Name: "test"}, Generation: 1,
	}
	cfg.Connection.Protocol = legacyVersion
	return Open(cfg)
}

func TestWhatIsSaidOfAnswersIsPlain(t *testing.T) {
	const hello = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
	for _, c := range []struct{ name, initialize, call, want string }{
		{"capabilities of a wrong type", `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":"yes"}}`, "",
			"connection test.main: The server's answer in the MCP handshake is not as MCP says: capabilities.tools has a wrong type."},
		{"a text for a result", `"result":"hi"`, "",
			"connection test.main: The server's answer in the MCP handshake is not as MCP says: the result has a wrong type."},
		{"no revision", `"result":{}`, "",
			"connection test.main: The server does not say which MCP revision it speaks. Update it, or write to who made it."},
		{"an error", `"error":{"code":-32000,"message":"the license has expired"}`, "",
			`connection test.main: The server refused the MCP handshake: calling "initialize": the license has expired.`},
		{"an endless message", hello, `"error":{"code":-32000,"message":"` + strings.Repeat("x", 3<<20) + `"}`,
			"connection test.main, tools/call work: The server refused it: " + strings.Repeat("x", maxMessage) + " … (3145728 bytes in all) (code -32000)."},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scripted(map[string]string{"initialize": c.initialize, "tools/call": c.call})
			_, err := s.CallTool(t.Context(), Call{Tool: "work"})
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %.300v\nwant %.300s", err, c.want)
			}
			s.Close()
			<-s.Ended()
		})
	}
}

// A server may ask without end.
func TestWhatIsRemarkedHasBounds(t *testing.T) {
	for _, c := range []struct {
		name  string
		times int
		text  func(int) string
		want  int
		last  string
	}{
		{"one", 1, func(int) string { return "No." }, 1, "No."},
		{"the same", 1000, func(int) string { return "No." }, 2, "The server asked 999 times more, which came out the same way."},
		{"twice", 2, func(int) string { return "No." }, 2, "The server asked once more, which came out the same way."},
		{"others", 1000, func(i int) string { return fmt.Sprintf("No %d.", i) }, maxRemarks + 1, "The server asked 980 times more, which came out the same way."},
	} {
		t.Run(c.name, func(t *testing.T) {
			cb := newCallbacks(&Config{})
			cb.cfg.redact = func(s string) string { return s }
			var told []string
			x := &connection.Exchange{}
			in := cb.enter(callback.With(context.Background(), callback.Handlers{Remark: func(s string) { told = append(told, s) }}), x, "op")
			for i := range c.times {
				cb.remark(in, "%s", c.text(i))
			}
			if cb.leave(x); len(told) != c.want || told[len(told)-1] != c.last {
				t.Errorf("got %d: %q", len(told), told[max(0, len(told)-2):])
			}
		})
	}
}

func TestAnOperationGivenUpWhileConnectingSaysSo(t *testing.T) {
	s := scripted(nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := time.AfterFunc(10*time.Millisecond, func() { cancel(errors.New("interrupted")) })
	defer stop.Stop()
	_, err := s.CallTool(ctx, Call{Tool: "work"})
	if e := failure(t, err); e.Sent != SentNo || !strings.Contains(e.Error(), "while the server was still being connected to") || !strings.HasSuffix(e.Error(), "nothing was sent: interrupted.") {
		t.Errorf("got %v", err)
	}
	s.Close()
	<-s.Ended()
}
