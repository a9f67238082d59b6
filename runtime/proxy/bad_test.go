package proxy_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/runtime/proxy"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// A client that speaks nonsense gets an error, and goes on.
func TestNonsense(t *testing.T) {
	c := talkTo(t, proxy.Options{Sources: []proxy.Source{raws(t, "a.b")}})
	c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	c.has(`"id":1`, "-32600", "initialize")
	c.say(hello)
	c.has(`"id":0`, "result")
	for line, want := range map[string]string{
		`not JSON`:                             `-32700`,
		`{"jsonrpc":"2.0","id":1,"method":"x"`: `-32700`,
		`"text"`:                               `-32600`,
		`[]`:                                   `-32600`,
		`[1]`:                                  `-32600`,
		`{"id":1,"method":"tools/list"}`:       `-32600`,
		`{"jsonrpc":"2.0","id":[1],"method":"x"}`:                     `-32600`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"x"}`: `-32600`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}`:          `-32600`,
		hello: `-32600`,
		`{"jsonrpc":"2.0","id":1,"method":"no/such/method"}`:                                                                         `-32601`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"conter"}}`:                                                  `-32602`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"2"}}`:                                                     `-32602`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read"}`:                                                                         `-32602`,
		`{"jsonrpc":"2.0","id":1,"method":"server/discover"}`:                                                                        `-32601`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}`: `-32022`,
	} {
		c.say(line)
		c.has(`"error":{"code":` + want)
	}
	// What answers nothing and what is told to nobody is dropped.
	c.say(`{"jsonrpc":"2.0","id":99,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5}}`, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	c.want(`{"jsonrpc":"2.0","id":2,"result":{}}`)
}

// Over HTTP likewise, with the statuses of the protocol; and what a web page may have
// sent is refused.
func TestNonsenseOverHTTP(t *testing.T) {
	url, _ := serve(t, proxy.Options{Sources: []proxy.Source{raws(t, "a.b")}})
	_, session, body := post(t, url, "", hello)
	if session == "" || !strings.Contains(body, `"result"`) {
		t.Fatalf("%q %s", session, body)
	}
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	const modern = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	for _, c := range []struct {
		name, session, body string
		headers             []string
		status              int
		says                string
	}{
		{"a session", session, list, nil, 200, `"id":1,"result"`},
		{"no session", "", list, nil, 400, "Mcp-Session-Id"},
		{"another session", "nobody's", list, nil, 404, "Session not found"},
		{"no JSON", session, "{", nil, 400, "-32700"},
		{"no message", session, "{}", nil, 400, "-32600"},
		{"another type", session, list, []string{"Content-Type", "text/plain"}, 415, ""},
		{"no events wanted", session, list, []string{"Accept", "application/json"}, 406, ""},
		{"a revision that there is none of", session, list, []string{"Mcp-Protocol-Version", "1999-01-01"}, 400, "2025-11-25"},
		{"a page of another origin", session, list, []string{"Origin", "https://evil.example"}, 403, "origin"},
		{"a page that lets its name point here", session, list, []string{"Host", "evil.example"}, 403, "host"},
		{"a page of this machine", session, list, []string{"Origin", "http://localhost:1"}, 200, ""},
		{"the newer era without its header", "", modern, nil, 400, "-32020"},
		{"the newer era with another method", "", modern, []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call"}, 400, "-32020"},
		{"the newer era", "", modern, []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list"}, 200, `"resultType":"complete"`},
		{"a notification", session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil, 202, ""},
		{"initialize that says nothing", "", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, nil, 200, "-32602"},
	} {
		if status, _, body := post(t, url, c.session, c.body, c.headers...); status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", session)
	if status, _, _ := do(t, req); status != 204 {
		t.Errorf("DELETE: %d", status)
	}
	if status, _, _ := post(t, url, session, list); status != 404 {
		t.Errorf("after DELETE: %d", status)
	}
}

// A lost server ends the session of the client that had it, and of no other: the client
// gets an error that names the connection, and 404 from then on.
func TestALostServerEndsItsSession(t *testing.T) {
	url, _ := serve(t, proxy.Options{Sources: []proxy.Source{raws(t, "a.b")}})
	_, one, _ := post(t, url, "", hello)
	_, other, _ := post(t, url, "", hello)
	_, _, body := post(t, url, one, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"crash","arguments":{"code":4}}}`)
	for _, part := range []string{`"id":1`, "a.b", "exit status 4", "out of cheese"} {
		if !strings.Contains(body, part) {
			t.Errorf("%s without %s", body, part)
		}
	}
	const count = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"counter","arguments":{}}}`
	if status, _, body := post(t, url, one, count); status != 404 {
		t.Errorf("%d %s", status, body)
	}
	if status, _, body := post(t, url, other, count); status != 200 || !strings.Contains(body, `"count":1`) {
		t.Errorf("%d %s", status, body)
	}
	_, again, _ := post(t, url, "", hello)
	if status, _, body := post(t, url, again, count); status != 200 || !strings.Contains(body, `"count":1`) {
		t.Errorf("%d %s", status, body)
	}
}

// On a pipe the proxy ends, and says why.
func TestALostServerEndsAClientOnAPipe(t *testing.T) {
	c := greeted(t, proxy.Options{Sources: []proxy.Source{raws(t, "a.b")}})
	c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"crash","arguments":{"code":4}}}`)
	c.has(`"id":1`, "a.b", "exit status 4")
	if err := <-c.ended; err == nil || !strings.Contains(err.Error(), "a.b") {
		t.Errorf("the error is %v", err)
	}
}

