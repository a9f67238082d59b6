package types

import (
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/value"
)

// equalValues reports whether two values have the same content: numbers by
// value, objects without regard to order.
func equalValues(a, b value.Value) bool {
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case value.Bool:
		return a.AsBool() == b.AsBool()
	case value.Number:
		return a.AsNumber().Cmp(b.AsNumber()) == 0
	case value.String:
		return a.AsString() == b.AsString()
	case value.List:
		x, y := a.AsList(), b.AsList()
		if len(x) != len(y) {
			return false
		}
		for i := range x {
			if !equalValues(x[i], y[i]) {
				return false
			}
		}
	case value.Object:
		x, y := a.AsObject(), b.AsObject()
		if x.Len() != y.Len() {
			return false
		}
		for k, v := range x.All() {
			if w, ok := y.Get(k); !ok || !equalValues(v, w) {
				return false
			}
		}
	case value.Blob:
		return *a.AsBlob() == *b.AsBlob()
	}
	return true
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

const hexDigits = "0123456789abcdef"

// writeQuoted writes s as an HCL quoted template without interpolations.
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
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
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

// writeIdentity writes a text that two values share exactly when they are equal.
func writeIdentity(b *strings.Builder, v value.Value) {
	switch v.Kind() {
	case value.Number:
		b.WriteString(v.AsNumber().Canonical())
	case value.List:
		b.WriteByte('[')
		for _, e := range v.AsList() {
			writeIdentity(b, e)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case value.Object:
		o := v.AsObject()
		keys := slices.Clone(o.Keys())
		slices.Sort(keys)
		b.WriteByte('{')
		for _, k := range keys {
			e, _ := o.Get(k)
			writeQuoted(b, k)
			writeIdentity(b, e)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case value.Blob:
		b.WriteByte('<')
		b.WriteString(v.AsBlob().SHA256)
		b.WriteByte('>')
	default:
		writeConstant(b, v)
	}
}
