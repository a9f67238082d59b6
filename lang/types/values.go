package types

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lda-wf/wfc/lang/value"
)

// Notation returns a constant as the type notation writes it, which is HCL's.
// v has no blobs.
func Notation(v value.Value) string { return notation(v) }

// Key returns an attribute name as the notation writes it: bare, or in quotes.
func Key(name string) string {
	var b strings.Builder
	writeKey(&b, name)
	return b.String()
}

// notation returns a constant as the type notation writes it, which is HCL's.
func notation(v value.Value) string {
	var b strings.Builder
	writeConstant(&b, v)
	return b.String()
}

func writeConstant(b *strings.Builder, v value.Value) {
	switch v.Kind() {
	case value.Null:
		b.WriteString("null")
	case value.Bool:
		if v.AsBool() {
			b.WriteString("true")
		} else {
			b.WriteString("false")
		}
	case value.Number:
		b.WriteString(v.AsNumber().String())
	case value.String:
		writeQuoted(b, v.AsString())
	case value.List:
		b.WriteByte('[')
		for i, e := range v.AsList() {
			if i > 0 {
				b.WriteString(", ")
			}
			writeConstant(b, e)
		}
		b.WriteByte(']')
	case value.Object:
		o := v.AsObject()
		if o.Len() == 0 {
			b.WriteString("{}")
			return
		}
		b.WriteString("{ ")
		first := true
		for k, e := range o.All() {
			if !first {
				b.WriteString(", ")
			}
			first = false
			writeKey(b, k)
			b.WriteString(" = ")
			writeConstant(b, e)
		}
		b.WriteString(" }")
	case value.Blob:
		b.WriteString("blob")
	}
}

// isUnicode reports whether all texts in v are Unicode, as HCL wants them.
func isUnicode(v value.Value) bool {
	switch v.Kind() {
	case value.String:
		return utf8.ValidString(v.AsString())
	case value.List:
		for _, e := range v.AsList() {
			if !isUnicode(e) {
				return false
			}
		}
	case value.Object:
		for k, e := range v.AsObject().All() {
			if !utf8.ValidString(k) || !isUnicode(e) {
				return false
			}
		}
	}
	return true
}

const hexDigits = "0123456789abcdef"

// writeQuoted writes s as an HCL quoted template without interpolations. What
// steers a terminal or turns the direction of text is escaped: schemas are a
// server's words.
func writeQuoted(b *strings.Builder, s string) {
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < 0x20 || c == 0x7f:
			b.WriteString(`\u00`)
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		case (c == '$' || c == '%') && i+1 < len(s) && s[i+1] == '{':
			b.WriteByte(c)
			b.WriteByte(c)
		case c < utf8.RuneSelf:
			b.WriteByte(c)
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if steers(r) {
				fmt.Fprintf(b, `\u%04x`, r)
			} else {
				b.WriteString(s[i : i+size])
			}
			i += size - 1
		}
	}
	b.WriteByte('"')
}

// steers reports whether a character beyond ASCII does something to a terminal
// or to the text around it, rather than being shown.
func steers(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// writeKey writes an attribute name: bare where HCL reads it as a name.
func writeKey(b *strings.Builder, name string) {
	if isName(name) {
		b.WriteString(name)
	} else {
		writeQuoted(b, name)
	}
}

// isName reports whether name can stand bare as a key. HCL would take more
// letters; ASCII is enough, and what HCL gives a meaning of its own at the
// start of braces or as a value is quoted.
func isName(name string) bool {
	switch name {
	case "", "for", "if", "in", "null", "true", "false":
		return false
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		case i > 0 && (c >= '0' && c <= '9' || c == '-'):
		default:
			return false
		}
	}
	return true
}
