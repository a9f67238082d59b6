package connection

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Causes of the end of a channel.
var (
	ErrClosed = errors.New("closed by wfc") // we closed it
	ErrExited = errors.New("it exited")     // the server ended by itself
)

// Waiting times of a channel.
const (
	// stuckWrite is how long a write may make no progress: a server that does not
	// read for so long does not read at all, and holds up every later message.
	stuckWrite = 10 * time.Second
	// drainWait is how long output may follow the exit of a process. What its
	// children still hold open then is no answer of its own.
	drainWait = 250 * time.Millisecond
	// silentExit is how long a process may live on after it closed its output.
	silentExit = 500 * time.Millisecond
)

// pipeChannel is the [Channel] over a pair of byte streams: a child process, or a
// stream inside this one. It is also the mcp.Connection that its Connect returns.
type pipeChannel struct {
	ledger
	name   string
	stdin  io.WriteCloser
	direct func([]byte) int // writes what it can without blocking; nil: it cannot
	stdout io.ReadCloser
	server server
	errors *stderrTail
	close  time.Duration
	stuck  time.Duration

	frames frames
	ready  []jsonrpc.Message // answers made up here; only Read uses it

	// Of the following, ledger.mu is the lock.
	out       []outgoing
	writing   bool    // the writer is at work on what it took of out
	abandoned []int64 // request ids that were cancelled after they had left
	closing   bool
	cause     error // why the channel ends; the first one counts
	noise     int
	oneNoise  string

	wake      chan struct{} // something to write, or closing
	shut      chan struct{} // Close was called
	stdoutEnd chan struct{} // Read met the end of the stream
	done      chan struct{}
	end       End
}

// server is what is at the other end: a process, or nothing we can signal.
type server interface {
	exited() <-chan struct{} // closed once it ended by itself or was killed
	terminate()              // asks it and its children to end
	kill()                   // ends it and its children
	release() string         // frees what is left after exited; says how it ended
}

// outgoing is one message on its way; x is nil for what belongs to no exchange.
type outgoing struct {
	x    *Exchange
	data []byte
}

// End says how a channel ended.
type End struct {
	Cause  error    // never nil; [ErrClosed] if we closed it
	Exit   string   // "exit status 3", "signal: killed"; empty if there was no process
	Stderr []string // its last lines, redacted
	// Noise counts the lines on stdout that were no messages; FirstNoise is the first.
	Noise      int
	FirstNoise string
}

var (
	_ Channel        = (*pipeChannel)(nil)
	_ mcp.Connection = (*pipeChannel)(nil)
)

// newPipeChannel starts the goroutines of a channel. stderr may be nil.
func newPipeChannel(name string, stdin io.WriteCloser, stdout io.ReadCloser, s server, t *stderrTail, closeTimeout time.Duration, sinks Sinks) *pipeChannel {
	c := &pipeChannel{
		name: name, stdin: stdin, stdout: stdout, server: s, errors: t, close: closeTimeout, stuck: stuckWrite,
		ledger: newLedger(sinks),
		wake:   make(chan struct{}, 1), shut: make(chan struct{}), stdoutEnd: make(chan struct{}), done: make(chan struct{}),
	}
	c.inMemory = true
	c.direct = directWriter(stdin)
	c.frames = frames{src: stdout, noise: c.addNoise, limit: MaxFrame}
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write()
	}()
	go c.supervise(written)
	return c
}

// Connect implements mcp.Transport.
func (c *pipeChannel) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID implements mcp.Connection. A stdio session has no id.
func (c *pipeChannel) SessionID() string { return "" }

// Done implements [Channel].
func (c *pipeChannel) Done() <-chan struct{} { return c.done }

// End implements [Channel].
func (c *pipeChannel) End() End {
	<-c.done
	return c.end
}

// Close implements [Channel]: requests in flight are cancelled, what was written
// goes out, the server's input ends, and what then does not end within the close
// timeout is killed.
func (c *pipeChannel) Close() error {
	c.shutdown(ErrClosed)
	return nil
}

// Kill implements [Channel]: it ends the server and its children now.
func (c *pipeChannel) Kill(cause error) {
	c.shutdown(cause)
	c.server.kill()
}

func (c *pipeChannel) shutdown(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cause == nil {
		c.cause = cause
	}
	if !c.closing {
		if cause == ErrClosed {
			for id := range c.exchanges {
				c.cancel(id, "the session is closing")
			}
		}
		c.closing = true
		close(c.shut)
		c.wakeWriter()
	}
}

