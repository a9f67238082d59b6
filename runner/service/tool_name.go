package service

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// longestToolName is what clients take as the name of a tool.
const longestToolName = 64

// ToolName returns the name of a deployment's tool, as clients of MCP see it: its id, if
// clients take that. Of another one what they do not take is replaced. One that is too
// long, or loses letters by that, ends with a hash: it stays the same whatever other
// deployments there are, and tells names of one length in another script apart.
func ToolName(deployment string) string {
	lost := false
	name := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' {
			return r
		}
		lost = lost || r >= utf8.RuneSelf
		return '_'
	}, deployment)
	if len(name) <= longestToolName && !lost {
		return name
	}
	sum := sha256.Sum256([]byte(deployment))
	end := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), longestToolName-len(end))] + end
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
