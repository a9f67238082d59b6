// Package content turns raw MCP results into canonical ones: exact numbers and
// text, parts as LANGUAGE 5 has them, binary content by reference.
//
// Its central type is [Result]. Of wfc it imports lang/value only.
package content

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/value"
)

// Result is what a server answered, error answers included.
type Result struct {
	IsError    bool
	Structured *value.Value  // nil: none, or binary content came beside it
	Text       string        // all text parts, joined by newlines
	Parts      []value.Value // objects, LANGUAGE 5 `part`
	Blobs      []Blob        // the binary content that Parts refer to, in their order
	Generation uint64        // of the session that answered

	texts []string // what Text is joined of
}

// Blob is binary content and what refers to it.
type Blob struct {
	Meta  *value.BlobValue
	Bytes []byte
}

// ParseCall reads a raw CallToolResult. The error is a clause that says what is
// not as the protocol has it ("isError is a string, not true or false").
func ParseCall(raw []byte) (*Result, error) {
	o, err := object(raw)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	if v, ok := o.Get("isError"); ok {
		if v.Kind() != value.Bool {
			return nil, fmt.Errorf("isError is %s, not true or false", article(v))
		}
		r.IsError = v.AsBool()
	}
	if v, ok := o.Get("content"); ok {
		if v.Kind() != value.List {
			return nil, fmt.Errorf("content is %s, not a list", article(v))
		}
		if err := r.addParts("content", v.AsList(), part); err != nil {
			return nil, err
		}
	}
	if v, ok := o.Get("structuredContent"); ok && !v.IsNull() && len(r.Blobs) == 0 {
		r.Structured = &v
	}
	return r.joined(), nil
}

// ParseRead reads a raw ReadResourceResult: its contents are parts of the type
// resource, and Text is all their text.
func ParseRead(raw []byte) (*Result, error) {
	o, err := object(raw)
	if err != nil {
		return nil, err
	}
	v, _ := o.Get("contents")
	if v.Kind() != value.List {
		return nil, fmt.Errorf("contents is %s, not a list", article(v))
	}
	r := &Result{}
	err = r.addParts("contents", v.AsList(), func(o *value.ObjectValue) (value.Value, *Blob, error) {
		return resource(o, value.NewObject(5))
	})
	if err != nil {
		return nil, err
	}
	return r.joined(), nil
}

// ParsePrompt reads a raw GetPromptResult. Structured is
// { messages = [{ role, content = part }] }, and Parts are their contents.
func ParsePrompt(raw []byte) (*Result, error) {
	o, err := object(raw)
	if err != nil {
		return nil, err
	}
	v, _ := o.Get("messages")
	if v.Kind() != value.List {
		return nil, fmt.Errorf("messages is %s, not a list", article(v))
	}
	r := &Result{}
	var messages []value.Value
	for i, m := range v.AsList() {
		where := fmt.Sprintf("messages[%d]", i)
		if m.Kind() != value.Object {
			return nil, fmt.Errorf("%s is %s, not an object", where, article(m))
		}
		role, _ := m.AsObject().Get("role")
		if role.Kind() != value.String {
			return nil, fmt.Errorf("%s has no role", where)
		}
		if r := role.AsString(); r != "user" && r != "assistant" {
			return nil, fmt.Errorf("the role of %s is %s, not user or assistant", where, role.Summary(60))
		}
		c, _ := m.AsObject().Get("content")
		if err := r.addParts(where+".content", []value.Value{c}, part); err != nil {
			return nil, err
		}
		message := value.NewObject(2)
		message.Set("role", role)
		message.Set("content", r.Parts[len(r.Parts)-1])
		messages = append(messages, value.OfObject(message))
	}
	all := value.NewObject(1)
	all.Set("messages", value.OfList(messages))
	structured := value.OfObject(all)
	r.Structured = &structured
	return r.joined(), nil
}

func object(raw []byte) (*value.ObjectValue, error) {
	v, err := value.ParseJSON(raw)
	if err != nil {
		return nil, err
	}
	if v.Kind() != value.Object {
		return nil, fmt.Errorf("the result is %s, not an object", article(v))
	}
	return v.AsObject(), nil
}

func article(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return "null"
	case value.Object:
		return "an object"
	}
	return "a " + v.Kind().String()
}

// addParts reads items and joins their text.
func (r *Result) addParts(where string, items []value.Value, read func(*value.ObjectValue) (value.Value, *Blob, error)) error {
	r.Parts = slices.Grow(r.Parts, len(items))
	for i, item := range items {
		if item.Kind() != value.Object {
			return fmt.Errorf("%s[%d] is %s, not an object", where, i, article(item))
		}
		p, blob, err := read(item.AsObject())
		if err != nil {
			return fmt.Errorf("%s[%d]: %w", where, i, err)
		}
		if blob != nil {
			r.Blobs = append(r.Blobs, *blob)
		}
		r.Parts = append(r.Parts, p)
		if text, ok := textOf(p.AsObject(), where == "contents"); ok {
			r.texts = append(r.texts, text)
		}
	}
	return nil
}

