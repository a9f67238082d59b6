package protocol

import (
	"encoding/json"
	"reflect"
	"time"
)

// Schema returns the JSON Schema of a type of parameters or results. Named structs
// are references into components.
func schema(t reflect.Type, components map[string]any) map[string]any {
	switch t {
	case valueType, reflect.TypeFor[json.RawMessage]():
		return map[string]any{} // any JSON
	case reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.Interface:
		return map[string]any{}
	case reflect.Pointer:
		return schema(t.Elem(), components)
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": schema(t.Elem(), components)}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schema(t.Elem(), components)}
	case reflect.Struct:
		if _, ok := components[t.Name()]; !ok {
			components[t.Name()] = nil // a struct may hold itself
			components[t.Name()] = structSchema(t, components)
		}
		return map[string]any{"$ref": "#/components/schemas/" + t.Name()}
	}
	panic("protocol: no schema of " + t.String())
}

func structSchema(t reflect.Type, components map[string]any) map[string]any {
	properties := map[string]any{}
	required := []string{}
	for _, f := range fieldsOf(t) {
		properties[f.name] = fieldSchema(f, components)
		if f.required {
			required = append(required, f.name)
		}
	}
	out := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	return out
}

func fieldSchema(f field, components map[string]any) map[string]any {
	s := schema(f.typ, components)
	if f.typ.Kind() == reflect.Pointer && f.required {
		s = map[string]any{"anyOf": []any{s, map[string]any{"type": "null"}}}
	}
	if f.doc != "" {
		s["description"] = f.doc
	}
	switch items, isList := s["items"].(map[string]any); {
	case f.enum == nil:
	case isList:
		items["enum"] = f.enum
	default:
		s["enum"] = f.enum
	}
	return s
}

// OpenRPC returns the machine-readable description of the methods: an OpenRPC
// document, for encoding/json. version is that of wfc.
func OpenRPC(version string) map[string]any {
	components := map[string]any{}
	list := []any{}
	for _, m := range Methods() {
		params := []any{}
		for _, f := range fieldsOf(m.Params) {
			p := map[string]any{"name": f.name, "schema": fieldSchema(f, components)}
			if f.doc != "" {
				p["description"] = f.doc
			}
			if f.required {
				p["required"] = true
			}
			params = append(params, p)
		}
		list = append(list, map[string]any{
			"name":           m.Name,
			"description":    m.Doc,
			"paramStructure": "by-name",
			"params":         params,
			"result":         map[string]any{"name": "result", "schema": schema(m.Result, components)},
			"errors":         openErrors(),
			"x-scope":        m.Scope,
		})
	}
	return map[string]any{
		"openrpc":    "1.3.2",
		"info":       map[string]any{"title": "wfc", "version": version, "description": "The workflow server of wfc: JSON-RPC 2.0 over HTTP, at POST /rpc."},
		"methods":    list,
		"components": map[string]any{"schemas": components},
	}
}

func openErrors() []any {
	out := []any{}
	for _, e := range Codes() {
		out = append(out, map[string]any{"code": e.Code, "message": e.Name})
	}
	return out
}
