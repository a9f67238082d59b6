package engine

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/value"
)

// tolerates reports whether on_error takes a failure of that kind as data.
func (n *node) tolerates(k Kind) bool {
	return slices.Contains(n.spec.OnError, "*") || slices.Contains(n.spec.OnError, string(k))
}

// begin begins a node that is ready: it asks `when` where that is asked once,
// then opens the fan-out, or starts the one instance.
func (c *Core) begin(i int) {
	n := &c.prog.nodes[i]
	whole := Addr{i, Whole}
	if !n.spec.WhenEach && !n.when.IsZero() {
		holds, failure := c.evalBool("when", n.when, &scope{core: c})
		if failure != nil {
			c.record(NodeEnded{At: whole, Outcome: OutcomeError, Failure: failure})
			return
		}
		if !holds {
			c.record(NodeEnded{At: whole, Outcome: OutcomeSkipped})
			return
		}
	}
	if n.forEach.IsZero() {
		c.start(n, whole)
		return
	}
	if failure := c.openFanOut(i); failure != nil {
		c.record(NodeEnded{At: whole, Outcome: OutcomeError, Failure: failure})
		return
	}
	c.record(NodeStarted{At: whole, Repeatable: true})
}

// start starts a node without for_each, or an element: a value ends at once, a
// call is commanded.
func (c *Core) start(n *node, at Addr) {
	s := &scope{core: c}
	if at.Elem != Whole {
		e := c.nodes[at.Node].fan.element(at.Elem)
		s.each = &e
		if n.spec.WhenEach {
			holds, failure := c.evalBool("when", n.when, s)
			if failure != nil {
				c.record(NodeEnded{At: at, Outcome: OutcomeError, Failure: failure})
				return
			}
			if !holds {
				c.record(NodeEnded{At: at, Outcome: OutcomeSkipped})
				return
			}
		}
	}
	if n.spec.Kind == plan.ValueNode {
		c.startValue(n, at, s)
		return
	}
	call, pending, failure := c.call(n, at, s)
	if failure != nil {
		if n.usesSecrets && c.opts.Redact != nil {
			failure.Message = c.opts.Redact(failure.Message)
		}
		// Nothing was attempted: the arguments are the author's.
		c.record(NodeEnded{At: at, Outcome: OutcomeError, Failure: failure})
		return
	}
	inst := c.instance(at)
	inst.attempts = call.Attempt
	c.inCall(at, inst, pending)
	c.commands = append(c.commands, *call)
}

func (c *Core) startValue(n *node, at Addr, s *scope) {
	v, failure := c.eval("value", n.value, s)
	if failure != nil {
		c.record(NodeEnded{At: at, Outcome: OutcomeError, Attempts: 1, Failure: failure})
		return
	}
	answer := &Answer{Structured: &v}
	if n.spec.Decode != "" && v.Kind() == value.String {
		answer = &Answer{Text: v.AsString()}
	}
	c.record(c.settle(n, at, answer, 1, value.NullValue))
}

// call evaluates what a call needs.
func (c *Core) call(n *node, at Addr, s *scope) (*StartCall, *pendingCall, *Failure) {
	call := &StartCall{At: at, Attempt: c.instance(at).attempts + 1, Source: n.spec.Source, Tool: n.spec.Tool}
	if c.opts.IdempotencyKey != nil {
		call.IdempotencyKey = c.opts.IdempotencyKey(c.Instance(at))
	}
	s.secret = c.opts.Secret
	args, failure := c.args(n, s, call.IdempotencyKey)
	if failure != nil {
		return nil, nil, failure
	}
	shown := args
	if n.usesSecrets {
		s.secret = func(name string) (string, error) { return "${secret." + name + "}", nil }
		if shown, failure = c.args(n, s, call.IdempotencyKey); failure != nil {
			return nil, nil, failure
		}
	}
	s.secret = nil
	wire, failure := c.onWire(args)
	if failure != nil {
		return nil, nil, failure
	}
	// After blobs became text, since that is what the schema speaks of.
	if failure := n.checkArgs(wire); failure != nil {
		return nil, nil, failure
	}
	call.Args = json.RawMessage(value.AppendJSON(nil, wire))
	// The digest is over meaning, with blobs as references.
	call.Digested = json.RawMessage(value.AppendCanonicalJSON(nil, shown))

	effect, failure := c.effect(n, s, shown)
	if failure != nil {
		return nil, nil, failure
	}
	call.ReadOnly = effect == "read"
	call.Repeatable = call.ReadOnly || n.spec.Idempotent || n.spec.IdempotencyArg != ""
	if call.Timeout, failure = c.duration("timeout", n, s); failure != nil {
		return nil, nil, failure
	}
	pending := &pendingCall{readOnly: call.ReadOnly, repeatable: call.Repeatable}
	if n.keepsArgs {
		pending.args = shown
	}
	return call, pending, nil
}

