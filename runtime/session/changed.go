package session

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// watchLists has Config.ListChanged called as the server says that one of its lists
// has changed. Without it the SDK asks a server of 2026-07-28, which says so only to
// who listens, for no such stream.
func (cfg *Config) watchLists(o *mcp.ClientOptions) {
	changed := cfg.ListChanged
	if changed == nil {
		return
	}
	o.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) { changed() }
	o.PromptListChangedHandler = func(context.Context, *mcp.PromptListChangedRequest) { changed() }
	o.ResourceListChangedHandler = func(context.Context, *mcp.ResourceListChangedRequest) { changed() }
}
