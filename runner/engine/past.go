package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// Past is what is known of the steps of a run: what they came to, and what that
// came of. It is immutable. A new run keeps the results in it whose step and
// whose inputs are the same (see [Options].Past).
type Past struct {
	run    journal.RunID
	reuses journal.RunID // "": none
	steps  map[stepName]*pastStep
	order  []stepName // those with a basis, as they ended
}

// stepName is a step as the journal names it.
type stepName struct{ path, text string }

// pastStep is one step, element, or round of a loop.
type pastStep struct {
	basis  *basis     // nil: nothing was evaluated
	end    *NodeEnded // nil: it has not ended
	undone bool       // an undo block of it, or of a step in it, began
}

// Run returns the run that it is of.
func (p *Past) Run() journal.RunID { return p.run }

// Reuses returns the run whose results that run kept itself; "": none.
func (p *Past) Reuses() journal.RunID { return p.reuses }

// LoadPast reads what is known of the steps of a run of the journal. Where the
// run has sensitive results, that takes their key.
func LoadPast(ctx context.Context, store *journal.Store, run journal.RunID) (*Past, error) {
	record, err := store.Run(ctx, string(run))
	if err != nil {
		return nil, err
	}
	src, err := store.Plan(ctx, record.PlanDigest)
	if err != nil {
		return nil, err
	}
	compiled, err := plan.Decode(src)
	if err != nil {
		return nil, fmt.Errorf("the results of the run %s cannot be kept: %w", run, err)
	}
	prog, err := NewProgram(compiled)
	if err != nil {
		return nil, fmt.Errorf("the results of the run %s cannot be kept: %w", run, err)
	}
	p := &Past{run: record.Run, reuses: record.Reuses, steps: map[stepName]*pastStep{}}
	c := NewCore(prog, CoreOptions{Secret: secretReference})
	for ev, err := range store.Standing(ctx, run) {
		if err != nil {
			return nil, err
		}
		f, err := c.decode(ev)
		if err == nil && f != nil {
			if created, ok := f.(RunCreated); ok {
				created.Run = string(run)
				f = created
			}
			p.note(c, f)
			err = c.Replay(f)
		}
		if err != nil {
			return nil, fmt.Errorf("the results of the run %s cannot be kept: event %d (%s): %w", run, ev.Seq, ev.Kind(), err)
		}
	}
	return p, nil
}

// pastOf is the past of a run of the journal that is resumed; nil where it reuses
// no run, or one that is not there any more.
func pastOf(ctx context.Context, store *journal.Store, run journal.RunID) (*Past, error) {
	record, err := store.Run(ctx, string(run))
	if err != nil || record.Reuses == "" {
		return nil, err
	}
	past, err := LoadPast(ctx, store, record.Reuses)
	if errors.Is(err, journal.ErrNotFound) {
		return nil, nil
	}
	return past, err
}

// note remembers what a fact says, which the core has not applied yet.
func (p *Past) note(c *Core, f Fact) {
	switch f := f.(type) {
	case NodeStarted:
		if f.At.Undo > 0 {
			p.undone(c.Instance(f.At))
			return
		}
		p.at(c.Instance(f.At)).basis = c.basisAt(f.At)
	case NodeEnded:
		if f.At.Undo > 0 {
			p.undone(c.Instance(f.At))
			return
		}
		in := c.Instance(f.At)
		s := p.at(in)
		if s.basis == nil && f.Outcome != OutcomeSkipped {
			s.basis = c.basisAt(f.At)
		}
		s.end = &f
		p.order = append(p.order, nameOf(in))
	}
}

func nameOf(in Instance) stepName { return stepName{in.Path(), in.Text()} }

func (p *Past) at(in Instance) *pastStep {
	name := nameOf(in)
	if p.steps[name] == nil {
		p.steps[name] = &pastStep{}
	}
	return p.steps[name]
}

// undone marks what an undo block undoes, and what that is a part of.
func (p *Past) undone(in Instance) {
	in.Undo = 0
	for up := &in; up != nil; up = up.In {
		p.at(*up).undone = true
	}
}

// keep returns the end of an instance that is about to call something, where the
// past has a result that is still right, and its arguments; nil: it has none.
func (c *Core) keep(n *node, at Addr, s *scope) (*NodeEnded, value.Value) {
	if c.opts.Past == nil || at.Undo > 0 || n.spec.Finally || c.instance(at).attempts > 0 {
		return nil, value.NullValue
	}
	b := c.basis(n, at, s)
	if b == nil {
		return nil, value.NullValue
	}
	old, why := c.opts.Past.judge(nameOf(c.Instance(at)), b)
	if why != nil {
		return nil, value.NullValue
	}
	end := *old.end
	end.At, end.Reused = at, true
	return &end, b.args
}

// judge returns the step of the past whose result stands for one that is about to
// be done on basis b, or says why none does: phrases.
func (p *Past) judge(name stepName, b *basis) (*pastStep, []string) {
	old := p.steps[name]
	switch {
	case old == nil || old.basis == nil:
		return nil, []string{fmt.Sprintf("the run %s has no result of it", p.run)}
	case old.end == nil || old.end.Outcome != OutcomeOK:
		return nil, []string{fmt.Sprintf("it did not succeed in the run %s", p.run)}
	case old.undone:
		return nil, []string{fmt.Sprintf("it was undone in the run %s", p.run)}
	case b.sensitive && hasBlob(value.OfList(append([]value.Value{old.end.Output}, old.end.Content...))):
		return nil, []string{"its result has binary content that is sensitive, which only its own run can read"}
	}
	if why := b.against(old.basis); len(why) > 0 {
		return nil, why
	}
	return old, nil
}
