package proxy

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// client is a session downstream: a client before 2026-07-28, or all of that revision
// that the proxy serves.
type client struct {
	proxy    *Proxy
	modern   bool
	id       string // of its session over HTTP
	version  string // before 2026-07-28: what was agreed on
	standing sink   // for what belongs to no request
	ctx      context.Context
	cancel   context.CancelCauseFunc
	ended    chan struct{} // all that it had is gone

	mu        sync.Mutex
	in        *introduction // nil before initialize
	ups       []*upstream   // by source; nil: not used yet
	requests  map[string]*request
	asked     map[int64]*question // of servers, by our id
	lastAsked int64
	held      map[string]*call // calls that wait for a client of 2026-07-28 to come back
	listens   []*listen
	over      error
	listening bool        // over HTTP: its client has a stream for what belongs to no request
	active    int         // over HTTP: requests and streams under way
	idle      *time.Timer // runs while there are none
}

// emit hands a message to the client.
func (c *client) emit(out sink, data []byte, final bool) {
	if c.proxy.record != nil {
		c.proxy.record.add(c.id, "client", data)
	}
	out.send(data, final)
}

// upstream returns the client's session with a source, which opens it where there is
// none yet.
func (c *client) upstream(s *source) *upstream {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.ups[s.index]
	if u != nil && c.modern && u.settled() && u.err != nil && time.Since(u.failed) > retryAfter {
		u = nil
	}
	if u == nil {
		u = newUpstream(c, s)
		c.ups[s.index] = u
		if c.over != nil {
			u.err = c.over
			close(u.ready)
			return u
		}
		go u.open(*c.in) // the client's end waits for u.ready
	}
	return u
}

// retryAfter is how long a server that did not start is left alone by clients that
// have no session.
const retryAfter = 5 * time.Second

// all returns the client's sessions with all sources, which it opens.
func (c *client) all() []*upstream {
	ups := make([]*upstream, 0, len(c.proxy.sources))
	for _, s := range c.proxy.sources {
		ups = append(ups, c.upstream(s))
	}
	return ups
}

// open returns those of the client's sessions that are open, and opens none.
func (c *client) open() (ups []*upstream) {
	c.mu.Lock()
	all := append([]*upstream(nil), c.ups...)
	c.mu.Unlock()
	for _, u := range all {
		if u != nil && u.settled() && u.err == nil {
			ups = append(ups, u)
		}
	}
	return ups
}

// introduced makes known what the client says of itself. Of those of 2026-07-28 it is
// the first that counts.
func (c *client) introduced(in introduction) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.in == nil {
		c.in = &in
	}
}

