package proxy_test

import (
	"strings"
	"testing"

	"github.com/lda-wf/wfc/runtime/proxy"
)

// What the proxy does not have to replace passes byte for byte.
func TestMessagesPassAsTheyAre(t *testing.T) {
	c := greeted(t, proxy.Options{Sources: []proxy.Source{raws(t, "a.b")}})

	const value = `{"b": 9007199254740993, "a":1.50 ,"t":"<ä\u0000>","e":1E400}`
	c.say(`{"jsonrpc":"2.0","id":"one","method":"tools/call","params":{"name":"echo","arguments":{"value":` + value + `},"more":[1.0]},"also":1}`)
	c.want(`{"jsonrpc":"2.0","id":"one","result":{"content":[],"structuredContent":{"value":` + value + `}}}`)

	c.say(`{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"raw","arguments":{"result":{"content":[],"_meta":{"x":0.10},"isError":false,"vendor":null}}}}`)
	c.want(`{"jsonrpc":"2.0","id":1.5,"result":{"content":[],"_meta":{"x":0.10},"isError":false,"vendor":null}}`)

	c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"error","arguments":{"code":-31999,"message":"own code"}}}`)
	c.has(`"id":2`, `-31999`, `own code`)
}

// Logs may have any value, and come in the order of the wire with progress between
// them, whose token is the client's again.
func TestLogsAndProgressKeepTheirOrder(t *testing.T) {
	c := greeted(t, proxy.Options{Sources: []proxy.Source{raws(t, "a.b", "-logs")}})
	c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":"mine"},"name":"chat","arguments":{"logs":[{"level":"info","data":"text"},{"level":"odd","data":[1.0,null],"x":1}]}}}`)
	c.want(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"text"}}`)
	c.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":1}}`)
	c.want(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"odd","data":[1.0,null],"x":1}}`)
	c.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"mine","progress":2}}`)
	c.want(`{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
}

// A server's requests reach the client whose call they belong to, and its answers the
// server, both as they are but for the id.
func TestRequestsOfAServerPassBothWays(t *testing.T) {
	for _, probe := range []string{"refuse", "answer"} {
		s := raws(t, "a.b", "-probe", probe)
		want := older
		if probe == "answer" {
			want = newer
		}
		s.Connection.Protocol = want
		t.Run(want, func(t *testing.T) {
			c := greeted(t, proxy.Options{Sources: []proxy.Source{s}})
			c.say(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask","arguments":{"asks":{"one":{"method":"elicitation/create","params":{"message":"?","odd":1.0}},"two":{"method":"roots/list"}}}}}`)
			first := c.has(`"method":"elicitation/create","params":{"message":"?","odd":1.0}`)
			c.say(`{"jsonrpc":"2.0","id":` + idOf(t, first) + `,"result":{"action":"accept","content":{"n":1.50},"_x":{}}}`)
			second := c.has(`"method":"roots/list"`)
			c.say(`{"jsonrpc":"2.0","id":` + idOf(t, second) + `,"result":{"roots":[]}}`)
			c.has(`"id":7`, `"structuredContent":{"one":{"action":"accept","content":{"n":1.50},"_x":{}},"two":{"roots":[]}}`)
		})
	}
}

// idOf returns the id of a message as it is written.
func idOf(t *testing.T, line string) string {
	t.Helper()
	_, rest, ok := strings.Cut(line, `"id":`)
	if !ok {
		t.Fatalf("no id in %s", line)
	}
	return rest[:strings.IndexAny(rest, ",}")]
}

// A server is told the client's name as it is, and of its capabilities those that the
// proxy relays.
func TestAServerIsToldOfTheClient(t *testing.T) {
	s := raws(t, "a.b")
	offered := t.TempDir() + "/offered"
	s.Connection.Stdio.Args = []string{"-offered", offered}
	greeted(t, proxy.Options{Sources: []proxy.Source{s}})
	if got := readFile(t, offered); !strings.Contains(got, `"roots":{"listChanged":true}`) || strings.Contains(got, "odd") {
		t.Errorf("the server was offered %s", got)
	}
}
