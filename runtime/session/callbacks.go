package session

//lint:file-ignore SA1019 Servers of the revisions before 2026-07-28, which are most, still use sampling, roots and logging.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/runtime/connection"
)

// codeRefused is the code of the errors with which a server's question is refused:
// MCP's own for a person who rejects one.
const codeRefused = -1

// callbacks answers what the server of a session asks, and passes on what it logs.
// Whoever answers belongs to an operation, so that what cannot be told to be of
// exactly one operation is refused.
type callbacks struct {
	cfg *Config

	clocks clocks

	mu        sync.Mutex
	inquiries map[*connection.Exchange]*inquiry // of the operations in flight
	questions map[int64]question                // the SDK has not come back with them
	last      int64                             // key of a question
}

// inquiry is what the server may ask and say in the course of one operation.
type inquiry struct {
	callback.Handlers
	ctx       context.Context // of the operation
	exchange  *connection.Exchange
	operation string   // its label; "": the method of its request
	remarks   []string // under callbacks.mu, as is unsaid
	unsaid    int      // remarks that say nothing new, or are too many
}

// maxRemarks bounds what is remarked of one operation: a server may ask without end.
const maxRemarks = 20

// add remarks something. callbacks.mu is held.
func (in *inquiry) add(text string) {
	if len(in.remarks) == maxRemarks || slices.Contains(in.remarks, text) {
		in.unsaid++
		return
	}
	in.remarks = append(in.remarks, text)
}

// all returns the remarks. callbacks.mu is held.
func (in *inquiry) all() []string {
	switch in.unsaid {
	case 0:
		return in.remarks
	case 1:
		return append(in.remarks, "The server asked once more, which came out the same way.")
	}
	return append(in.remarks, fmt.Sprintf("The server asked %d times more, which came out the same way.", in.unsaid))
}

// question is a request of the server.
type question struct {
	of     *inquiry // nil: no operation, or which one cannot be told
	method string
	params json.RawMessage
}

func newCallbacks(cfg *Config) *callbacks {
	return &callbacks{cfg: cfg, inquiries: map[*connection.Exchange]*inquiry{}, questions: map[int64]question{}}
}

// sinks returns what a channel is to hand on.
func (cb *callbacks) sinks() connection.Sinks {
	return connection.Sinks{Stderr: cb.cfg.Stderr, Logged: cb.logged, Asked: cb.asked, Listen: cb.cfg.ListChanged != nil}
}

// enter registers the operation of ctx whose messages belong to x, until leave.
func (cb *callbacks) enter(ctx context.Context, x *connection.Exchange, operation string) *inquiry {
	in := &inquiry{Handlers: callback.Of(ctx), ctx: ctx, exchange: x, operation: operation}
	cb.mu.Lock()
	defer cb.mu.Unlock()
	cb.inquiries[x] = in
	return in
}

// label says which operation it is.
func (in *inquiry) label() string {
	if in.operation == "" && in.exchange != nil {
		return in.exchange.Method()
	}
	return in.operation
}

// leave ends what enter began and returns the remarks, which the operation was told.
func (cb *callbacks) leave(x *connection.Exchange) []string {
	cb.mu.Lock()
	in := cb.inquiries[x]
	delete(cb.inquiries, x)
	remarks := in.all()
	cb.mu.Unlock()
	if in.Remark != nil {
		for _, r := range remarks {
			in.Remark(r)
		}
	}
	return remarks
}

// remark tells an operation, or all in flight, what happened beside it.
func (cb *callbacks) remark(in *inquiry, format string, args ...any) {
	text := cb.cfg.redact(fmt.Sprintf(format, args...))
	cb.mu.Lock()
	defer cb.mu.Unlock()
	if in != nil {
		in.add(text)
		return
	}
	for _, in := range cb.inquiries {
		in.add(text)
	}
}

