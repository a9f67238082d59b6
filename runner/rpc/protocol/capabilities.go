package protocol

import (
	"encoding/json"

	"github.com/lda-wf/wfc/lang/value"
)

// Page says which part of a list is wanted.
type Page struct {
	Limit int    `json:"limit,omitempty" doc:"How many at most; 100 if it is left out."`
	After string `json:"after,omitempty" doc:"The cursor next of the page before."`
}

// PageParams are the parameters of lists without others.
type PageParams struct{ Page }

// CapabilitiesListParams are the parameters of capabilities.list.
type CapabilitiesListParams struct {
	Connection string `json:"connection,omitempty" doc:"Those of one connection only."`
	Kind       string `json:"kind,omitempty" enum:"tool,resource,resource_template,prompt" doc:"Those of one kind only."`
	Effect     string `json:"effect,omitempty" enum:"read,write,destructive,unknown" doc:"Tools of one effect only."`
	Query      string `json:"query,omitempty" doc:"Those with this text in their name, title or description."`
	Page
}

// CapabilitiesListResult is the result of capabilities.list.
type CapabilitiesListResult struct {
	Capabilities []Capability `json:"capabilities"`
	Next         string       `json:"next,omitempty" doc:"The cursor of the next page; left out with the last one."`
}

// Capability is something that a connection offers.
type Capability struct {
	Capability  string `json:"capability" doc:"The qualified name, such as github.work.search_issues; of a resource its connection and, after a space, its URI."`
	Kind        string `json:"kind" enum:"tool,resource,resource_template,prompt"`
	Connection  string `json:"connection"`
	Name        string `json:"name" doc:"As the server names it."`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	URI         string `json:"uri,omitempty" doc:"Of a resource, or the template of one."`
	Effect      string `json:"effect,omitempty" enum:"read,write,destructive,unknown" doc:"Of a tool: what it may do, as the snapshot and the project say."`
	Problem     string `json:"problem,omitempty" doc:"Why it cannot be used as it should."`
}

// CapabilityParams name a capability.
type CapabilityParams struct {
	Capability string `json:"capability" doc:"The qualified name, such as github.work.search_issues."`
}

// CapabilityDetails is the result of capabilities.describe.
type CapabilityDetails struct {
	Capability
	Arguments    string          `json:"arguments,omitempty" doc:"The type of the arguments, in the notation of the language."`
	Returns      string          `json:"returns,omitempty" doc:"The type of the output, where that is known."`
	InputSchema  json.RawMessage `json:"input_schema,omitempty" doc:"The JSON Schema of the arguments."`
	OutputSchema json.RawMessage `json:"output_schema,omitempty" doc:"The JSON Schema of the output, where the server says it."`
}

// Operation says how an operation on a source is made.
type Operation struct {
	Timeout string `json:"timeout,omitempty" doc:"How long it may take once the connection is up, such as 30s. Without it, it is given up after 60s without an answer or a progress message."`
	OneShot bool   `json:"one_shot,omitempty" doc:"Over a session of its own, in place of the one that is kept."`
}

// CallParams are the parameters of capabilities.call.
type CallParams struct {
	Capability string      `json:"capability" doc:"The qualified name of a tool, such as github.work.search_issues."`
	Arguments  value.Value `json:"arguments,omitzero" doc:"An object; left out: no arguments."`
	Operation
}

// ReadParams are the parameters of resources.read.
type ReadParams struct {
	Connection string `json:"connection" doc:"The id of the connection, such as github.work."`
	URI        string `json:"uri" doc:"The URI of the resource."`
	Operation
}

// PromptParams are the parameters of prompts.render.
type PromptParams struct {
	Prompt    string      `json:"prompt" doc:"The qualified name, such as github.work.summarise."`
	Arguments value.Value `json:"arguments,omitzero" doc:"An object of texts; left out: no arguments."`
	Operation
}

// Result is what came of an operation: the canonical result.
type Result struct {
	Outcome string        `json:"outcome" enum:"ok,error"`
	Output  value.Value   `json:"output" doc:"The structured content, or the text; null after most failures. A blob is an object of mime_type, size, sha256 and base64."`
	Text    string        `json:"text" doc:"All text content."`
	Content []value.Value `json:"content" doc:"The parts of the content."`
	Error   *CallFailure  `json:"error" doc:"Why it failed; null: it did not."`
	Remarks []string      `json:"remarks,omitempty" doc:"What a person should know beside it."`
}

