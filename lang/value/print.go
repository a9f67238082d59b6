package value

import (
	"slices"
	"strconv"
	"strings"
)

// AppendJSON appends v as compact JSON: attributes in their order, numbers in
// their own text, nothing escaped that JSON does not require. Bytes that are
// not UTF-8 are written as they are, except half a surrogate pair, which is
// written as its escape, so that reading gives the same text again. A blob is
// {"$blob":{"mime_type":…,"size":…,"sha256":…}}.
func AppendJSON(dst []byte, v Value) []byte { return appendJSON(dst, v, printer{}) }

// AppendCanonicalJSON appends v as JSON that equal values share: sorted keys
// and canonical numbers. It is for digests.
func AppendCanonicalJSON(dst []byte, v Value) []byte {
	return appendJSON(dst, v, printer{canonical: true})
}

// AppendStored appends v as [AppendJSON] does, in the one form that tells blobs
// from objects that only look like one: an object whose single key is $blob,
// $$blob and so on gets one more $ before it. [ParseStored] reads it. What goes
// to servers and users is never in this form.
func AppendStored(dst []byte, v Value) []byte { return appendJSON(dst, v, printer{stored: true}) }

// MarshalJSON implements json.Marshaler as [AppendJSON]; encoding/json itself
// escapes HTML afterwards unless told otherwise (SetEscapeHTML).
func (v Value) MarshalJSON() ([]byte, error) { return AppendJSON(nil, v), nil }

// JSON returns v as [AppendJSON] prints it.
func (v Value) JSON() string { return string(AppendJSON(nil, v)) }

type printer struct{ canonical, stored bool }

func appendJSON(dst []byte, v Value, p printer) []byte {
	switch v.kind {
	case Bool:
		return strconv.AppendBool(dst, v.num != 0)
	case Number:
		if p.canonical {
			return append(dst, v.AsNumber().Canonical()...)
		}
		if v.ref == nil && v.str == "" {
			return strconv.AppendInt(dst, v.num, 10)
		}
		return append(dst, v.AsNumber().String()...)
	case String:
		return AppendString(dst, v.str)
	case List:
		dst = append(dst, '[')
		for i, e := range v.AsList() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendJSON(dst, e, p)
		}
		return append(dst, ']')
	case Object:
		return appendObject(dst, v.AsObject(), p)
	case Blob:
		b := v.AsBlob()
		dst = append(dst, `{"$blob":{"mime_type":`...)
		dst = AppendString(dst, b.MIMEType)
		dst = append(dst, `,"size":`...)
		dst = strconv.AppendInt(dst, b.Size, 10)
		dst = append(dst, `,"sha256":`...)
		dst = AppendString(dst, b.SHA256)
		return append(dst, "}}"...)
	default:
		return append(dst, "null"...)
	}
}

func appendObject(dst []byte, o *ObjectValue, p printer) []byte {
	dst = append(dst, '{')
	if p.canonical {
		order := make([]int, len(o.keys))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return strings.Compare(o.keys[a], o.keys[b]) })
		for n, i := range order {
			dst = appendAttr(dst, n, o.keys[i], o.vals[i], p)
		}
		return append(dst, '}')
	}
	if p.stored && len(o.keys) == 1 && looksStored(o.keys[0]) {
		return append(appendAttr(dst, 0, "$"+o.keys[0], o.vals[0], p), '}')
	}
	for i, k := range o.keys {
		dst = appendAttr(dst, i, k, o.vals[i], p)
	}
	return append(dst, '}')
}

func appendAttr(dst []byte, i int, key string, v Value, p printer) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	dst = append(AppendString(dst, key), ':')
	return appendJSON(dst, v, p)
}

const blobKey = "$blob"

// looksStored reports whether key is $blob with any number of $ before it.
func looksStored(key string) bool {
	return strings.HasSuffix(key, blobKey) && strings.Trim(key[:len(key)-len(blobKey)], "$") == ""
}

// storedObject gives the meaning of an object with a single key in stored form.
func (p *parser) storedObject(key string, v Value) (Value, error) {
	o := NewObject(1)
	switch {
	case key == blobKey:
		blob, ok := blobOf(v)
		if !ok {
			return v, p.errorf("a stored blob needs mime_type, size and sha256")
		}
		return OfBlob(blob), nil
	case looksStored(key):
		o.Set(key[1:], v)
	default:
		o.Set(key, v)
	}
	return OfObject(o), nil
}

func blobOf(v Value) (*BlobValue, bool) {
	if v.kind != Object {
		return nil, false
	}
	o := v.AsObject()
	mime, _ := o.Get("mime_type")
	size, _ := o.Get("size")
	sum, _ := o.Get("sha256")
	if mime.kind != String || size.kind != Number || sum.kind != String {
		return nil, false
	}
	n, ok := size.AsNumber().Int64()
	return &BlobValue{MIMEType: mime.str, Size: n, SHA256: sum.str}, ok
}

// AppendString appends s as a JSON string as [AppendJSON] does.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if !special[c] {
			continue
		}
		if c == 0xED {
			end, escape := surrogates(s, i)
			if escape {
				r := rune(c&0x0F)<<12 | rune(s[i+1]&0x3F)<<6 | rune(s[i+2]&0x3F)
				dst = append(dst, s[start:i]...)
				dst = append(dst, '\\', 'u', hex[r>>12], hex[r>>8&0xF], hex[r>>4&0xF], hex[r&0xF])
				start = end
			}
			i = end - 1
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// special has the bytes that AppendString looks at.
var special = func() (t [256]bool) {
	for c := range 0x20 {
		t[c] = true
	}
	t['"'], t['\\'], t[0xED] = true, true, true
	return t
}()

// surrogates looks at the byte 0xED at i and returns where to go on, and
// whether the bytes until there are half a surrogate pair, to be written as an
// escape. The escapes of two halves that make a pair would be read as one
// character, so these stay bytes.
func surrogates(s string, i int) (end int, escape bool) {
	first := surrogateAt(s, i)
	if first == 0 {
		return i + 1, false
	}
	if first < 0xB0 && surrogateAt(s, i+3) >= 0xB0 {
		return i + 6, false
	}
	return i + 3, true
}

// surrogateAt returns the second byte of the half of a surrogate pair at i, or
// 0 where there is none: 0xA0 to 0xAF for a first half, to 0xBF for a second.
func surrogateAt(s string, i int) byte {
	if i+2 < len(s) && s[i] == 0xED && s[i+1] >= 0xA0 && s[i+1] < 0xC0 && s[i+2]&0xC0 == 0x80 {
		return s[i+1]
	}
	return 0
}
