package proxy

import (
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// binding says which argument of a tool goes beside the message, too, over HTTP from
// 2026-07-28 on: what is between client and server decides by it where the call goes.
type binding struct {
	path   []string
	header string
}

// bindingsIn returns the bindings in a schema of arguments.
func bindingsIn(text []byte, schema raw.Span, path []string) (all []binding) {
	raw.Members(text, raw.Find(text, schema, "properties"), func(name string, property raw.Span) bool {
		own := append(path[:len(path):len(path)], name)
		if header := raw.Text(raw.Find(text, property, "x-mcp-header").Of(text)); header != "" {
			all = append(all, binding{own, headerParam + header})
		}
		all = append(all, bindingsIn(text, property, own)...)
		return true
	})
	return all
}

// learnBindings takes those of the tools in a list.
func (u *upstream) learnBindings(p pages) {
	if !u.modern || u.source.Connection.HTTP == nil {
		return
	}
	learnt := map[string][]binding{}
	p.each(listed["tools"], func(m raw.Message, item raw.Span) {
		if all := bindingsIn(m.Data, raw.Find(m.Data, item, "inputSchema"), nil); all != nil {
			learnt[raw.Text(raw.Find(m.Data, item, "name").Of(m.Data))] = all
		}
	})
	u.mu.Lock()
	u.bindings = learnt
	u.mu.Unlock()
}

// beside returns the headers that go beside the call of a tool: the client's own, or
// what the tool's schema says for a client that sends none.
func (u *upstream) beside(r *request, data []byte) http.Header {
	u.mu.Lock()
	bindings := u.bindings
	u.mu.Unlock()
	if r.header != nil || len(bindings) == 0 || r.m.Method != "tools/call" {
		return r.header
	}
	h := http.Header{}
	m, _ := raw.Parse(data)
	for _, b := range bindings[raw.Text(m.Param("name").Of(data))] {
		if v := raw.Find(data, m.Param("arguments"), b.path...).Of(data); v != nil && string(v) != "null" && v[0] != '{' && v[0] != '[' {
			h.Set(b.header, headerValue(v))
		}
	}
	return h
}

// headerValue returns a JSON string, number or boolean as a header has it.
func headerValue(v []byte) string {
	if v[0] != '"' {
		return string(v)
	}
	text := raw.Text(v)
	plain := strings.TrimSpace(text) == text && !strings.HasPrefix(text, "=?base64?")
	for _, b := range []byte(text) {
		plain = plain && 0x20 <= b && b <= 0x7e
	}
	if plain {
		return text
	}
	return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(text)) + "?="
}
