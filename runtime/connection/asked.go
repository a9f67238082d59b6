package connection

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// QuestionMeta is the member of _meta under which the SDK is handed the key that
// [Sinks].Asked gave to a request of the server. The SDK does the bookkeeping of
// such a request and writes the answer; its types, which lose digits and unknown
// fields, do not see what was asked.
const QuestionMeta = "wfc/question"

// asking are the requests of a server that [Sinks].Asked gets.
var asking = map[string]bool{"elicitation/create": true, "sampling/createMessage": true, "roots/list": true}

// divert hands a request or a notification of the server to whom it concerns. x is
// the operation that it belongs to, nil where that cannot be told. It returns the
// parameters that the SDK is to see, in memory of their own, and whether it is to
// see the message at all.
func (s Sinks) divert(x *Exchange, method string, request bool, params []byte) (_ json.RawMessage, seen bool) {
	switch {
	case method == "notifications/message" && !request:
		if s.Logged != nil {
			s.Logged(x, bytes.Clone(params))
		}
		return nil, false
	case request && s.Asked != nil && asking[method]:
		key := s.Asked(x, method, bytes.Clone(params))
		meta := append([]byte(`{"_meta":{"`+QuestionMeta+`":`), strconv.FormatInt(key, 10)...)
		return append(meta, "}}"...), true
	}
	return bytes.Clone(params), true
}
