package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runner/rpc/client"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
)

// runAt has a server run a deployment or a workflow of its project, and shows it as
// [runWorkflow] does. It reads no project.
func runAt(ctx context.Context, std streams, at *remote, target string, f runFlags) error {
	if f.plan {
		return usage("--plan is for a project on this computer. Leave --server out, where the project is")
	}
	params, err := startOf(std, target, f)
	if err != nil {
		return err
	}
	return at.performing(ctx, std, f.json, func(ctx context.Context, p *performance) error {
		var worst error
		for range f.repeat {
			r, err := client.Call(ctx, at.Client, protocol.RunsStart, params)
			if ctx.Err() != nil {
				return &exit{code: exitInterrupted}
			}
			if err != nil {
				return refusal(err)
			}
			err = at.follow(ctx, p, r.RunID, r.Cursor)
			if e := (*exit)(nil); errors.As(err, &e) && e.code != exitFailed {
				return err
			}
			if err != nil {
				worst = err
			}
		}
		return worst
	})
}

// startOf is what a server is asked to run. What is a text and what JSON among the
// inputs it decides: it has the workflow.
func startOf(std streams, target string, f runFlags) (p protocol.RunStartParams, err error) {
	p = protocol.RunStartParams{Target: target, Reuse: f.reuse}
	if f.inputFile != "" {
		if p.Input, _, err = object(std, "input-file", "@"+f.inputFile); err != nil {
			return p, err
		}
	}
	for _, pair := range f.inputs {
		name, text, _ := cutInput(pair)
		if p.Texts == nil {
			p.Texts = map[string]string{}
		}
		p.Texts[name] = text
	}
	for _, pair := range f.binds {
		source, connection, ok := cut(pair)
		if !ok {
			return p, usage("--bind %q: write SOURCE=CONNECTION", pair)
		}
		p.Bind = append(p.Bind, protocol.Binding{LogicalSource: source, ConcreteSource: connection})
	}
	return p, nil
}

// performing shows what a server does. ctx ends with the first of the [interrupts].
func (r *remote) performing(ctx context.Context, std streams, asJSON bool, do func(context.Context, *performance) error) error {
	p := newPerformance(std, r.flag, asJSON)
	p.record = r.record
	return p.perform(ctx, func(ctx context.Context) error { return do(ctx, p) })
}

// follow shows a run of a server from the event after a cursor until it has ended or
// waits, and returns what the command ends with. The end of ctx cancels the run, whose
// end is shown all the same.
func (r *remote) follow(ctx context.Context, p *performance, run, cursor string) error {
	going := context.WithoutCancel(ctx)
	told := make(chan struct{})
	untold := context.AfterFunc(ctx, func() {
		defer close(told)
		// An error shows in the events: they come to no end, or the run goes on.
		_, _ = client.Call(going, r.Client, protocol.RunsCancel, protocol.RunParams{RunID: run})
	})
	defer func() {
		if !untold() {
			<-told
		}
	}()
	outcome := &engine.Outcome{Run: run}
	for ev, err := range r.Events(going, run, cursor) {
		if err != nil {
			return fmt.Errorf("%w\nThe run %s goes on at the server. Look at it with\n\n    wfc runs show %s%s", refusal(err), run, run, r.flag)
		}
		event, err := engine.ReadEvent(ev.Data)
		if errors.Is(err, engine.ErrUnknownEvent) {
			continue
		}
		if err != nil {
			return failed(err)
		}
		p.watch(event)
		switch event := event.(type) {
		case engine.RunFinished:
			outcome.Status, outcome.Outputs, outcome.Err = event.Status, event.Outputs, event.Err
		case engine.RunWaits:
			outcome.Status = engine.StatusWaiting
		}
	}
	if outcome.Status == "" { // its events were over before
		record, err := r.record(going, run)
		if err != nil {
			return err
		}
		if outcome.Status = engine.Status(record.Status); record.Status == journal.Completed {
			if outcome.Outputs, err = value.ParseJSON(record.Outputs); err != nil {
				return failed(err)
			}
		}
	}
	return p.ended(going, outcome)
}