// logged implements Logged of [connection.Sinks].
func (cb *callbacks) logged(x *connection.Exchange, params json.RawMessage) {
	cb.mu.Lock()
	in := cb.inquiries[x]
	cb.mu.Unlock()
	l, err := callback.ParseLog(params)
	if err != nil || l.Level < cb.cfg.LogLevel {
		return // one that cannot be read says nothing to anybody
	}
	l.Connection, l.Logger, l.Data = cb.cfg.Connection.ID, cb.cfg.redact(l.Logger), cb.redacted(l.Data)
	sink := cb.cfg.Logged
	if in != nil {
		if l.Operation = in.label(); in.Logged != nil {
			sink = in.Logged
		}
	}
	if sink != nil {
		sink(l)
	}
}

// redacted returns v without secrets in its texts and names.
func (cb *callbacks) redacted(v value.Value) value.Value {
	switch v.Kind() {
	case value.String:
		return value.OfString(cb.cfg.redact(v.AsString()))
	case value.List:
		out := make([]value.Value, len(v.AsList()))
		for i, item := range v.AsList() {
			out[i] = cb.redacted(item)
		}
		return value.OfList(out)
	case value.Object:
		out := value.NewObject(v.AsObject().Len())
		for name, item := range v.AsObject().All() {
			out.Set(cb.cfg.redact(name), cb.redacted(item))
		}
		return value.OfObject(out)
	}
	return v
}

// asked implements Asked of [connection.Sinks].
func (cb *callbacks) asked(x *connection.Exchange, method string, params json.RawMessage) int64 {
	cb.mu.Lock()
	defer cb.mu.Unlock()
	cb.last++
	cb.questions[cb.last] = question{cb.inquiries[x], method, params}
	return cb.last
}

// receive is middleware of the SDK, which answers the requests that asked took.
func (cb *callbacks) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		key, ok := questionKey(req)
		if !ok {
			return next(ctx, method, req)
		}
		cb.mu.Lock()
		q, ok := cb.questions[key]
		delete(cb.questions, key)
		cb.mu.Unlock()
		if !ok {
			return next(ctx, method, req)
		}
		answer, err := cb.answer(ctx, q)
		if err != nil {
			code := int64(codeRefused)
			if r := (*refusal)(nil); errors.As(err, &r) && r.code != 0 {
				code = r.code
			}
			return nil, &jsonrpc.Error{Code: code, Message: err.Error()}
		}
		result, _ := answer.(mcp.Result)
		return result, nil
	}
}

func questionKey(req mcp.Request) (int64, bool) {
	params := req.GetParams()
	// The SDK has a nil pointer in it for a message without params.
	if v := reflect.ValueOf(params); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return 0, false
	}
	switch key := params.GetMeta()[connection.QuestionMeta].(type) {
	case float64:
		return int64(key), true
	case int64:
		return key, true
	}
	return 0, false
}

// refusal is why a question is not answered: a full sentence, which the server is told.
type refusal struct {
	code int64 // of JSON-RPC; 0: codeRefused
	text string
}

func (r *refusal) Error() string { return r.text }

func refuse(code int64, format string, args ...any) error {
	return &refusal{code, fmt.Sprintf(format, args...)}
}

// answer answers a question. The error is a *refusal, which the operation was told of.
func (cb *callbacks) answer(ctx context.Context, q question) (mcp.InputResponse, error) {
	offers := cb.cfg.Connection.Offers
	offered, name := false, fmt.Sprintf("%q", q.method)
	switch q.method {
	case "roots/list":
		offered, name = offers.Root != "", "roots"
	case "elicitation/create":
		offered, name = offers.Elicitation, "elicitation"
	case "sampling/createMessage":
		offered, name = offers.Sampling, "sampling"
	}
	if !offered {
		cb.remark(q.of, "The server asked for %s, which the connection does not offer, and was refused.", kindOf(q.method))
		return nil, refuse(jsonrpc.CodeMethodNotFound, "The client does not offer %s.", name)
	}
	if q.method == "roots/list" {
		return offers.Roots(), nil
	}
	if q.of == nil {
		cb.remark(nil, "The server asked for %s, and it could not be told for which operation; it was refused.", kindOf(q.method))
		return nil, refuse(0, "It cannot be told which of the client's requests this is about.")
	}
	resume := cb.clocks.pause()
	defer resume()
	// The question ends with its operation, too.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(q.of.ctx, func() { cancel(context.Cause(q.of.ctx)) })
	defer stop()
	from := callback.Origin{Connection: cb.cfg.Connection.ID, Operation: q.of.label()}
	if q.method == "sampling/createMessage" {
		return cb.sample(ctx, q, from)
	}
	return cb.elicit(ctx, q, from)
}

