// Package jsonrpc reads and writes the messages of JSON-RPC 2.0. It knows no method
// and no transport.
//
// Its central types are [Request] and [Response]. Of wfc it imports nothing.
package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Codes that the specification defines.
const (
	CodeParse          = -32700 // the text is no JSON
	CodeInvalidRequest = -32600 // it is JSON and no request
	CodeNoMethod       = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
)

// ID is what tells the answers of a client apart: JSON text as it came, a string, a
// number or null. Nil is no id: a notification, which gets no answer.
type ID json.RawMessage

// null is the id of an answer to what has none that could be read.
var null = ID("null")

// Request is a request, or a notification if it has no id.
type Request struct {
	ID     ID
	Method string
	Params json.RawMessage // an object or a list; nil: none
	// Err says that this is none: it is answered with the error and done no more of.
	Err *Error
}

// Error is the error of an answer.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`        // full sentences
	Data    any    `json:"data,omitempty"` // what the code says; nil: nothing
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Errorf returns an error with a code and no data.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Response is the answer to a request: Result, or Err.
type Response struct {
	ID     ID
	Result any
	Err    *Error // nil: Result is there, which may be null
}

// Limits of a text of requests.
type Limits struct {
	Batch int // requests in one batch
	Depth int // how deep lists and objects nest
}

// Parse reads the text of one request or of a batch. The error says that the text is
// neither, and is the whole answer. Requests of a batch that are none have an error of
// their own. An object that has a key twice is refused wherever it is, since readers
// differ in which of the values they take.
func Parse(text []byte, limits Limits) (requests []Request, batch bool, err *Error) {
	text = bytes.TrimSpace(text)
	if err := validate(text, limits.Depth); err != nil {
		return nil, false, err
	}
	if text[0] != '[' {
		return []Request{parse(text)}, false, nil
	}
	elements := members(text)
	switch {
	case len(elements) == 0:
		return nil, true, Errorf(CodeInvalidRequest, "The batch is empty.")
	case len(elements) > limits.Batch:
		return nil, true, Errorf(CodeInvalidRequest, "The batch has %d requests; at most %d may be sent at once.", len(elements), limits.Batch)
	}
	for _, e := range elements {
		requests = append(requests, parse(e.text))
	}
	return requests, true, nil
}

// parse reads one request from valid JSON.
func parse(text []byte) Request {
	if text[0] != '{' {
		return Request{ID: null, Err: Errorf(CodeInvalidRequest, "A request is an object with jsonrpc, method, params and id.")}
	}
	var r Request
	var version, method []byte
	for _, m := range members(text) {
		switch m.key {
		case "jsonrpc":
			version = m.text
		case "method":
			method = m.text
		case "params":
			r.Params = m.text
		case "id":
			r.ID = m.text
		}
	}
	wrong := func(format string, args ...any) Request {
		if r.ID == nil {
			r.ID = null // what is no request is no notification either
		}
		r.Err = Errorf(CodeInvalidRequest, format, args...)
		return r
	}
	if r.ID != nil && r.ID[0] != '"' && r.ID[0] != '-' && (r.ID[0] < '0' || r.ID[0] > '9') && string(r.ID) != "null" {
		r.ID = null
		return wrong("The id of a request is a string, a number or null.")
	}
	if string(version) != `"2.0"` {
		return wrong(`A request says "jsonrpc": "2.0".`)
	}
	if len(method) == 0 || method[0] != '"' {
		return wrong("The method of a request is a string.")
	}
	if err := json.Unmarshal(method, &r.Method); err != nil {
		return wrong("The method of a request is a string.")
	}
	if r.Params != nil && r.Params[0] != '{' && r.Params[0] != '[' {
		return wrong("The params of a request are an object, or left out.")
	}
	return r
}

// Append appends the text of an answer.
func (r Response) Append(dst []byte) ([]byte, error) {
	id := r.ID
	if id == nil {
		id = null
	}
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, id...)
	name, body := `,"result":`, r.Result
	if r.Err != nil {
		name, body = `,"error":`, any(r.Err)
	}
	text, err := Marshal(body)
	if err != nil {
		return nil, err
	}
	dst = append(dst, name...)
	dst = append(dst, text...)
	return append(dst, '}'), nil
}

// Marshal returns v as JSON with nothing escaped that JSON does not require.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// AppendRequest appends the text of a request with params, which encoding/json can
// encode; nil: none.
func AppendRequest(dst []byte, id ID, method string, params any) ([]byte, error) {
	name, err := Marshal(method)
	if err != nil {
		return nil, err
	}
	dst = append(append(dst, `{"jsonrpc":"2.0","method":`...), name...)
	if id != nil {
		dst = append(append(dst, `,"id":`...), id...)
	}
	if params != nil {
		text, err := Marshal(params)
		if err != nil {
			return nil, err
		}
		dst = append(append(dst, `,"params":`...), text...)
	}
	return append(dst, '}'), nil
}

// ReadResponse reads the text of one answer to a request with that id. The error is an
// *[Error] where the answer has one.
func ReadResponse(text []byte, id ID) (json.RawMessage, error) {
	var r struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result"`
		Error   *struct {
			Code    int             `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data"`
		} `json:"error"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("the answer is no JSON-RPC: %w", err)
	}
	switch {
	case r.Version != "2.0":
		return nil, errors.New("the answer is no JSON-RPC 2.0")
	case r.Error != nil:
		e := &Error{Code: r.Error.Code, Message: r.Error.Message}
		if r.Error.Data != nil {
			e.Data = r.Error.Data
		}
		return nil, e
	case !bytes.Equal(r.ID, id):
		return nil, fmt.Errorf("the answer is one to the request %s, not %s", r.ID, id)
	case r.Result == nil:
		return nil, errors.New("the answer has neither a result nor an error")
	}
	return r.Result, nil
}
