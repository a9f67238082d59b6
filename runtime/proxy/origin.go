package proxy

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// foreign says why a request may be of a web page that has no business here, "" if
// that cannot be. A page may reach a server of this machine, also by a name of its own
// that it lets point here (DNS rebinding); but the browser tells whose page it is.
func foreign(req *http.Request) string {
	if local, ok := req.Context().Value(http.LocalAddrContextKey).(net.Addr); ok && loopback(local.String()) && !loopback(req.Host) {
		return fmt.Sprintf("Forbidden: the host %q is none of this machine's.", req.Host)
	}
	origin := req.Header.Get("Origin")
	if origin == "" {
		return ""
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Host != req.Host && !(loopback(u.Host) && loopback(req.Host)) {
		return fmt.Sprintf("Forbidden: the origin %q is another than this server.", origin)
	}
	return ""
}

// loopback reports whether a host, with a port or without, is this machine to itself.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
