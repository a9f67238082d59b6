package connection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// CodeTooLarge is the code of the error that stands for an answer over [MaxFrame].
// It is ours, outside the ranges of JSON-RPC and MCP.
const CodeTooLarge = -31064

// ErrAnswered is what the SDK gets, and returns, in place of a result that we keep raw:
// there is one, and [Exchange.Result] has it. To decode even an empty one, the SDK
// takes 64 KiB of memory, more than all else that a call needs.
var ErrAnswered = errors.New("it was answered")

// emptyResult is what the SDK decodes instead where it reads bytes.
var emptyResult = json.RawMessage(`{}`)

// accept turns a message of the server into one for the SDK, or nil if it is
// dealt with here. Its memory is that of a line and is copied where it is kept.
func (c *pipeChannel) accept(e envelope) (jsonrpc.Message, error) {
	e.dropNulls()
	if e.method != nil {
		return c.request(e, c.alone)
	}
	if e.id == nil {
		return nil, c.failAll(e.err)
	}
	n, err := wholeNumber(e.id)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.abandoned = slices.DeleteFunc(c.abandoned, func(id int64) bool { return id <= n })
	c.mu.Unlock()
	return c.settle(n, e)
}

// dropNulls takes away members that are null where that stands for their absence:
// some libraries write all members of a message.
func (e *envelope) dropNulls() {
	const null = "null"
	if string(e.id) == null {
		e.id = nil
	}
	if string(e.method) == null && (e.result != nil || e.err != nil) {
		e.method = nil
	}
	if string(e.err) == null && e.result != nil {
		e.err = nil
	}
}

// wholeNumber reads a number that we gave to the server and that comes back. Some
// servers answer 7 with "7", others with 7.0.
func wholeNumber(raw []byte) (int64, error) {
	text := string(bytes.Trim(raw, `"`))
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil {
		return n, nil
	}
	if f, floatErr := strconv.ParseFloat(text, 64); floatErr == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f), nil
	}
	return 0, err
}

// handshake reports whether the SDK itself needs the result of method.
func handshake(method string) bool { return method == "initialize" || method == "server/discover" }

// alone returns the operation that what the server now sends must belong to: the
// only one that it has; nil where there are none or several. A request that was
// cancelled counts until the server has answered it or a later one, since not all
// servers heed that.
func (c *pipeChannel) alone() (only *Exchange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.abandoned) > 0 {
		return nil
	}
	for _, x := range c.exchanges {
		if x.stage.Load() != stageLeaving {
			continue
		}
		if only != nil {
			return nil
		}
		only = x
	}
	return only
}

// failAll fails every request in flight: the server could not read one of them
// and does not say which.
func (c *pipeChannel) failAll(raw []byte) error {
	if raw == nil {
		return fmt.Errorf("a result without an id")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for n, x := range c.exchanges {
		if x.stage.Load() == stageLeaving {
			c.answer(n, decodeError(raw))
		}
	}
	return nil
}

// answer makes up the answer to request n. c.mu is held.
func (c *pipeChannel) answer(n int64, err error) {
	x := c.exchanges[n]
	delete(c.exchanges, n)
	x.answered.Store(true)
	if id, idErr := jsonrpc.MakeID(float64(n)); idErr == nil {
		c.ready = append(c.ready, &jsonrpc.Response{ID: id, Error: err})
	}
}

// idAtStart and idAtEnd find the id of a message of which only the ends are there.
var (
	idAtStart = atFirstUse(`^\s*\{(?:"jsonrpc":\s*"2\.0",\s*)?"id":\s*"?(\d{1,18})"?\s*,`)
	idAtEnd   = atFirstUse(`,\s*"id":\s*"?(\d{1,18})"?\s*(?:,\s*"jsonrpc":\s*"2\.0"\s*)?\}\s*$`)
)

// atFirstUse compiles a pattern that most processes never need when it is needed.
func atFirstUse(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// refuse fails the request whose answer is over the limit, or all in flight if
// it cannot be told which one that is.
func (c *pipeChannel) refuse(big *tooLarge) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := range c.meant(big) {
		c.answer(n, overLimit(c.frames.limit))
	}
}

// overLimit is the error of an answer of more than limit bytes.
func overLimit(limit int) error {
	return &jsonrpc.Error{Code: CodeTooLarge, Message: fmt.Sprintf("The answer is larger than %d MiB.", limit>>20)}
}

// meant returns the requests that an answer over the limit may be to: one where that
// can be told, else all that have left. l.mu is held.
func (l *ledger) meant(big *tooLarge) map[int64]*Exchange {
	all := map[int64]*Exchange{}
	for _, found := range [][][]byte{idAtStart().FindSubmatch(big.head), idAtEnd().FindSubmatch(big.tail)} {
		if found == nil {
			continue
		}
		if n, err := strconv.ParseInt(string(found[1]), 10, 64); err == nil && l.exchanges[n] != nil {
			return map[int64]*Exchange{n: l.exchanges[n]}
		}
	}
	for n, x := range l.exchanges {
		if x.stage.Load() == stageLeaving {
			all[n] = x
		}
	}
	return all
}

// decodeError reads the error member of an answer. One that is none of the
// protocol's is kept as text.
func decodeError(raw []byte) error {
	e := &jsonrpc.Error{}
	if err := json.Unmarshal(raw, e); err != nil || e.Message == "" && e.Code == 0 {
		e = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: string(raw)}
	}
	return e
}
