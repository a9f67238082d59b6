package connection

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"
)

// CodeFailure is the code of the error that the SDK gets in place of an answer that
// did not come; what happened is [Exchange.Failure].
const CodeFailure = -31065

// Kind of a [Failure].
type FailureKind uint8

// The kinds.
const (
	// Rejected: HTTP's answer is a status, which Status has.
	Rejected FailureKind = iota
	// Unanswered: no answer came, or a part of one.
	Unanswered
	// Garbled: what came is not MCP.
	Garbled
)

// Failure is why a request over HTTP got no MCP answer. The session goes on. It is
// told in full sentences, without secrets and without the connection's name.
type Failure struct {
	Kind   FailureKind
	Status int // of Rejected
	// RetryAfter is how long the server asks to wait; 0 if it does not.
	RetryAfter time.Duration
	// Sent says whether the request may have been received. What a server turns away
	// before it looks at it counts as not sent.
	Sent   Sent
	What   string
	Advice string // what to do; may be empty
	cause  error
}

// Error returns what happened and what to do.
func (f *Failure) Error() string { return strings.TrimRight(f.What+" "+f.Advice, " ") }

// Unwrap returns the cause, nil if a status is all there is.
func (f *Failure) Unwrap() error { return f.cause }

// proxyRefusal is the error of a proxy that makes no way to a server with TLS. What
// net/http says itself does not tell it from the server's words.
type proxyRefusal struct{ status int }

func (p *proxyRefusal) Error() string { return statusText(p.status) }

// Where the way to a server is written that leads through a proxy.
const (
	proxyVariables   = "HTTPS_PROXY, HTTP_PROXY and NO_PROXY in the environment of wfc"
	proxyCredentials = "Write them into the address of the proxy in HTTPS_PROXY."
)

func statusText(code int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", code, http.StatusText(code)))
}

// unreachable says what kept a request from getting any answer.
func (c *httpChannel) unreachable(sent Sent, err error) *Failure {
	f := &Failure{Kind: Unanswered, Sent: sent, cause: err}
	host := c.url.Host
	check := fmt.Sprintf("Check the url of its %s block.", c.block())
	var (
		dns       *net.DNSError
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
		op        *net.OpError
		proxy     *proxyRefusal
	)
	switch {
	case errors.As(err, &proxy) && proxy.status == http.StatusProxyAuthRequired:
		f.Kind, f.Status, f.Sent = Rejected, proxy.status, SentNo
		f.What, f.Advice = "The proxy wants credentials ("+proxy.Error()+").", proxyCredentials
	case errors.As(err, &proxy):
		f.What, f.Advice = fmt.Sprintf("The proxy makes no way to %s (%s).", host, proxy), "Check "+proxyVariables+", and whether the proxy may reach the host."
	case errors.As(err, &op) && op.Op == "proxyconnect":
		f.What, f.Advice = fmt.Sprintf("The proxy on the way to %s could not be used: %s.", host, rootOf(err)), "Check "+proxyVariables+"."
	case errors.As(err, &dns) && dns.IsNotFound:
		f.What, f.Advice = fmt.Sprintf("The host %s does not exist.", c.url.Hostname()), check
	case errors.As(err, &dns):
		f.What, f.Advice = fmt.Sprintf("The address of the host %s could not be found: %s.", c.url.Hostname(), dns.Err), "Check the network."
	case errors.As(err, &authority):
		f.What = fmt.Sprintf("The TLS certificate of %s is signed by nobody whom this machine trusts.", host)
		f.Advice = "If it is one of your own, name the file of its authority's certificate in SSL_CERT_FILE, or add it to the system's."
	case errors.As(err, &name):
		f.What, f.Advice = fmt.Sprintf("The TLS certificate of %s is for another host (%s).", host, strings.TrimPrefix(name.Error(), "x509: ")), check
	case errors.As(err, &invalid):
		f.What, f.Advice = fmt.Sprintf("The TLS certificate of %s is not valid (%s).", host, strings.TrimPrefix(invalid.Error(), "x509: ")), "Check the clock of this machine; else the server needs another certificate."
	case errors.As(err, &record) || strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		f.What, f.Advice = fmt.Sprintf("%s speaks no TLS.", host), "If it is a server without TLS, begin the url with http://."
	case errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "actively refused"): // the latter is Windows
		f.What, f.Advice = fmt.Sprintf("Nothing listens at %s (connection refused).", address(c)), "Start the server, or check the url of its "+c.block()+" block."
	case sent == SentNo:
		f.What, f.Advice = fmt.Sprintf("%s could not be reached: %s.", host, rootOf(err)), "Check the network, and "+strings.ToLower(check[:1])+check[1:]
	case strings.Contains(err.Error(), "malformed HTTP"):
		f.What, f.Advice = fmt.Sprintf("What listens at %s speaks no HTTP.", host), check
	default:
		f.What = fmt.Sprintf("The connection to %s broke before the answer came: %s.", host, rootOf(err))
	}
	return f
}

// address is where a connection is made to, with the port also where the URL leaves it out.
func address(c *httpChannel) string {
	if c.url.Port() != "" {
		return c.url.Host
	}
	return c.url.Host + map[string]string{"http": ":80", "https": ":443"}[c.url.Scheme]
}