// args evaluates the arguments: absent ones are left out, and null ones where
// the tool's schema does not allow null.
func (c *Core) args(n *node, s *scope, key string) (value.Value, *Failure) {
	v, failure := c.eval("args", n.args, s)
	if failure != nil {
		return value.Value{}, failure
	}
	if v.IsNull() && n.args.IsZero() {
		v = value.OfObject(nil)
	}
	if v.Kind() != value.Object {
		return value.Value{}, expressionFailure("`args` must be an object; it is %s.", v.Summary(80))
	}
	given := v.AsObject()
	drops := n.spec.IdempotencyArg != ""
	for _, a := range given.All() {
		drops = drops || a.IsNull()
	}
	if !drops {
		return v, nil
	}
	sent := value.NewObject(given.Len() + 1)
	for name, a := range given.All() {
		if !a.IsNull() || n.nullArgs[name] {
			sent.Set(name, a)
		}
	}
	if arg := n.spec.IdempotencyArg; arg != "" && key != "" {
		if _, written := sent.Get(arg); !written {
			sent.Set(arg, value.OfString(key))
		}
	}
	return value.OfObject(sent), nil
}

// checkArgs holds what came from `any`, and what the types cannot say, against
// the tool's schema before anything is sent. A violation is of the kind
// expression: the arguments are the author's, and no server was asked.
func (n *node) checkArgs(args value.Value) *Failure {
	if n.inSchema == nil {
		return nil
	}
	s, err := n.inSchema.compile()
	if err != nil {
		return expressionFailure("The arguments of %s.%s cannot be checked: %s", n.connection, n.spec.Tool, err)
	}
	if err := s.Validate(args); err != nil {
		return expressionFailure("The arguments violate the input schema of %s.%s: %s", n.connection, n.spec.Tool, err)
	}
	return nil
}

// onWire puts the base64 text of blobs in their place.
func (c *Core) onWire(v value.Value) (value.Value, *Failure) {
	if !hasBlob(v) {
		return v, nil
	}
	switch v.Kind() {
	case value.List:
		list := make([]value.Value, len(v.AsList()))
		for i, e := range v.AsList() {
			w, failure := c.onWire(e)
			if failure != nil {
				return v, failure
			}
			list[i] = w
		}
		return value.OfList(list), nil
	case value.Object:
		obj := value.NewObject(v.AsObject().Len())
		for k, a := range v.AsObject().All() {
			w, failure := c.onWire(a)
			if failure != nil {
				return v, failure
			}
			obj.Set(k, w)
		}
		return value.OfObject(obj), nil
	}
	if c.opts.Blob == nil {
		return v, expressionFailure("`args` has binary content, and its bytes are not kept.")
	}
	data, err := c.opts.Blob(v.AsBlob())
	if err != nil {
		return v, expressionFailure("`args` has binary content that cannot be read: %s", err)
	}
	return value.OfString(base64.StdEncoding.EncodeToString(data)), nil
}

// effect says what this very call does.
func (c *Core) effect(n *node, s *scope, args value.Value) (string, *Failure) {
	if n.effect.IsZero() {
		return n.spec.Effect, nil
	}
	s.args = &args
	v, failure := c.eval("effect", n.effect, s)
	s.args = nil
	if failure != nil {
		return "", failure
	}
	if v.Kind() == value.String {
		switch e := v.AsString(); e {
		case "read", "write", "destructive":
			return e, nil
		}
	}
	return "", expressionFailure("The `effect` of %s.%s must be \"read\", \"write\" or \"destructive\"; it is %s.", n.connection, n.spec.Tool, v.Summary(80))
}

// duration evaluates a duration such as "30s"; null and absence are 0.
func (c *Core) duration(what string, n *node, s *scope) (time.Duration, *Failure) {
	if n.timeout.IsZero() {
		return 0, nil
	}
	v, failure := c.eval(what, n.timeout, s)
	if failure != nil || v.IsNull() {
		return 0, failure
	}
	why := "it is " + v.Summary(80)
	if v.Kind() == value.String {
		d, err := syntax.ParseDuration(v.AsString())
		switch {
		case err != nil:
			why = fmt.Sprintf("of %s, %s", v.Summary(80), err)
		case d > 0:
			return d, nil
		}
	}
	return 0, expressionFailure("`%s` must be a duration above zero such as \"30s\" or \"5m\"; %s.", what, why)
}

func hasBlob(v value.Value) bool {
	switch v.Kind() {
	case value.Blob:
		return true
	case value.List:
		return slices.ContainsFunc(v.AsList(), hasBlob)
	case value.Object:
		for _, a := range v.AsObject().All() {
			if hasBlob(a) {
				return true
			}
		}
	}
	return false
}
