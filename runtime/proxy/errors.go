package proxy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// The codes of JSON-RPC and MCP that the proxy answers with by itself.
const (
	codeParse       = -32700
	codeInvalid     = -32600
	codeNoMethod    = -32601
	codeParams      = -32602
	codeInternal    = -32603
	codeNoResource  = -32002
	codeMismatch    = -32020
	codeUnsupported = -32022
)

var (
	errClosing = errors.New("wfc is closing")
	errIdle    = errors.New("the client was silent for too long")
	errDeleted = errors.New("the client ended the session")
)

// failure is an error that a client gets as the answer to a request.
type failure struct {
	code int
	text string
	data []byte // JSON; nil: none
}

func (f *failure) Error() string { return f.text }

func refuse(code int, format string, args ...any) *failure {
	return &failure{code: code, text: fmt.Sprintf(format, args...)}
}

// unusable is the failure of a request whose connection cannot be used.
func (s *source) unusable(err error) *failure {
	text := strings.TrimSpace(s.redact(err.Error()))
	if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return &failure{
		code: codeInternal, text: fmt.Sprintf("The connection %s cannot be used. %s", s.id, text),
		data: append(append([]byte(`{"connection":`), raw.Quote(s.id)...), '}'),
	}
}

// reply returns the message that answers request id with f.
func (f *failure) reply(id []byte) []byte {
	if id == nil {
		id = []byte("null")
	}
	out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	out = fmt.Appendf(out, `,"error":{"code":%d,"message":%s`, f.code, raw.Quote(f.text))
	if f.data != nil {
		out = append(append(out, `,"data":`...), f.data...)
	}
	return append(out, "}}"...)
}

// result returns the message that answers request id with a result.
func result(id []byte, text string) []byte {
	out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	out = append(append(out, `,"result":`...), text...)
	return append(out, '}')
}