// A client of the newer era has no session to lose: its next request has a new server.
func TestALostServerIsReplacedForANewerClient(t *testing.T) {
	s := raws(t, "a.b")
	c := talkTo(t, proxy.Options{Sources: []proxy.Source{s}})
	say := func(id, tool, args string) {
		c.say(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},"name":"` + tool + `","arguments":` + args + `}}`)
	}
	say("1", "counter", "{}")
	c.has(`"id":1`, `"resultType":"complete"`, `"count":1`)
	say("2", "counter", "{}")
	c.has(`"id":2`, `"count":2`)
	say("3", "crash", `{"code":4}`)
	c.has(`"id":3`, "exit status 4")
	say("4", "counter", "{}")
	c.has(`"id":4`, `"count":1`)
}

// A silent client is forgotten, and its server ends.
func TestAnIdleSessionEnds(t *testing.T) {
	url, p := serve(t, proxy.Options{Sources: []proxy.Source{raws(t, "a.b")}, Idle: time.Millisecond})
	_, session, _ := post(t, url, "", hello)
	p.Wait()
	if status, _, _ := post(t, url, session, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); status != 404 {
		t.Errorf("%d", status)
	}
	servertest.CheckGoroutines(t)
}

// A request of a server that belongs to no one call is refused, and asked of nobody.
func TestWhatBelongsToNobodyIsRefused(t *testing.T) {
	c := talkTo(t, proxy.Options{Sources: []proxy.Source{raws(t, "a.b")}})
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	// Two calls are in flight, and the server does not say which of them asks.
	c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + strings.Replace(meta, "{", `{"progressToken":1,`, 1) + `,"name":"report","arguments":{}}}`)
	c.has(`"progressToken":1`) // the server has it
	c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{` + meta + `,"name":"ask","arguments":{"asks":{"a":{"method":"elicitation/create","params":{}}}}}}`)
	c.has(`"id":2`, "cannot tell whose request")
}

// Where no server starts there is nothing to go on with: the client is told why, as it
// would be directly.
func TestNoServerStarts(t *testing.T) {
	c := talkTo(t, proxy.Options{Sources: []proxy.Source{raws(t, "a.b", "-exit", "3")}})
	c.say(hello)
	c.has(`"id":0`, `"error"`, "a.b", "exit status 3", "giving up")
	if err := <-c.ended; err == nil || !strings.Contains(err.Error(), "a.b") {
		t.Errorf("the error is %v", err)
	}
}
