package proxy

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/proxy/raw"
)

// introduction is what a server is told of the client.
type introduction struct {
	version      string // that the client asks for
	info         string // raw JSON
	capabilities string // raw JSON: those of the client that the proxy relays
}

// relayed are the capabilities of a client that reach a server.
var relayed = []string{"roots", "sampling", "elicitation"}

// introduce reads what a client says of itself: in the parameters of initialize, or in
// the _meta of a request.
func introduce(version string, info, capabilities []byte) introduction {
	in := introduction{version: version, info: string(info)}
	if in.info == "" {
		in.info = `{"name":"unknown","version":"0"}`
	}
	var kept []string
	for _, name := range relayed {
		if v := raw.Find(capabilities, raw.Whole(capabilities), name).Of(capabilities); v != nil {
			kept = append(kept, fmt.Sprintf("%q:%s", name, v))
		}
	}
	in.capabilities = "{" + strings.Join(kept, ",") + "}"
	return in
}

// probeBudget is how long a server may leave unanswered in which of two ways it wants
// to be spoken to.
const probeBudget = 3 * time.Second

func newUpstream(c *client, s *source) *upstream {
	return &upstream{client: c, source: s, ready: make(chan struct{}), calls: map[int64]*call{}, questions: map[string]*question{}}
}

// open connects u, and says in u.err why it cannot.
func (u *upstream) open(in introduction) {
	limit := u.source.Connection.Timeouts.ConnectTimeout()
	ctx, cancel := context.WithTimeoutCause(u.client.ctx, limit, fmt.Errorf("the server did not answer the MCP handshake within %s", limit))
	defer cancel()
	err := u.connect(ctx, in)
	if err != nil {
		if u.wire != nil {
			_ = u.wire.Close()
			<-u.wire.Done()
		}
		u.client.proxy.opts.Remark(u.source.unusable(err).text)
	}
	u.err, u.failed = err, time.Now()
	close(u.ready)
	if err != nil {
		return
	}
	go func() { // ends with the wire, which the client's end waits for
		<-u.wire.Done()
		u.client.lost(u, errors.New(ending(u.wire.End())))
	}()
}

// connect starts the server and agrees with it on a revision: on the client's own era
// where the server speaks both.
func (u *upstream) connect(ctx context.Context, in introduction) error {
	conn := u.source.Connection
	if in.version >= modern {
		in.version = legacy // for a server that has only that
	}
	eras := []bool{u.client.modern, !u.client.modern}
	switch known := conn.ProtocolVersion; {
	case conn.Protocol != "":
		eras = []bool{conn.Protocol >= modern}
		if conn.Protocol < modern {
			in.version = conn.Protocol
		}
	case known != "" && known < modern:
		eras = []bool{false}
	}
	if err := u.start(); err != nil {
		return err
	}
	var err error
	for i, newer := range eras {
		last := i == len(eras)-1
		if err = u.shake(ctx, newer, !last, in); err == nil || ctx.Err() != nil {
			break
		}
		if last && i > 0 && u.died() && !newer { // it ended because of the question before
			if err = u.start(); err == nil {
				err = u.shake(ctx, newer, false, in)
			}
		}
	}
	switch {
	case err == nil && conn.Protocol != "" && conn.Protocol != u.version:
		return fmt.Errorf("the server does not speak the MCP revision %s, which the connection pins; it offers %s", conn.Protocol, u.version)
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil && u.died():
		return errors.New(ending(u.wire.End()))
	}
	return err
}

// start starts the server, in place of one that has ended.
func (u *upstream) start() error {
	wire, err := u.source.Connection.Wire(u.deliver, func(line string) { u.client.proxy.opts.Remark(u.source.id + ": " + line) })
	if err != nil {
		return err
	}
	u.mu.Lock()
	u.wire = wire
	u.mu.Unlock()
	return nil
}

func (u *upstream) died() bool {
	select {
	case <-u.wire.Done():
		return true
	default:
		return false
	}
}

// shake does the handshake of an era. Where it is only tried, it has its own time.
func (u *upstream) shake(ctx context.Context, newer, try bool, in introduction) error {
	if newer && try {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, probeBudget, errors.New("the server did not answer server/discover"))
		defer cancel()
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	wire := u.wire
	done := make(chan struct{})
	defer close(done)
	go func() { // a server that ends answers nothing
		select {
		case <-wire.Done():
			stop(errors.New(ending(wire.End())))
		case <-done:
		}
	}()
	if newer {
		return u.discover(ctx, in)
	}
	return u.initialize(ctx, in)
}

func (u *upstream) initialize(ctx context.Context, in introduction) error {
	u.wire.Speak("")
	m, f := u.askPlain(ctx, "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"clientInfo":%s}`, in.version, in.capabilities, in.info))
	if f != nil {
		return f
	}
	if m.Error.There() {
		return refusal(m)
	}
	u.version = raw.Text(raw.Find(m.Data, m.Result, "protocolVersion").Of(m.Data))
	if u.version == "" || u.version >= modern {
		return fmt.Errorf("the server answered the MCP handshake with the revision %q", u.version)
	}
	u.described(m)
	u.modern, u.triple = false, ""
	u.wire.Speak(u.version)
	return nil
}

func (u *upstream) discover(ctx context.Context, in introduction) error {
	u.wire.Speak(modern)
	triple := fmt.Sprintf(`"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":%s,"io.modelcontextprotocol/clientCapabilities":%s`,
		modern, in.info, in.capabilities)
	m, f := u.askPlain(ctx, "server/discover", `{"_meta":{`+triple+`}}`)
	if f != nil {
		return f
	}
	if m.Error.There() {
		return refusal(m)
	}
	speaks := false
	raw.Items(m.Data, raw.Find(m.Data, m.Result, "supportedVersions"), func(v raw.Span) bool {
		speaks = speaks || raw.Text(v.Of(m.Data)) == modern
		return true
	})
	if !speaks {
		return errors.New("the server does not speak the MCP revision " + modern)
	}
	u.described(m)
	u.version, u.modern = modern, true
	if !u.client.modern {
		u.triple = triple
	}
	return nil
}

// described keeps what a server says of itself.
func (u *upstream) described(m raw.Message) {
	u.capabilities = raw.Find(m.Data, m.Result, "capabilities").Of(m.Data)
	u.instructions = raw.Text(raw.Find(m.Data, m.Result, "instructions").Of(m.Data))
}

// refusal is the error that a server refused the handshake with.
func refusal(m raw.Message) error {
	return fmt.Errorf("the server refused the MCP handshake: %s", raw.Text(raw.Find(m.Data, m.Error, "message").Of(m.Data)))
}

// ending says in a sentence how a server ended.
func ending(e connection.End) string {
	text := "Its server ended: " + e.Cause.Error() + "."
	if e.Exit != "" {
		text = "Its server ended (" + e.Exit + ")."
		if !errors.Is(e.Cause, connection.ErrExited) {
			text = "Its server ended (" + e.Exit + "): " + e.Cause.Error() + "."
		}
	}
	if len(e.Stderr) > 0 {
		text += " Its last line on stderr: " + e.Stderr[len(e.Stderr)-1]
	}
	return text
}
