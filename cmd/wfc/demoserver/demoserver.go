// Package demoserver is the MCP server that wfc contains, so that examples,
// the quick start and tests need nothing but Go. It is reached as
// `wfc demo-server` over stdio.
package demoserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Version is what the server says of itself.
const Version = "1.0.0"

// Run serves one session on in and out until in ends or ctx is done. Its state,
// the counter and the tasks, is the session's own.
func Run(ctx context.Context, in io.Reader, out io.Writer) error {
	transport := &mcp.IOTransport{Reader: io.NopCloser(in), Writer: nopCloser{out}, MaxLineLength: 64 << 20}
	err := New().Run(ctx, answering{transport})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// task is one entry of the demo's task list.
type task struct {
	ID       int      `json:"id"`
	Title    string   `json:"title"`
	Done     bool     `json:"done"`
	Assignee string   `json:"assignee,omitempty"`
	labels   []string // not part of a listing
}

// state is what one session remembers.
type state struct {
	mu    sync.Mutex
	count int
	tasks []task
}

// New returns a server with fresh state.
func New() *mcp.Server {
	s := &state{tasks: []task{
		{ID: 1, Title: "Write the report", Assignee: "ada"},
		{ID: 2, Title: "Book the room", Done: true},
		{ID: 3, Title: "Send the invitations", Assignee: "grace"},
	}}
	server := mcp.NewServer(&mcp.Implementation{Name: "wfc-demo", Version: Version}, &mcp.ServerOptions{
		Instructions: "A server to try wfc with. Nothing it does outlives the session.",
		Capabilities: &mcp.ServerCapabilities{},
	})
	addTools(server, s)
	server.AddResource(&mcp.Resource{Name: "readme", URI: "demo://readme", Description: "What this server is for.", MIMEType: "text/markdown"},
		func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return contents("demo://readme", "text/markdown", "# wfc-demo\n\nA server to try wfc with.\n"), nil
		})
	server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "task", URITemplate: "demo://tasks/{id}", Description: "One task as JSON.", MIMEType: "application/json"}, s.readTask)
	server.AddPrompt(&mcp.Prompt{Name: "summarise", Description: "Asks for a summary of a topic.",
		Arguments: []*mcp.PromptArgument{{Name: "topic", Description: "What to summarise.", Required: true}}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			topic, given := req.Params.Arguments["topic"]
			if !given {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "The argument topic is missing."}
			}
			text := fmt.Sprintf("Summarise %s in three sentences.", topic)
			return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
		})
	return server
}

func contents(uri, mime, text string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Text: text}}}
}

func (s *state) readTask(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tasks {
		if req.Params.URI == fmt.Sprintf("demo://tasks/%d", t.ID) {
			text, err := json.Marshal(t)
			if err != nil {
				return nil, err
			}
			return contents(req.Params.URI, "application/json", string(text)), nil
		}
	}
	return nil, mcp.ResourceNotFoundError(req.Params.URI)
}

// schema is a JSON Schema as it is written: schemas are part of the demo, and
// those that the SDK infers from Go types show less.
func schema(text string) json.RawMessage { return json.RawMessage(text) }

func addTools(server *mcp.Server, s *state) {
	no, yes := false, true
	read := &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no}

	mcp.AddTool(server, &mcp.Tool{
		Name: "greet", Title: "Greet", Description: "Greets somebody by name.", Annotations: read,
		InputSchema: schema(`{"type": "object", "properties": {
			"name": {"type": "string", "description": "Whom to greet."},
			"language": {"type": "string", "enum": ["en", "de", "fr"], "default": "en", "description": "The language of the greeting."}},
			"required": ["name"], "additionalProperties": false}`),
		OutputSchema: schema(`{"type": "object", "properties": {"greeting": {"type": "string"}}, "required": ["greeting"], "additionalProperties": false}`),
	}, greet)

	mcp.AddTool(server, &mcp.Tool{
		Name: "counter", Title: "Count", Description: "Counts the calls of this session, from 1.",
		Annotations:  &mcp.ToolAnnotations{DestructiveHint: &no, OpenWorldHint: &no},
		InputSchema:  schema(`{"type": "object", "properties": {}, "additionalProperties": false}`),
		OutputSchema: schema(`{"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"], "additionalProperties": false}`),
	}, s.counter)

	mcp.AddTool(server, &mcp.Tool{
		Name: "list_tasks", Title: "List tasks", Description: "Lists tasks, oldest first.", Annotations: read,
		InputSchema: schema(`{"type": "object", "properties": {
			"state": {"type": "string", "enum": ["open", "done"], "description": "Only tasks in this state."},
			"limit": {"type": "integer", "minimum": 1, "description": "At most so many."}}, "additionalProperties": false}`),
		OutputSchema: schema(`{"type": "object", "properties": {"tasks": {"type": "array", "items": {"type": "object", "properties": {
			"id": {"type": "integer"}, "title": {"type": "string"}, "done": {"type": "boolean"}, "assignee": {"type": "string"}},
			"required": ["id", "title", "done"], "additionalProperties": false}}}, "required": ["tasks"], "additionalProperties": false}`),
	}, s.listTasks)

	mcp.AddTool(server, &mcp.Tool{
		Name: "add_label", Title: "Add label", Description: "Puts a label on a task. A label that is there already stays once.",
		Annotations: &mcp.ToolAnnotations{DestructiveHint: &no, IdempotentHint: true, OpenWorldHint: &no},
		InputSchema: schema(`{"type": "object", "properties": {"task": {"type": "integer"}, "label": {"type": "string", "minLength": 1}},
			"required": ["task", "label"], "additionalProperties": false}`),
		OutputSchema: schema(`{"type": "object", "properties": {"task": {"type": "integer"}, "labels": {"type": "array", "items": {"type": "string"}}},
			"required": ["task", "labels"], "additionalProperties": false}`),
	}, s.addLabel)

	mcp.AddTool(server, &mcp.Tool{
		Name: "delete_task", Title: "Delete task", Description: "Deletes a task. Says whether there was one.",
		Annotations:  &mcp.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &no},
		InputSchema:  schema(`{"type": "object", "properties": {"task": {"type": "integer"}}, "required": ["task"], "additionalProperties": false}`),
		OutputSchema: schema(`{"type": "object", "properties": {"deleted": {"type": "boolean"}}, "required": ["deleted"], "additionalProperties": false}`),
	}, s.deleteTask)

	server.AddTool(&mcp.Tool{
		Name: "echo", Title: "Echo", Description: "Answers with the text it is given, as text content.", Annotations: read,
		InputSchema: schema(`{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": false}`),
	}, echo)

	server.AddTool(&mcp.Tool{
		Name: "inspect", Title: "Inspect", Description: "Answers with the value it is given, whatever it is, digit for digit.", Annotations: read,
		InputSchema:  schema(`{"type": "object", "properties": {"value": {}}, "required": ["value"], "additionalProperties": false}`),
		OutputSchema: schema(`{"type": "object", "properties": {"value": {}}, "required": ["value"], "additionalProperties": false}`),
	}, inspect)
}

