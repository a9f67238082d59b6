package connection

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
)

// Sent says whether a request may have been received.
type Sent uint8

// The values of Sent. A request that went into a pipe may have been read or
// not; only a sign of the server makes it Yes.
const (
	SentNo    Sent = iota // no byte has left
	SentMaybe             // bytes have left, the server gave no sign
	SentYes               // the server answered it or reported its progress
)

// String returns "no", "maybe" or "yes".
func (s Sent) String() string { return [...]string{"no", "maybe", "yes"}[s] }

// Progress is one progress message. Total is 0 where the server does not know it.
type Progress struct {
	Message  string
	Progress float64
	Total    float64
}

// Exchange is one operation of ours seen at the wire: the SDK's types lose
// digits and unknown fields, so the raw result is kept here while the SDK gets
// an empty one, or [ErrAnswered]. Make it with [Channel.Begin] and hand it to the SDK by the
// context of [Exchange.Context].
type Exchange struct {
	// Token is the progress token that the request must carry.
	Token int64

	lock     sync.Locker // of the channel
	progress func(Progress)
	stage    atomic.Int32 // of the latest request: see the stages
	answered atomic.Bool  // a sign of the server came, once for all requests

	// Of the latest request; under lock.
	id     int64
	method string
	// Over HTTP also why it got no answer, and what it was sent with.
	failure error
	header  http.Header
	target  *url.URL

	// Lines on stdout that were no messages since Begin, and the first; under lock.
	noise    int
	oneNoise string
	// result is written by the reader before the SDK gets its answer, and read
	// after the SDK returned it.
	result json.RawMessage
}

// The stages of a request on its way out.
const (
	stageIdle    int32 = iota // not handed over
	stageQueued               // waits for the writer
	stageLeaving              // its bytes are leaving or have left
	stageDropped              // given up before a byte left
)

type exchangeKey struct{}

// Context returns ctx with x in it. Requests that the SDK writes under this
// context belong to x; one operation may take several (a probe, a retry).
func (x *Exchange) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, exchangeKey{}, x)
}

// Result returns the raw result of the last request, nil before it came. Only
// whoever made the SDK's call, and had it return without an error, may ask.
func (x *Exchange) Result() json.RawMessage { return x.result }

// Sent says whether a request of x may have been received.
func (x *Exchange) Sent() Sent {
	switch {
	case x.answered.Load():
		return SentYes
	case x.stage.Load() == stageLeaving:
		return SentMaybe
	}
	return SentNo
}

// Failure returns why the latest request got no answer over HTTP: a *[Failure], or an
// error that says that the channel ends. It is nil if nothing failed, and of a pipe.
func (x *Exchange) Failure() error {
	x.lock.Lock()
	defer x.lock.Unlock()
	return x.failure
}

// fail records why the latest request gets no answer.
func (x *Exchange) fail(err error) {
	x.lock.Lock()
	x.failure = err
	x.lock.Unlock()
	var f *Failure
	if !errors.As(err, &f) {
		return
	}
	switch f.Sent {
	case SentNo:
		x.stage.Store(stageDropped)
	case SentYes:
		x.answered.Store(true)
	}
}

// Noise returns how many lines that were no messages the server has printed since
// the operation began, and the beginning of the first.
func (x *Exchange) Noise() (lines int, first string) {
	x.lock.Lock()
	defer x.lock.Unlock()
	return x.noise, x.oneNoise
}

// Method returns the method of the latest request.
func (x *Exchange) Method() string {
	x.lock.Lock()
	defer x.lock.Unlock()
	return x.method
}
