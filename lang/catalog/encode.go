package catalog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/lda-wf/wfc/lang/value"
)

// list is one of the lists of a snapshot.
type list struct {
	key      string // in the file
	plural   string // in messages
	identity string // the attribute that names an object
	objects  *[]Object
}

func (s *Snapshot) lists() []list {
	return []list{
		{"tools", "tools", "name", &s.Tools},
		{"resources", "resources", "uri", &s.Resources},
		{"resource_templates", "resource templates", "uriTemplate", &s.ResourceTemplates},
		{"prompts", "prompts", "name", &s.Prompts},
	}
}

// digestOf returns the digest of a raw object: equal content has equal
// digests, however it is written. What is not JSON counts as it is.
func digestOf(raw []byte) string {
	text := raw
	if v, err := value.ParseJSON(raw); err == nil {
		text = value.AppendCanonicalJSON(nil, v)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// sorted returns the objects by name, then digest, with their digests, each once.
func (l list) sorted() []Object {
	type named struct {
		name string
		Object
	}
	all := make([]named, len(*l.objects))
	for i, o := range *l.objects {
		all[i] = named{stringField(o.Raw, l.identity), Object{Digest: digestOf(o.Raw), Raw: o.Raw}}
	}
	slices.SortFunc(all, func(a, b named) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.Digest, b.Digest))
	})
	out := make([]Object, 0, len(all))
	for _, n := range all {
		if len(out) == 0 || out[len(out)-1].Digest != n.Digest {
			out = append(out, n.Object)
		}
	}
	return out
}

// normalize puts the lists into the order of the file, with digests.
func (s *Snapshot) normalize() {
	for _, l := range s.lists() {
		*l.objects = l.sorted()
	}
}

func stringField(raw []byte, name string) string {
	var text string
	if f := field(raw, name); f != nil {
		_ = json.Unmarshal(f, &text) // what is no string is no name
	}
	return text
}

// Encode returns the snapshot as a file: keys sorted, objects by name, what is
// short on one line and the rest one attribute a line down to the properties of
// a schema, so that a change of the server reads as a small diff. Equal content
// gives equal bytes, whatever order the server lists in. Texts and the digits
// of numbers stay as the server sent them.
func (s *Snapshot) Encode() []byte {
	e := encoder{}
	e.raw("{")
	e.field("format_version", 0)
	e.raw("1")
	e.attr("connection", e.str(s.Connection))
	e.optional("server_info", s.ServerInfo)
	e.text("protocol_version", s.ProtocolVersion)
	e.text("instructions", s.Instructions)
	e.optional("capabilities", s.Capabilities)
	e.optional("client_capabilities", s.ClientCapabilities)
	for _, l := range s.lists() {
		e.comma()
		e.field(l.key, 0)
		e.objects(l.sorted())
	}
	if len(s.Withheld) > 0 {
		e.comma()
		e.field("withheld", 0)
		withheld := slices.Clone(s.Withheld)
		slices.SortFunc(withheld, func(a, b Withheld) int { return cmp.Compare(a.Tool, b.Tool) })
		e.raw("[")
		for i, w := range withheld {
			if i > 0 {
				e.comma()
			}
			e.newline(2)
			e.raw(`{"tool": `)
			e.Write(e.str(w.Tool))
			e.raw(`, "needs": [`)
			for j, n := range w.Needs {
				if j > 0 {
					e.raw(", ")
				}
				e.Write(e.str(n))
			}
			e.raw("]}")
		}
		e.newline(1)
		e.raw("]")
	}
	if len(s.Errors) > 0 {
		e.comma()
		e.field("errors", 0)
		errors := slices.Clone(s.Errors)
		slices.SortFunc(errors, func(a, b ListError) int {
			return cmp.Or(cmp.Compare(a.List, b.List), cmp.Compare(a.Message, b.Message))
		})
		e.raw("[")
		for i, x := range errors {
			if i > 0 {
				e.comma()
			}
			e.newline(2)
			e.raw(`{"list": `)
			e.Write(e.str(x.List))
			e.raw(`, "message": `)
			e.Write(e.str(x.Message))
			e.raw("}")
		}
		e.newline(1)
		e.raw("]")
	}
	e.raw("\n}\n")
	return e.Bytes()
}

type encoder struct{ bytes.Buffer }

