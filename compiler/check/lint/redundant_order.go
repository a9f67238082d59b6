package lint

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

// redundantOrder reports the steps in depends_on that the step waits for anyway,
// because it refers to them, or to what refers to them.
func (p *pass) redundantOrder() {
	for _, s := range p.list {
		if len(s.Syntax.DependsOn) == 0 {
			continue
		}
		waits := map[string]bool{}
		p.reach(s.refs, s.locals, waits, map[string]bool{})
		seen := map[string]bool{}
		for i, d := range s.Syntax.DependsOn {
			if len(d.Path) != 2 {
				continue
			}
			name := d.Path[1].Text
			why := "it refers to it, directly or through others"
			switch {
			case seen[name]:
				why = "it is named here already"
			case !waits[name]:
				seen[name] = true
				continue
			}
			p.report(diag.New(codeRedundantOrder, d.Range, "The step %q waits for step.%s anyway: %s. Remove it from depends_on.", s.Syntax.Name.Text, name, why).
				Fix("Remove it", true, p.without(s.Syntax.DependsOn, i)))
		}
	}
}

// reach collects the steps that refs and locals lead to. A step in between waits
// for what its own depends_on names too.
func (p *pass) reach(refs, locals, steps, seen map[string]bool) {
	for name := range locals {
		if l := p.locals[name]; l != nil && !seen[name] {
			seen[name] = true
			p.reach(l.refs, l.locals, steps, seen)
		}
	}
	for name := range refs {
		s := p.steps[name]
		if s == nil || steps[name] {
			continue
		}
		steps[name] = true
		p.reach(s.refs, s.locals, steps, seen)
		for _, d := range s.Syntax.DependsOn {
			if len(d.Path) == 2 {
				p.reach(map[string]bool{d.Path[1].Text: true}, nil, steps, seen)
			}
		}
	}
}

// without is the edit that takes the element i out of a list; the attribute goes
// with its only element.
func (p *pass) without(list []syntax.Ref, i int) diag.Edit {
	at := list[i].Range
	switch {
	case len(list) == 1:
		return diag.Edit{Range: diag.RangeOf(p.attributeAround(at))}
	case i > 0:
		at.Start = list[i-1].Range.End
	default:
		at.End = list[1].Range.Start
	}
	return diag.Edit{Range: diag.RangeOf(at)}
}

// attributeAround is the place of `depends_on = [x]` around x: its lines, where nothing else is on them.
func (p *pass) attributeAround(at hcl.Range) hcl.Range {
	const name = "depends_on"
	start, end := at.Start.Byte, at.End.Byte
	lines := 0
	for ; start >= len(name) && string(p.src[start-len(name):start]) != name; start-- {
		if p.src[start-1] == '\n' {
			lines++
		}
	}
	start = max(start-len(name), 0)
	for end < len(p.src) && p.src[end] != ']' {
		if p.src[end] == '\n' {
			at.End.Line++
		}
		end++
	}
	at.Start.Line -= lines
	at.Start.Byte, at.End.Byte = start, min(end+1, len(p.src))
	return line(p.src, at)
}
