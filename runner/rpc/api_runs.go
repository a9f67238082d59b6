package rpc

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/service"
)

func (s *Server) bindRuns(a *api) {
	bind(s.methods, protocol.DeploymentsRun, a.runDeployment)
	bind(s.methods, protocol.RunsStart, a.startRun)
	bind(s.methods, protocol.RunsGet, a.getRun)
	bind(s.methods, protocol.RunsList, a.listRuns)
	bind(s.methods, protocol.RunsEvents, a.runEvents)
	bind(s.methods, protocol.RunsCancel, a.cancelRun)
	bind(s.methods, protocol.RunsResume, a.resumeRun)
	bind(s.methods, protocol.RunsResolve, a.resolveRun)
	bind(s.methods, protocol.RunsAnswer, a.answerRun)
	bind(s.methods, protocol.RunsOutputs, a.runOutputs)
}

func (a *api) runDeployment(ctx context.Context, p protocol.DeploymentRunParams) (protocol.RunResult, error) {
	return a.start(ctx, service.StartRun{Deployment: p.DeploymentID, Input: p.Input}, p.Start)
}

func (a *api) startRun(ctx context.Context, p protocol.RunStartParams) (out protocol.RunResult, err error) {
	s := service.StartRun{Target: p.Target, Input: p.Input, Texts: p.Texts, Reuse: p.Reuse}
	if s.Bind, err = bindings(p.Bind); err != nil {
		return out, err
	}
	return a.start(ctx, s, p.Start)
}

// start starts a run. One who waits and whose server stops is told which run it is.
func (a *api) start(ctx context.Context, s service.StartRun, how protocol.Start) (out protocol.RunResult, err error) {
	s.Key, s.Caller = how.RunKey, callerOf(ctx).token
	if how.Wait {
		if err := waits(ctx); err != nil {
			return out, err
		}
	}
	r, err := a.host().Start(ctx, s, how.Wait)
	if err != nil {
		return out, err
	}
	return run(r, "")
}

// run is a run as clients see it.
func run(r *service.Run, cursor string) (out protocol.RunResult, err error) {
	out = protocol.RunResult{
		RunStatus: runStatus(r.Record.RunSummary), Output: r.Output, Error: failure(r.Error), Input: r.Input, RunKey: r.Key, Reuses: r.Reuses,
		Steps: make([]protocol.Step, len(r.Steps)), Plan: r.Record.PlanDigest, Existing: r.Existing, Cursor: cursor,
	}
	for i, s := range r.Steps {
		out.Steps[i] = protocol.Step{
			Step: s.Step, Key: s.Key, Round: s.Round, Undo: s.Undo, Name: s.Name, State: string(s.State), Attempts: s.Attempts, Reused: s.Reused,
			Connection: s.Connection, Tool: s.Tool, Generation: s.Generation, StartedAt: s.StartedAt, FinishedAt: s.FinishedAt, Error: failure(s.Error),
		}
	}
	for _, q := range r.Record.Questions {
		one := protocol.Question{
			Run: string(q.Run), Step: q.Step, Key: q.Key, Round: q.Round, Undo: q.Undo, Name: q.Name, Message: q.Message, Answer: q.Answer,
			Schema: q.Schema, Choices: q.Choices, Approvers: q.Approvers, AskedAt: q.AskedAt, Deadline: q.Deadline,
		}
		if q.Approval != nil {
			if one.Approval, err = jsonrpc.Marshal(q.Approval); err != nil {
				return out, err
			}
		}
		out.Questions = append(out.Questions, one)
	}
	return out, nil
}

func runStatus(s journal.RunSummary) protocol.RunStatus {
	return protocol.RunStatus{
		RunID: string(s.Run), Status: string(s.Status), Workflow: s.Workflow, Deployment: s.Deployment,
		StartedAt: s.StartedAt, FinishedAt: s.FinishedAt, Owner: (*protocol.Owner)(s.Owner),
	}
}

func failure(f *journal.Failure) *protocol.Failure {
	if f == nil {
		return nil
	}
	return &protocol.Failure{Kind: f.Kind, Message: f.Message, Code: f.Code, InDoubt: f.InDoubt, Step: f.Step, Key: f.Key}
}

func (a *api) getRun(ctx context.Context, p protocol.RunParams) (out protocol.RunResult, err error) {
	r, err := a.host().Run(ctx, p.RunID)
	if err != nil {
		return out, err
	}
	return run(r, "")
}

func (a *api) runOutputs(ctx context.Context, p protocol.RunParams) (out protocol.RunOutputs, err error) {
	output, err := a.host().Outputs(ctx, p.RunID)
	if err != nil {
		return out, err
	}
	return protocol.RunOutputs{Output: output}, nil
}

func (a *api) listRuns(ctx context.Context, p protocol.RunsListParams) (out protocol.RunsListResult, err error) {
	limit, err := pageLimit(p.Page)
	if err != nil {
		return out, err
	}
	f := service.RunFilter{Workflow: p.Workflow, Deployment: p.Deployment, Limit: limit + 1, Before: p.After}
	for _, s := range p.Statuses {
		f.Statuses = append(f.Statuses, journal.Status(s))
	}
	found, err := a.host().Runs(ctx, f)
	if err != nil {
		return out, err
	}
	if len(found) > limit {
		found = found[:limit]
		out.Next = string(found[limit-1].Run)
	}
	out.Runs = make([]protocol.RunStatus, len(found))
	for i, r := range found {
		out.Runs[i] = runStatus(r)
	}
	return out, nil
}