// initialize answers the first request of a client before 2026-07-28.
func (c *client) initialize(r *request) {
	m := r.m
	wanted := raw.Text(m.Param("protocolVersion").Of(m.Data))
	if wanted == "" {
		r.fail(refuse(codeParams, "initialize has no protocolVersion."))
		return
	}
	c.mu.Lock()
	again := c.in != nil
	c.mu.Unlock()
	if again {
		r.fail(refuse(codeInvalid, "The session is initialized already."))
		return
	}
	c.version = legacy
	for _, v := range versions[1:] {
		if v == wanted {
			c.version = v
		}
	}
	c.introduced(introduce(c.version, m.Param("clientInfo").Of(m.Data), m.Param("capabilities").Of(m.Data)))
	ups := c.all()
	var failed []string
	for _, u := range ups {
		if err := u.usable(r.gone); err != nil {
			failed = append(failed, u.source.unusable(err).text)
		}
	}
	if len(failed) == len(ups) {
		f := refuse(codeInternal, "%s", strings.Join(failed, " "))
		r.fail(f)
		c.end(f)
		return
	}
	// Before the client can call what changes a list.
	c.watch(r, c.open())
	r.answer(result(r.id, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"serverInfo":%s%s}`,
		c.version, capabilities(ups), c.proxy.serverInfo(), instructions(ups))))
}

func (p *Proxy) serverInfo() string {
	return fmt.Sprintf(`{"name":"wfc","title":"wfc proxy","version":%s}`, raw.Quote(p.opts.Version))
}

// capabilities returns what the servers together can do of what the proxy relays.
func capabilities(ups []*upstream) string {
	has := func(path ...string) bool {
		for _, u := range ups {
			if u.settled() && u.err == nil && u.has(path...) {
				return true
			}
		}
		return false
	}
	var all []string
	for _, one := range []struct {
		name  string
		parts []string
	}{{"completions", nil}, {"logging", nil}, {"prompts", []string{"listChanged"}}, {"resources", []string{"listChanged", "subscribe"}}, {"tools", []string{"listChanged"}}} {
		if !has(one.name) {
			continue
		}
		var parts []string
		for _, p := range one.parts {
			if has(one.name, p) {
				parts = append(parts, fmt.Sprintf("%q:true", p))
			}
		}
		all = append(all, fmt.Sprintf("%q:{%s}", one.name, strings.Join(parts, ",")))
	}
	return "{" + strings.Join(all, ",") + "}"
}

// instructions returns the member in which the servers say how to use them.
func instructions(ups []*upstream) string {
	var texts []string
	for _, u := range ups {
		if !u.settled() || u.err != nil || u.instructions == "" {
			continue
		}
		text := u.instructions
		if len(ups) > 1 {
			text = u.source.id + ":\n" + text
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return ""
	}
	return `,"instructions":` + string(raw.Quote(strings.Join(texts, "\n\n")))
}

// discover answers what a client of 2026-07-28 may ask first.
func (c *client) discover(r *request) {
	ups := c.all()
	for _, u := range ups {
		_ = u.usable(r.gone)
	}
	var all []string
	for _, v := range versions {
		all = append(all, fmt.Sprintf("%q", v))
	}
	r.answer(result(r.id, fmt.Sprintf(`{"resultType":"complete","supportedVersions":[%s],"capabilities":%s%s,"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":%s}}`,
		strings.Join(all, ","), capabilities(ups), instructions(ups), c.proxy.serverInfo())))
}

// lost takes the end of a server. A client of before 2026-07-28 cannot go on without
// what the server knew, and starts anew; others have nothing there.
func (c *client) lost(u *upstream, cause error) {
	if !c.modern {
		c.unlist() // before the client hears of it, and comes back
		u.lose(cause)
		c.end(u.source.unusable(cause))
		return
	}
	c.mu.Lock()
	if c.ups[u.source.index] == u {
		c.ups[u.source.index] = nil
	}
	listens := c.listens
	c.listens = nil
	c.mu.Unlock()
	u.lose(cause)
	for _, l := range listens {
		c.unlisten(l)
		l.finish() // it subscribes anew
	}
}

// unlist makes the session's id mean nothing any more.
func (c *client) unlist() {
	c.proxy.mu.Lock()
	defer c.proxy.mu.Unlock()
	if c.proxy.clients[c.id] == c {
		delete(c.proxy.clients, c.id)
	}
}

// end ends the session and all that it has. It does not wait for that: see ended.
func (c *client) end(cause error) {
	c.mu.Lock()
	if c.over != nil {
		c.mu.Unlock()
		return
	}
	c.over = cause
	if c.idle != nil {
		c.idle.Stop()
	}
	ups := append([]*upstream(nil), c.ups...)
	c.mu.Unlock()
	c.cancel(cause)
	c.unlist()
	go func() {
		defer c.proxy.work.Done()
		defer close(c.ended)
		for _, u := range ups {
			if u == nil {
				continue
			}
			<-u.ready
			if u.err == nil {
				u.lose(cause)
				_ = u.wire.Close()
			}
		}
		c.mu.Lock()
		var left []*request
		for _, r := range c.requests {
			left = append(left, r)
		}
		c.mu.Unlock()
		for _, r := range left {
			r.fail(refuse(codeInternal, "The session has ended: %v.", strings.TrimRight(cause.Error(), ".")))
		}
		c.standing.close()
		for _, u := range ups {
			if u != nil && u.err == nil {
				<-u.wire.Done()
			}
		}
	}()
}
