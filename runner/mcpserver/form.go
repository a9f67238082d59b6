package mcpserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// form is how a question is put to the client of MCP, whose forms are flat: fields that
// hold a text, a number, a yes or no, or a choice of texts.
type form struct {
	schema json.RawMessage
	// one: the answer is the field "answer"; else it is the fields together.
	one  bool
	json bool // the field "answer" holds the answer as JSON
}

// field is a schema of a field, as far as clients know them.
type field struct {
	Type        any             `json:"type,omitempty"`
	Enum        []any           `json:"enum,omitempty"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Format      string          `json:"format,omitempty"`
	Minimum     json.RawMessage `json:"minimum,omitempty"`
	Maximum     json.RawMessage `json:"maximum,omitempty"`
	MinLength   json.RawMessage `json:"minLength,omitempty"`
	MaxLength   json.RawMessage `json:"maxLength,omitempty"`
}

// formats are those that clients know.
var formats = []string{"email", "uri", "date", "date-time"}

// simple makes the field one that clients know; false: it is none.
func (f *field) simple() bool {
	if types, ok := f.Type.([]any); ok { // nullable: it may be left empty
		types = slices.DeleteFunc(slices.Clone(types), func(t any) bool { return t == "null" })
		if len(types) != 1 {
			return false
		}
		f.Type = types[0]
	}
	f.Enum = slices.DeleteFunc(f.Enum, func(v any) bool { return v == nil })
	for _, v := range f.Enum {
		if _, text := v.(string); !text {
			return false
		}
	}
	if f.Enum != nil && f.Type == nil {
		f.Type = "string"
	}
	if !slices.Contains(formats, f.Format) {
		f.Format = ""
	}
	return f.Type == "string" || f.Type == "boolean" || f.Type == "number" || f.Type == "integer"
}

// formOf returns the form of a question.
func formOf(q *journal.Question) form {
	if q.Approval != nil {
		return form{schema: json.RawMessage(`{"type":"object","properties":{}}`)}
	}
	var s struct {
		field
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(q.Schema, &s) == nil { // a schema may be true
		if fields, ok := fieldsOf(s.Properties); ok && s.Type == "object" && len(fields) > 0 {
			return form{schema: marshal(map[string]any{"type": "object", "properties": fields, "required": nonNil(s.Required)})}
		}
		if s.simple() {
			return form{schema: marshal(answerOnly(s.field)), one: true}
		}
	}
	text := field{Type: "string", Description: "JSON of the type " + q.Answer}
	return form{schema: marshal(answerOnly(text)), one: true, json: true}
}

func answerOnly(f field) any {
	return map[string]any{"type": "object", "properties": map[string]field{"answer": f}, "required": []string{"answer"}}
}

// fieldsOf returns the fields of an object, false if one of them is none.
func fieldsOf(properties map[string]json.RawMessage) (map[string]field, bool) {
	fields := map[string]field{}
	for name, raw := range properties {
		var f field
		if json.Unmarshal(raw, &f) != nil || !f.simple() {
			return nil, false
		}
		fields[name] = f
	}
	return fields, true
}

func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

func marshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // it came out of JSON
	}
	return raw
}

// params are the question as MCP has it. why says what was wrong with the answer
// before, "" if there was none.
func (f form) params(q *journal.Question, why string) *mcp.ElicitParams {
	message := q.Message
	if a := q.Approval; a != nil {
		message = fmt.Sprintf("%s\n\n%d calls of %s:", message, a.Count, a.Tool)
		for _, c := range a.Calls {
			message += "\n" + string(c.Args)
		}
		if more := a.Count - len(a.Calls); more > 0 {
			message += fmt.Sprintf("\n… and %d more", more)
		}
	}
	if why != "" {
		message = why + "\n\n" + message
	}
	return &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: f.schema}
}

// read returns the answer of a form that was filled in.
func (f form) read(content map[string]any) (value.Value, error) {
	v := any(content)
	if f.one {
		v = content["answer"]
	}
	if f.json {
		text, ok := v.(string)
		if !ok {
			return value.NullValue, errors.New("The answer is empty.")
		}
		parsed, err := value.ParseJSON([]byte(text))
		if err != nil {
			return value.NullValue, fmt.Errorf("The answer %s.", value.NotTaken(err))
		}
		return parsed, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return value.NullValue, err
	}
	return value.ParseJSON(raw)
}
