package mcpserver

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// longestName is what clients take as the name of a tool.
const longestName = 64

// ToolName returns the name of a deployment's tool: its id, if clients take that. Of
// another one what they do not take is replaced, and one that is too long ends with
// a hash, so that it stays the same whatever other deployments there are.
func ToolName(deployment string) string {
	name := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, deployment)
	if len(name) <= longestName {
		return name
	}
	sum := sha256.Sum256([]byte(deployment))
	end := "_" + hex.EncodeToString(sum[:4])
	return name[:longestName-len(end)] + end
}
