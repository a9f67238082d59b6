package proxy

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// listing is one of the four lists of a server.
type listing struct {
	method     string
	member     string // of the result
	capability string
	kind       kind   // of what has a name
	name       string // the member of an item with its name; empty: it has none
	uri        string // likewise with its URI
}

var listed = map[string]listing{
	"tools":             {method: "tools/list", member: "tools", capability: "tools", kind: tool, name: "name"},
	"prompts":           {method: "prompts/list", member: "prompts", capability: "prompts", kind: prompt, name: "name"},
	"resources":         {method: "resources/list", member: "resources", capability: "resources", uri: "uri"},
	"resourceTemplates": {method: "resources/templates/list", member: "resourceTemplates", capability: "resources", uri: "uriTemplate"},
}

// maxPages is how many pages of a list are read: a server may go on for ever.
const maxPages = 1000

// pages are the answers that hold one list of one server.
type pages struct {
	all []raw.Message
	f   *failure // why there is none, or not all of it
	// refused is the answer of a server that refuses the list.
	refused raw.Message
}

// pages reads a list. The first request is r with its parameters, so that what the
// client says in it reaches the server.
func (u *upstream) pages(ctx context.Context, r *request, l listing) pages {
	params := "{}"
	if r != nil && r.m.Params.There() && r.m.Method == l.method {
		m := r.m
		if meta := m.Param("_meta"); meta.There() {
			m.Data = raw.Apply(m.Data, raw.Edit{At: meta, Text: raw.Keep(m.Data, meta, func(key string) bool {
				return key != "progressToken" && (u.modern || olderKey(key)) // these are several requests
			})})
			m, _ = raw.Parse(m.Data)
		}
		params = string(m.Params.Of(m.Data))
	}
	var out pages
	seen := map[string]bool{}
	for cursor := []byte(nil); len(out.all) < maxPages; {
		p := params
		if cursor != nil {
			m, _ := raw.Parse([]byte(`{"method":"x","params":` + params + "}"))
			m.Data = raw.Apply(m.Data, raw.Insert(m.Data, m.Params, "cursor", cursor))
			m, _ = raw.Parse(m.Data)
			p = string(m.Params.Of(m.Data))
		}
		m, f := u.ask(ctx, l.method, p)
		if f != nil {
			out.f = f
			return out
		}
		if m.Error.There() {
			out.refused = m
			out.f = refuse(codeInternal, "The connection %s refused %s: %s", u.source.id, l.method, raw.Text(raw.Find(m.Data, m.Error, "message").Of(m.Data)))
			return out
		}
		out.all = append(out.all, m)
		cursor = raw.Find(m.Data, m.Result, "nextCursor").Of(m.Data)
		if !isText(cursor) || seen[string(cursor)] {
			return out
		}
		seen[string(cursor)] = true
	}
	return out
}

func isText(v []byte) bool { return len(v) > 2 && v[0] == '"' }

// gather reads a list of all servers, all at once. The lists are in the order of the
// sources; those of servers that cannot be used or have no such list are empty.
func (c *client) gather(ctx context.Context, r *request, stop <-chan struct{}, l listing) []pages {
	ups := c.all()
	out := make([]pages, len(ups))
	var wait sync.WaitGroup
	for i, u := range ups {
		wait.Go(func() {
			if err := u.usable(stop); err != nil {
				out[i].f = u.source.unusable(err)
				return
			}
			if len(ups) > 1 && !u.has(l.capability) {
				return
			}
			u.greet()
			out[i] = u.pages(ctx, r, l)
			u.learn(l, out[i])
		})
	}
	wait.Wait()
	return out
}

// learn takes the names in a list.
func (u *upstream) learn(l listing, p pages) {
	if l.name == "" {
		return
	}
	if l.kind == tool {
		u.learnBindings(p)
	}
	var all []string
	p.each(l, func(m raw.Message, item raw.Span) {
		if name := raw.Text(raw.Find(m.Data, item, l.name).Of(m.Data)); l.kind != tool || u.source.hidden(name) == "" {
			all = append(all, name)
		}
	})
	u.client.proxy.names.learn(l.kind, u.source.index, all)
}

func (p pages) each(l listing, f func(raw.Message, raw.Span)) {
	for _, m := range p.all {
		raw.Items(m.Data, raw.Find(m.Data, m.Result, l.member), func(item raw.Span) bool {
			f(m, item)
			return true
		})
	}
}

