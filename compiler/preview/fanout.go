package preview

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
)

// fanOut tells of a step with for_each.
func (s *seer) fanOut(out *Step, spec *plan.NodeSpec, p *plan.Plan, n *names, certain int) {
	n.steps[spec.ID] = cell{after: []string{"step." + spec.ID}, sensitive: spec.Sensitive}
	over, k := n.value(parse(spec.ForEach), string(spec.ForEach))
	path := out.Step + "/"
	if k.Error != "" {
		out.Will, out.Because = Fails, []string{k.Error}
		return
	}
	elements, ok := elementsOf(over)
	if !ok {
		// One stands for all.
		all := &each{after: k.After, sensitive: over.sensitive}
		one := s.one(spec, p, n.within(all), path, 0, true)
		out.take(one)
		if out.Asks != "" {
			s.out.Totals.Asks++
		}
		out.Because = append(out.Because, k.After...)
		if out.Will == Runs && spec.WhenEach {
			out.Will = Depends
		}
		return
	}
	count, asks := len(elements), 0
	out.Count = &count
	if count == 0 {
		n.steps[spec.ID] = cell{known: true, value: value.OfList(nil)}
		if spec.EachMap {
			n.steps[spec.ID] = cell{known: true, value: value.OfObject(value.NewObject(0))}
		}
		return
	}
	results := &fanOutResults{known: true}
	most := -1 // the strongest effect among the elements
	for i, e := range elements {
		e.sensitive = over.sensitive
		told, asked, c := s.element(spec, p, n.within(e), path, certain, out.Loop != "")
		if asked {
			asks++
		}
		if spec.Key != "" {
			key, shown := n.within(e).value(parse(spec.Key), string(spec.Key))
			if shown.Value != nil {
				told.Key = shown.Value
			}
			c.known = c.known && key.known
			e.key = key.value
		}
		results.add(e, c)
		most = max(most, slices.Index(effects, told.Effect))
		if i < mostElements {
			out.Elements = append(out.Elements, told)
		}
	}
	if spec.Loop == nil {
		n.steps[spec.ID] = results.cell(spec)
	}
	if most >= 0 {
		out.Effect = effects[most]
	}
	switch {
	case s.asked(out.Effect):
		out.Asks = "a person, who allows it (the policy of the deployment), once for all elements"
		s.out.Totals.Asks++
	case asks > 0:
		out.Asks = "a person, who answers, for each element"
		s.out.Totals.Asks += asks
	}
}

// asked reports whether the policy has a person asked about an effect.
func (s *seer) asked(effect string) bool {
	return s.root.Policy != nil && s.root.Policy.Destructive == "ask" && (effect == "destructive" || effect == "unknown")
}

// effects are in the order of how much they may do.
var effects = []string{"read", "write", "unknown", "destructive"}

// fanOutResults are the results of a fan-out as far as they are known.
type fanOutResults struct {
	known     bool
	sensitive bool
	keys      []value.Value
	list      []value.Value
}

func (f *fanOutResults) add(e *each, c cell) {
	f.sensitive = f.sensitive || c.sensitive || e.sensitive
	if f.known = f.known && c.known; !f.known {
		return
	}
	pair := value.NewObject(2)
	pair.Set("key", e.key)
	pair.Set("value", e.value)
	c.value.AsObject().Set("each", value.OfObject(pair))
	f.keys, f.list = append(f.keys, e.key), append(f.list, c.value)
}

// cell is what an expression sees of the step.
func (f *fanOutResults) cell(spec *plan.NodeSpec) cell {
	c := cell{known: f.known, sensitive: f.sensitive || spec.Sensitive}
	switch {
	case !f.known:
		c.after = []string{"step." + spec.ID}
	case spec.EachMap:
		all := value.NewObject(len(f.list))
		for i, r := range f.list {
			if f.keys[i].Kind() != value.String {
				return cell{after: []string{"step." + spec.ID}, sensitive: c.sensitive}
			}
			all.Set(f.keys[i].AsString(), r)
		}
		c.value = value.OfObject(all)
	default:
		c.value = value.OfList(f.list)
	}
	return c
}

// element tells of one element.
func (s *seer) element(spec *plan.NodeSpec, p *plan.Plan, n *names, path string, certain int, rounds bool) (_ Element, asks bool, c cell) {
	out := Element{Key: value.AppendJSON(nil, n.each.key), Will: Runs}
	if n.each.sensitive {
		out.Key = json.RawMessage(fmt.Sprint(n.each.index))
	}
	if spec.WhenEach {
		out.Will, out.Because, _ = s.guard(n, spec.When)
		if out.Will == Skips {
			return out, false, cell{known: true, value: result("skipped", value.NullValue), sensitive: n.each.sensitive}
		}
		if out.Will != Runs {
			certain = 0
		}
	}
	one := s.one(spec, p, n, path, certain, rounds)
	if one.will == Fails {
		out.Will, out.Because = Fails, one.because
	}
	out.Connection, out.Effect, out.Question, out.Args, out.Value, out.Steps = one.connection, one.effect, one.question, one.args, one.value, one.steps
	c = one.cell
	if out.Will != Runs {
		c.known = false
	}
	return out, one.asks != "", c
}

// elementsOf are the elements of a list, a map or an object that is known.
func elementsOf(c cell) ([]*each, bool) {
	if !c.known {
		return nil, false
	}
	var out []*each
	switch c.value.Kind() {
	case value.List:
		for i, v := range c.value.AsList() {
			out = append(out, &each{known: true, index: i, key: value.OfInt(int64(i)), value: v})
		}
	case value.Object:
		for k, v := range c.value.AsObject().All() {
			out = append(out, &each{known: true, index: len(out), key: value.OfString(k), value: v})
		}
	default:
		return nil, false
	}
	return out, true
}
