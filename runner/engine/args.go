package engine

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/yosida95/uritemplate/v3"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/value"
)

// call evaluates what a call needs.
func (c *Core) call(n *node, at Addr, s *scope) (StartCall, pendingCall, *Failure) {
	call := StartCall{
		At: at, Attempt: c.instance(at).attempts + 1, Do: n.spec.Kind, Tool: n.spec.Tool, Digest: n.spec.ToolDigest,
		Session: SessionID{n.connection, n.private}, Deadline: c.deadlineOf(at), Sensitive: c.isSensitive(at), Verbatim: n.spec.Sensitive,
	}
	if c.opts.IdempotencyKey != nil && n.spec.Kind == plan.Call {
		call.IdempotencyKey = c.opts.IdempotencyKey(c.Instance(at))
	}
	if call.Session.Private && c.gone[n.connection] {
		return call, pendingCall{}, &Failure{Kind: KindSession, Message: fmt.Sprintf("The session with %s, which is private to the run, ended with the process that had it, and what earlier steps left in it is lost. A run that is resumed with `--start-over` does those steps again, and with `--new-sessions` goes on without what they left.", n.connection)}
	}
	args, failure := c.given(n, at, s, call.IdempotencyKey, c.opts.Secret)
	if failure != nil {
		return call, pendingCall{}, failure
	}
	shown := args
	if n.usesSecrets || at.Undo > 0 && c.nodeOf(at.done()).usesSecrets {
		if shown, failure = c.given(n, at, s, call.IdempotencyKey, secretReference); failure != nil {
			return call, pendingCall{}, failure
		}
	}
	wire, failure := c.onWire(args)
	if failure != nil {
		return call, pendingCall{}, failure
	}
	if n.spec.Kind == plan.Read {
		uri, failure := c.uri(n, wire, s)
		if failure != nil {
			return call, pendingCall{}, failure
		}
		call.Tool = uri
		shown = shownRead(n, shown, uri)
	}
	// After blobs became text, since that is what the schema speaks of.
	if failure := n.checkArgs(wire); failure != nil {
		return call, pendingCall{}, failure
	}
	call.Args = json.RawMessage(value.AppendJSON(nil, wire))
	// The digest is over meaning, with blobs as references.
	call.Digested = json.RawMessage(value.AppendCanonicalJSON(nil, shown))

	effect, failure := c.effect(n, s, shown)
	if failure != nil {
		return call, pendingCall{}, failure
	}
	if failure := c.allowed(n, effect); failure != nil {
		return call, pendingCall{}, failure
	}
	call.Effect, call.ReadOnly = effect, effect == "read"
	call.Repeatable = call.ReadOnly || n.spec.Idempotent || n.spec.IdempotencyArg != ""
	if call.Timeout, failure = c.duration("timeout", n.timeout, s); failure != nil {
		return call, pendingCall{}, failure
	}
	if call.IdleTimeout, failure = c.duration("idle_timeout", n.idleTimeout, s); failure != nil {
		return call, pendingCall{}, failure
	}
	if call.IdleTimeout == 0 {
		call.IdleTimeout = defaultIdleTimeout
	}
	pending := pendingCall{readOnly: call.ReadOnly, repeatable: call.Repeatable}
	if n.keepsArgs {
		pending.args = shown
	}
	return call, pending, nil
}

// secretReference stands for a secret where its value must not be.
func secretReference(name string) (string, error) { return "${secret." + name + "}", nil }

// allowed holds an effect against the deployment's policy.
func (c *Core) allowed(n *node, effect string) *Failure {
	if c.prog.policy.Destructive != "deny" || !mayDestroy(effect) {
		return nil
	}
	what := "is destructive"
	if effect == "unknown" {
		what = "does not say what effect it has, and counts as destructive"
	}
	return &Failure{Kind: KindPolicy, Message: fmt.Sprintf("The tool %s.%s %s, and the policy of the deployment denies that.", n.connection, n.spec.Tool, what)}
}

