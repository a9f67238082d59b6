package protocol

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Markdown returns the reference of all methods, their types and the codes of errors:
// docs/server-methods.md.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# The methods of the server

What can be called at ` + "`POST /rpc`" + ` of [the server](server.md), JSON-RPC 2.0. Parameters are passed by name. Those in *italics* may be left out;
a parameter that a method does not have is an error that names it. Results may get more members in later versions. The same, for
programs, is the [OpenRPC](https://open-rpc.org) document at ` + "`GET /openrpc.json`" + `, which ` + "`rpc.discover`" + ` returns, too.
`)
	types := &typeList{seen: map[reflect.Type]bool{}}
	group := ""
	for _, m := range Methods() {
		if g, _, _ := strings.Cut(m.Name, "."); g != group {
			group = g
			fmt.Fprintf(&b, "\n## %s\n", group)
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s Scope: `%s`.\n", m.Name, m.Doc, m.Scope)
		writeFields(&b, m.Params, "parameter", types)
		switch {
		case m.Result.Kind() != reflect.Struct:
		case m.Result.NumField() == 0:
			b.WriteString("\nThe result is an empty object.\n")
		default:
			fmt.Fprintf(&b, "\nThe result is %s.\n", types.link(m.Result))
		}
	}
	b.WriteString("\n## Types\n")
	for i := 0; i < len(types.list); i++ { // the list grows meanwhile
		t := types.list[i]
		fmt.Fprintf(&b, "\n### %s\n", t.Name())
		writeFields(&b, t, "member", types)
	}
	b.WriteString("\n## Errors\n\n| code | name | when, and with what data |\n| --- | --- | --- |\n")
	for _, c := range Codes() {
		fmt.Fprintf(&b, "| %d | %s | %s |\n", c.Code, c.Name, c.Doc)
	}
	return b.String()
}

// typeList is the types that are described, in the order in which they are mentioned.
type typeList struct {
	list []reflect.Type
	seen map[reflect.Type]bool
}

func (l *typeList) link(t reflect.Type) string {
	if !l.seen[t] {
		l.seen[t] = true
		l.list = append(l.list, t)
	}
	return fmt.Sprintf("[%s](#%s)", t.Name(), strings.ToLower(t.Name()))
}

func writeFields(b *strings.Builder, t reflect.Type, what string, types *typeList) {
	fields := fieldsOf(t)
	if len(fields) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s | type | |\n| --- | --- | --- |\n", what)
	for _, f := range fields {
		name := "`" + f.name + "`"
		if !f.required {
			name = "*" + name + "*"
		}
		kind := types.print(f.typ)
		if f.enum != nil {
			kind = "`" + strings.Join(f.enum, "`, `") + "`"
			if f.typ.Kind() == reflect.Slice {
				kind = "list of " + kind
			}
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", name, kind, strings.ReplaceAll(f.doc, "|", `\|`))
	}
}

// print is a type as the reference has it.
func (l *typeList) print(t reflect.Type) string {
	switch t {
	case valueType, reflect.TypeFor[json.RawMessage]():
		return "any"
	case reflect.TypeFor[time.Time]():
		return "time"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return l.print(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Slice:
		return "list of " + l.print(t.Elem())
	case reflect.Map:
		return "map of " + l.print(t.Elem())
	case reflect.Struct:
		return l.link(t)
	}
	return "integer"
}
