package proxy

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// interest is what a client wants to be told of by a server; upstream.mu is the lock.
type interest struct {
	lists bool
	uris  map[string]int // how many subscriptions there are
	call  *call          // to a server of 2026-07-28: what says so now
	acked chan struct{}  // closed once the server has agreed to that; nil: it has
	turn  sync.Mutex     // held while the server is told: each call says all that is wanted
}

// ackBudget is how long a subscription waits for the server's word that it holds.
const ackBudget = 3 * time.Second

// watch has the server of 2026-07-28 tell of lists that change. Others do by themselves.
// The channel is closed once it has agreed; nil: there is nothing to wait for.
func (u *upstream) watch() <-chan struct{} {
	u.mu.Lock()
	again := u.interest.lists || !u.modern
	u.interest.lists = true
	u.mu.Unlock()
	if again {
		return nil
	}
	return u.subscribe()
}

// watch has all of ups tell of lists that change, and waits for their word: what changes
// from now on the client is told.
func (c *client) watch(r *request, ups []*upstream) {
	agreed := make([]<-chan struct{}, len(ups))
	for i, u := range ups {
		agreed[i] = u.watch()
	}
	r.await(agreed...)
}

// subscribe tells a server of 2026-07-28 all that is wanted, in place of what it was
// told before. The channel is closed once it has agreed; nil: nothing is wanted.
func (u *upstream) subscribe() <-chan struct{} {
	u.interest.turn.Lock()
	defer u.interest.turn.Unlock()
	u.mu.Lock()
	old := u.interest.call
	u.interest.call = nil
	var wants []string
	if u.interest.lists {
		for _, one := range []string{"tools", "prompts", "resources"} {
			if u.has(one, "listChanged") {
				wants = append(wants, fmt.Sprintf(`"%sListChanged":true`, one))
			}
		}
	}
	var uris []string
	for uri := range u.interest.uris {
		uris = append(uris, string(raw.Quote(uri)))
	}
	slices.Sort(uris)
	if len(uris) > 0 {
		wants = append(wants, `"resourceSubscriptions":[`+strings.Join(uris, ",")+"]")
	}
	u.mu.Unlock()
	if old != nil {
		u.cancel(old, nil)
	}
	if len(wants) == 0 {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.agreed()
		return nil
	}
	c := &call{method: "subscriptions/listen"}
	c.then = func(*request, raw.Message, *failure) { u.acknowledged(c.number) }
	u.register(c)
	triple := u.triple
	if triple == "" {
		triple = u.client.triple()
	}
	u.mu.Lock()
	acked := u.interest.acked // who waits for the call before waits for this one, which says the same and more
	if acked == nil {
		acked = make(chan struct{})
	}
	u.interest.call, u.interest.acked = c, acked
	u.mu.Unlock()
	u.send(c, connection.Packet{Data: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{"_meta":{%s},"notifications":{%s}}}`,
		c.number, triple, strings.Join(wants, ","))})
	return acked
}

// triple is what a request of ours says in _meta for clients of 2026-07-28.
func (c *client) triple() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return fmt.Sprintf(`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":%s,"io.modelcontextprotocol/clientCapabilities":%s`,
		modern, c.in.info, c.in.capabilities)
}

// acknowledged takes the server's word that it tells of what the call of this number
// wants, or that it does not.
func (u *upstream) acknowledged(number int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.interest.call != nil && u.interest.call.number == number {
		u.agreed()
	}
}

// agreed lets go on who waits for the server's word. u.mu is held.
func (u *upstream) agreed() {
	if u.interest.acked != nil {
		close(u.interest.acked)
		u.interest.acked = nil
	}
}

// subscribing answers resources/subscribe.
func (u *upstream) subscribing(r *request, edits ...raw.Edit) {
	if !u.modern {
		u.relay(r, edits...)
		return
	}
	_, uri := u.client.proxy.sourceOf(raw.Text(r.m.Param("uri").Of(r.m.Data)))
	r.await(u.want(uri, 1))
	r.answer(result(r.id, "{}"))
}

// unsubscribing answers resources/unsubscribe.
func (u *upstream) unsubscribing(r *request, edits ...raw.Edit) {
	if !u.modern {
		u.relay(r, edits...)
		return
	}
	_, uri := u.client.proxy.sourceOf(raw.Text(r.m.Param("uri").Of(r.m.Data)))
	u.want(uri, -1)
	r.answer(result(r.id, "{}"))
}

