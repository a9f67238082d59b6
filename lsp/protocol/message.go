package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrorCode is a code of JSON-RPC or LSP.
type ErrorCode int

// The codes.
const (
	ParseError           ErrorCode = -32700
	InvalidRequest       ErrorCode = -32600
	MethodNotFound       ErrorCode = -32601
	InvalidParams        ErrorCode = -32602
	InternalError        ErrorCode = -32603
	ServerNotInitialized ErrorCode = -32002
	RequestFailed        ErrorCode = -32803
	ServerCancelled      ErrorCode = -32802
	ContentModified      ErrorCode = -32801
	RequestCancelled     ErrorCode = -32800
)

// Error is the error of a response. Its message is a full sentence.
type Error struct {
	Code    ErrorCode       `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

func (e *Error) Error() string { return e.Message }

// Errorf returns an error of a code.
func Errorf(code ErrorCode, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// ID is the id of a request as its sender wrote it: a JSON number or string. The
// zero ID is that of no request; in a response it is written as null.
type ID string

// MarshalJSON returns the id as it was written.
func (id ID) MarshalJSON() ([]byte, error) {
	if id == "" {
		return []byte("null"), nil
	}
	return []byte(id), nil
}

// UnmarshalJSON reads a number or a string.
func (id *ID) UnmarshalJSON(src []byte) error {
	src = bytes.TrimSpace(src)
	switch {
	case string(src) == "null":
		*id = ""
	case len(src) > 0 && (src[0] == '"' || src[0] == '-' || src[0] >= '0' && src[0] <= '9'):
		*id = ID(src)
	default:
		return errors.New("an id is a number or a string")
	}
	return nil
}

// Message is a message in either direction: a request (ID and Method), a
// notification (Method), or a response (ID, and Result or Error).
type Message struct {
	ID     ID
	Method string
	Params json.RawMessage // nil: none
	Result json.RawMessage // of a response without error; never nil there
	Error  *Error
}

// IsRequest reports whether the message wants an answer.
func (m *Message) IsRequest() bool { return m.Method != "" && m.ID != "" }

// IsResponse reports whether the message is an answer.
func (m *Message) IsResponse() bool { return m.Method == "" }

// wire is a message as JSON has it.
type wire struct {
	Version string          `json:"jsonrpc"`
	ID      *ID             `json:"id,omitempty"`
	Method  *string         `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Decode reads a message. The error is a *Error that says what is wrong: that it
// is no JSON, or no message. What could be read of the message is returned with
// it, so that a request of which the id is known can be answered.
func Decode(src []byte) (*Message, error) {
	var w wire
	if !json.Valid(src) {
		return &Message{}, Errorf(ParseError, "The message is no JSON: %s.", problem(src))
	}
	if trimmed := bytes.TrimSpace(src); trimmed[0] != '{' {
		return &Message{}, Errorf(InvalidRequest, "A message is one JSON object; batches are no part of LSP.")
	}
	err := json.Unmarshal(src, &w)
	m := &Message{Params: w.Params, Result: w.Result, Error: w.Error}
	if w.ID != nil {
		m.ID = *w.ID
	}
	if w.Method != nil {
		m.Method = *w.Method
	}
	if string(m.Params) == "null" {
		m.Params = nil
	}
	switch {
	case err != nil:
		return m, Errorf(InvalidRequest, "The message is not as JSON-RPC has it: %v.", err)
	case w.Method != nil && m.Method == "":
		return m, Errorf(InvalidRequest, "The message has an empty method.")
	case m.Method == "" && w.ID == nil && m.Error == nil: // an error may be of what nobody could read
		return m, Errorf(InvalidRequest, "The message has neither a method nor an id.")
	case m.Method == "" && m.Result == nil && m.Error == nil:
		return m, Errorf(InvalidRequest, "The message has no method, result or error.")
	}
	return m, nil
}

// problem says where JSON is broken.
func problem(src []byte) string {
	var v any
	if err := json.Unmarshal(src, &v); err != nil {
		return err.Error()
	}
	return "it cannot be read"
}

// Encode returns a message as JSON.
func (m *Message) Encode() ([]byte, error) {
	w := wire{Version: "2.0", Params: m.Params, Result: m.Result, Error: m.Error}
	if m.Method != "" {
		w.Method = &m.Method
	}
	if m.ID != "" || m.IsResponse() {
		w.ID = &m.ID
	}
	return encode(w)
}

// encode is JSON without HTML escapes, which no client wants.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Request returns a request with its parameters.
func Request(id ID, method string, params any) (*Message, error) {
	src, err := encode(params)
	if err != nil {
		return nil, fmt.Errorf("the parameters of %s: %w", method, err)
	}
	return &Message{ID: id, Method: method, Params: src}, nil
}

// Notification returns a notification with its parameters.
func Notification(method string, params any) (*Message, error) { return Request("", method, params) }

// Response returns the answer to a request. An err that is no *Error is an
// internal one.
func Response(id ID, result any, err error) (*Message, error) {
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			e = Errorf(InternalError, "%v", err)
		}
		return &Message{ID: id, Error: e}, nil
	}
	src, err := encode(result)
	if err != nil {
		return nil, fmt.Errorf("the result: %w", err)
	}
	return &Message{ID: id, Result: src}, nil
}

// Params reads the parameters of a message into a value of type P. Those that
// the type has and the message has not are zero. The error is a *Error.
func Params[P any](m *Message) (P, error) {
	var p P
	src := m.Params
	if src == nil {
		src = json.RawMessage("{}")
	}
	if err := json.Unmarshal(src, &p); err != nil {
		return p, Errorf(InvalidParams, "The parameters of %s are not as the protocol has them: %v.", m.Method, err)
	}
	return p, nil
}
