package proxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// The headers of the protocol.
const (
	headerSession = "Mcp-Session-Id"
	headerVersion = "Mcp-Protocol-Version"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerParam   = "Mcp-Param-" // what arguments of a tool begin with that are sent beside it
)

// Handler returns the handler of streamable HTTP, for one path such as /mcp. It serves
// both eras: clients before 2026-07-28 in sessions, and later ones without.
func (p *Proxy) Handler() http.Handler { return http.HandlerFunc(p.serveHTTP) }

func (p *Proxy) serveHTTP(w http.ResponseWriter, req *http.Request) {
	if why := foreign(req); why != "" {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	if v := req.Header.Get(headerVersion); v != "" && v < modern && !slices.Contains(versions, v) {
		http.Error(w, fmt.Sprintf("Unsupported protocol version %q. wfc speaks %s.", v, strings.Join(versions, ", ")), http.StatusBadRequest)
		return
	}
	switch req.Method {
	case http.MethodPost:
		p.post(w, req)
	case http.MethodGet:
		p.get(w, req)
	case http.MethodDelete:
		if c := p.session(w, req); c != nil {
			c.end(errDeleted)
			w.WriteHeader(http.StatusNoContent)
		}
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
	}
}

// session returns the client that the request names. If there is none it has been
// answered.
func (p *Proxy) session(w http.ResponseWriter, req *http.Request) *client {
	id := req.Header.Get(headerSession)
	if id == "" {
		http.Error(w, "The header Mcp-Session-Id is missing. A session begins with initialize.", http.StatusBadRequest)
		return nil
	}
	p.mu.Lock()
	c := p.clients[id]
	p.mu.Unlock()
	if c == nil {
		http.Error(w, "Session not found. It has ended; begin a new one with initialize.", http.StatusNotFound)
	}
	return c
}

// get serves the stream of what belongs to no request.
func (p *Proxy) get(w http.ResponseWriter, req *http.Request) {
	if !accepts(req, "text/event-stream") {
		http.Error(w, "Accept must contain text/event-stream", http.StatusNotAcceptable)
		return
	}
	if req.Header.Get(headerSession) == "" && req.Header.Get(headerVersion) >= modern {
		w.Header().Set("Allow", "POST")
		http.Error(w, "Method not allowed", http.StatusMethodNotAllowed)
		return
	}
	c := p.session(w, req)
	if c == nil || !c.enter() {
		return
	}
	defer c.leave()
	c.mu.Lock()
	taken := c.listening
	c.listening = true
	c.mu.Unlock()
	if taken {
		http.Error(w, "The session has such a stream already.", http.StatusConflict)
		return
	}
	defer func() {
		c.mu.Lock()
		c.listening = false
		c.mu.Unlock()
	}()
	c.standing.(*stream).pump(req.Context(), w, false)
}

// post takes messages.
func (p *Proxy) post(w http.ResponseWriter, req *http.Request) {
	if kind, _, _ := mime.ParseMediaType(req.Header.Get("Content-Type")); kind != "application/json" {
		http.Error(w, "Content-Type must be application/json", http.StatusUnsupportedMediaType)
		return
	}
	if !accepts(req, "application/json") || !accepts(req, "text/event-stream") {
		http.Error(w, "Accept must contain both application/json and text/event-stream", http.StatusNotAcceptable)
		return
	}
	body, err := readBody(w, req)
	if err != nil {
		status := http.StatusBadRequest
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, "The message could not be read: "+err.Error(), status)
		return
	}
	if p.record != nil {
		p.record.add(req.Header.Get(headerSession), "proxy", body)
	}
	if !json.Valid(body) {
		reject(w, http.StatusBadRequest, nil, refuse(codeParse, "What was sent is no JSON."))
		return
	}
	whole := raw.Whole(body)
	var all []raw.Message
	for _, one := range batch(body[whole.From:]) {
		m, err := raw.Strict(one)
		if err != nil {
			var id []byte
			if m.Request() {
				id = m.ID.Of(m.Data)
			}
			reject(w, http.StatusBadRequest, id, refuse(codeInvalid, "What was sent is no JSON-RPC message: %v.", err))
			return
		}
		all = append(all, m)
	}
	if len(all) == 1 && (newer(all[0]) || req.Header.Get(headerVersion) >= modern) {
		p.stateful(w, req, all[0])
		return
	}
	p.older(w, req, all)
}

func readBody(w http.ResponseWriter, req *http.Request) ([]byte, error) {
	r := http.MaxBytesReader(w, req.Body, connection.MaxFrame)
	if n := req.ContentLength; n > 0 && n <= connection.MaxFrame {
		body := make([]byte, n)
		_, err := io.ReadFull(r, body)
		return body, err
	}
	return io.ReadAll(r)
}

