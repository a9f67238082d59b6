package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// longestToolName is what clients take as the name of a tool.
const longestToolName = 64

// ToolName returns the name of a deployment's tool, as clients of MCP see it: its id, if clients take that. Of
// another one what they do not take is replaced, and one that is too long ends with
// a hash, so that it stays the same whatever other deployments there are.
func ToolName(deployment string) string {
	name := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, deployment)
	if len(name) <= longestToolName {
		return name
	}
	sum := sha256.Sum256([]byte(deployment))
	end := "_" + hex.EncodeToString(sum[:4])
	return name[:longestToolName-len(end)] + end
}

// sameTool returns the deployment that would have the tool of another one; "": none.
func (h *Host) sameTool(ctx context.Context, id string) (string, error) {
	all, err := h.Deployments(ctx, Page{})
	if err != nil {
		return "", err
	}
	for _, d := range all {
		if d.ID != id && ToolName(d.ID) == ToolName(id) {
			return d.ID, nil
		}
	}
	return "", nil
}
