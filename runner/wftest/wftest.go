// Package wftest runs the tests of a project: test blocks, which run a workflow on
// the engine's core against mocks. No process is started, no socket is opened, and
// time is the test's own, so that a test that waits for hours takes no time.
//
// Its central functions are [Run], which runs tests side by side, and the writers of
// [Report]. It may import the compiler, lang, and of runner the engine and redact.
package wftest

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/schema"
	"github.com/lda-wf/wfc/runner/engine"
)

// Status is how a test came out.
type Status string

// The statuses.
const (
	Passed Status = "passed"
	Failed Status = "failed"
	Broken Status = "broken" // it, or the workflow that it runs, has errors, so that nothing ran
)

// Result is what came of one test.
type Result struct {
	Name     string
	Workflow string // "": it does not exist
	// Deployment is the one that the test names; "": none.
	Deployment string
	At         diag.Range
	Status     Status
	Failures   []Failure
	// Diagnostics are the errors of a test that is broken.
	Diagnostics diag.List
	// Idle are the mock and answer blocks that answered nothing, in file order.
	Idle     []Idle
	Calls    int           // attempts of calls, reads and prompts
	Virtual  time.Duration // that passed in the run
	Elapsed  time.Duration // that running it took
	coverage *coverage
	stopped  []Failure // because of which the run was not gone on with
}

// Failure is one thing that is not as a test expects it.
type Failure struct {
	At      diag.Range
	Message string // full sentences
	// Differences are between an expected value and what it came to.
	Differences []Difference
	// Values are what the parts of a condition that does not hold come to.
	Values []Named
	// Mock is a mock block that would answer a call that none does; "" for other failures.
	Mock string
}

// Named is a part of an expression with its value, as text.
type Named struct{ Name, Value string }

// Idle is a block of a test that answered nothing.
type Idle struct {
	At   diag.Range
	What string // mock "demo" "greet"
}

// Report is what came of a number of tests.
type Report struct {
	Results  []Result // in the order of the tests
	Coverage []WorkflowCoverage
	// Unreadable are errors in test files that are of no test that could be read.
	Unreadable diag.List
	Elapsed    time.Duration
}

// Count returns how many tests came out so.
func (r *Report) Count(s Status) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Status == s {
			n++
		}
	}
	return n
}

// OK reports whether all tests passed, and all test files could be read.
func (r *Report) OK() bool { return r.Count(Passed) == len(r.Results) && len(r.Unreadable) == 0 }

// Add adds what came of the tests of another project.
func (r *Report) Add(o *Report) {
	r.Results = append(r.Results, o.Results...)
	r.Coverage = append(r.Coverage, o.Coverage...)
	r.Unreadable = append(r.Unreadable, o.Unreadable...)
	r.Elapsed += o.Elapsed
}

// Run runs tests, as many at once as there are processors. source gives the bytes of a
// file of the project. Once ctx is done, no test begins, and those that did not end are
// failures that say so.
func Run(ctx context.Context, tests []compiler.Test, source func(file string) []byte) *Report {
	began := time.Now()
	report := &Report{Results: make([]Result, len(tests))}
	common := &shared{}
	work := make(chan int, len(tests))
	for i := range tests {
		work <- i
	}
	close(work)
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(tests)) {
		workers.Go(func() {
			for i := range work {
				report.Results[i] = one(ctx, &tests[i], common, nil)
			}
		})
	}
	workers.Wait()
	report.Coverage = covered(tests, report.Results)
	report.locate(source)
	report.Elapsed = time.Since(began)
	return report
}

// Renamed returns the report with other names for its files. list gives findings with
// these names.
func (r *Report) Renamed(name func(file string) string, list func(diag.List) diag.List) *Report {
	out := *r
	out.Results = Renamed(r.Results, name, list)
	out.Unreadable = list(r.Unreadable)
	out.Coverage = slices.Clone(r.Coverage)
	for i := range out.Coverage {
		steps := slices.Clone(out.Coverage[i].Steps)
		for j := range steps {
			steps[j].At.File = name(steps[j].At.File)
		}
		out.Coverage[i].Steps = steps
	}
	return &out
}

// Renamed returns results with other names for their files, as [Report.Renamed].
func Renamed(results []Result, name func(file string) string, list func(diag.List) diag.List) []Result {
	out := slices.Clone(results)
	for i := range out {
		x := &out[i]
		x.At.File = name(x.At.File)
		x.Diagnostics = list(x.Diagnostics)
		x.Failures, x.Idle = slices.Clone(x.Failures), slices.Clone(x.Idle)
		for j := range x.Failures {
			x.Failures[j].At.File = name(x.Failures[j].At.File)
		}
		for j := range x.Idle {
			x.Idle[j].At.File = name(x.Idle[j].At.File)
		}
	}
	return out
}

// locate computes the lines and columns of all places.
func (r *Report) locate(source func(file string) []byte) {
	var places []*diag.Range
	for i := range r.Results {
		x := &r.Results[i]
		places = append(places, &x.At)
		for j := range x.Failures {
			if at := &x.Failures[j].At; at.End.Byte > 0 { // else it is of a plan, which has lines and columns
				places = append(places, at)
			}
		}
		for j := range x.Idle {
			places = append(places, &x.Idle[j].At)
		}
	}
	list := make(diag.List, len(places))
	for i, at := range places {
		list[i].Range = *at
	}
	list.Locate(source)
	for i, at := range places {
		*at = list[i].Range
	}
}

// shared is what tests have in common: plans that are made ready, and the schemas of
// tools, each once.
type shared struct {
	schemas  schema.Cache
	mu       sync.Mutex
	programs map[*plan.Plan]func() (*engine.Program, error)
}

func (s *shared) program(p *plan.Plan) (*engine.Program, error) {
	s.mu.Lock()
	f := s.programs[p]
	if f == nil {
		f = sync.OnceValues(func() (*engine.Program, error) { return engine.NewProgram(p) })
		if s.programs == nil {
			s.programs = map[*plan.Plan]func() (*engine.Program, error){}
		}
		s.programs[p] = f
	}
	s.mu.Unlock()
	return f()
}
