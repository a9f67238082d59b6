package connection

//lint:file-ignore SA1019 Servers of the revisions before 2026-07-28, which are most, still use sampling, roots and logging.

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Offers are what a client can do for a server, which is told of it: the tools that
// a server lists depend on it. The zero value offers nothing.
type Offers struct {
	Elicitation bool   // to ask a person
	Sampling    bool   // to have a model complete a conversation
	Root        string // the absolute folder that is the one root; "": roots are not offered
}

// Capabilities returns the offers as the SDK wants them. They are never nil, since
// by default the SDK offers roots, for which some servers ask and then stay alive.
func (o Offers) Capabilities() *mcp.ClientCapabilities {
	c := &mcp.ClientCapabilities{}
	if o.Elicitation {
		c.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}}
	}
	if o.Sampling {
		c.Sampling = &mcp.SamplingCapabilities{}
	}
	if o.Root != "" {
		c.RootsV2 = &mcp.RootCapabilities{}
	}
	return c
}

// JSON returns the offers as a server is told them.
func (o Offers) JSON() json.RawMessage {
	var members []string
	if o.Elicitation {
		members = append(members, `"elicitation":{"form":{},"url":{}}`)
	}
	if o.Root != "" {
		members = append(members, `"roots":{}`)
	}
	if o.Sampling {
		members = append(members, `"sampling":{}`)
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}")
}

// Roots returns the answer to a server that asks for the roots.
func (o Offers) Roots() *mcp.ListRootsResult {
	path := filepath.ToSlash(o.Root)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive of Windows
	}
	uri := url.URL{Scheme: "file", Path: path}
	return &mcp.ListRootsResult{Roots: []*mcp.Root{{URI: uri.String(), Name: filepath.Base(o.Root)}}}
}

// key tells offers apart in a fingerprint. The folder is part of it: it is told
// only when the server asks, and then counts.
func (o Offers) key() string { return string(o.JSON()) + o.Root }
