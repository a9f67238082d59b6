package raw

import (
	"bytes"
	"errors"
)

// Message is a JSON-RPC message and where its members are.
type Message struct {
	Data   []byte
	ID     Span // also of null
	Params Span
	Result Span
	Error  Span
	Method string // empty: an answer
}

// Parse finds the members of a message. It trusts the text to be JSON.
func Parse(data []byte) (Message, bool) {
	m := Message{Data: data}
	method := Span{}
	ok := Members(data, Whole(data), func(key string, v Span) bool {
		switch key {
		case "id":
			m.ID = v
		case "method":
			method = v
		case "params":
			m.Params = v
		case "result":
			m.Result = v
		case "error":
			m.Error = v
		}
		return true
	})
	m.Method = Text(method.Of(data))
	if null(data, m.Error) && m.Result.There() {
		m.Error = Span{}
	}
	return m, ok && (m.Method != "" || m.Result.There() || m.Error.There())
}

// Strict is [Parse] for a text that is valid JSON and comes from somebody who may
// want it read in two ways. The error says what is wrong with it, as a clause.
func Strict(data []byte) (Message, error) {
	m, ok := Parse(data)
	whole := Whole(data)
	version := Find(data, whole, "jsonrpc")
	switch {
	case len(bytes.TrimSpace(data)) == 0 || data[whole.From] != '{':
		return m, errors.New("it is no object")
	case Text(version.Of(data)) != "2.0":
		return m, errors.New(`its member jsonrpc is not "2.0"`)
	case !ok:
		return m, errors.New("it has neither method nor result nor error")
	case m.Method != "" && m.ID.There() && !identifier(m.ID.Of(data)):
		return m, errors.New("its id is neither a string nor a number")
	case m.Method != "" && m.Params.There() && data[m.Params.From] != '{':
		return m, errors.New("its params are no object")
	}
	for _, name := range []string{"id", "method", "params"} {
		if Ambiguous(data, whole, name) {
			return m, errors.New("it has the member " + name + " twice")
		}
	}
	return m, nil
}

func identifier(id []byte) bool { return id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9' }

func null(data []byte, s Span) bool { return string(s.Of(data)) == "null" }

// Request reports whether m wants an answer.
func (m Message) Request() bool { return m.Method != "" && m.ID.There() && !null(m.Data, m.ID) }

// Param returns the place of the value that the path leads to in the parameters.
func (m Message) Param(path ...string) Span {
	if !m.Params.There() {
		return Span{}
	}
	return Find(m.Data, m.Params, path...)
}
