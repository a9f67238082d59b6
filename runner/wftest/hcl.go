package wftest

import (
	"strings"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// expression writes a value without blobs as an expression of the language. depth is how far its
// lines are indented, in steps of two spaces; short values take one line.
func expression(v value.Value, depth int) string {
	var b strings.Builder
	write(&b, v, depth)
	return b.String()
}

// lineWidth is up to how many characters a list or an object stays on one line.
const lineWidth = 80

func write(b *strings.Builder, v value.Value, depth int) {
	switch v.Kind() {
	case value.List:
		items := v.AsList()
		if line, ok := oneLine(v); ok {
			b.WriteString(line)
			return
		}
		b.WriteString("[\n")
		for _, e := range items {
			indent(b, depth+1)
			write(b, e, depth+1)
			b.WriteString(",\n")
		}
		indent(b, depth)
		b.WriteByte(']')
	case value.Object:
		if line, ok := oneLine(v); ok {
			b.WriteString(line)
			return
		}
		b.WriteString("{\n")
		for name, e := range v.AsObject().All() {
			indent(b, depth+1)
			b.WriteString(types.Key(name))
			b.WriteString(" = ")
			write(b, e, depth+1)
			b.WriteByte('\n')
		}
		indent(b, depth)
		b.WriteByte('}')
	default:
		b.WriteString(types.Notation(v))
	}
}

// oneLine writes a list or an object on one line, where that is short.
func oneLine(v value.Value) (string, bool) {
	line := types.Notation(v)
	return line, len(line) <= lineWidth
}

// literal writes a text as a literal.
func literal(text string) string { return types.Notation(value.OfString(text)) }

func indent(b *strings.Builder, depth int) {
	for range depth {
		b.WriteString("  ")
	}
}