func (a *api) cancelRun(ctx context.Context, p protocol.RunParams) (out protocol.RunResult, err error) {
	r, err := a.host().Cancel(ctx, p.RunID, callerOf(ctx).by())
	if err != nil {
		return out, err
	}
	return run(r, "")
}

// goOn does what a run goes on after, and returns the run once it has ended or waits
// again if wait is set. The cursor is where its events were before.
func (a *api) goOn(ctx context.Context, id string, wait bool, do func(id string) (*service.Run, error)) (out protocol.RunResult, err error) {
	if wait {
		if err := waits(ctx); err != nil {
			return out, err
		}
	}
	before, err := a.host().Run(ctx, id)
	if err != nil {
		return out, err
	}
	cursor, err := a.host().Place(ctx, before.ID)
	if err != nil {
		return out, err
	}
	r, err := do(before.ID)
	if err == nil && wait {
		r, err = a.host().Wait(ctx, before.ID)
	}
	if err != nil {
		return out, err
	}
	return run(r, strconv.FormatInt(cursor, 10))
}

func (a *api) resumeRun(ctx context.Context, p protocol.RunResumeParams) (protocol.RunResult, error) {
	return a.goOn(ctx, p.RunID, p.Wait, func(id string) (*service.Run, error) {
		return a.host().Resume(ctx, id, service.ResumeRun{NewSessions: p.NewSessions})
	})
}

func (a *api) resolveRun(ctx context.Context, p protocol.RunResolveParams) (out protocol.RunResult, err error) {
	w := engine.Word{Step: p.Step, As: journal.Resolution(p.As), By: callerOf(ctx).by()}
	if !p.Output.IsNull() {
		if w.As != journal.ResolvedOK {
			return out, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "The parameter output says what a step gave that had its effect: it belongs to as = ok.")
		}
		w.Output = &p.Output
	}
	if _, _, err := engine.ParseInstance(p.Step); err != nil {
		return out, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "The parameter step: %v.", err)
	}
	return a.goOn(ctx, p.RunID, p.Wait, func(id string) (*service.Run, error) {
		return a.host().Resolve(ctx, id, w, service.ResumeRun{NewSessions: p.NewSessions})
	})
}

func (a *api) answerRun(ctx context.Context, p protocol.RunAnswerParams) (out protocol.RunResult, err error) {
	who := callerOf(ctx)
	reply := engine.Reply{Step: p.Step, Decline: p.Decline, By: p.As}
	switch {
	case reply.By == "":
		reply.By = who.by()
	case reply.By != who.name && !who.scope.Allows(protocol.Admin):
		return out, &jsonrpc.Error{
			Code: protocol.CodeForbidden, Message: "Only a token with the scope admin may answer in the name of somebody else.", Data: map[string]any{"scope": protocol.Admin},
		}
	}
	switch given := !p.Data.IsNull(); {
	case given && p.Decline:
		return out, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "The parameter data answers, and decline does not: give one of them.")
	case given:
		reply.Data = &p.Data
	}
	if _, _, err := engine.ParseInstance(p.Step); err != nil {
		return out, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "The parameter step: %v.", err)
	}
	return a.goOn(ctx, p.RunID, p.Wait, func(id string) (*service.Run, error) {
		return a.host().Answer(ctx, id, reply)
	})
}

// eventsWait is for how long runs.events waits for an event.
const eventsWait = 30 * time.Second

func (a *api) runEvents(ctx context.Context, p protocol.RunEventsParams) (out protocol.RunEventsResult, err error) {
	out.Events = []protocol.RunEvent{}
	limit, err := pageLimit(protocol.Page{Limit: p.Limit})
	if err != nil {
		return out, err
	}
	after, err := place(p.After)
	if err != nil {
		return out, err
	}
	last, err := a.host().Place(ctx, p.RunID)
	if err != nil {
		return out, err
	}
	if p.Wait {
		if err := waits(ctx); err != nil {
			return out, err
		}
	}
	if after < last || p.Wait {
		within, cancel := context.WithTimeout(ctx, eventsWait)
		defer cancel()
		for ev, err := range a.server.events(within, p.RunID, after) {
			if err != nil && ctx.Err() == nil && within.Err() != nil {
				break // no more within the time
			}
			if err != nil {
				return out, err
			}
			after = ev.Seq
			out.Events = append(out.Events, protocol.RunEvent{Cursor: strconv.FormatInt(after, 10), Event: eventJSON(ev.Event)})
			// A page ends with an event that has a place of its own, so that the next one
			// begins behind it.
			if ev.Kept && (len(out.Events) >= limit || after >= last) {
				break
			}
		}
	}
	r, err := a.host().Run(ctx, p.RunID)
	if err != nil {
		return out, err
	}
	if last, err = a.host().Place(ctx, p.RunID); err != nil {
		return out, err
	}
	out.End = isOver(r) && after >= last
	return out, nil
}

// isOver reports whether a run has no more events unless somebody does something.
func isOver(r *service.Run) bool { return r.Ended() || r.Status == journal.Waiting }

// place reads a cursor of events.
func place(cursor string) (int64, error) {
	if cursor == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(cursor, 10, 64)
	if err != nil || n < 0 {
		return 0, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%q is no cursor of an event.", cut(cursor))
	}
	return n, nil
}

// eventJSON is an event as `wfc run --json` prints it, with the effect of a call, from
// which views count what was done.
func eventJSON(ev engine.Event) json.RawMessage {
	out := ev.AppendJSON(nil)
	if started, ok := ev.(engine.StepStarted); ok && started.Effect != "" {
		out = value.AppendString(append(out[:len(out)-1], `,"effect":`...), started.Effect)
		out = append(out, '}')
	}
	return out
}
