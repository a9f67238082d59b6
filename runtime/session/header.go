package session

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
)

// Over HTTP, from 2026-07-28 on, a tool may want some of its arguments in headers,
// too, so that what stands before the server can read them: its input schema says
// "x-mcp-header" where it does. A server refuses a call without them before it looks
// at it. Most tools want none, and a list of tools may have megabytes, so that the
// list is read when a call is refused for that.

// headers are the arguments that tools want in headers, as far as they are known.
type headers struct {
	mu    sync.Mutex
	tools map[string][]argHeader
}

// argHeader is an argument that a tool wants in a header.
type argHeader struct {
	path []string // of the names of properties
	name string   // "Mcp-Param-Region"
}

// with returns the context of a call with the headers that its tool is known to want.
func (h *headers) with(ctx context.Context, tool string, args json.RawMessage) context.Context {
	h.mu.Lock()
	wanted := h.tools[tool]
	h.mu.Unlock()
	if len(wanted) == 0 {
		return ctx
	}
	all := http.Header{}
	for _, w := range wanted {
		if text, ok := headerText(argumentAt(args, w.path)); ok {
			all.Set(w.name, text)
		}
	}
	return connection.WithHeader(ctx, all)
}

// learn asks the server which arguments its tools want in headers, if err says that
// the call of a tool lacks them, and reports whether that one does.
func (c *Client) learn(ctx context.Context, tool string, err error) bool {
	if wire := (*jsonrpc.Error)(nil); !errors.As(err, &wire) || wire.Code != mcp.CodeHeaderMismatch || ctx.Err() != nil {
		return false
	}
	known := map[string][]argHeader{}
	seen := map[string]bool{}
	for cursor := ""; !seen[cursor]; {
		seen[cursor] = true
		raw, _, err := c.ListTools(ctx, cursor)
		if err != nil {
			return false
		}
		page, err := readPage(raw, "tools")
		if err != nil {
			return false
		}
		for _, item := range page.Items {
			var t struct {
				Name        string          `json:"name"`
				InputSchema json.RawMessage `json:"inputSchema"`
			}
			if json.Unmarshal(item, &t) == nil {
				if wanted := argHeaders(t.InputSchema, nil); len(wanted) > 0 {
					known[t.Name] = wanted
				}
			}
		}
		cursor = page.Next
	}
	c.headers.mu.Lock()
	defer c.headers.mu.Unlock()
	c.headers.tools = known
	return len(known[tool]) > 0
}

// argHeaders returns the arguments below path that a schema wants in headers.
func argHeaders(schema json.RawMessage, path []string) (all []argHeader) {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	for name, property := range s.Properties {
		at := append(path[:len(path):len(path)], name)
		var p struct {
			Header string `json:"x-mcp-header"`
		}
		if json.Unmarshal(property, &p) == nil && p.Header != "" {
			all = append(all, argHeader{at, "Mcp-Param-" + p.Header})
		}
		all = append(all, argHeaders(property, at)...)
	}
	return all
}

// argumentAt returns the argument at a path of names, nil if there is none.
func argumentAt(args json.RawMessage, path []string) json.RawMessage {
	for _, name := range path {
		var members map[string]json.RawMessage
		if json.Unmarshal(args, &members) != nil {
			return nil
		}
		args = members[name]
	}
	return args
}

// headerText returns an argument as a header says it, and whether one can say it:
// texts, truth values and whole numbers that every language has.
func headerText(arg json.RawMessage) (string, bool) {
	var v any
	if len(arg) == 0 || json.Unmarshal(arg, &v) != nil {
		return "", false
	}
	const most = 1<<53 - 1
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		return strconv.FormatInt(int64(v), 10), v == math.Trunc(v) && math.Abs(v) <= most
	case string:
		encoded := func(r rune) bool { return r < ' ' || r > '~' }
		if strings.ContainsFunc(v, encoded) || strings.Trim(v, " ") != v || strings.HasPrefix(v, "=?base64?") && strings.HasSuffix(v, "?=") {
			v = "=?base64?" + base64.StdEncoding.EncodeToString([]byte(v)) + "?="
		}
		return v, true
	}
	return "", false
}