// refresh reads the names of a kind anew, so that those of running servers are known.
func (c *client) refresh(r *request, k kind) {
	l := listed["tools"]
	if k == prompt {
		l = listed["prompts"]
	}
	var gone <-chan struct{}
	if r != nil {
		gone = r.gone
	}
	all := c.gather(c.ctx, r, gone, l)
	for i, p := range all {
		c.proxy.sources[i].expose(c.proxy.names, l, p)
	}
}

// expose gives everything in a list its name, and returns the items as clients see them.
func (s *source) expose(n *names, l listing, p pages) (items [][]byte) {
	p.each(l, func(m raw.Message, item raw.Span) {
		var edits []raw.Edit
		if l.name != "" {
			at := raw.Find(m.Data, item, l.name)
			name := raw.Text(at.Of(m.Data))
			if l.kind == tool && s.hidden(name) != "" {
				return
			}
			if shown := n.shown(l.kind, origin{s.index, name}); shown != name {
				edits = append(edits, raw.Edit{At: at, Text: raw.Quote(shown)})
			}
			edits = append(edits, s.linked(m.Data, raw.Find(m.Data, item, "_meta", "ui", "resourceUri"))...)
			edits = append(edits, s.linked(m.Data, raw.Find(m.Data, item, "_meta", "ui/resourceUri"))...)
		} else {
			edits = s.linked(m.Data, raw.Find(m.Data, item, l.uri))
		}
		text := item.Of(m.Data)
		for i := range edits {
			edits[i].At.From -= item.From
			edits[i].At.To -= item.From
		}
		items = append(items, raw.Apply(text, edits...))
	})
	return items
}

// list answers a request for a list: with all pages of all servers in one.
func (c *client) list(r *request, l listing) {
	if cursor := r.m.Param("cursor").Of(r.m.Data); isText(cursor) {
		r.fail(refuse(codeParams, "Unknown cursor: the list has one page."))
		return
	}
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	r.onCancel(func([]byte) { cancel() })
	all := c.gather(ctx, r, r.gone, l)
	n := c.proxy.names
	var items [][]byte
	for i, p := range all {
		items = append(items, c.proxy.sources[i].expose(n, l, p)...)
	}
	joined := append([]byte{'['}, bytes.Join(items, []byte(","))...)
	joined = append(joined, ']')
	if len(all) == 1 {
		p := all[0]
		switch {
		case len(p.all) > 0:
			r.answer(c.only(r, l, p.all[0], joined))
		case p.refused.Data != nil:
			r.answer(raw.Apply(p.refused.Data, raw.Edit{At: p.refused.ID, Text: r.id}))
		default:
			r.fail(p.f)
		}
		return
	}
	var failed []*failure
	for _, p := range all {
		if p.f != nil && len(p.all) == 0 {
			failed = append(failed, p.f)
			c.proxy.opts.Remark(p.f.text)
		}
	}
	if len(failed) == len(all) && len(all) > 0 {
		r.fail(failed[0])
		return
	}
	r.answer(result(r.id, fmt.Sprintf(`{%s%q:%s}`, c.cacheable(), l.member, joined)))
}

// cacheable returns what a list says first to clients of 2026-07-28.
func (c *client) cacheable() string {
	if !c.modern {
		return ""
	}
	return `"resultType":"complete","ttlMs":0,"cacheScope":"private",`
}

// only returns the answer for a list of the only server: its first page with all items.
func (c *client) only(r *request, l listing, m raw.Message, joined []byte) []byte {
	edits := []raw.Edit{{At: m.ID, Text: r.id}}
	if at := raw.Find(m.Data, m.Result, l.member); at.There() {
		edits = append(edits, raw.Edit{At: at, Text: joined})
	}
	if at := raw.Find(m.Data, m.Result, "nextCursor"); at.There() {
		e, ok := raw.Remove(m.Data, "nextCursor", at)
		if !ok {
			e = raw.Edit{At: at, Text: []byte(`""`)}
		}
		edits = append(edits, e)
	}
	if c.modern {
		for _, one := range strings.Split(strings.TrimSuffix(c.cacheable(), ","), ",") {
			name, v, _ := strings.Cut(one, ":")
			if name = strings.Trim(name, `"`); !raw.Find(m.Data, m.Result, name).There() {
				edits = append(edits, raw.Insert(m.Data, m.Result, name, []byte(v)))
			}
		}
	}
	return raw.Apply(m.Data, edits...)
}
