package connection

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// ledger has the operations of a channel, and reads what the server says to them.
type ledger struct {
	sinks Sinks
	// inMemory: the SDK gets the messages of settle themselves, not their bytes.
	inMemory bool

	mu        sync.Mutex
	exchanges map[int64]*Exchange // by request id: not answered, not cancelled
	tokens    map[int64]*Exchange // by progress token
	lastToken int64
}

func newLedger(sinks Sinks) ledger {
	return ledger{sinks: sinks, exchanges: map[int64]*Exchange{}, tokens: map[int64]*Exchange{}}
}

// Begin implements [Channel].
func (l *ledger) Begin(progress func(Progress)) *Exchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lastToken++
	x := &Exchange{Token: l.lastToken, lock: &l.mu, progress: progress}
	l.tokens[x.Token] = x
	return x
}

// settle takes the answer to request n, and returns what the SDK is to see of it:
// nil if it is late or was never asked for.
func (l *ledger) settle(n int64, e envelope) (jsonrpc.Message, error) {
	l.mu.Lock()
	x := l.exchanges[n]
	delete(l.exchanges, n)
	var method string
	if x != nil {
		method = x.method
	}
	l.mu.Unlock()
	id, err := jsonrpc.MakeID(float64(n))
	if err != nil || x == nil {
		return nil, err
	}
	if e.err != nil {
		x.answered.Store(true)
		return &jsonrpc.Response{ID: id, Error: decodeError(e.err)}, nil
	}
	x.result = bytes.Clone(e.result)
	x.answered.Store(true)
	if handshake(method) {
		return &jsonrpc.Response{ID: id, Result: x.result}, nil
	}
	if l.inMemory {
		return &jsonrpc.Response{ID: id, Error: ErrAnswered}, nil
	}
	return &jsonrpc.Response{ID: id, Result: emptyResult}, nil
}

// request takes a request or a notification of the server, and returns what the SDK
// is to see of it, nil if it is dealt with here. alone returns the operation that it
// belongs to, nil where that cannot be told.
func (l *ledger) request(e envelope, alone func() *Exchange) (jsonrpc.Message, error) {
	var method string
	if err := json.Unmarshal(e.method, &method); err != nil {
		return nil, err
	}
	if method == "notifications/progress" && e.id == nil {
		return nil, l.report(e.params)
	}
	params, seen := l.sinks.divert(alone(), method, e.id != nil, e.params)
	if !seen {
		return nil, nil
	}
	req := &jsonrpc.Request{Method: method, Params: params}
	if e.id != nil {
		var raw any
		if err := json.Unmarshal(e.id, &raw); err != nil {
			return nil, err
		}
		id, err := jsonrpc.MakeID(raw)
		if err != nil {
			return nil, err
		}
		req.ID = id
	}
	return req, nil
}

// report hands a progress message to its operation.
func (l *ledger) report(params []byte) error {
	var p struct {
		Token    json.RawMessage `json:"progressToken"`
		Progress float64         `json:"progress"`
		Total    float64         `json:"total"`
		Message  string          `json:"message"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	token, err := wholeNumber(p.Token)
	if err != nil {
		return err
	}
	l.mu.Lock()
	x := l.tokens[token]
	l.mu.Unlock()
	if x == nil {
		return nil
	}
	x.answered.Store(true)
	if x.progress != nil {
		x.progress(Progress{Message: p.Message, Progress: p.Progress, Total: p.Total})
	}
	return nil
}
