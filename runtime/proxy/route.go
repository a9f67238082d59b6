package proxy

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// immediate reports whether serving r waits for nothing, so that it may be done while
// the next message waits.
func (c *client) immediate(r *request) bool {
	switch r.m.Method {
	case "tools/call", "prompts/get", "resources/read", "ping":
	default:
		return false
	}
	if c.modern && r.meta("logLevel") != nil {
		return false // an older server may have to be told first
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, u := range c.ups {
		if u == nil || !u.settled() {
			return false
		}
	}
	return c.proxy.names.asIs()
}

// serve answers a request of the client, or has it answered.
func (c *client) serve(r *request) {
	if !c.known() && r.m.Method != "initialize" && r.m.Method != "ping" {
		r.fail(refuse(codeInvalid, "The session is not initialized: the first request is initialize."))
		return
	}
	if c.modern && c.resume(r) {
		return
	}
	switch r.m.Method {
	case "initialize":
		c.initialize(r)
	case "server/discover":
		c.discover(r)
	case "ping":
		r.answer(result(r.id, "{}"))
	case "tools/list":
		c.list(r, listed["tools"])
	case "prompts/list":
		c.list(r, listed["prompts"])
	case "resources/list":
		c.list(r, listed["resources"])
	case "resources/templates/list":
		c.list(r, listed["resourceTemplates"])
	case "tools/call":
		c.named(r, tool, r.m.Param("name"), r.m.Params, "name")
	case "prompts/get":
		c.named(r, prompt, r.m.Param("name"), r.m.Params, "name")
	case "resources/read":
		c.addressed(r, r.m.Param("uri"), r.m.Params, "uri", (*upstream).relay)
	case "resources/subscribe":
		c.addressed(r, r.m.Param("uri"), r.m.Params, "uri", (*upstream).subscribing)
	case "resources/unsubscribe":
		c.addressed(r, r.m.Param("uri"), r.m.Params, "uri", (*upstream).unsubscribing)
	case "completion/complete":
		c.complete(r)
	case "logging/setLevel":
		c.setLevel(r)
	case "subscriptions/listen":
		c.listen(r)
	default:
		c.other(r)
	}
}

// named sends a request that names a tool or a prompt to the source that has it.
// holder is the object with the name, as its member.
func (c *client) named(r *request, k kind, at, holder raw.Span, member string) {
	if !isString(r.m.Data, at) || raw.Ambiguous(r.m.Data, holder, member) {
		r.fail(refuse(codeParams, "%s has no %s name, or more than one.", r.m.Method, k))
		return
	}
	name := raw.Text(at.Of(r.m.Data))
	o, f := c.find(r, k, name)
	if f != nil {
		r.fail(f)
		return
	}
	s := c.proxy.sources[o.source]
	if k == tool {
		if why := s.hidden(o.name); why != "" {
			r.fail(c.unknown(k, name))
			return
		}
	}
	u := c.upstream(s)
	if err := u.usable(r.gone); err != nil {
		r.fail(s.unusable(err))
		return
	}
	if o.name == name {
		u.relay(r)
		return
	}
	u.relay(r, raw.Edit{At: at, Text: raw.Quote(o.name)})
}

// find returns what the client calls name.
func (c *client) find(r *request, k kind, name string) (origin, *failure) {
	n := c.proxy.names
	if n.asIs() && n.plain(k, origin{0, name}) == name && !mayBeHashed(name) {
		return origin{0, name}, nil
	}
	if o, ok := n.lookup(k, name); ok {
		return o, nil
	}
	c.refresh(r, k)
	if o, ok := n.lookup(k, name); ok {
		return o, nil
	}
	if n.asIs() {
		return origin{0, name}, nil // the server says what it thinks of it
	}
	for _, s := range c.proxy.sources { // its name was never seen, because its server never ran
		if u := c.upstream(s); bytes.HasPrefix([]byte(name), []byte(fold(s.id)+"_")) {
			if err := u.usable(r.gone); err != nil {
				return origin{}, s.unusable(err)
			}
		}
	}
	return origin{}, c.unknown(k, name)
}

// unknown is the failure of a request that names what does not exist.
func (c *client) unknown(k kind, name string) *failure {
	var seen []string
	n := c.proxy.names
	n.mu.Lock()
	for shown, o := range n.given[k] {
		if k != tool || c.proxy.sources[o.source].hidden(o.name) == "" {
			seen = append(seen, shown)
		}
	}
	n.mu.Unlock()
	slices.Sort(seen)
	hint := ""
	if near, ok := nearest.Name(name, seen); ok {
		hint = fmt.Sprintf(" Did you mean %q?", near)
	}
	return refuse(codeParams, "Unknown %s: there is no %s %q.%s", k, k, name, hint)
}

// lookup returns what clients see as name.
func (n *names) lookup(k kind, name string) (origin, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	o, ok := n.given[k][name]
	return o, ok
}

// mayBeHashed reports whether a name ends as [hashed] ends one.
func mayBeHashed(name string) bool {
	i := len(name) - 9
	if i < 0 || name[i] != '_' {
		return false
	}
	for _, b := range []byte(name[i+1:]) {
		if !('0' <= b && b <= '9' || 'a' <= b && b <= 'f') {
			return false
		}
	}
	return true
}

// addressed sends a request about a resource to the source that has it.
func (c *client) addressed(r *request, at, holder raw.Span, member string, then func(*upstream, *request, ...raw.Edit)) {
	if !isString(r.m.Data, at) || raw.Ambiguous(r.m.Data, holder, member) {
		r.fail(refuse(codeParams, "%s has no uri, or more than one.", r.m.Method))
		return
	}
	uri := raw.Text(at.Of(r.m.Data))
	s, inner := c.proxy.sourceOf(uri)
	if s == nil {
		r.fail(refuse(codeNoResource, "There is no resource %q: where several connections are visible, a URI begins with the name of its connection, such as %sfile:///x.", uri, c.proxy.sources[0].uri))
		return
	}
	u := c.upstream(s)
	if err := u.usable(r.gone); err != nil {
		r.fail(s.unusable(err))
		return
	}
	if s.uri == "" {
		then(u, r)
		return
	}
	then(u, r, own(at, inner))
}

// complete sends a request for completions on.
func (c *client) complete(r *request) {
	ref := r.m.Param("ref")
	if name := r.m.Param("ref", "name"); raw.Text(r.m.Param("ref", "type").Of(r.m.Data)) == "ref/prompt" {
		c.named(r, prompt, name, ref, "name")
		return
	}
	c.addressed(r, r.m.Param("ref", "uri"), ref, "uri", (*upstream).relay)
}

// setLevel sets the log level of all servers that log.
func (c *client) setLevel(r *request) {
	level := r.m.Param("level").Of(r.m.Data)
	var logging []*upstream
	for _, u := range c.all() {
		if err := u.usable(r.gone); err == nil && (u.has("logging") || len(c.proxy.sources) == 1) {
			logging = append(logging, u)
		}
	}
	if len(logging) == 1 && !logging[0].modern {
		logging[0].relay(r)
		return
	}
	for _, u := range logging {
		if u.modern {
			u.mu.Lock()
			u.level = string(level)
			u.mu.Unlock()
			continue
		}
		u.greet()
		m, f := u.ask(c.ctx, "logging/setLevel", string(r.m.Params.Of(r.m.Data)))
		if f == nil && m.Error.There() {
			r.answer(raw.Apply(m.Data, raw.Edit{At: m.ID, Text: r.id}))
			return
		}
	}
	r.answer(result(r.id, "{}"))
}

// other sends on a request of which the proxy knows nothing, where it can only be for
// one server.
func (c *client) other(r *request) {
	if len(c.proxy.sources) != 1 {
		r.fail(refuse(codeNoMethod, "The method %q does not exist, or cannot be told to be for one of the connections.", r.m.Method))
		return
	}
	s := c.proxy.sources[0]
	u := c.upstream(s)
	if err := u.usable(r.gone); err != nil {
		r.fail(s.unusable(err))
		return
	}
	u.relay(r)
}

// notice takes a notification of the client. It waits for nothing.
func (c *client) notice(m raw.Message) {
	switch m.Method {
	case "notifications/cancelled":
		c.mu.Lock()
		r := c.requests[string(m.Param("requestId").Of(m.Data))]
		c.mu.Unlock()
		if r != nil && r.m.Method != "initialize" {
			r.abort(m.Param("reason").Of(m.Data))
		}
	case "notifications/progress":
		c.answerProgress(m)
	case "notifications/initialized":
		for _, u := range c.open() {
			if !u.modern {
				u.hello.Do(func() { u.notify(bytes.Clone(m.Data)) })
			}
		}
	default:
		for _, u := range c.open() {
			if !u.modern {
				u.notify(bytes.Clone(m.Data))
			}
		}
	}
}

func isString(text []byte, at raw.Span) bool { return at.There() && text[at.From] == '"' }
