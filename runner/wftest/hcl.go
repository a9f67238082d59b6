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

// example is a value of a type, as small as may be: what a mock that has to be
// written begins with.
func example(t *types.Type, depth int) value.Value {
	if t == nil || depth > 6 {
		return value.OfObject(nil)
	}
	switch u := t.Underlying(); u.Kind() {
	case types.Bool:
		return value.OfBool(false)
	case types.Number, types.Integer:
		return value.OfInt(0)
	case types.String:
		return value.OfString("")
	case types.Literal:
		return u.Lit()
	case types.List:
		return value.OfList(nil)
	case types.Tuple:
		var items []value.Value
		for _, i := range u.Items() {
			items = append(items, example(i, depth+1))
		}
		return value.OfList(items)
	case types.Union:
		for _, m := range u.Items() {
			if m.Kind() != types.Null {
				return example(m, depth)
			}
		}
		return value.NullValue
	case types.Null:
		return value.NullValue
	case types.Object:
		o := value.NewObject(len(u.Attrs()))
		for _, a := range u.Attrs() {
			if !a.Optional {
				o.Set(a.Name, example(a.Type, depth+1))
			}
		}
		return value.OfObject(o)
	}
	return value.OfObject(nil)
}
