package compiler

import (
	"container/heap"
	"slices"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/lang/catalog"
)

// order is the order of a workflow's steps, which LANGUAGE 4 "Order" fixes.
type order struct {
	steps []int   // indexes of steps: the graph's first topological order in file order
	after [][]int // for each step (by its index) those that must have ended, sorted
}

// orderOf finds the order of steps. What a step refers to through locals
// counts as well; there are no cycles, the check has seen to that.
func orderOf(w *check.Workflow) order {
	refs := make([]map[int]bool, len(w.Steps))
	reach := throughLocals(w)
	for i, s := range w.Steps {
		refs[i] = map[int]bool{}
		for _, n := range s.Needs.Steps {
			refs[i][n] = true
		}
		for _, l := range s.Needs.Locals {
			for n := range reach(l) {
				refs[i][n] = true
			}
		}
	}
	o := order{steps: topological(refs), after: make([][]int, len(w.Steps))}
	keepEffects(w, o.steps, refs)
	for i, r := range refs {
		for n := range r {
			o.after[i] = append(o.after[i], n)
		}
		slices.Sort(o.after[i])
	}
	return o
}

// throughLocals returns a function that gives the steps that a local refers to,
// directly or through others.
func throughLocals(w *check.Workflow) func(local int) map[int]bool {
	known := make([]map[int]bool, len(w.Locals))
	var reach func(int) map[int]bool
	reach = func(l int) map[int]bool {
		if known[l] != nil {
			return known[l]
		}
		out := map[int]bool{}
		known[l] = out
		for _, s := range w.Locals[l].Needs.Steps {
			out[s] = true
		}
		for _, m := range w.Locals[l].Needs.Locals {
			for s := range reach(m) {
				out[s] = true
			}
		}
		return out
	}
	return reach
}

// topological returns the first topological order in file order: of all steps
// whose references have been placed, the one that stands first comes next.
func topological(refs []map[int]bool) []int {
	waits := make([]int, len(refs))
	followers := make([][]int, len(refs))
	ready := &indexes{}
	for i, r := range refs {
		waits[i] = len(r)
		for n := range r {
			followers[n] = append(followers[n], i)
		}
		if len(r) == 0 {
			heap.Push(ready, i)
		}
	}
	out := make([]int, 0, len(refs))
	for ready.Len() > 0 {
		i := heap.Pop(ready).(int)
		out = append(out, i)
		for _, f := range followers[i] {
			if waits[f]--; waits[f] == 0 {
				heap.Push(ready, f)
			}
		}
	}
	return out
}

// keepEffects adds to each step the earlier ones of its source that it may not
// overlap: all but where both only read. Only the nearest are added, since
// those wait for the others: a reader for the last that does not only read, any
// other for the readers since and the one before them.
func keepEffects(w *check.Workflow, steps []int, refs []map[int]bool) {
	type lane struct {
		last    int // the last step that does not only read
		any     bool
		readers []int // since
	}
	lanes := map[string]*lane{}
	final := false
	for _, i := range steps {
		s := w.Steps[i]
		if s.Syntax.Finally && !final {
			final, lanes = true, map[string]*lane{} // all steps have ended
		}
		for _, u := range usesOf(s) {
			l := lanes[u.source]
			if l == nil {
				l = &lane{}
				lanes[u.source] = l
			}
			if u.effect == catalog.Read {
				if l.any {
					refs[i][l.last] = true
				}
				l.readers = append(l.readers, i)
				continue
			}
			for _, r := range l.readers {
				refs[i][r] = true
			}
			if l.any && len(l.readers) == 0 {
				refs[i][l.last] = true
			}
			l.last, l.any, l.readers = i, true, nil
		}
	}
}

// use is what a step does with a source.
type use struct {
	source string
	effect catalog.Effect // the strongest
}

// usesOf returns the sources that a step asks, or hands on to the workflow that
// it runs, each once.
func usesOf(s check.Step) []use {
	if ref := s.Syntax.Target(); ref != nil {
		effect := catalog.Read
		if s.Syntax.Call != nil {
			effect = s.Effect
		}
		return []use{{ref.Path[0].Text, effect}}
	}
	if s.Child == nil {
		return nil
	}
	strongest := map[string]catalog.Effect{}
	for _, inner := range s.Child.Steps {
		for _, u := range usesOf(inner) {
			strongest[u.source] = max(strongest[u.source], u.effect)
		}
	}
	var out []use
	for _, h := range s.Handed {
		effect, used := strongest[h.Child]
		if !used {
			continue
		}
		at := slices.IndexFunc(out, func(u use) bool { return u.source == h.Ours })
		if at < 0 {
			out = append(out, use{h.Ours, effect})
			continue
		}
		out[at].effect = max(out[at].effect, effect)
	}
	return out
}

// indexes is a heap of indexes, the smallest first.
type indexes []int

func (h indexes) Len() int           { return len(h) }
func (h indexes) Less(i, j int) bool { return h[i] < h[j] }
func (h indexes) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *indexes) Push(x any)        { *h = append(*h, x.(int)) }
func (h *indexes) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
