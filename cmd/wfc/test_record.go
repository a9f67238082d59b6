package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/runner/service"
	"github.com/lda-wf/wfc/runner/wftest"
)

// record makes mocks of what real servers answer, and writes them into the test
// files. The error has been shown where tests could not be recorded.
func (k *testRun) record(ctx context.Context) error {
	projects, err := k.load()
	if err != nil {
		return failed(err)
	}
	wrong, source := &wftest.Report{}, sources{}
	for _, p := range projects {
		r, err := k.recordProject(ctx, p)
		if ctx.Err() != nil {
			return &exit{code: exitInterrupted}
		}
		if err != nil {
			return failed(err)
		}
		for _, name := range slices.Sorted(maps.Keys(r.Files)) {
			if err := replace(p.project, name, r.Files[name]); err != nil {
				return failed(err)
			}
		}
		name, _ := namesFromHere(p.project)
		for _, t := range r.Tests {
			fmt.Fprintf(k.std.err, "%s:%d: %s recorded for %s\n", name(t.At.File), t.At.Start.Line, mocks(t.Mocks), t.Name)
		}
		wrong.Add(k.named(len(projects), p.project, &wftest.Report{Results: r.Results}, source))
	}
	if len(wrong.Results) == 0 {
		return nil
	}
	if err := wrong.WriteText(k.std.err, textOptions(k.std.err, source.of)); err != nil {
		return failed(err)
	}
	return failed(fmt.Errorf("%d of the tests could not be recorded and are as they were", len(wrong.Results)))
}

func mocks(n int) string {
	if n == 1 {
		return "1 mock"
	}
	return fmt.Sprintf("%d mocks", n)
}

func (k *testRun) recordProject(ctx context.Context, p *tested) (_ *wftest.Recording, err error) {
	view := newProgress(k.std.err)
	defer view.close()
	svc, err := newService(p.project, k.std, view)
	if err != nil {
		return nil, err
	}
	defer closeAfter(svc, &err)
	var open []*service.Calls
	defer func() {
		for _, c := range open {
			c.Close()
		}
	}()
	return wftest.Record(ctx, p.project, &p.Selection, func(ctx context.Context, x *plan.Plan) (wftest.Server, error) {
		prepared, err := svc.Prepare(ctx, x)
		if err != nil {
			return nil, err
		}
		calls := prepared.Calls()
		open = append(open, calls)
		return calls, nil
	})
}