// joined returns r with its text, which is joined once: results have thousands of parts.
func (r *Result) joined() *Result {
	r.Text, r.texts = strings.Join(r.texts, "\n"), nil
	return r
}

// textOf returns the text of a text part, or of any part.
func textOf(p *value.ObjectValue, any bool) (string, bool) {
	kind, _ := p.Get("type")
	text, ok := p.Get("text")
	if !ok || !any && kind.AsString() != "text" {
		return "", false
	}
	return text.AsString(), true
}

// part reads one content object.
func part(o *value.ObjectValue) (value.Value, *Blob, error) {
	kind, _ := o.Get("type")
	if kind.Kind() != value.String {
		return value.Value{}, nil, fmt.Errorf("it has no type")
	}
	p := value.NewObject(o.Len())
	p.Set("type", kind)
	switch kind.AsString() {
	case "text":
		text, err := str(o, "text")
		if err != nil {
			return value.Value{}, nil, err
		}
		p.Set("text", text)
		v, err := rest(p, o, "text")
		return v, nil, err
	case "image", "audio":
		data, err := str(o, "data")
		if err != nil {
			return value.Value{}, nil, err
		}
		return binary(p, o, "data", data.AsString())
	case "resource":
		inner, _ := o.Get("resource")
		if inner.Kind() != value.Object {
			return value.Value{}, nil, fmt.Errorf("it has no resource")
		}
		v, blob, err := resource(inner.AsObject(), p)
		if err != nil {
			return v, nil, err
		}
		v, err = rest(p, o, "resource")
		return v, blob, err
	case "resource_link":
		if _, err := str(o, "uri"); err != nil {
			return value.Value{}, nil, err
		}
		v, err := rest(p, o, "")
		return v, nil, err
	}
	return value.Value{}, nil, fmt.Errorf("its type is %s; wfc knows text, image, audio, resource and resource_link", kind.Summary(60))
}

// resource reads the contents of a resource into p.
func resource(o, p *value.ObjectValue) (value.Value, *Blob, error) {
	p.Set("type", value.OfString("resource"))
	uri, err := str(o, "uri")
	if err != nil {
		return value.Value{}, nil, err
	}
	p.Set("uri", uri)
	if b, ok := o.Get("blob"); ok && !b.IsNull() {
		data, err := str(o, "blob")
		if err != nil {
			return value.Value{}, nil, err
		}
		return binary(p, o, "blob", data.AsString())
	}
	text, err := str(o, "text")
	if err != nil {
		return value.Value{}, nil, err
	}
	p.Set("text", text)
	v, err := rest(p, o, "text")
	return v, nil, err
}

// str returns the text attribute name of o.
func str(o *value.ObjectValue, name string) (value.Value, error) {
	v, ok := o.Get(name)
	switch {
	case !ok:
		return v, fmt.Errorf("it has no %s", name)
	case v.Kind() != value.String:
		return v, fmt.Errorf("its %s is %s, not text", name, article(v))
	}
	return v, nil
}

// binary adds the content that the attribute name has in base64.
func binary(p, o *value.ObjectValue, name, encoded string) (value.Value, *Blob, error) {
	data, err := decode(encoded)
	if err != nil {
		return value.Value{}, nil, fmt.Errorf("its %s is no base64: %w", name, err)
	}
	sum := sha256.Sum256(data)
	meta := &value.BlobValue{Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
	if mime, ok := o.Get("mimeType"); ok && mime.Kind() == value.String {
		meta.MIMEType = mime.AsString()
	}
	p.Set("blob", value.OfBlob(meta))
	v, err := rest(p, o, name)
	return v, &Blob{Meta: meta, Bytes: data}, err
}

// decode reads base64 with or without padding, in either alphabet, with line breaks.
func decode(s string) ([]byte, error) {
	s = strings.TrimRight(s, "=\r\n") // those in between the decoder leaves out
	if strings.ContainsAny(s, "-_") {
		s = strings.NewReplacer("-", "+", "_", "/").Replace(s)
	}
	return base64.RawStdEncoding.DecodeString(s)
}

// rest adds the other attributes of o to p, with wfc's name for the MIME type,
// and returns p. The attribute done is dealt with. What LANGUAGE 5 says of a part
// holds of every part: null is absence there, and nothing else than text is text.
func rest(p, o *value.ObjectValue, done string) (value.Value, error) {
	for name, v := range o.All() {
		if name == done {
			continue
		}
		own := name
		if name == "mimeType" {
			own = "mime_type"
		}
		switch own {
		case "text", "mime_type", "uri", "name":
			if v.IsNull() {
				continue
			}
			if v.Kind() != value.String {
				return value.Value{}, fmt.Errorf("its %s is %s, not text", name, article(v))
			}
		case "blob":
			if v.IsNull() {
				continue
			}
			return value.Value{}, fmt.Errorf("it has a blob, which only a resource has")
		}
		if _, ok := p.Get(own); !ok {
			p.Set(own, v)
		}
	}
	return value.OfObject(p), nil
}
