package feature

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// objectKey offers the attributes of an object that is wanted: arguments, inputs,
// parts of values.
func (c *completer) objectKey() {
	want, have := c.wantedObject()
	if want == nil {
		return
	}
	rest := bytes.TrimLeft(c.src[c.end:lineEnd(c.src, c.end)], " \t")
	written := len(rest) > 0 && (rest[0] == '=' || rest[0] == ':')
	var required []types.Attr
	for _, a := range want.Attrs() {
		if have[a.Name] {
			continue
		}
		i := item{label: a.Name, detail: typeText(a.Type), doc: a.Description, kind: protocol.CompletionProperty, rank: leads, insert: keyText(a.Name)}
		if !a.Optional {
			required = append(required, a)
			i.rank, i.detail = fits, i.detail+", required"
		} else { // what leaving it out means is no other value of it
			i.detail = "optional, " + typeText(types.WithoutNull(a.Type))
		}
		if !written {
			i.insert += " = "
			if c.snippets() {
				i.insert, i.snippet = escape(i.insert)+valueText(a.Type), true
			}
			i.again = true
		}
		c.add(i)
	}
	if len(required) > 1 && !written && c.snippets() {
		c.allRequired(required)
	}
}

// allRequired offers all attributes that are missing at once.
func (c *completer) allRequired(attrs []types.Attr) {
	frame := c.place.Frames[len(c.place.Frames)-1]
	separator := ", "
	if bytes.IndexByte(c.src[frame.Start:c.start], '\n') >= 0 {
		separator = "\n"
	}
	var s strings.Builder
	var names []string
	for n, a := range attrs {
		if n > 0 {
			s.WriteString(separator)
		}
		fmt.Fprintf(&s, "%s = ${%d}", escape(keyText(a.Name)), n+1)
		names = append(names, a.Name)
	}
	c.add(item{label: "all that is required", detail: strings.Join(names, ", "), kind: protocol.CompletionSnippet, rank: fits, insert: s.String(), snippet: true})
}

// valueText is the place for a value of a type in a snippet.
func valueText(t *types.Type) string {
	switch types.WithoutNull(t).Underlying().Kind() {
	case types.List, types.Tuple:
		return "[$0]"
	case types.Object, types.Map:
		return "{ $0 }"
	}
	return "$0"
}

// wantedObject returns the object type that is wanted of the literal around the
// place, and the attributes that it has.
func (c *completer) wantedObject() (*types.Type, map[string]bool) {
	frame := c.place.Frames[len(c.place.Frames)-1]
	try := func(text string, instead bool) (*types.Type, map[string]bool, bool) {
		rest := c.base[c.end:]
		if instead {
			rest = c.base[lineEnd(c.base, c.end):]
		}
		src := bytes.Join([][]byte{c.base[:c.start], []byte(here + text), rest}, nil)
		view := check.Look(c.project.With(c.Name, src), c.Name, c.start, c.start+len(here))
		for _, s := range view.Sights {
			x, ok := s.Node.(*hclsyntax.ObjectConsExpr)
			if !ok || s.Range.Start.Byte != frame.Start {
				continue
			}
			have := map[string]bool{}
			for _, it := range x.Items {
				if name := keyOf(src, it.KeyExpr); name != here {
					have[name] = true
				}
			}
			return objectIn(s.Want), have, true
		}
		return nil, nil, false
	}
	tails := []struct {
		text    string
		instead bool
	}{{" = null", false}, {" = null,", false}, {" = null" + c.closers(lineStart(c.src, c.start)), true}, {"", false}}
	if rest := bytes.TrimLeft(c.src[c.end:lineEnd(c.src, c.end)], " \t"); len(rest) > 0 && (rest[0] == '=' || rest[0] == ':') {
		tails[0], tails[3] = tails[3], tails[0]
	}
	for _, t := range tails {
		if want, have, ok := try(t.text, t.instead); ok {
			return want, have
		}
	}
	return nil, nil
}

// keyOf returns the text of an object's key.
func keyOf(src []byte, key hclsyntax.Expression) string {
	r := key.Range()
	if r.End.Byte > len(src) || r.Start.Byte > r.End.Byte {
		return ""
	}
	return strings.Trim(string(src[r.Start.Byte:r.End.Byte]), `"`)
}

// objectIn returns the object that a type is, or the only one that it may be; nil: none.
func objectIn(t *types.Type) *types.Type {
	if t == nil {
		return nil
	}
	u := t.Underlying()
	switch u.Kind() {
	case types.Object:
		return u
	case types.Union:
		var one *types.Type
		for _, m := range u.Items() {
			if o := objectIn(m); o != nil {
				if one != nil {
					return merged(u)
				}
				one = o
			}
		}
		return one
	}
	return nil
}

// merged is an object with what any member of a union has.
func merged(u *types.Type) *types.Type {
	attrs := readable(u)
	for i := range attrs {
		attrs[i].Optional = true
	}
	return types.ObjectOf(attrs, nil)
}
