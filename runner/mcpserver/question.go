package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/service"
)

// A run that asks a person asks the client's: by elicitation in a session, and by a
// result that wants input where there is none (SEP-2322). Who asked for the run need
// not be who may answer, and whoever answers first counts, wherever that is.

// wrongTimes bounds how often a question is asked again because its answer was none
// that it takes: a client may answer without a person, always the same.
const wrongTimes = 3

// answers takes what a client sends back to the questions of a run. Of answers that are
// none it returns why, by the names of their questions; nil: all are.
func (s *Server) answers(ctx context.Context, req *mcp.CallToolRequest, id string) (wrong map[string]string, err error) {
	run, err := s.host.Run(ctx, id)
	if err != nil {
		return nil, err
	}
	for _, q := range run.Record.Questions {
		response, ok := req.Params.InputResponses[q.Name].(*mcp.ElicitResult)
		if !ok {
			continue
		}
		_, err := s.answer(ctx, req, q, response)
		if none := (*wrongAnswer)(nil); errors.As(err, &none) {
			if wrong == nil {
				wrong = map[string]string{}
			}
			wrong[q.Name] = none.Error()
		} else if err != nil {
			return nil, err
		}
	}
	return wrong, nil
}

// ask asks the client's person what a run waits for. again says that the run goes on,
// or that there is more to ask; else the result is the answer of the call. wrong says
// what was wrong with answers before.
func (s *Server) ask(ctx context.Context, name string, req *mcp.CallToolRequest, run *service.Run, wrong map[string]string) (_ *mcp.CallToolResult, again bool, err error) {
	var open []journal.Question
	for _, q := range run.Record.Questions {
		if q.Approvers == nil || slices.Contains(q.Approvers, s.by(req)) {
			open = append(open, q)
		}
	}
	if len(open) == 0 || !elicits(req) {
		return waits(run), false, nil
	}
	if !inSessions(req) {
		wanted := mcp.InputRequestMap{}
		for _, q := range open {
			wanted[q.Name] = formOf(&q).params(&q, wrong[q.Name])
		}
		return &mcp.CallToolResult{InputRequests: wanted, RequestState: s.seal.close(name, run.ID)}, false, nil
	}
	for _, q := range open {
		why := ""
		for times := 1; ; times++ {
			response, err := req.Session.Elicit(ctx, formOf(&q).params(&q, why))
			if err != nil {
				if ctx.Err() != nil {
					return nil, false, context.Cause(ctx)
				}
				s.log.Warn("a client cannot be asked", "run", run.ID, "why", err.Error())
				return waits(run), false, nil
			}
			taken, err := s.answer(ctx, req, q, response)
			if none := (*wrongAnswer)(nil); errors.As(err, &none) {
				if why = none.Error(); times == wrongTimes {
					return waits(run), false, nil
				}
				continue
			}
			if err != nil {
				return nil, false, err
			}
			if !taken {
				return waits(run), false, nil
			}
			break
		}
	}
	return nil, true, nil
}

// wrongAnswer is an answer that is not what the question wants.
type wrongAnswer struct{ error }

// answer hands an answer on. taken is false where the person gave none.
func (s *Server) answer(ctx context.Context, req *mcp.CallToolRequest, q journal.Question, response *mcp.ElicitResult) (taken bool, err error) {
	reply := engine.Reply{Step: q.Name, By: s.by(req)}
	switch response.Action {
	case "decline":
		reply.Decline = true
	case "accept":
		if q.Approval == nil {
			data, err := formOf(&q).read(response.Content)
			if err != nil {
				return false, &wrongAnswer{err}
			}
			reply.Data = &data
		}
	default:
		return false, nil // it was closed; the question waits
	}
	_, err = s.host.Answer(ctx, string(q.Run), reply)
	switch refused := (*service.Error)(nil); {
	case errors.Is(err, engine.ErrBadAnswer):
		return false, &wrongAnswer{err}
	case errors.As(err, &refused) && refused.Kind == service.Conflict:
		return true, nil // somebody was faster, and the run goes on with that
	case err != nil:
		return false, err
	}
	return true, nil
}

// by says who sends a request: the principal, or whoever runs the server.
func (s *Server) by(req *mcp.CallToolRequest) string {
	if req.Extra != nil && req.Extra.TokenInfo != nil {
		return req.Extra.TokenInfo.UserID
	}
	return s.options.User
}

// elicits reports whether the client can ask its person with a form.
func elicits(req *mcp.CallToolRequest) bool {
	c := req.ClientCapabilities()
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// inSessions reports whether the request is of a session, in which the server can ask.
func inSessions(req *mcp.CallToolRequest) bool {
	p := req.Session.InitializeParams()
	return p != nil && p.ProtocolVersion < modern
}

// waits is the answer of a run that waits for somebody who is not here.
func waits(run *service.Run) *mcp.CallToolResult {
	var b strings.Builder
	fmt.Fprintf(&b, "The run %s waits for a person, and has not ended.", run.ID)
	for _, q := range run.Record.Questions {
		fmt.Fprintf(&b, " The step %s asks: %s", q.Name, q.Message)
		if q.Approvers != nil {
			fmt.Fprintf(&b, " (Asked are %s.)", strings.Join(q.Approvers, ", "))
		}
	}
	for _, step := range run.Steps {
		if step.State == journal.StateInDoubt {
			fmt.Fprintf(&b, " Whether the step %s had its effect is not known.", step.Step)
		}
	}
	fmt.Fprintf(&b, "\n\n  wfc runs show %s\n\nsays what is to be decided, and how.", run.ID)
	return failed(b.String(), run.ID)
}
