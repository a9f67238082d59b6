package wftest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
)

// one runs a test. A fault of wfc is a failure of the test that met it.
func one(ctx context.Context, t *compiler.Test, common *shared, rec *recording) (r Result) {
	began := time.Now()
	r = Result{Name: t.Syntax.Name.Text, At: diag.RangeOf(t.Syntax.Header), Status: Failed}
	if t.Workflow != nil {
		r.Workflow = t.Workflow.Name.Text
	}
	if t.Deployment != nil {
		r.Deployment = t.Deployment.Name.Text
	}
	defer func() {
		if fault := recover(); fault != nil {
			r.Failures = append(r.Failures, Failure{At: r.At, Message: fmt.Sprintf("This is a bug in wfc: running the test failed (%v). Please report it with the test and these lines:\n\n%s", fault, debug.Stack())})
			r.Status = Failed
		}
		r.Elapsed = time.Since(began)
	}()
	if t.Plan == nil {
		r.Status, r.Diagnostics = Broken, t.Diagnostics
		return r
	}
	if ctx.Err() != nil {
		r.Failures = []Failure{{At: r.At, Message: "The test was interrupted before it began."}}
		return r
	}
	program, err := common.program(t.Plan)
	if err != nil {
		r.Failures = []Failure{{At: r.At, Message: fmt.Sprintf("The plan of the workflow cannot be run: %v. This is a bug in wfc.", err)}}
		return r
	}
	s := &simulation{test: t, shared: common, ctx: ctx, now: epoch, coverage: newCoverage()}
	r.coverage = s.coverage
	options := engine.CoreOptions{
		Blob:   s.blob,
		Secret: func(name string) (string, error) { return "secret." + name, nil },
		Interrupted: func() *engine.Failure {
			if s.rounds++; s.rounds <= maxRounds && ctx.Err() == nil {
				return nil
			}
			return &engine.Failure{Kind: engine.KindLimit, Message: fmt.Sprintf("A test makes no more than %d rounds of loops.", maxRounds)}
		},
	}
	if rec != nil {
		s.live, options.Secret, options.Redact = rec.call, rec.server.Secret, rec.server.Text
		options.Blob = func(b *value.BlobValue) ([]byte, error) {
			if data, err := s.blob(b); err == nil {
				return data, nil
			}
			return rec.server.Blob(b)
		}
	}
	s.core = engine.NewCore(program, options)
	s.take(rec)
	wrong := s.given(program)
	if wrong == nil && len(s.problems) == 0 {
		s.run()
	}
	r.Calls, r.Virtual = len(s.calls), s.now.Sub(epoch)
	for i := range s.problems {
		hide := s.hiding()
		s.problems[i].Message, s.problems[i].Mock = hide.Text(s.problems[i].Message), hide.Text(s.problems[i].Mock)
	}
	r.Failures, r.stopped = s.problems, s.problems
	if len(s.problems) == 0 {
		r.Failures = s.judge(wrong)
		r.Idle = s.idle()
	}
	if len(r.Failures) == 0 {
		r.Status = Passed
	}
	return r
}

// take takes the mocks of the test, without those that are recorded anew.
func (s *simulation) take(rec *recording) {
	for i, m := range s.test.Syntax.Mocks {
		if rec != nil && rec.replaces(m) {
			continue
		}
		s.mocks = append(s.mocks, mock{syntax: m, exprs: s.test.Mocks[i], check: s.test.Test.Mocks[i]})
	}
	for i, a := range s.test.Syntax.Answers {
		s.answers = append(s.answers, answering{syntax: a, exprs: s.test.Answers[i]})
	}
}

// given evaluates the inputs. It returns why a run does not begin with them, nil where
// it does.
func (s *simulation) given(program *engine.Program) *engine.InputError {
	var given value.Value
	if e := s.test.Inputs; !e.IsZero() {
		r, err := eval.Eval(e, eval.MapScope{})
		if err != nil {
			s.broken(s.test.Syntax.Inputs, e, "The inputs of the test cannot be computed: %s", err)
			return nil
		}
		given = r.Value
	}
	s.inputs = value.OfObject(nil)
	if !s.before() {
		return nil
	}
	inputs, err := program.Inputs(given)
	var wrong *engine.InputError
	if errors.As(err, &wrong) {
		return wrong
	}
	if err != nil {
		s.problem(s.header(), fmt.Sprintf("The run does not begin with these inputs: %s", err))
		return nil
	}
	s.inputs = inputs
	return nil
}

// before evaluates run.previous, and reports whether it could.
func (s *simulation) before() bool {
	e := s.test.Previous
	if e.IsZero() {
		return true
	}
	r, err := eval.Eval(e, eval.MapScope{})
	if err != nil {
		s.broken(s.test.Syntax.Previous, e, "The run before that of the test cannot be computed: %s", err)
		return false
	}
	if r.Value.Kind() != value.Object {
		return true
	}
	o := value.NewObject(3)
	o.Set("id", value.OfString("before"))
	o.Set("started_at", value.OfString(epoch.Add(-24*time.Hour).Format(time.RFC3339)))
	for name, v := range r.Value.AsObject().All() {
		o.Set(name, v)
	}
	s.previous = value.OfObject(o)
	return true
}

// idle are the mocks and answers that answered nothing.
func (s *simulation) idle() (out []Idle) {
	for i := range s.mocks {
		if m := &s.mocks[i]; m.used == 0 {
			out = append(out, Idle{diag.RangeOf(m.syntax.Header), fmt.Sprintf("mock %q %q", m.syntax.Source.Text, m.syntax.Tool.Text)})
		}
	}
	for i := range s.answers {
		if a := &s.answers[i]; a.used == 0 {
			out = append(out, Idle{diag.RangeOf(a.syntax.Header), fmt.Sprintf("answer %q", a.syntax.Step.Text)})
		}
	}
	slices.SortFunc(out, func(a, b Idle) int { return a.At.Start.Byte - b.At.Start.Byte })
	return out
}

// sentence ends a text as a sentence does.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "."
}
