package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/service"
)

// answers takes what a client answered to the questions of a run.
func (s *Server) answers(context.Context, *mcp.CallToolRequest, string) error {
	return errors.New("The run asks nothing.")
}

// ask asks the client's person what a run waits for. again says that it was answered
// and the run goes on; else the result is the answer of the call.
func (s *Server) ask(_ context.Context, _ string, _ *mcp.CallToolRequest, run *service.Run) (_ *mcp.CallToolResult, again bool, err error) {
	return waits(run), false, nil
}

// waits is the answer of a run that waits for somebody who is not here.
func waits(run *service.Run) *mcp.CallToolResult {
	var b strings.Builder
	fmt.Fprintf(&b, "The run %s waits for a person, and has not ended.", run.ID)
	for _, step := range run.Steps {
		if step.State == journal.StateInDoubt {
			fmt.Fprintf(&b, " Whether the step %s had its effect is not known.", step.Step)
		}
	}
	fmt.Fprintf(&b, "\n\n  wfc runs show %s\n\nsays what is to be decided, and how.", run.ID)
	return failed(b.String(), run.ID)
}
