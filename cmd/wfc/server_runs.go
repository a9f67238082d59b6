package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/rpc/client"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
)

// runs returns the last runs of a server; limit 0: all.
func (r *remote) runs(ctx context.Context, limit int) ([]journal.RunSummary, error) {
	const page = 1000 // as many as a server gives at once
	var out []journal.RunSummary
	params := protocol.RunsListParams{}
	for {
		params.Limit = page
		if limit > 0 {
			params.Limit = min(limit-len(out), page)
		}
		got, err := client.Call(ctx, r.Client, protocol.RunsList, params)
		if err != nil {
			return nil, refusal(err)
		}
		for _, s := range got.Runs {
			out = append(out, summaryOf(s))
		}
		if got.Next == "" || limit > 0 && len(out) >= limit {
			return out, nil
		}
		params.After = got.Next
	}
}

func summaryOf(s protocol.RunStatus) journal.RunSummary {
	return journal.RunSummary{
		Run: journal.RunID(s.RunID), Workflow: s.Workflow, Deployment: s.Deployment, Status: journal.Status(s.Status),
		StartedAt: s.StartedAt, FinishedAt: s.FinishedAt, Owner: (*journal.Owner)(s.Owner),
	}
}

// record returns what a server knows of a run, values as the run itself printed them.
func (r *remote) record(ctx context.Context, run string) (*journal.RunRecord, error) {
	got, err := client.Call(ctx, r.Client, protocol.RunsGet, protocol.RunParams{RunID: run})
	if err != nil {
		return nil, refusal(err)
	}
	return recordOfResult(got)
}

// recordOfResult is a run of a server as the journal would have it.
func recordOfResult(got protocol.RunResult) (*journal.RunRecord, error) {
	out := &journal.RunRecord{
		RunSummary: summaryOf(got.RunStatus), PlanDigest: got.Plan, Key: got.RunKey, Reuses: journal.RunID(got.Reuses),
		Inputs: value.AppendJSON(nil, got.Input), Steps: []journal.StepRecord{},
	}
	if !got.Output.IsNull() {
		out.Outputs = value.AppendJSON(nil, got.Output)
	}
	if err := errors.Join(recast(got.Error, &out.Error), recast(got.Steps, &out.Steps), recast(got.Questions, &out.Questions)); err != nil {
		return nil, failed(fmt.Errorf("the run %s cannot be shown: %w", got.RunID, err))
	}
	return out, nil
}

// recast makes of a value another one whose JSON is the same, field by field.
func recast(from, to any) error {
	src, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(src, to)
}

// resume goes on with a run at the server and shows it.
func (r *remote) resume(ctx context.Context, std streams, run string, anew, asJSON bool) error {
	return r.performing(ctx, std, asJSON, func(ctx context.Context, p *performance) error {
		got, err := client.Call(ctx, r.Client, protocol.RunsResume, protocol.RunResumeParams{RunID: run, NewSessions: anew})
		if err != nil {
			return refusal(err)
		}
		return r.follow(ctx, p, got.RunID, got.Cursor)
	})
}

// resolve takes a word on a step in doubt to the server, and shows how the run goes on.
func (r *remote) resolve(ctx context.Context, std streams, run string, w engine.Word, anew, asJSON bool) error {
	return r.performing(ctx, std, asJSON, func(ctx context.Context, p *performance) error {
		params := protocol.RunResolveParams{RunID: run, Step: w.Step, As: string(w.As), NewSessions: anew}
		if w.Output != nil {
			params.Output = *w.Output
		}
		got, err := client.Call(ctx, r.Client, protocol.RunsResolve, params)
		if err != nil {
			return refusal(err)
		}
		p.say("The step %s is resolved: %s.", printable(w.Step), w.As)
		return r.follow(ctx, p, got.RunID, got.Cursor)
	})
}

// answer takes a reply to a question to the server, and shows how the run goes on.
func (r *remote) answer(ctx context.Context, std streams, run string, reply engine.Reply, asJSON bool) error {
	return r.performing(ctx, std, asJSON, func(ctx context.Context, p *performance) error {
		params := protocol.RunAnswerParams{RunID: run, Step: reply.Step, Decline: reply.Decline, As: reply.By}
		if reply.Data != nil {
			params.Data = *reply.Data
		}
		got, err := client.Call(ctx, r.Client, protocol.RunsAnswer, params)
		if err != nil {
			return refusal(err)
		}
		what := "answered"
		if reply.Decline {
			what = "declined"
		}
		p.say("The question of the step %s is %s.", printable(reply.Step), what)
		return r.follow(ctx, p, got.RunID, got.Cursor)
	})
}

// cancel asks the server for the end of a run. Where nothing executed it, the server
// does now, and its end is shown.
func (r *remote) cancel(ctx context.Context, std streams, run string, asJSON bool) error {
	return r.performing(ctx, std, asJSON, func(ctx context.Context, p *performance) error {
		before, err := client.Call(ctx, r.Client, protocol.RunsGet, protocol.RunParams{RunID: run})
		if err != nil {
			return refusal(err)
		}
		got, err := client.Call(ctx, r.Client, protocol.RunsCancel, protocol.RunParams{RunID: before.RunID})
		if err != nil {
			return refusal(err)
		}
		if before.Owner != nil {
			p.say("The run %s is executed by %s, which was asked to end it.", before.RunID, (*journal.Owner)(before.Owner))
			return nil
		}
		return cancelled(ctx, r.follow(ctx, p, got.RunID, got.Cursor))
	})
}
