package callback

import "context"

// Handlers are who is there for what a server sends in the course of one operation.
// Each may be nil. They travel in the context of the operation: see [With].
type Handlers struct {
	// Answerer answers the server's questions; without it they are declined.
	Answerer Answerer
	// Sampler answers the server where it asks for a completion and the connection
	// offers that; without it such a server is refused.
	Sampler Sampler
	// Logged gets the log messages that belong to the operation, in wire order and
	// before it returns, on the goroutine that reads from the server: it must not block.
	Logged func(Log)
	// Remark gets, before the operation returns, what happened beside it that somebody
	// should know: that the server asked a person and nobody could answer. A full
	// sentence without secrets.
	Remark func(string)
}

type handlersKey struct{}

// With returns a context for an operation, with what handles its callbacks.
func With(ctx context.Context, h Handlers) context.Context {
	return context.WithValue(ctx, handlersKey{}, h)
}

// Of returns the handlers of an operation's context, of which each may be nil.
func Of(ctx context.Context) Handlers {
	h, _ := ctx.Value(handlersKey{}).(Handlers)
	return h
}
