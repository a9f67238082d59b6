package value

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Summary renders v on one line of at most max bytes (at least 16) for
// messages: JSON, shortened with … where it is long.
func (v Value) Summary(max int) string {
	if max < 16 {
		max = 16
	}
	s := summarize(v, max)
	if len(s) <= max {
		return s
	}
	return cut(s, max-len("…")) + "…"
}

// String renders v for messages (see [Value.Summary]).
func (v Value) String() string { return v.Summary(120) }

// summarize renders about max bytes of v, without rendering the rest of it.
func summarize(v Value, max int) string {
	switch v.kind {
	case String:
		if s := v.str; len(s) > max {
			head := string(AppendString(nil, cut(s, max-len(`""…`))))
			return cut(head[:len(head)-1], max-len(`…"`)) + `…"`
		}
		return string(AppendString(nil, v.str))
	case List:
		var b strings.Builder
		b.WriteByte('[')
		for i, e := range v.AsList() {
			if i > 0 {
				b.WriteString(", ")
			}
			if b.Len() >= max {
				break
			}
			b.WriteString(summarize(e, max-b.Len()))
		}
		b.WriteByte(']')
		return b.String()
	case Object:
		var b strings.Builder
		b.WriteByte('{')
		for k, e := range v.AsObject().All() {
			if b.Len() > 1 {
				b.WriteString(", ")
			}
			if b.Len() >= max {
				break
			}
			b.Write(AppendString(nil, k))
			b.WriteString(": ")
			b.WriteString(summarize(e, max-b.Len()))
		}
		b.WriteByte('}')
		return b.String()
	case Blob:
		b := v.AsBlob()
		kind := b.MIMEType
		if kind == "" {
			kind = "unknown type"
		}
		return fmt.Sprintf("blob(%s, %s bytes)", kind, strconv.FormatInt(b.Size, 10))
	default:
		return string(AppendJSON(nil, v))
	}
}

// cut returns the first n bytes of s, less if that would split a character.
func cut(s string, n int) string {
	n = min(max(n, 0), len(s))
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
