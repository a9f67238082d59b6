package proxy

import (
	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// links returns the edits that make the URIs in the result of method those that the
// client knows. What is text stays as it is: a server may mention a URI anywhere, and
// only the protocol's own places are sure to hold one.
func (u *upstream) links(m raw.Message, method string) (edits []raw.Edit) {
	if u.source.uri == "" {
		return nil
	}
	add := func(at raw.Span) {
		edits = append(edits, u.source.linked(m.Data, at)...)
	}
	part := func(content raw.Span) bool { // resource, resource_link
		add(raw.Find(m.Data, content, "uri"))
		add(raw.Find(m.Data, content, "resource", "uri"))
		return true
	}
	switch method {
	case "tools/call":
		raw.Items(m.Data, raw.Find(m.Data, m.Result, "content"), part)
	case "resources/read":
		raw.Items(m.Data, raw.Find(m.Data, m.Result, "contents"), part)
	case "prompts/get":
		raw.Items(m.Data, raw.Find(m.Data, m.Result, "messages"), func(message raw.Span) bool {
			return part(raw.Find(m.Data, message, "content"))
		})
	}
	return edits
}

// linked returns the edit that makes the URI at a place the one that clients know; none
// if there is no text, or if it is the same.
func (s *source) linked(text []byte, at raw.Span) []raw.Edit {
	v := at.Of(text)
	if s.uri == "" || len(v) < 2 || v[0] != '"' {
		return nil
	}
	at.To = at.From + 1
	return []raw.Edit{{At: at, Text: append([]byte{'"'}, s.uri...)}}
}

// own returns the edit that makes the URI at a place the one that the server knows.
func own(at raw.Span, uri string) raw.Edit { return raw.Edit{At: at, Text: raw.Quote(uri)} }