// kindOf says what a method asks for.
func kindOf(method string) string {
	switch method {
	case "roots/list":
		return "the project's folder (roots)"
	case "elicitation/create":
		return "an answer of a person (elicitation)"
	case "sampling/createMessage":
		return "a completion of a model (sampling)"
	}
	return fmt.Sprintf("%q", method)
}

// elicit asks a person.
func (cb *callbacks) elicit(ctx context.Context, q question, from callback.Origin) (mcp.InputResponse, error) {
	ask, err := callback.ParseQuestion(from, q.params)
	if err != nil {
		cb.remark(q.of, "The server asked a person something that is not as MCP says, and was refused: %s.", err)
		return nil, refuse(jsonrpc.CodeInvalidParams, "The question is not as MCP says: %s.", err)
	}
	ask.Message = cb.cfg.redact(ask.Message)
	if q.of.Answerer == nil {
		cb.remark(q.of, "The server asked a person and nobody could answer, so that it was declined: %s", shown(ask.Message))
		return &mcp.ElicitResult{Action: string(callback.Decline)}, nil
	}
	answer, err := q.of.Answerer.Answer(ctx, ask)
	if err == nil && answer.Action == callback.Accept && ask.Form != nil {
		err = ask.Form.Check(answer.Content)
	}
	switch {
	case ctx.Err() != nil:
		return &mcp.ElicitResult{Action: string(callback.Cancel)}, nil
	case err != nil:
		cb.remark(q.of, "The server asked a person and got no answer (%s): %s", err, shown(ask.Message))
		return &mcp.ElicitResult{Action: string(callback.Cancel)}, nil
	case answer.Action != callback.Accept:
		cb.remark(q.of, "The server asked a person, whose answer was to %s: %s", answer.Action, shown(ask.Message))
		return &mcp.ElicitResult{Action: string(answer.Action)}, nil
	}
	result := &mcp.ElicitResult{Action: string(callback.Accept)}
	if ask.Form != nil {
		result.Content = make(map[string]any, len(ask.Form.Fields))
		for name, v := range answer.Content.AsObject().All() {
			result.Content[name] = json.RawMessage(value.AppendJSON(nil, v))
		}
	}
	return result, nil
}

// shown returns the beginning of a server's text on one line, quoted.
func shown(text string) string { return value.OfString(text).Summary(200) }

// sample has a model complete a conversation.
func (cb *callbacks) sample(ctx context.Context, q question, from callback.Origin) (mcp.InputResponse, error) {
	refused := func(err error) (mcp.InputResponse, error) {
		cb.remark(q.of, "The server asked for a completion of a model (sampling) and was refused: %s", err)
		return nil, refuse(0, "%s", err)
	}
	if q.of.Sampler == nil {
		return refused(errors.New("No model is there to answer: wfc.hcl has no sampling block."))
	}
	r, err := callback.ParseRequest(from, q.params)
	if err != nil {
		return refused(err)
	}
	done, err := q.of.Sampler.Sample(ctx, r)
	if err != nil {
		return refused(err)
	}
	return &mcp.CreateMessageResult{
		Role: "assistant", Content: &mcp.TextContent{Text: done.Text}, Model: done.Model, StopReason: done.Stop,
	}, nil
}
