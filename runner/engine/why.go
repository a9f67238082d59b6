package engine

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/value"
)

// Reason says why a step kept the result of an earlier run, or was done.
type Reason struct {
	Step    string // as commands name it
	Reused  bool
	Because []string // phrases; of a step that kept its result none
}

// Why says of each step that a name means why it kept its result from base, or was
// done: of a fan-out, a loop, or a workflow that a step runs, of each that it has. It
// speaks of calls, reads and prompts that have begun. base is the run that p reuses.
func (p *Past) Why(base *Past, step string) ([]Reason, error) {
	dir, text, err := ParseInstance(step)
	if err != nil {
		return nil, err
	}
	var out []Reason
	for _, name := range p.named(stepName{dir, text}) {
		s := p.steps[name]
		r := Reason{Step: name.String()}
		if s.end != nil && s.end.Reused {
			r.Reused = true
		} else if _, r.Because = base.judge(name, s.basis); r.Because == nil {
			r.Because = []string{"its retry, or what it was to do after a crash"}
		} else if old := base.steps[name]; old != nil && old.basis != nil {
			r.Because = append(r.Because, p.causes(name, s.basis, old.basis)...)
		}
		out = append(out, r)
	}
	return out, nil
}

// String returns the step as commands name it.
func (n stepName) String() string {
	steps, texts := strings.Split(n.path, "/"), partTexts(n.text)
	for i := range steps {
		if i < len(texts) {
			steps[i] = partOf(steps[i], texts[i])
		}
	}
	return strings.Join(steps, "/")
}

// named returns the steps with a basis that a name means, in the order in which
// they ended; those that have not come last.
func (p *Past) named(want stepName) []stepName {
	var out []stepName
	for _, name := range p.order {
		if p.steps[name].basis != nil && name.within(want) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	var rest []stepName
	for name, s := range p.steps {
		if s.end == nil && s.basis != nil && name.within(want) {
			rest = append(rest, name)
		}
	}
	slices.SortFunc(rest, func(a, b stepName) int { return strings.Compare(a.String(), b.String()) })
	return append(out, rest...)
}

// within reports whether a step is what want names, or a part of it.
func (n stepName) within(want stepName) bool {
	if n.path != want.path && !strings.HasPrefix(n.path, want.path+"/") {
		return false
	}
	mine, theirs := partTexts(n.text), partTexts(want.text)
	for i, t := range theirs {
		if t == "" {
			continue
		}
		if i >= len(mine) || mine[i] != t && !strings.HasPrefix(mine[i], t+"#") {
			return false
		}
	}
	return true
}

// causes says where the arguments of a step differ because what they refer to does.
func (p *Past) causes(name stepName, now, old *basis) []string {
	d := difference{hides: now.sensitive || old.sensitive}
	for _, ref := range now.argRefs {
		i := slices.IndexFunc(old.argRefs, func(n named) bool { return n.name == ref.name })
		if i < 0 || value.Equal(old.argRefs[i].value, ref.value) {
			continue
		}
		step, isStep := strings.CutPrefix(ref.name, "step.")
		switch {
		case isStep && p.wasDone(path.Join(path.Dir(name.path), step)):
			d.found = append(d.found, fmt.Sprintf("step %s ran anew and its output changed", step))
		case isStep:
			d.found = append(d.found, fmt.Sprintf("what step %s gives changed", step))
		default:
			d.between(ref.name, old.argRefs[i].value, ref.value)
		}
	}
	return d.found
}

// wasDone reports whether something of a step was called in the run itself.
func (p *Past) wasDone(path string) bool {
	for name, s := range p.steps {
		if name.path == path && s.basis != nil && (s.end == nil || !s.end.Reused) {
			return true
		}
	}
	return false
}