// rootOf returns the text of the innermost error, since the outer ones repeat
// addresses and names of functions.
func rootOf(err error) string {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return "timeout"
	}
	var outer *url.Error // which has the whole URL
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		err = op.Err
	}
	var sys *os.SyscallError
	if errors.As(err, &sys) {
		err = sys.Err
	}
	text := err.Error()
	if text == "EOF" || text == "unexpected EOF" {
		return "the server closed it"
	}
	return strings.TrimSuffix(strings.TrimPrefix(text, "net/http: "), ".")
}

// block is the name of the block that the connection is written with.
func (c *httpChannel) block() string {
	if c.sse {
		return "sse"
	}
	return "http"
}

// shown is the URL without what may be secret in it.
func (c *httpChannel) shown() string {
	u := *c.url
	u.RawQuery, u.ForceQuery = "", false
	return u.String()
}

// rejected says what a status means. said is what the server said to it, which may
// be nothing.
func (c *httpChannel) rejected(resp *http.Response, said string) *Failure {
	status := statusText(resp.StatusCode)
	if said != "" {
		status += ", " + said
	}
	f := &Failure{Kind: Rejected, Status: resp.StatusCode, Sent: SentYes, RetryAfter: retryAfter(resp.Header, time.Now())}
	set := func(sent Sent, what, advice string) {
		f.Sent, f.What, f.Advice = sent, what+" ("+status+").", advice
	}
	other := map[bool]string{false: "a server that speaks the older SSE transport wants an sse block.", true: "a newer server wants an http block."}[c.sse]
	switch code := resp.StatusCode; {
	case code == http.StatusUnauthorized && c.Auth != nil:
		set(SentNo, "The server refused the credentials", "Check "+c.Auth.Name+" of its auth block: it may be wrong or have expired.")
	case code == http.StatusUnauthorized && c.hasHeader("Authorization"):
		set(SentNo, "The server refused the credentials", "Check the header Authorization of its "+c.block()+" block: it may be wrong or have expired.")
	case code == http.StatusUnauthorized:
		set(SentNo, "The server wants credentials", `Give the connection an auth block: auth "bearer" { token = secret.NAME }.`)
	case code == http.StatusForbidden && c.Auth != nil:
		set(SentNo, "The server forbids it to the credentials that it got", "Check what "+c.Auth.Name+" of its auth block may do.")
	case code == http.StatusForbidden:
		set(SentNo, "The server forbids it", `If it wants credentials, give the connection an auth block: auth "bearer" { token = secret.NAME }.`)
	case code == http.StatusProxyAuthRequired:
		set(SentNo, "The proxy wants credentials", proxyCredentials)
	case code == http.StatusNotFound:
		set(SentNo, "There is nothing at "+c.shown(), "Check the url of its "+c.block()+" block; "+other)
	case code == http.StatusMethodNotAllowed:
		set(SentNo, c.shown()+" takes no messages of this transport", "Check the url of its "+c.block()+" block; "+other)
	case code == http.StatusRequestEntityTooLarge:
		set(SentNo, "The request is too large for the server", "Send less at once.")
	case code == http.StatusTooManyRequests:
		set(SentNo, "The server has had too many requests"+c.wait(f), "Give the step a retry block, or the connection a rate_limit.")
	case code == http.StatusServiceUnavailable:
		set(SentYes, "The server is not available"+c.wait(f), "Try again later.")
	case code == http.StatusBadGateway || code == http.StatusGatewayTimeout:
		// A gateway speaks here, for a server that may have had the request.
		set(SentMaybe, "A gateway got no answer from the server"+c.wait(f), "The server may have executed it all the same.")
	case code == http.StatusRequestTimeout:
		set(SentMaybe, "The server gave up waiting", "")
	case code >= 500:
		set(SentYes, "The server failed"+c.wait(f), "Its log says why.")
	case code == http.StatusConflict:
		set(SentYes, "The server refused it in the state that it is in", "")
	case code >= 300 && code < 400:
		set(SentNo, "The server redirects to another place", "Write the address that it means as the url.")
	default:
		set(SentYes, "The server refused it", "Check the url and the headers of its "+c.block()+" block.")
	}
	return f
}

// hasHeader reports whether the connection itself says a header.
func (c *httpChannel) hasHeader(name string) bool {
	for own := range c.Headers {
		if strings.EqualFold(own, name) {
			return true
		}
	}
	return false
}

// wait says how long a server asks to wait, as the end of a sentence.
func (c *httpChannel) wait(f *Failure) string {
	if f.RetryAfter <= 0 {
		return ""
	}
	return fmt.Sprintf(" and asks to wait %s", f.RetryAfter)
}

// elsewhere is the failure of a redirect that is not followed.
func (c *httpChannel) elsewhere(resp *http.Response, target string) *Failure {
	f := c.rejected(resp, "")
	f.What = fmt.Sprintf("The server redirects to %s (%d %s).", target, resp.StatusCode, http.StatusText(resp.StatusCode))
	f.Advice = "wfc does not follow it there, since it would send the request and its credentials to a place that the connection does not name. If it is right, write it as the url."
	return f
}

// garbled is the failure of an answer that is not MCP.
func (c *httpChannel) garbled(what, advice string) *Failure {
	return &Failure{Kind: Garbled, Sent: SentYes, What: what, Advice: advice}
}

// broken is the failure of an answer that began and did not end.
func (c *httpChannel) broken(why string) *Failure {
	return &Failure{Kind: Unanswered, Sent: SentYes, What: "The server began to answer and did not end: " + why + "."}
}