func (c *pipeChannel) unread() bool { return pending(c.stdin) > 0 }

func (c *pipeChannel) wakeWriter() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// supervise owns the server's life: it waits for the exit itself, because a
// grandchild may hold the output open, and frees everything.
func (c *pipeChannel) supervise(written <-chan struct{}) {
	defer close(c.done)
	exited := c.server.exited()
	select {
	case <-exited:
	case <-c.stdoutEnd:
		if !within(silentExit, exited) {
			c.shutdown(errors.New("it closed its output but did not exit"))
			c.server.kill()
			<-exited
		}
	case <-c.shut:
		// A server that reads its input ends with it; others understand SIGTERM.
		if polite := min(c.close/4, silentExit); !within(polite, exited) {
			c.server.terminate()
			if !within(c.close-polite, exited) {
				c.server.kill()
				<-exited
			}
		}
	}
	c.server.terminate() // the children it left
	drained := make(chan struct{})
	timer := time.AfterFunc(drainWait, func() {
		c.server.kill()
		c.stdout.Close()
		c.errors.close()
	})
	go func() {
		defer close(drained)
		<-c.stdoutEnd
	}()
	c.errors.wait()
	// Nobody reads a channel that was never connected.
	within(drainWait, drained)
	timer.Stop()
	exit := c.server.release()
	c.shutdown(ErrExited)
	c.stdin.Close()
	c.stdout.Close()
	<-written
	c.endStdout()
	<-drained

	c.mu.Lock()
	defer c.mu.Unlock()
	c.end = End{Cause: c.cause, Exit: exit, Stderr: c.errors.lines(), Noise: c.noise, FirstNoise: c.oneNoise}
}

// within reports whether done is closed before d has passed.
func within(d time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

func (c *pipeChannel) endStdout() {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.stdoutEnd:
	default:
		close(c.stdoutEnd)
	}
}

func (c *pipeChannel) addNoise(line []byte) {
	first := false
	c.mu.Lock()
	text := sync.OnceValue(func() string { return c.errors.shown(line) })
	c.noise++
	if first = c.noise == 1; first {
		c.oneNoise = text()
	}
	for _, x := range c.tokens {
		if x.noise++; x.noise == 1 {
			x.oneNoise = text()
		}
	}
	c.mu.Unlock()
	if first {
		c.errors.note("(on stdout, no MCP message) " + text())
	}
}

// Finish implements [Channel].
func (c *pipeChannel) Finish(x *Exchange, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.tokens, x.Token)
	if c.exchanges[x.id] == x {
		c.cancel(x.id, reason)
		delete(c.exchanges, x.id)
	}
}

// cancel gives up the request id. c.mu is held.
func (c *pipeChannel) cancel(id int64, reason string) {
	x := c.exchanges[id]
	if x == nil {
		return
	}
	if handshake(x.method) {
		return // the protocol forbids it: the handshake ends with the channel, and a late answer counts
	}
	delete(c.exchanges, id)
	if x.stage.CompareAndSwap(stageQueued, stageDropped) || c.closing && c.cause != ErrClosed {
		return
	}
	c.abandoned = append(c.abandoned, id)
	text, err := json.Marshal(reason)
	if err != nil {
		text = []byte(`""`)
	}
	c.enqueue(outgoing{data: fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":%s}}`+"\n", id, text)})
}

// enqueue sends o, at once if that takes no waiting, else by the writer. c.mu is held.
func (c *pipeChannel) enqueue(o outgoing) {
	if c.direct != nil && len(c.out) == 0 && !c.writing && len(o.data) <= maxDirect {
		if o = c.writeNow(o); len(o.data) == 0 {
			return
		}
	}
	c.out = append(c.out, o)
	c.wakeWriter()
}

// maxDirect is what a pipe takes whole or not at all.
const maxDirect = 4096

// writeNow writes o unless that would block, and returns what is left of it.
// To wake the writer for each message costs as much as the message. c.mu is held.
func (c *pipeChannel) writeNow(o outgoing) outgoing {
	if o.x != nil && !o.x.stage.CompareAndSwap(stageQueued, stageLeaving) {
		return outgoing{}
	}
	n := c.direct(o.data)
	if n == 0 && o.x != nil {
		o.x.stage.Store(stageQueued)
		return o
	}
	return outgoing{data: o.data[n:]}
}

// Write implements mcp.Connection. It hands the message to the writer and never blocks.
func (c *pipeChannel) Write(ctx context.Context, msg jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		data, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			return err
		}
		return c.send(outgoing{data: append(data, '\n')})
	}
	if req.Method == "notifications/cancelled" {
		c.takeCancel(req.Params)
		return nil
	}
	data := make([]byte, 0, len(req.Params)+len(req.Method)+64)
	data = append(data, `{"jsonrpc":"2.0",`...)
	id, numbered := req.ID.Raw().(int64)
	if numbered {
		data = append(data, `"id":`...)
		data = strconv.AppendInt(data, id, 10)
		data = append(data, ',')
	}
	data = append(data, `"method":"`...)
	data = append(data, req.Method...)
	data = append(data, '"')
	if len(req.Params) > 0 {
		data = append(data, `,"params":`...)
		data = append(data, req.Params...)
	}
	data = append(data, "}\n"...)
	o := outgoing{data: data}
	if x, _ := ctx.Value(exchangeKey{}).(*Exchange); x != nil && numbered {
		x.stage.Store(stageQueued)
		c.mu.Lock()
		x.id, x.method = id, req.Method
		c.exchanges[id] = x
		c.mu.Unlock()
		o.x = x
	}
	return c.send(o)
}