// uri gives the address of what is read.
func (c *Core) uri(n *node, args value.Value, s *scope) (string, *Failure) {
	if n.template == nil {
		v, failure := c.eval("uri", n.uri, s)
		if failure != nil {
			return "", failure
		}
		if v.Kind() != value.String || v.AsString() == "" {
			return "", expressionFailure("`uri` must be the address of a resource; it is %s.", v.Summary(80))
		}
		return v.AsString(), nil
	}
	values := uritemplate.Values{}
	for name, a := range args.AsObject().All() {
		if a.Kind() != value.String {
			return "", expressionFailure("The variable %q of the resource template must be text; it is %s.", name, a.Summary(80))
		}
		values.Set(name, uritemplate.String(bytesAsRunes(a.AsString())))
	}
	uri, err := n.template.Expand(values)
	if err != nil {
		return "", expressionFailure("The resource template %s cannot be expanded: %s.", n.spec.URITemplate, err)
	}
	return uri, nil
}

// bytesAsRunes gives each byte of a text as a character of its own: of others than
// ASCII the library encodes the number in Unicode, where RFC 6570 wants the bytes.
func bytesAsRunes(s string) string {
	out := make([]rune, len(s))
	for i := range len(s) {
		out[i] = rune(s[i])
	}
	return string(out)
}

// shownRead is what args reads as in a step that reads.
func shownRead(n *node, args value.Value, uri string) value.Value {
	if n.template != nil {
		return args
	}
	obj := value.NewObject(1)
	obj.Set("uri", value.OfString(uri))
	return value.OfObject(obj)
}

// given evaluates the arguments of a call, a read or a prompt. An undo sees the
// result of what it undoes, and what that was given.
func (c *Core) given(n *node, at Addr, s *scope, key string, secret func(string) (string, error)) (value.Value, *Failure) {
	if at.Undo > 0 {
		done := at.done()
		args, failure := c.argsOf(c.nodeOf(done).variant(""), done, secret)
		if failure != nil {
			return args, failure
		}
		self := resultOf(c.instance(done), s.each)
		s.self, s.args = &self, &args
	}
	s.secret = secret
	defer func() { s.secret = nil }()
	return c.args(n, s, key)
}

// shownArgs is what args reads as over a node, evaluated once more.
func (c *Core) shownArgs(n *node, at Addr) (value.Value, *Failure) {
	return c.argsOf(n, at, secretReference)
}

// argsOf evaluates once more what a node was given.
func (c *Core) argsOf(n *node, at Addr, secret func(string) (string, error)) (value.Value, *Failure) {
	s := c.scopeAt(at)
	s.secret = secret
	switch {
	case n.source != nil:
		key := ""
		if c.opts.IdempotencyKey != nil && n.spec.Kind == plan.Call {
			key = c.opts.IdempotencyKey(c.Instance(at))
		}
		args, failure := c.args(n, s, key)
		if failure == nil && n.spec.Kind == plan.Read {
			var uri string
			if uri, failure = c.uri(n, args, s); failure == nil {
				args = shownRead(n, args, uri)
			}
		}
		return args, failure
	case n.child != nil:
		return c.eval("args", n.args, s)
	}
	return value.OfObject(nil), nil
}

// sourceKey evaluates which member of its source a node asks; "" where there is
// one only.
func (c *Core) sourceKey(n *node, at Addr, s *scope) (string, *Failure) {
	if n.variants == nil {
		return "", nil
	}
	if key, chosen := c.frames[at.Frame].keys[n.spec.Source]; chosen {
		return c.member(n, key)
	}
	if n.sourceKey.IsZero() && len(n.source.Members) == 1 {
		return n.source.Members[0].Key, nil
	}
	v, failure := c.eval("call", n.sourceKey, s)
	if failure != nil {
		return "", failure
	}
	if v.Kind() != value.String {
		return "", expressionFailure("The key of the source %s must be text; it is %s.", n.spec.Source, v.Summary(80))
	}
	return c.member(n, v.AsString())
}

func (c *Core) member(n *node, key string) (string, *Failure) {
	if n.variants[key] == nil {
		var keys []string
		for _, m := range n.source.Members {
			keys = append(keys, value.OfString(m.Key).JSON())
		}
		return "", expressionFailure("The source %s has no member %s. Its members are %s.", n.spec.Source, value.OfString(key).JSON(), strings.Join(keys, ", "))
	}
	return key, nil
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
func (c *Core) duration(what string, e code, s *scope) (time.Duration, *Failure) {
	if e.IsZero() {
		return 0, nil
	}
	v, failure := c.eval(what, e, s)
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
