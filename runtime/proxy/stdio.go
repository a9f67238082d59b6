package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// drainWait is how long requests in flight may take after the client has closed its end.
const drainWait = 10 * time.Second

// lines is the sink of a client on a pipe. Whoever sends waits for the client: a
// client that does not read holds up what comes from its own servers only.
type lines struct {
	mu   sync.Mutex
	out  io.Writer
	err  error
	gone chan struct{} // closed once the client does not read any more
}

func (l *lines) send(data []byte, _ bool) {
	data = oneLine(data)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	if _, l.err = l.out.Write(append(data, '\n')); l.err != nil {
		close(l.gone)
	}
}

func (*lines) close() {}

// oneLine takes line ends out of a message, which are between its tokens: in strings
// JSON has none.
func oneLine(data []byte) []byte {
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 {
		return data
	}
	for i, b := range data {
		if b == '\n' || b == '\r' {
			data[i] = ' '
		}
	}
	return data
}

// ServeStdio serves one client that writes on in and reads on out, until it closes in,
// ctx is done or, before 2026-07-28, a server is lost that the client had something at:
// that is the error, which names it. Reading from in is not waited for.
func (p *Proxy) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	front := &stdio{proxy: p, out: &lines{out: out, gone: make(chan struct{})}}
	if front.older = p.newClient(false, front.out); front.older == nil {
		return errClosing
	}
	read := make(chan struct{})
	go func() { // ends with in, which is the process's own
		defer close(read)
		front.read(in)
	}()
	var err error
	select {
	case <-read:
		front.drain(ctx)
	case <-ctx.Done():
	case <-front.out.gone:
	case <-front.older.ctx.Done():
		if err = context.Cause(front.older.ctx); errors.Is(err, errClosing) {
			err = nil
		}
	}
	front.older.end(errDeleted)
	within(closeWait, front.older.ended)
	return err
}

// stdio is a client on a pipe.
type stdio struct {
	proxy *Proxy
	out   *lines
	older *client
	work  sync.WaitGroup // requests that are being served
}

// read takes messages until in ends.
func (f *stdio) read(in io.Reader) {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(r)
		if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))); len(line) > 0 {
			f.take(line)
		}
		if err != nil {
			return
		}
	}
}

// readLine returns the next line, in memory of its own. What is over the limit comes
// back as no JSON.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line) <= connection.MaxFrame {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if len(line) > connection.MaxFrame {
			line = []byte("too large")
		}
		return line, err
	}
}

// take takes one message, or a batch of them as some old clients send.
func (f *stdio) take(line []byte) {
	if p := f.proxy; p.record != nil {
		p.record.add("", "proxy", line)
	}
	if !json.Valid(line) {
		f.out.send((&failure{code: codeParse, text: "What was sent is no JSON."}).reply(nil), false)
		return
	}
	for _, one := range batch(line) {
		m, err := raw.Strict(one)
		if err != nil {
			var id []byte
			if m.Request() {
				id = m.ID.Of(m.Data)
			}
			f.out.send(refuse(codeInvalid, "What was sent is no JSON-RPC message: %v.", err).reply(id), false)
			continue
		}
		f.message(m)
	}
}

func (f *stdio) message(m raw.Message) {
	c := f.older
	if newer(m) {
		if c = f.proxy.stateless(); c == nil {
			return
		}
		c.introduced(ofRequest(m))
	}
	switch {
	case m.Method == "":
		c.reply(m)
	case !m.Request():
		c.notice(m)
		if shared := f.proxy.newest(); !newer(m) && shared != nil { // a cancellation says no revision
			shared.notice(m)
		}
	default:
		if refused := refuseVersion(m); refused != nil {
			c.emit(f.out, refused.reply(m.ID.Of(m.Data)), true)
			return
		}
		r := c.newRequest(m, f.out, nil)
		if m.Method == "initialize" || c.immediate(r) {
			c.serve(r)
			return
		}
		f.work.Go(func() { c.serve(r) })
	}
}

// drain waits for what the client asked before it closed its end.
func (f *stdio) drain(ctx context.Context) {
	f.work.Wait()
	timer := time.NewTimer(drainWait)
	defer timer.Stop()
	for _, c := range []*client{f.older, f.proxy.newest()} {
		if c == nil {
			continue
		}
		c.mu.Lock()
		var left []*request
		for _, r := range c.requests {
			if r.m.Method != "subscriptions/listen" {
				left = append(left, r)
			}
		}
		c.mu.Unlock()
		for _, r := range left {
			select {
			case <-r.gone:
			case <-timer.C:
				return
			case <-ctx.Done():
				return
			}
		}
	}
}

// batch splits a batch, and returns any other message alone.
func batch(data []byte) [][]byte {
	if data[0] != '[' {
		return [][]byte{data}
	}
	var all [][]byte
	raw.Items(data, raw.Whole(data), func(v raw.Span) bool {
		all = append(all, v.Of(data))
		return true
	})
	if len(all) == 0 {
		return [][]byte{data} // an empty batch is no message
	}
	return all
}

// newer reports whether m says that it follows 2026-07-28 or what comes after it.
func newer(m raw.Message) bool {
	return m.Param("_meta", "io.modelcontextprotocol/protocolVersion").There()
}

// ofRequest reads what a client says of itself in a request.
func ofRequest(m raw.Message) introduction {
	get := func(name string) []byte { return m.Param("_meta", "io.modelcontextprotocol/"+name).Of(m.Data) }
	return introduce(raw.Text(get("protocolVersion")), get("clientInfo"), get("clientCapabilities"))
}

// removed are the methods that a client of 2026-07-28 has no more.
var removed = map[string]bool{"initialize": true, "ping": true, "logging/setLevel": true, "resources/subscribe": true, "resources/unsubscribe": true}

// refuseVersion returns why a request cannot be served for its revision, nil if it can.
func refuseVersion(m raw.Message) *failure {
	if !newer(m) {
		if m.Method == "server/discover" || m.Method == "subscriptions/listen" {
			return refuse(codeNoMethod, "%s exists from the MCP revision %s on, which the request does not say that it follows.", m.Method, modern)
		}
		return nil
	}
	v := raw.Text(m.Param("_meta", "io.modelcontextprotocol/protocolVersion").Of(m.Data))
	if v != modern {
		f := refuse(codeUnsupported, "unsupported protocol version")
		f.data = fmt.Appendf(nil, `{"supported":["%s"],"requested":%s}`, strings.Join(versions, `","`), raw.Quote(v))
		return f
	}
	if removed[m.Method] {
		return refuse(codeNoMethod, "%q is not supported in the MCP revision %s.", m.Method, modern)
	}
	return nil
}
