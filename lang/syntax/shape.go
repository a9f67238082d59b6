package syntax

// shape says what one kind of block may hold: every attribute and block of
// LANGUAGE 4, also those that are not built yet, so that nothing real is
// called unknown.
type shape struct {
	name     string   // the block type
	labels   []string // what each label is: "name", "provider" …
	textual  bool     // labels are any text (tool names), not identifiers
	attrs    map[string]status
	blocks   map[string]member
	required []string // attributes
	free     bool     // any attribute (locals)
}

// status says how far an attribute is built.
type status uint8

const (
	built status = iota + 1
	unbuilt
)

// member is a block inside a block. A nil shape is one that is not built yet.
type member struct {
	shape  *shape
	repeat bool
}

func attributes(built_, unbuilt_ []string) map[string]status {
	m := make(map[string]status, len(built_)+len(unbuilt_))
	for _, n := range built_ {
		m[n] = built
	}
	for _, n := range unbuilt_ {
		m[n] = unbuilt
	}
	return m
}

func words(w ...string) []string { return w }

// notBuilt are the blocks of these names, any number of them.
func notBuilt(names ...string) map[string]member {
	m := make(map[string]member, len(names))
	for _, n := range names {
		m[n] = member{repeat: true}
	}
	return m
}

// with adds the built blocks to m: once, or (with a "*" before the name) repeated.
func with(m map[string]member, shapes map[string]*shape) map[string]member {
	for name, s := range shapes {
		if name[0] == '*' {
			m[name[1:]] = member{shape: s, repeat: true}
		} else {
			m[name] = member{shape: s}
		}
	}
	return m
}

var (
	stdioShape = &shape{
		name:     "stdio",
		attrs:    attributes(words("command", "args", "env", "cwd"), nil),
		required: words("command"),
	}
	timeoutsShape = &shape{
		name:  "timeouts",
		attrs: attributes(words("connect", "idle", "close"), nil),
	}
	toolShape = &shape{
		name: "tool", labels: words("tool name"), textual: true,
		attrs: attributes(
			words("effect", "idempotent", "idempotency_arg", "open", "returns", "decode", "result", "fail_if"),
			words("sensitive", "idle_timeout")),
	}
	connectionShape = &shape{
		name: "connection", labels: words("provider", "account"),
		attrs: attributes(words("max_in_flight"),
			words("protocol", "idle_timeout", "session", "offers", "allow", "deny", "enabled", "trust", "data", "reach")),
		blocks: with(notBuilt("http", "sse", "auth", "rate_limit"),
			map[string]*shape{"stdio": stdioShape, "timeouts": timeoutsShape, "*tool": toolShape}),
	}
	secretShape = &shape{
		name: "secret", labels: words("name"),
		attrs: attributes(words("env"), words("file", "command", "keyring")),
	}
	deploymentShape = &shape{
		name: "deployment", labels: words("name"),
		attrs:    attributes(words("workflow", "bind", "inputs", "description"), nil),
		blocks:   notBuilt("policy", "schedule", "webhook"),
		required: words("workflow"),
	}
	validationShape = &shape{
		name:     "validation",
		attrs:    attributes(words("condition", "error_message"), nil),
		required: words("condition", "error_message"),
	}
	sourceShape = &shape{
		name: "source", labels: words("name"),
		attrs: attributes(words("bind", "session", "description"), words("interface", "family")),
	}
	inputShape = &shape{
		name: "input", labels: words("name"),
		attrs:    attributes(words("type", "default", "description"), words("sensitive")),
		blocks:   with(notBuilt(), map[string]*shape{"*validation": validationShape}),
		required: words("type"),
	}
	localsShape = &shape{name: "locals", free: true}
	outputShape = &shape{
		name: "output", labels: words("name"),
		attrs:    attributes(words("value", "type", "description"), words("sensitive")),
		required: words("value"),
	}
	stepShape = &shape{
		name: "step", labels: words("name"),
		attrs: attributes(
			words("call", "value", "args", "when", "for_each", "key", "max_parallel", "depends_on",
				"timeout", "on_error", "decode", "result", "returns", "fail_if"),
			words("read", "prompt", "run", "sleep", "uri", "bind", "idle_timeout", "deadline")),
		blocks: notBuilt("ask", "loop", "retry", "assert", "undo"),
	}
	workflowShape = &shape{
		name: "workflow", labels: words("name"),
		attrs: attributes(words("description", "title"), words("deadline")),
		blocks: with(notBuilt("finally", "concurrency"), map[string]*shape{
			"*source": sourceShape, "*input": inputShape, "*locals": localsShape,
			"*step": stepShape, "*output": outputShape,
		}),
	}
	projectShape = &shape{
		name:  "project",
		attrs: attributes(words("name", "language", "requires_wfc"), nil),
	}

	// workflowFile and settingsFile are the top levels of *.wf.hcl and wfc.hcl.
	workflowFile = &shape{
		blocks: with(notBuilt("provider", "adapter"), map[string]*shape{
			"*workflow": workflowShape, "*connection": connectionShape,
			"*secret": secretShape, "*deployment": deploymentShape,
		}),
	}
	settingsFile = &shape{
		blocks: with(notBuilt("defaults", "lint", "sampling", "storage"), map[string]*shape{"project": projectShape}),
	}
)

// The inner blocks of LANGUAGE that are not built yet, with their attributes:
// they say where a misplaced attribute belongs.
var unbuiltAttrs = map[string][]string{
	"ask":         {"message", "answer", "choices", "approvers"},
	"loop":        {"while", "max", "delay"},
	"retry":       {"attempts", "delay", "max_delay", "on", "when"},
	"assert":      {"condition", "error_message"},
	"http":        {"url", "headers"},
	"rate_limit":  {"requests", "per"},
	"policy":      {"destructive", "drift", "in_doubt"},
	"schedule":    {"cron", "timezone", "overlap", "missed"},
	"webhook":     {"path", "secret", "max_body"},
	"concurrency": {"limit", "on_conflict"},
	"storage":     {"durability", "max_result", "keep"},
	"sampling":    {"base_url", "model", "api_key"},
}

// habits are words of other tools for what wfc calls otherwise, where the
// spelling is too far away for the nearest name.
var habits = map[string]string{
	"variable": "input", "var": "input", "job": "workflow", "task": "step", "server": "connection",
	"if": "when", "condition": "when", "needs": "depends_on", "count": "for_each", "foreach": "for_each",
	"uses": "call", "tool": "call", "with": "args", "params": "args", "parameters": "args", "arguments": "args",
	"concurrency": "max_parallel", "environment": "env", "schema": "returns",
}

// homes lists the block types that have an attribute or block of this name, in
// the order of the tables above; blocks of the top level are "" or "wfc.hcl".
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
		workflowFile, settingsFile, workflowShape, sourceShape, inputShape, stepShape, outputShape, connectionShape,
		stdioShape, timeoutsShape, toolShape, secretShape, deploymentShape, validationShape, projectShape,
	}
}