// want changes how many subscriptions to a resource there are, and tells the server
// where that makes a difference.
func (u *upstream) want(uri string, by int) <-chan struct{} {
	u.mu.Lock()
	if u.interest.uris == nil {
		u.interest.uris = map[string]int{}
	}
	before := u.interest.uris[uri]
	after := max(0, before+by)
	if u.interest.uris[uri] = after; after == 0 {
		delete(u.interest.uris, uri)
	}
	u.mu.Unlock()
	if (before > 0) == (after > 0) {
		return nil
	}
	if u.modern {
		return u.subscribe()
	}
	u.greet()
	method := "resources/subscribe"
	if after == 0 {
		method = "resources/unsubscribe"
	}
	done := make(chan struct{})
	c := &call{method: method}
	c.then = func(*request, raw.Message, *failure) { close(done) }
	u.register(c)
	u.send(c, connection.Packet{Data: fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"uri":%s}}`, c.number, method, raw.Quote(uri))})
	return done
}

// await waits until servers have agreed to something, for a while. A channel may be nil.
func (r *request) await(agreed ...<-chan struct{}) {
	timer := time.NewTimer(ackBudget)
	defer timer.Stop()
	for _, ch := range agreed {
		if ch == nil {
			continue
		}
		select {
		case <-ch:
		case <-timer.C:
			return
		case <-r.gone:
			return
		}
	}
}

// listen is a subscription of a client of 2026-07-28.
type listen struct {
	r     *request
	lists map[string]bool      // by method of the notification
	uris  map[string]*upstream // as the client has them
	once  sync.Once
	begin sync.Mutex // held until it is acknowledged, which comes first on its stream
}

// listen answers subscriptions/listen, in the end: the stream stays open.
func (c *client) listen(r *request) {
	wants := r.m.Param("notifications")
	if !wants.There() || r.m.Data[wants.From] != '{' {
		r.fail(refuse(codeParams, "subscriptions/listen has no notifications."))
		return
	}
	l := &listen{r: r, lists: map[string]bool{}, uris: map[string]*upstream{}}
	var agreed []string
	var ups []*upstream
	for _, u := range c.all() {
		if u.usable(r.gone) == nil {
			u.greet()
			ups = append(ups, u)
		}
	}
	for _, one := range []string{"tools", "prompts", "resources"} {
		if string(raw.Find(r.m.Data, wants, one+"ListChanged").Of(r.m.Data)) != "true" {
			continue
		}
		for _, u := range ups {
			if u.has(one, "listChanged") && !l.lists[one] {
				l.lists["notifications/"+one+"/list_changed"] = true
				agreed = append(agreed, fmt.Sprintf(`"%sListChanged":true`, one))
				break
			}
		}
	}
	var uris []string
	raw.Items(r.m.Data, raw.Find(r.m.Data, wants, "resourceSubscriptions"), func(v raw.Span) bool {
		uri := raw.Text(v.Of(r.m.Data))
		s, inner := c.proxy.sourceOf(uri)
		if s == nil || l.uris[uri] != nil {
			return true
		}
		if u := c.upstream(s); u.usable(r.gone) == nil && u.has("resources", "subscribe") {
			l.uris[uri] = u
			r.await(u.want(inner, 1))
			uris = append(uris, string(raw.Quote(uri)))
		}
		return true
	})
	if len(uris) > 0 {
		agreed = append(agreed, `"resourceSubscriptions":[`+strings.Join(uris, ",")+"]")
	}
	if len(l.lists) > 0 {
		c.watch(r, ups)
	}
	l.begin.Lock()
	c.mu.Lock()
	c.listens = append(c.listens, l)
	c.mu.Unlock()
	r.onCancel(func([]byte) { c.unlisten(l) })
	c.emit(r.out, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s},"notifications":{%s}}}`,
		r.id, strings.Join(agreed, ",")), false)
	l.begin.Unlock()
	if len(agreed) == 0 {
		c.unlisten(l)
		l.finish()
	}
}

// finish ends a subscription in peace.
func (l *listen) finish() {
	l.r.answer(result(l.r.id, fmt.Sprintf(`{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":%s}}`, l.r.id)))
}

// unlisten takes back what l had the servers do.
func (c *client) unlisten(l *listen) {
	l.once.Do(func() {
		c.mu.Lock()
		c.listens = slices.DeleteFunc(c.listens, func(o *listen) bool { return o == l })
		c.mu.Unlock()
		for uri, u := range l.uris {
			_, inner := c.proxy.sourceOf(uri)
			u.want(inner, -1)
		}
	})
}

// changed tells of a list that has changed, once the names in it are known here.
func (u *upstream) changed(m raw.Message) {
	data := bytes.Clone(m.Data)
	tell := func() { u.tell(m.Method, "", data) }
	for _, l := range listed {
		if l.name != "" && m.Method == "notifications/"+l.member+"/list_changed" && !u.client.proxy.names.asIs() {
			go func() { // it ends with the client
				u.client.refresh(nil, l.kind)
				tell()
			}()
			return
		}
	}
	tell()
}

// updated tells of a resource that has changed.
func (u *upstream) updated(m raw.Message) {
	at := m.Param("uri")
	uri := u.source.uri + raw.Text(at.Of(m.Data))
	u.tell(m.Method, uri, raw.Apply(m.Data, u.source.linked(m.Data, at)...))
}

// tell sends a notification to a client before 2026-07-28, or to the subscriptions that
// are to it.
func (u *upstream) tell(method, uri string, data []byte) {
	c := u.client
	if !c.modern {
		c.emit(c.standing, data, false)
		return
	}
	c.mu.Lock()
	all := append([]*listen(nil), c.listens...)
	c.mu.Unlock()
	for _, l := range all {
		if !l.lists[method] && l.uris[uri] == nil {
			continue
		}
		m, ok := raw.Parse(data)
		if !ok {
			return
		}
		const name = "io.modelcontextprotocol/subscriptionId"
		var e raw.Edit
		switch at := m.Param("_meta", name); {
		case at.There():
			e = raw.Edit{At: at, Text: l.r.id}
		case m.Param("_meta").There():
			e = raw.Insert(data, m.Param("_meta"), name, l.r.id)
		case m.Params.There():
			e = raw.Insert(data, m.Params, "_meta", fmt.Appendf(nil, `{%q:%s}`, name, l.r.id))
		default:
			e = raw.Insert(data, raw.Whole(data), "params", fmt.Appendf(nil, `{"_meta":{%q:%s}}`, name, l.r.id))
		}
		data := raw.Apply(data, e)
		l.begin.Lock()
		c.emit(l.r.out, data, false)
		l.begin.Unlock()
	}
}
