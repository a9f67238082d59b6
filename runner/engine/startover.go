package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/runner/journal"
)

// StartOverError says that the steps of a session that is lost cannot be done again.
type StartOverError struct{ Run, Step string }

// Error returns full sentences.
func (e *StartOverError) Error() string {
	return fmt.Sprintf("The run %s cannot start over what used the sessions that were private to it: the step %s has had its effect, or may have, and nothing says that it may be repeated. "+
		"Where nothing is needed of what these sessions kept, go on with new ones; else start a new run.", e.Run, e.Step)
}

// startOver resets the steps that used a private session which died, and those that
// come after them, with all that is in them. It reports whether there were any. What has
// settled, or stops, is not started over: its steps are not done any more.
func (d *driver) startOver(ctx context.Context, store *journal.Store, log *journal.Run) (again bool, err error) {
	lost := map[string]bool{}
	for id := range d.sessions {
		lost[id.Connection] = lost[id.Connection] || id.Private
	}
	for connection := range d.core.gone {
		lost[connection] = true
	}
	root := d.core.frames[0]
	if root.phase != phaseSteps || root.stopping() {
		return false, nil
	}
	if d.early, err = d.receive(ctx); err != nil {
		return false, err
	}
	wanted := d.prog.after(func(n *plan.NodeSpec) bool { return usesPrivate(d.prog.plan, n, lost) })
	type instance struct{ node, text string }
	risky := map[instance]bool{} // it may have had an effect that may not be repeated
	var order []instance
	seen := map[instance]bool{}
	for ev, err := range store.Standing(ctx, log.ID()) {
		if err != nil {
			return false, err
		}
		step, _, _ := strings.Cut(ev.Node, "/")
		if !wanted[step] {
			continue
		}
		of := instance{ev.Node, ev.Instance}
		if !seen[of] {
			seen[of] = true
			order = append(order, of)
		}
		switch p := ev.Data.(type) {
		case journal.NodeStarted:
			risky[of] = risky[of] || !p.Repeatable
		case journal.NodeFailed:
			if p.Sent == SentNo.String() && ev.Attempt == 1 {
				delete(risky, of)
			}
		case journal.NodeResolved:
			if p.As == journal.ResolvedRetry {
				delete(risky, of) // somebody's word
			}
		}
	}
	for _, ev := range d.early {
		if p, is := ev.Data.(journal.NodeResolved); is && p.As == journal.ResolvedRetry {
			delete(risky, instance{ev.Node, ev.Instance})
		}
	}
	var events []journal.Event
	for _, of := range order {
		if risky[of] {
			at, err := d.core.Find(of.node, of.text)
			name := of.node
			if err == nil {
				name = d.core.Instance(at).String()
			}
			return false, &StartOverError{d.name, name}
		}
		events = append(events, journal.Event{Node: of.node, Instance: of.text, Data: journal.NodeReset{}})
	}
	d.newSessions = true
	if len(events) == 0 {
		return false, nil
	}
	clear(d.sessions)
	return true, log.Commit(ctx, events...)
}

// after returns the steps of which is says so, and those that come after one of them.
func (p *Program) after(is func(*plan.NodeSpec) bool) map[string]bool {
	of := map[string]bool{}
	for grown := true; grown; {
		grown = false
		for i := range p.plan.Nodes {
			n := &p.plan.Nodes[i]
			if of[n.ID] || n.Finally {
				continue
			}
			wanted := is(n)
			for _, before := range n.After {
				wanted = wanted || of[before]
			}
			if wanted {
				of[n.ID], grown = true, true
			}
		}
	}
	return of
}

// usesPrivate reports whether a step, or one of the workflow that it runs, may use a
// session private to the run with one of some connections.
func usesPrivate(p *plan.Plan, n *plan.NodeSpec, connections map[string]bool) bool {
	for _, s := range p.Sources {
		if s.Name != n.Source {
			continue
		}
		if s.Session == "run" && connections[s.Connection] {
			return true
		}
		for _, m := range s.Members {
			if m.Session == "run" && connections[m.Connection] {
				return true
			}
		}
	}
	child := p.Children[n.Child]
	if n.Kind != plan.Run || child == nil {
		return false
	}
	for i := range child.Nodes {
		if usesPrivate(child, &child.Nodes[i], connections) {
			return true
		}
	}
	return false
}