// takeCancel sends the SDK's notice of a cancelled request unless Finish has done so.
func (c *pipeChannel) takeCancel(params json.RawMessage) {
	var p struct {
		RequestID int64  `json:"requestId"`
		Reason    string `json:"reason"`
	}
	if json.Unmarshal(params, &p) == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.cancel(p.RequestID, p.Reason)
	}
}

func (c *pipeChannel) send(o outgoing) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return fmt.Errorf("%w: %w", io.ErrClosedPipe, c.cause)
	}
	c.enqueue(o)
	return nil
}

// write is the writer: it ends when the channel closes and all went out, or cannot.
func (c *pipeChannel) write() {
	defer c.stdin.Close()
	for range c.wake {
		for {
			c.mu.Lock()
			out, closing := c.out, c.closing
			c.out, c.writing = nil, len(c.out) > 0
			c.mu.Unlock()
			if len(out) == 0 {
				if closing {
					return
				}
				break
			}
			for _, o := range out {
				if o.x != nil && !o.x.stage.CompareAndSwap(stageQueued, stageLeaving) {
					continue
				}
				if left, err := c.put(o.data); err != nil {
					if !left && o.x != nil {
						o.x.stage.Store(stageDropped)
					}
					c.unwritable()
					return
				}
			}
		}
	}
}

// put writes data in pieces, so that a slow reader of a large message does not
// look stuck. It reports whether any byte left.
func (c *pipeChannel) put(data []byte) (left bool, err error) {
	const piece = 64 << 10
	for len(data) > 0 {
		timer := time.AfterFunc(c.stuck, func() {
			c.Kill(fmt.Errorf("it did not read its input for %s and was killed", c.stuck))
		})
		n, err := c.stdin.Write(data[:min(len(data), piece)])
		timer.Stop()
		left = left || n > 0
		if err != nil {
			return left, err
		}
		data = data[n:]
	}
	return true, nil
}

// unwritable ends a server that takes no input. If it exited, that is the
// cause, and known in a moment.
func (c *pipeChannel) unwritable() {
	if !within(silentExit, c.server.exited()) {
		c.Kill(errors.New("it closed its input and was killed"))
	}
}

// Read implements mcp.Connection. After the end of the stream it returns once
// all is known about the end of the server.
func (c *pipeChannel) Read(context.Context) (jsonrpc.Message, error) {
	for {
		if len(c.ready) > 0 {
			msg := c.ready[0]
			c.ready = c.ready[1:]
			return msg, nil
		}
		e, err := c.frames.next()
		if big := (*tooLarge)(nil); errors.As(err, &big) {
			c.refuse(big)
			continue
		}
		if err != nil {
			c.endStdout()
			<-c.done
			return nil, io.EOF
		}
		msg, err := c.accept(e)
		if err != nil {
			c.addNoise(bytes.Join([][]byte{e.id, e.method, e.err}, []byte(" ")))
			continue
		}
		if msg != nil {
			return msg, nil
		}
	}
}
