package syntax

// shape says what one kind of block may hold: every attribute and block of
// LANGUAGE 4, also what is reserved, so that nothing real is called unknown.
type shape struct {
	name     string   // the block type
	labels   []string // what each label is: "name", "provider" …
	textual  bool     // labels are any text (tool names), not identifiers
	attrs    map[string]status
	blocks   map[string]member
	required []string // attributes
	// instead has the attributes that may be written in the place of required ones.
	instead map[string]string
	free    bool // any attribute (locals, lint)
}

// status says how far an attribute is built.
type status uint8

const (
	built   status = iota + 1
	unbuilt        // reserved for later
)

// member is a block inside a block. A nil shape is one that is reserved for later.
type member struct {
	shape  *shape
	repeat bool
}

func attributes(names ...string) map[string]status {
	m := make(map[string]status, len(names))
	for _, n := range names {
		m[n] = built
	}
	return m
}

func words(w ...string) []string { return w }

// leaf is a block without labels that holds attributes only, none of them required.
func leaf(name string, attrs ...string) *shape {
	return &shape{name: name, attrs: attributes(attrs...)}
}

// requiring makes attributes of s required.
func requiring(s *shape, attrs ...string) *shape {
	s.required = attrs
	return s
}

func authOf(attrs ...string) *shape {
	return &shape{name: "auth", labels: words("kind"), textual: true, attrs: attributes(attrs...)}
}

// blocks are the blocks of these shapes: once, or (with a "*" before the name) repeated.
func blocks(shapes map[string]*shape) map[string]member {
	m := make(map[string]member, len(shapes))
	for name, s := range shapes {
		if name[0] == '*' {
			m[name[1:]] = member{shape: s, repeat: true}
		} else {
			m[name] = member{shape: s}
		}
	}
	return m
}

// withUnbuilt adds blocks that are reserved, any number of them.
func withUnbuilt(m map[string]member, names ...string) map[string]member {
	for _, n := range names {
		m[n] = member{repeat: true}
	}
	return m
}

