package service

import (
	"context"
	"fmt"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runtime/proxy"
)

// ProxySource returns what clients of the proxy see of a connection: what its allow and
// deny leave of its tools, and of these, if readOnly is set, those that only read as
// far as the snapshot and the tool blocks say. The error says why it cannot be used.
func (s *Service) ProxySource(ctx context.Context, c *compiler.Reach, readOnly bool) (proxy.Source, error) {
	live, _, err := s.usable(ctx, c)
	if err != nil {
		return proxy.Source{}, err
	}
	out := proxy.Source{Connection: live}
	snap, err := s.project().Snapshot(live.ID)
	if err != nil {
		snap = nil // names and effects are unknown then
	}
	if snap != nil {
		out.Tools, out.Prompts = snap.ToolNames(), snap.PromptNames()
	}
	var effects map[string]catalog.Effect
	if readOnly {
		effects = compiler.Effects(s.project(), live.ID)
	}
	out.Hidden = func(tool string) string {
		if by := c.Excluded(tool); by != "" {
			return by + " of the connection"
		}
		if !readOnly {
			return ""
		}
		switch effect, known := effects[tool]; {
		case !known:
			return "the policy read-only, since no snapshot says that it only reads"
		case effect != catalog.Read:
			return fmt.Sprintf("the policy read-only, since its effect is %s", effect)
		}
		return ""
	}
	return out, nil
}
