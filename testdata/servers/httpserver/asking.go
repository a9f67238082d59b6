package httpserver

//lint:file-ignore SA1019 Servers of the revisions before 2026-07-28, which are most, still use sampling, roots and logging.

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addAsking adds the tools that ask and tell the client something: the SDK does so by
// requests of the server or by an answer that asks for input, as the revision has it.
func addAsking(server *mcp.Server) {
	tool := func(name string, run mcp.ToolHandler) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, run)
	}
	tool("confirm", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		answer, ok := req.Params.InputResponses["sure"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.CallToolResult{RequestState: "asked", InputRequests: mcp.InputRequestMap{"sure": &mcp.ElicitParams{
				Message:         "Really " + string(req.Params.Arguments) + "?",
				RequestedSchema: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}`),
			}}}, nil
		}
		text := fmt.Sprintf("%s %v, %s", answer.Action, answer.Content["ok"], req.Params.RequestState)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	})
	server.AddPrompt(&mcp.Prompt{Name: "ask"}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		answer, ok := req.Params.InputResponses["sure"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"sure": &mcp.ElicitParams{Message: "Sure?"}}}, nil
		}
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: answer.Action}}}}, nil
	})
	server.AddResource(&mcp.Resource{Name: "ask", URI: "test://ask"}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		answer, ok := req.Params.InputResponses["sure"].(*mcp.ElicitResult)
		if !ok {
			return &mcp.ReadResourceResult{InputRequests: mcp.InputRequestMap{"sure": &mcp.ElicitParams{Message: "Sure?"}}}, nil
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, Text: answer.Action}}}, nil
	})
	tool("chat", func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Logger: "db", Data: req.Params.Arguments})
		return &mcp.CallToolResult{Content: []mcp.Content{}}, err
	})
}
