package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/service"
)

// metaRun is where a result says which run it is of.
const metaRun = "wfc/run_id"

// handler runs the deployment of a tool.
func (s *Server) handler(name string) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.calls.Add(1)
		defer s.calls.Done()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(s.end, func() { cancel(context.Cause(s.end)) })()
		s.mu.Lock()
		t := s.tools[name]
		s.mu.Unlock()
		run, wrong, err := s.begin(ctx, name, t, req)
		if err == nil {
			return s.await(ctx, name, t, req, run, wrong)
		}
		return refusal(ctx, err)
	}
}

// begin starts the run of a call, or goes on with the one that asked something; wrong
// says what is wrong with answers, by the names of their questions.
func (s *Server) begin(ctx context.Context, name string, t tool, req *mcp.CallToolRequest) (run string, wrong map[string]string, err error) {
	if state := req.Params.RequestState; state != "" {
		run, ours := s.seal.open(name, state)
		if !ours {
			return "", nil, errors.New("The request state is none of this server, which may have been started anew since. Call the tool again; a run that waits is found with wfc runs list")
		}
		wrong, err := s.answers(ctx, req, run)
		return run, wrong, err
	}
	input, err := arguments(req)
	if err != nil {
		return "", nil, err
	}
	// A call that is cancelled while its run begins must still know which run to cancel.
	r, err := s.host.Start(context.WithoutCancel(ctx), service.StartRun{Deployment: t.deployment, Input: input, Caller: "mcp"}, false)
	if err != nil {
		return "", nil, err
	}
	return r.ID, nil, nil
}

// arguments returns the arguments of a call, an object.
func arguments(req *mcp.CallToolRequest) (value.Value, error) {
	if len(req.Params.Arguments) == 0 {
		return value.NullValue, nil
	}
	v, err := value.ParseJSON(req.Params.Arguments)
	if err != nil {
		return value.NullValue, fmt.Errorf("The arguments %s.", value.NotTaken(err))
	}
	return v, nil
}

// refusal is the result of a call that began no run. The reason is for the model that
// called, which may do better (SEP-1303).
func refusal(ctx context.Context, err error) (*mcp.CallToolResult, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return failed(err.Error(), ""), nil
}

func failed(text, run string) *mcp.CallToolResult {
	r := &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	if run != "" {
		r.Meta = mcp.Meta{metaRun: run}
	}
	return r
}

// await waits for the end of a run, and answers the call with it. A call that is
// cancelled cancels its run; the end of the server does not.
func (s *Server) await(ctx context.Context, name string, t tool, req *mcp.CallToolRequest, id string, wrong map[string]string) (*mcp.CallToolResult, error) {
	p := progress{req: req, token: req.Params.GetProgressToken(), total: t.steps}
	for {
		run, err := s.rest(ctx, &p, id)
		if err != nil {
			if ctx.Err() != nil && s.end.Err() == nil {
				s.cancel(id)
			}
			return nil, err
		}
		if run.Status != journal.Waiting {
			return s.result(ctx, req, run), nil
		}
		answer, again, err := s.ask(ctx, name, req, run, wrong)
		if err != nil || !again {
			return answer, err
		}
	}
}

// cancel cancels the run of a call that nobody waits for any more, and waits until it
// has undone what it did.
func (s *Server) cancel(id string) {
	_, err := s.host.Cancel(s.end, id, "its MCP client")
	if err == nil {
		_, err = s.host.Wait(s.end, id)
	}
	if err != nil {
		s.log.Warn("the run of a cancelled call has not ended", "run", id, "why", err.Error())
	}
}

// rest follows a run until it has ended or waits, and tells the client how it goes.
func (s *Server) rest(ctx context.Context, p *progress, id string) (*service.Run, error) {
	if p.token == nil {
		return s.host.Wait(ctx, id)
	}
	for ev, err := range s.host.Follow(ctx, id, p.after) {
		if err != nil {
			return nil, err
		}
		p.after = max(p.after, ev.Seq)
		p.tell(ctx, ev.Event)
	}
	// Following ends as soon as the last event is told; the run ends right behind it.
	return s.host.Wait(ctx, id)
}

// progress tells a client how far a run is: how many steps have ended. It must grow
// with every message.
type progress struct {
	req   *mcp.CallToolRequest
	token any // nil: nobody wants to know
	total int
	after int64 // the place of the last event that was seen

	ended int
	last  float64
}

func (p *progress) tell(ctx context.Context, ev engine.Event) {
	switch ev := ev.(type) {
	case engine.StepFinished:
		if !whole(ev.Step) {
			return
		}
		p.ended++
		p.send(ctx, float64(p.ended), fmt.Sprintf("%s: %s", ev.Step.Step, ev.Outcome))
	case engine.StepProgress:
		if ev.Total > 0 && ev.Message != "" && whole(ev.Step) {
			p.send(ctx, float64(p.ended)+min(ev.Progress.Progress/ev.Total, 0.99), ev.Step.Step+": "+ev.Message)
		}
	}
}

// whole reports whether it is a step of the workflow itself, all of it.
func whole(in engine.Instance) bool {
	return in.In == nil && in.Key.Kind() == value.Null && in.Round == 0 && in.Undo == 0
}

func (p *progress) send(ctx context.Context, to float64, message string) {
	if to <= p.last {
		return
	}
	p.last = to
	// A client that cannot be told is told the result, or not that either.
	_ = p.req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: p.token, Progress: to, Total: float64(max(p.total, p.ended)), Message: message,
	})
}

// result is the answer of a run that has ended.
func (s *Server) result(ctx context.Context, req *mcp.CallToolRequest, run *service.Run) *mcp.CallToolResult {
	if run.Status == journal.Completed {
		out := value.AppendJSON(nil, run.Output)
		return &mcp.CallToolResult{
			Meta: mcp.Meta{metaRun: run.ID}, StructuredContent: json.RawMessage(out),
			Content: s.content(ctx, req, run, string(out)),
		}
	}
	f := run.Error
	switch {
	case f == nil:
		return failed(fmt.Sprintf("The run %s is %s.", run.ID, run.Status), run.ID)
	case f.Step != "":
		at := journal.Part{Key: string(f.Key)}.Name(f.Step)
		why := strings.TrimPrefix(f.Message, fmt.Sprintf("Step %s failed: ", at)) // as that of an element says
		return failed(fmt.Sprintf("The step %s failed (%s): %s", at, f.Kind, why), run.ID)
	}
	return failed(fmt.Sprintf("The run failed (%s): %s", f.Kind, f.Message), run.ID)
}