type greetArgs struct {
	Name     string `json:"name"`
	Language string `json:"language"`
}

type greeting struct {
	Greeting string `json:"greeting"`
}

func greet(_ context.Context, _ *mcp.CallToolRequest, args greetArgs) (*mcp.CallToolResult, greeting, error) {
	words := map[string]string{"en": "Hello", "de": "Hallo", "fr": "Bonjour"}
	word, ok := words[args.Language]
	if !ok {
		word = words["en"]
	}
	return nil, greeting{fmt.Sprintf("%s, %s!", word, args.Name)}, nil
}

type count struct {
	Count int `json:"count"`
}

func (s *state) counter(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, count, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	return nil, count{s.count}, nil
}

type listArgs struct {
	State string `json:"state"`
	Limit int    `json:"limit"`
}

type taskList struct {
	Tasks []task `json:"tasks"`
}

func (s *state) listTasks(_ context.Context, _ *mcp.CallToolRequest, args listArgs) (*mcp.CallToolResult, taskList, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := taskList{Tasks: []task{}}
	for _, t := range s.tasks {
		if args.State == "" || (args.State == "done") == t.Done {
			list.Tasks = append(list.Tasks, t)
		}
	}
	if args.Limit > 0 && len(list.Tasks) > args.Limit {
		list.Tasks = list.Tasks[:args.Limit]
	}
	return nil, list, nil
}

type labelArgs struct {
	Task  int    `json:"task"`
	Label string `json:"label"`
}

type labelled struct {
	Task   int      `json:"task"`
	Labels []string `json:"labels"`
}

func (s *state) addLabel(_ context.Context, _ *mcp.CallToolRequest, args labelArgs) (*mcp.CallToolResult, labelled, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.tasks {
		t := &s.tasks[i]
		if t.ID == args.Task {
			if !slices.Contains(t.labels, args.Label) {
				t.labels = append(t.labels, args.Label)
			}
			return nil, labelled{t.ID, slices.Clone(t.labels)}, nil
		}
	}
	return nil, labelled{}, fmt.Errorf("there is no task %d", args.Task)
}

type taskArgs struct {
	Task int `json:"task"`
}

type deleted struct {
	Deleted bool `json:"deleted"`
}

func (s *state) deleteTask(_ context.Context, _ *mcp.CallToolRequest, args taskArgs) (*mcp.CallToolResult, deleted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.tasks)
	s.tasks = slices.DeleteFunc(s.tasks, func(t task) bool { return t.ID == args.Task })
	return nil, deleted{len(s.tasks) < before}, nil
}

// failed is an answer that says that the call made no sense.
func failed(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

// members returns the arguments with their values as they were sent. The
// typed tools of the SDK would decode numbers to floats.
func members(req *mcp.CallToolRequest, names ...string) (map[string]json.RawMessage, *mcp.CallToolResult) {
	var args map[string]json.RawMessage
	if err := json.Unmarshal(req.Params.Arguments, &args); err != nil {
		return nil, failed("The arguments are no object: %s.", err)
	}
	for name := range args {
		if !slices.Contains(names, name) {
			return nil, failed("There is no argument %q. Known: %s.", name, strings.Join(names, ", "))
		}
	}
	for _, name := range names {
		if args[name] == nil {
			return nil, failed("The argument %q is missing.", name)
		}
	}
	return args, nil
}

func echo(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args, problem := members(req, "text")
	if problem != nil {
		return problem, nil
	}
	var text string
	if err := json.Unmarshal(args["text"], &text); err != nil {
		return failed("The argument \"text\" is no string."), nil
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
}

func inspect(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args, problem := members(req, "value")
	if problem != nil {
		return problem, nil
	}
	structured := json.RawMessage(`{"value":` + string(args["value"]) + `}`)
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: string(structured)}},
		StructuredContent: structured,
	}, nil
}