var (
	// What is required of a transport is known once its provider block is merged in: the checker says.
	stdioShape    = leaf("stdio", "command", "args", "env", "cwd")
	httpShape     = leaf("http", "url", "headers")
	sseShape      = leaf("sse", "url", "headers")
	timeoutsShape = leaf("timeouts", "connect", "idle", "close")
	rateShape     = leaf("rate_limit", "requests", "per")
	toolShape     = &shape{
		name: "tool", labels: words("tool name"), textual: true,
		attrs: attributes("effect", "idempotent", "idempotency_arg", "open", "returns", "decode", "result", "fail_if", "sensitive", "idle_timeout"),
	}
	// authShape has what any kind of auth has; authShapes what each has.
	authShape = &shape{
		name: "auth", labels: words("kind"), textual: true,
		attrs: attributes("token", "name", "value", "username", "password", "client_id", "client_secret", "scopes"),
	}
	authShapes = map[string]*shape{
		"bearer": authOf("token"),
		"header": authOf("name", "value"),
		"basic":  authOf("username", "password"),
		"oauth":  authOf("client_id", "client_secret", "scopes"),
	}
	connectionShape = &shape{
		name: "connection", labels: words("provider", "account"),
		attrs: connectionAttrs, blocks: connectionBlocks,
	}
	providerShape = &shape{
		name: "provider", labels: words("name"),
		attrs: connectionAttrs, blocks: connectionBlocks,
	}
	connectionAttrs = attributes("max_in_flight", "protocol", "idle_timeout", "session", "offers",
		"allow", "deny", "enabled", "trust", "data", "reach")
	connectionBlocks = blocks(map[string]*shape{
		"stdio": stdioShape, "http": httpShape, "sse": sseShape, "auth": authShape,
		"timeouts": timeoutsShape, "rate_limit": rateShape, "*tool": toolShape,
	})

	secretShape = &shape{
		name: "secret", labels: words("name"),
		attrs: attributes("env", "file", "command", "keyring"),
	}

	policyShape   = leaf("policy", "destructive", "drift", "in_doubt")
	scheduleShape = requiring(leaf("schedule", "cron", "timezone", "overlap", "missed"), "cron")
	webhookShape  = requiring(leaf("webhook", "path", "input", "secret", "max_body"), "path", "input")

	deploymentShape = &shape{
		name: "deployment", labels: words("name"),
		attrs:    attributes("workflow", "bind", "inputs", "description"),
		blocks:   blocks(map[string]*shape{"policy": policyShape, "schedule": scheduleShape, "webhook": webhookShape}),
		required: words("workflow"),
	}
	validationShape = requiring(leaf("validation", "condition", "error_message"), "condition", "error_message")
	assertShape     = requiring(leaf("assert", "condition", "error_message"), "condition", "error_message")
	sourceShape     = &shape{
		name: "source", labels: words("name"),
		attrs: attributes("interface", "bind", "family", "session", "description"),
	}
	inputShape = &shape{
		name: "input", labels: words("name"),
		attrs:    attributes("type", "default", "description", "sensitive"),
		blocks:   blocks(map[string]*shape{"*validation": validationShape}),
		required: words("type"),
	}
	localsShape = &shape{name: "locals", free: true}
	outputShape = &shape{
		name: "output", labels: words("name"),
		attrs:    attributes("value", "type", "description", "sensitive"),
		required: words("value"),
	}

	askShape   = requiring(leaf("ask", "message", "answer", "choices", "approvers"), "message")
	loopShape  = requiring(leaf("loop", "while", "max", "delay"), "while", "max")
	retryShape = leaf("retry", "attempts", "delay", "max_delay", "on", "when")
	undoShape  = requiring(leaf("undo", "call", "args"), "call")

	stepAttrs = attributes("call", "read", "prompt", "run", "value", "sleep", "args", "uri", "bind",
		"when", "for_each", "key", "max_parallel", "depends_on", "timeout", "idle_timeout", "deadline",
		"on_error", "decode", "result", "returns", "fail_if")
	stepShape = &shape{
		name: "step", labels: words("name"), attrs: stepAttrs,
		blocks: blocks(map[string]*shape{
			"ask": askShape, "loop": loopShape, "retry": retryShape, "*assert": assertShape, "*undo": undoShape,
		}),
	}
	finallyShape = &shape{
		name: "finally", labels: words("name"), attrs: stepAttrs,
		blocks: blocks(map[string]*shape{
			"ask": askShape, "loop": loopShape, "retry": retryShape, "*assert": assertShape,
		}),
	}
	concurrencyShape = leaf("concurrency", "key", "limit", "on_conflict")
	workflowShape    = &shape{
		name: "workflow", labels: words("name"),
		attrs: attributes("description", "title", "deadline"),
		blocks: blocks(map[string]*shape{
			"*source": sourceShape, "*input": inputShape, "*locals": localsShape,
			"*step": stepShape, "*finally": finallyShape, "*output": outputShape, "concurrency": concurrencyShape,
		}),
	}

	projectShape  = leaf("project", "name", "language", "requires_wfc")
	defaultsShape = &shape{
		name: "defaults",
		attrs: attributes("max_parallel", "timeout", "idle_timeout", "deadline",
			"max_in_flight", "session", "protocol", "offers"),
		blocks: blocks(map[string]*shape{"retry": retryShape, "timeouts": timeoutsShape, "rate_limit": rateShape}),
	}
	lintShape     = &shape{name: "lint", free: true}
	samplingShape = requiring(leaf("sampling", "base_url", "model", "api_key"), "base_url", "model")
	storageShape  = leaf("storage", "durability", "max_result", "keep")

	mockShape = &shape{
		name: "mock", labels: words("source", "tool"), textual: true,
		attrs: attributes("when", "output", "text", "content", "error", "delay", "times"),
	}
	answerShape = &shape{
		name: "answer", labels: words("step"),
		attrs: attributes("when", "data", "decline", "as", "delay", "times"),
	}
	expectShape = leaf("expect", "outcome", "outputs", "error")
	testShape   = &shape{
		name: "test", labels: words("name"),
		attrs:    attributes("workflow", "deployment", "inputs", "previous"),
		blocks:   blocks(map[string]*shape{"*mock": mockShape, "*answer": answerShape, "expect": expectShape, "*assert": assertShape}),
		required: words("workflow"),
		instead:  map[string]string{"workflow": "deployment"},
	}

	// The top levels of *.wf.hcl, wfc.hcl and *.wftest.hcl.
	workflowFile = &shape{
		blocks: withUnbuilt(blocks(map[string]*shape{
			"*workflow": workflowShape, "*provider": providerShape, "*connection": connectionShape,
			"*secret": secretShape, "*deployment": deploymentShape,
		}), "adapter"),
	}
	settingsFile = &shape{
		blocks: blocks(map[string]*shape{
			"project": projectShape, "defaults": defaultsShape, "lint": lintShape,
			"sampling": samplingShape, "storage": storageShape,
		}),
	}
	testFile = &shape{blocks: blocks(map[string]*shape{"*test": testShape})}
)

// habits are words of other tools for what wfc calls otherwise, where the
// spelling is too far away for the nearest name.
var habits = map[string]string{
	"variable": "input", "var": "input", "job": "workflow", "task": "step", "server": "connection",
	"if": "when", "condition": "when", "needs": "depends_on", "count": "for_each", "foreach": "for_each",
	"uses": "call", "tool": "call", "with": "args", "params": "args", "parameters": "args", "arguments": "args",
	"continue_on_error": "on_error", "ignore_errors": "on_error", "allow_failure": "on_error", "retries": "retry",
	"concurrency": "max_parallel", "environment": "env", "schema": "returns",
}

// homes lists the block types that have an attribute or block of this name, in
// the order of allShapes. Those of auth are left out: "name" and "value" say nothing.
func homes(name string, block bool) []*shape {
	var out []*shape
	for _, s := range allShapes() {
		if block {
			if _, ok := s.blocks[name]; ok {
				out = append(out, s)
			}
		} else if _, ok := s.attrs[name]; ok {
			out = append(out, s)
		}
	}
	return out
}

func allShapes() []*shape {
	return []*shape{
		workflowFile, settingsFile, testFile, workflowShape, sourceShape, inputShape, stepShape, outputShape,
		askShape, loopShape, retryShape, undoShape, assertShape, concurrencyShape, connectionShape, stdioShape, httpShape,
		rateShape, timeoutsShape, toolShape, secretShape, deploymentShape, policyShape, scheduleShape, webhookShape,
		validationShape, projectShape, defaultsShape, samplingShape, storageShape, mockShape, expectShape, testShape,
	}
}