// older serves messages of a client before 2026-07-28.
func (p *Proxy) older(w http.ResponseWriter, req *http.Request, all []raw.Message) {
	var c *client
	begins := len(all) == 1 && all[0].Method == "initialize" && all[0].Request() && req.Header.Get(headerSession) == ""
	if begins {
		if c = p.newClient(false, newStream(-1)); c == nil {
			http.Error(w, "wfc is closing", http.StatusServiceUnavailable)
			return
		}
		c.id = state()
		p.mu.Lock()
		p.clients[c.id] = c
		p.mu.Unlock()
		w.Header().Set(headerSession, c.id)
	} else if c = p.session(w, req); c == nil {
		return
	}
	if !c.enter() {
		http.Error(w, "Session not found. It has ended; begin a new one with initialize.", http.StatusNotFound)
		return
	}
	defer c.leave()
	var requests []*request
	count := 0
	for _, m := range all {
		if m.Request() {
			count++
		}
	}
	out := newStream(count)
	for _, m := range all {
		switch {
		case m.Method == "":
			c.reply(m)
		case !m.Request():
			c.notice(m)
		default:
			requests = append(requests, c.newRequest(m, out, nil))
		}
	}
	if count == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	for _, r := range requests {
		if refused := refuseVersion(r.m); refused != nil {
			r.fail(refused)
			continue
		}
		c.run(r)
	}
	gone := out.pump(req.Context(), w, prefersJSON(req))
	out.close() // who has gone gets no answer; the request goes on, as the protocol has it
	if begins && (gone || !c.known()) {
		c.end(errDeleted) // nobody knows of the session
	}
}

// known reports whether the client has introduced itself.
func (c *client) known() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.in != nil
}

// run serves r, in a goroutine of its own where that may take a while.
func (c *client) run(r *request) {
	if c.immediate(r) {
		c.serve(r)
		return
	}
	go c.serve(r) // it ends with r
}

// stateful serves one message of a client of 2026-07-28: what state there is its
// servers have.
func (p *Proxy) stateful(w http.ResponseWriter, req *http.Request, m raw.Message) {
	id := m.ID.Of(m.Data)
	if !m.Request() {
		w.WriteHeader(http.StatusAccepted) // there is none that means anything here
		return
	}
	if f := mismatch(req.Header, m); f != nil {
		reject(w, http.StatusBadRequest, id, f)
		return
	}
	if f := refuseVersion(m); f != nil {
		status := http.StatusBadRequest
		if f.code == codeNoMethod {
			status = http.StatusNotFound
		}
		reject(w, status, id, f)
		return
	}
	c := p.stateless()
	if c == nil {
		http.Error(w, "wfc is closing", http.StatusServiceUnavailable)
		return
	}
	c.introduced(ofRequest(m))
	var beside http.Header
	for name, values := range req.Header {
		if strings.HasPrefix(name, headerParam) {
			if beside == nil {
				beside = http.Header{}
			}
			beside[name] = values
		}
	}
	out := newStream(1)
	r := c.newRequest(m, out, beside)
	c.run(r)
	if out.pump(req.Context(), w, prefersJSON(req)) {
		r.abort(nil) // to go away is to cancel
	}
}

// mismatch returns in what the headers of a request of 2026-07-28 do not say what the
// request does, nil if they do: what is between client and proxy decides by headers.
func mismatch(h http.Header, m raw.Message) *failure {
	version := raw.Text(m.Param("_meta", "io.modelcontextprotocol/protocolVersion").Of(m.Data))
	switch {
	case version == "":
		return refuse(codeParams, "missing or invalid _meta field %q", "io.modelcontextprotocol/protocolVersion")
	case h.Get(headerVersion) != version:
		return refuse(codeMismatch, "The header %s is %q, and the request follows %q.", headerVersion, h.Get(headerVersion), version)
	case h.Get(headerMethod) != m.Method:
		return refuse(codeMismatch, "The header %s is %q, and the method is %q.", headerMethod, h.Get(headerMethod), m.Method)
	}
	member := map[string]string{"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}[m.Method]
	if member == "" {
		return nil
	}
	if name := raw.Text(m.Param(member).Of(m.Data)); h.Get(headerName) != name {
		return refuse(codeMismatch, "The header %s is %q, and the %s is %q.", headerName, h.Get(headerName), member, name)
	}
	return nil
}

// reject answers a POST with an error.
func reject(w http.ResponseWriter, status int, id []byte, f *failure) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(f.reply(id)) // who has gone needs no answer
}

func accepts(req *http.Request, kind string) bool {
	for _, header := range req.Header.Values("Accept") {
		for one := range strings.SplitSeq(header, ",") {
			got, _, _ := strings.Cut(strings.TrimSpace(one), ";")
			if main, _, _ := strings.Cut(kind, "/"); got == kind || got == "*/*" || got == main+"/*" {
				return true
			}
		}
	}
	return false
}

// prefersJSON reports whether the client names JSON before events in what it accepts.
// It accepts both, and most do so in this order.
func prefersJSON(req *http.Request) bool {
	header := strings.Join(req.Header.Values("Accept"), ",")
	at := strings.Index(header, "application/json")
	return at >= 0 && !strings.Contains(header[:at], "text/event-stream")
}