func (e *encoder) raw(s string) { e.WriteString(s) }
func (e *encoder) comma()       { e.WriteByte(',') }

func (e *encoder) str(s string) []byte { return value.AppendString(nil, s) }

func (e *encoder) newline(depth int) {
	e.WriteByte('\n')
	for range depth {
		e.WriteString("  ")
	}
}

func (e *encoder) field(key string, depth int) {
	e.newline(depth + 1)
	e.Write(e.str(key))
	e.raw(": ")
}

func (e *encoder) attr(key string, raw []byte) {
	e.comma()
	e.field(key, 0)
	e.Write(raw)
}

func (e *encoder) text(key, s string) {
	if s != "" {
		e.attr(key, e.str(s))
	}
}

func (e *encoder) optional(key string, raw []byte) {
	if len(raw) == 0 {
		return
	}
	e.comma()
	e.field(key, 0)
	e.json(raw, 1, 0)
}

func (e *encoder) objects(list []Object) {
	if len(list) == 0 {
		e.raw("[]")
		return
	}
	e.raw("[")
	for i, o := range list {
		if i > 0 {
			e.comma()
		}
		e.newline(2)
		e.raw("{")
		e.field("digest", 2)
		e.Write(e.str(o.Digest))
		e.comma()
		e.field("object", 2)
		e.json(o.Raw, 3, objectDepth)
		e.newline(2)
		e.raw("}")
	}
	e.newline(1)
	e.raw("]")
}

// objectDepth is how deep a raw object is broken into lines: its attributes,
// those of its schema, and the schema's properties.
const objectDepth = 3

// maxLine is the length up to which an object or list stays on its line.
const maxLine = 100

// json writes a JSON text with sorted keys, indented by depth, breaking up to
// levels of it into lines. What is no JSON is written as it is.
func (e *encoder) json(raw []byte, depth, levels int) {
	v, err := value.ParseJSON(raw)
	if err != nil {
		e.Write(raw)
		return
	}
	e.value(v, depth, levels)
}

func (e *encoder) value(v value.Value, depth, levels int) {
	if v.Kind() != value.Object && v.Kind() != value.List {
		e.Write(value.AppendJSON(nil, v))
		return
	}
	if levels == 0 {
		e.line(v)
		return
	}
	if v.Kind() == value.List || levels < objectDepth {
		start := e.Len()
		e.line(v)
		if v.Kind() == value.List || e.Len()-start <= maxLine {
			return
		}
		e.Truncate(start)
	}
	o := v.AsObject()
	if o.Len() == 0 {
		e.raw("{}")
		return
	}
	e.raw("{")
	for i, k := range sortedKeys(o) {
		if i > 0 {
			e.comma()
		}
		e.field(k, depth)
		x, _ := o.Get(k)
		e.value(x, depth+1, levels-1)
	}
	e.newline(depth)
	e.raw("}")
}

// line writes a value on one line.
func (e *encoder) line(v value.Value) {
	switch v.Kind() {
	case value.List:
		e.raw("[")
		for i, x := range v.AsList() {
			if i > 0 {
				e.raw(", ")
			}
			e.line(x)
		}
		e.raw("]")
	case value.Object:
		o := v.AsObject()
		e.raw("{")
		for i, k := range sortedKeys(o) {
			if i > 0 {
				e.raw(", ")
			}
			e.Write(e.str(k))
			e.raw(": ")
			x, _ := o.Get(k)
			e.line(x)
		}
		e.raw("}")
	default:
		e.Write(value.AppendJSON(nil, v))
	}
}

func sortedKeys(o *value.ObjectValue) []string {
	keys := slices.Clone(o.Keys())
	slices.Sort(keys)
	return keys
}

// Digest returns the digest of all that the snapshot says of the server, in
// hex: equal for snapshots that Encode equally but for the connection's id.
func (s *Snapshot) Digest() string {
	h := sha256.New()
	part := func(text string) {
		h.Write([]byte(text))
		h.Write([]byte{0})
	}
	part(digestOf(s.ServerInfo))
	part(s.ProtocolVersion)
	part(s.Instructions)
	part(digestOf(s.Capabilities))
	part(digestOf(s.ClientCapabilities))
	for _, l := range s.lists() {
		part(l.key)
		for _, o := range l.sorted() {
			part(o.Digest)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
