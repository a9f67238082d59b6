package connection

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestWhatKeepsARequestFromAnAnswer(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	for _, c := range []struct {
		sent Sent
		err  error
		want string
	}{
		{SentNo, dial(&net.DNSError{Err: "no such host", Name: "mcp.example.com", IsNotFound: true}),
			`The host mcp.example.com does not exist. Check the url of its http block.`},
		{SentNo, dial(&net.DNSError{Err: "server misbehaving", Name: "mcp.example.com", IsTemporary: true}),
			`The address of the host mcp.example.com could not be found: server misbehaving. Check the network.`},
		{SentNo, dial(os.NewSyscallError("connect", syscall.ECONNREFUSED)),
			`Nothing listens at mcp.example.com:443 (connection refused). Start the server, or check the url of its http block.`},
		{SentNo, dial(os.NewSyscallError("connect", syscall.ENETUNREACH)),
			`mcp.example.com could not be reached: network is unreachable. Check the network, and check the url of its http block.`},
		{SentNo, dial(os.ErrDeadlineExceeded),
			`mcp.example.com could not be reached: timeout. Check the network, and check the url of its http block.`},
		{SentNo, &net.OpError{Op: "proxyconnect", Net: "tcp", Err: dial(os.NewSyscallError("connect", syscall.ECONNREFUSED))},
			`The proxy on the way to mcp.example.com could not be used: connection refused. Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY in the environment of wfc.`},
		{SentNo, fmt.Errorf("tls: %w", x509.CertificateInvalidError{Reason: x509.Expired, Detail: "it was yesterday"}),
			`The TLS certificate of mcp.example.com is not valid (certificate has expired or is not yet valid: it was yesterday). Check the clock of this machine; else the server needs another certificate.`},
		{SentMaybe, io.EOF, `The connection to mcp.example.com broke before the answer came: the server closed it.`},
		{SentMaybe, &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)},
			`The connection to mcp.example.com broke before the answer came: connection reset by peer.`},
		{SentMaybe, errors.New("http2: server sent GOAWAY and closed the connection"),
			`The connection to mcp.example.com broke before the answer came: http2: server sent GOAWAY and closed the connection.`},
	} {
		u, err := url.Parse("https://mcp.example.com/mcp?key=secret")
		if err != nil {
			t.Fatal(err)
		}
		f := (&httpChannel{url: u}).unreachable(c.sent, &url.Error{Op: "Post", URL: u.String(), Err: c.err})
		if f.Error() != c.want || f.Kind != Unanswered || f.Sent != c.sent || strings.Contains(f.Error(), "secret") {
			t.Errorf("%v\n got %s\nwant %s", c.err, f, c.want)
		}
	}
}

func TestAProxyThatRefuses(t *testing.T) {
	for status, want := range map[int]string{
		407: "The proxy wants credentials (407 Proxy Authentication Required). Write them into the address of the proxy in HTTPS_PROXY.",
		502: "The proxy makes no way to mcp.example.com (502 Bad Gateway). Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY in the environment of wfc, and whether the proxy may reach the host.",
	} {
		front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		defer front.Close()
		address, err := url.Parse(front.URL)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Connection{ID: "test.main"}.openHTTP(&HTTP{URL: "https://mcp.example.com/mcp"}, false, Sinks{})
		if err != nil {
			t.Fatal(err)
		}
		c.base.Proxy = http.ProxyURL(address)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url.String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		task := c.begin(t.Context())
		_, err = c.send(task, req, []byte("{}"), nil)
		task.end()
		var f *Failure
		if !errors.As(err, &f) || f.Error() != want || f.Sent != SentNo {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		c.Close()
		<-c.Done()
	}
}

func TestURLs(t *testing.T) {
	for in, want := range map[string]string{
		"https://mcp.example.com/mcp?a=b": "",
		"http://127.0.0.1:8080":           "",
		"":                                "Its url is empty. Write the address of the server, such as https://example.com/mcp.",
		"mcp.example.com/mcp":             `Its url has the scheme "". Write one that begins with http:// or https://.`,
		"ftp://example.com":               `Its url has the scheme "ftp". Write one that begins with http:// or https://.`,
		"https:///mcp":                    "Its url names no host. Write the address of the server, such as https://example.com/mcp.",
		"https://user:secret@host/mcp":    `Its url holds a user name. Write an auth "basic" block with username and password.`,
		"https://host:port/secret":        `Its url is none: invalid port ":port" after host. Write the address of the server, such as https://example.com/mcp.`,
	} {
		_, err := parseURL(in)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}

func TestFingerprintOfAServerAtAURL(t *testing.T) {
	base := func() Connection {
		return Connection{ID: "a.b", HTTP: &HTTP{URL: "https://example.com/mcp", Headers: map[string]string{"A": "1"}, Auth: &Auth{Identity: "secret.a"}}}
	}
	want := base().Fingerprint("")
	for name, change := range map[string]func(*Connection){
		"the URL":          func(c *Connection) { c.HTTP.URL += "x" },
		"a header":         func(c *Connection) { c.HTTP.Headers["A"] = "2" },
		"another header":   func(c *Connection) { c.HTTP.Headers["B"] = "2" },
		"the identity":     func(c *Connection) { c.HTTP.Auth.Identity = "secret.b" },
		"the auth's name":  func(c *Connection) { c.HTTP.Auth.Header = "X-Key" },
		"no auth":          func(c *Connection) { c.HTTP.Auth = nil },
		"the transport":    func(c *Connection) { c.SSE, c.HTTP = c.HTTP, nil },
		"a child process":  func(c *Connection) { c.Stdio, c.HTTP = &Stdio{Command: "x"}, nil },
		"nothing of it":    func(c *Connection) { c.HTTP = &HTTP{} },
		"no transport yet": func(c *Connection) { c.HTTP = nil },
	} {
		c := base()
		if change(&c); c.Fingerprint("") == want || base().Same(c) || c.Same(base()) {
			t.Errorf("%s: the same session", name)
		}
	}
	if c := base(); c.Fingerprint("") != want || !base().Same(c) {
		t.Error("the same again is another session")
	}
}