// CallFailure says why an operation failed.
type CallFailure struct {
	Kind    string `json:"kind" doc:"tool, protocol, transport, session, timeout, rate_limit, cancelled, decode, limit, declined or policy."`
	Message string `json:"message" doc:"Full sentences."`
	Code    *int   `json:"code,omitempty" doc:"A code of JSON-RPC or HTTP."`
	InDoubt bool   `json:"in_doubt" doc:"It may have taken effect."`
}

// Failure says why a step or a run failed.
type Failure struct {
	Kind    string          `json:"kind" doc:"tool, protocol, transport, session, timeout, rate_limit, cancelled, decode, expression, assert, limit, declined or policy."`
	Message string          `json:"message" doc:"Full sentences."`
	Code    *int            `json:"code,omitempty" doc:"A code of JSON-RPC or HTTP."`
	InDoubt bool            `json:"in_doubt,omitempty" doc:"It may have taken effect."`
	Step    string          `json:"step,omitempty" doc:"Of a run: the step that failed it."`
	Key     json.RawMessage `json:"key,omitempty" doc:"The key or index of its element."`
}

// SourceParams name a source.
type SourceParams struct {
	Source string `json:"source" doc:"The id of a connection, such as github.work."`
}

// SourcesListResult is the result of sources.list.
type SourcesListResult struct {
	Sources []Source `json:"sources"`
}

// Source is a connection of the project.
type Source struct {
	Source    string `json:"source" doc:"Its id."`
	Transport string `json:"transport" enum:"stdio,http,sse"`
	Enabled   bool   `json:"enabled"`
	Snapshot  bool   `json:"snapshot" doc:"There is one."`
	Server    string `json:"server,omitempty" doc:"What the server says that it is, by the snapshot."`
	Tools     int    `json:"tools"`
	Resources int    `json:"resources"`
	Templates int    `json:"resource_templates"`
	Prompts   int    `json:"prompts"`
	Problem   string `json:"problem,omitempty" doc:"Why it cannot be used, or its snapshot cannot."`
}

// RefreshParams are the parameters of sources.refresh.
type RefreshParams struct {
	Source  string `json:"source" doc:"The id of a connection, such as github.work."`
	Check   bool   `json:"check,omitempty" doc:"Only compare: write nothing."`
	OneShot bool   `json:"one_shot,omitempty" doc:"Over a session of its own, in place of the one that is kept."`
}

// RefreshResult is the result of sources.refresh.
type RefreshResult struct {
	Source  string   `json:"source"`
	Change  string   `json:"change" enum:"unchanged,created,updated"`
	File    string   `json:"file" doc:"The snapshot, relative to the project."`
	Added   []string `json:"added" doc:"Names of tools."`
	Removed []string `json:"removed"`
	Changed []string `json:"changed"`
}

// CheckResult is the result of sources.check.
type CheckResult struct {
	Source       string    `json:"source"`
	OK           bool      `json:"ok" doc:"It can be used."`
	Disabled     bool      `json:"disabled,omitempty" doc:"Nothing was looked at."`
	Error        string    `json:"error,omitempty" doc:"Why it cannot be used."`
	Transport    string    `json:"transport,omitempty"`
	Server       string    `json:"server,omitempty"`
	Capabilities []string  `json:"capabilities" doc:"What the server says that it can do."`
	Change       string    `json:"change,omitempty" enum:"unchanged,created,updated" doc:"How what it offers differs from the snapshot."`
	Breaking     int       `json:"breaking,omitempty" doc:"How many of the differences break workflows."`
	Findings     []Finding `json:"findings" doc:"What a person should know, the gravest first."`
}

// Finding is one thing that sources.check says.
type Finding struct {
	Warning bool   `json:"warning"`
	Text    string `json:"text"`
}

// InvokeParams are the parameters of sources.invoke.
type InvokeParams struct {
	Source  string      `json:"source" doc:"The id of a connection, such as github.work."`
	Method  string      `json:"method" doc:"A method of MCP, such as tools/list."`
	Params  value.Value `json:"params,omitzero" doc:"An object; left out: none."`
	Timeout string      `json:"timeout,omitempty" doc:"How long it may take once the connection is up, such as 30s; 60s if it is left out."`
}

// InvokeResult is the result of sources.invoke.
type InvokeResult struct {
	Result json.RawMessage `json:"result" doc:"As the server gave it, without secrets."`
}

// NotifyParams are the parameters of sources.notify.
type NotifyParams struct {
	Source string      `json:"source" doc:"The id of a connection, such as github.work."`
	Method string      `json:"method" doc:"A notification of MCP, such as notifications/roots/list_changed."`
	Params value.Value `json:"params,omitzero" doc:"An object; left out: none."`
}
