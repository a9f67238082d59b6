package preview

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/value"
)

// Bounds of what is told one by one: what is beyond them is counted.
const (
	mostElements = 100  // of a fan-out
	mostSteps    = 2000 // in all, of children that elements run
)

// Of returns what a run of a plan with these inputs will do. inputs are complete and
// right, as the engine gives them.
func Of(p *plan.Plan, inputs value.Value) *Preview {
	out := &Preview{
		FormatVersion: FormatVersion, Workflow: p.Workflow, Deployment: p.Deployment, Digest: p.Digest,
		Sources: map[string]string{}, Secrets: []string{}, Policy: p.Policy, Outputs: []Output{},
		Totals: Totals{Calls: map[string]int{}, More: []string{}},
	}
	for _, s := range p.Secrets {
		out.Secrets = append(out.Secrets, s.Name)
	}
	sort.Strings(out.Secrets)
	for _, s := range p.Sources {
		out.Sources[s.Name] = connections(&s)
	}
	seer := &seer{root: p, out: out, untold: map[string]bool{}}
	n := newNames(p, p)
	shown := value.NewObject(len(p.Inputs))
	for _, in := range p.Inputs {
		v, ok := inputs.AsObject().Get(in.Name)
		if !ok {
			continue
		}
		n.inputs[in.Name] = cell{known: true, value: v, sensitive: in.Sensitive}
		if in.Sensitive {
			v = value.OfString("(sensitive)")
		}
		shown.Set(in.Name, v)
	}
	out.Inputs = value.AppendJSON(nil, value.OfObject(shown))
	out.Steps = seer.workflow(p, n, "", 1)
	for _, o := range p.Outputs {
		k := n.eval(o.Value)
		if o.Sensitive {
			k = Known{Sensitive: true}
		}
		out.Outputs = append(out.Outputs, Output{o.Name, k})
	}
	slices.Sort(out.Totals.More)
	out.Totals.More = slices.Compact(out.Totals.More)
	return out
}

func newNames(p, root *plan.Plan) *names {
	n := &names{plan: p, root: root, inputs: map[string]cell{}, steps: map[string]cell{}, locals: map[string]plan.Expr{}}
	for _, l := range p.Locals {
		n.locals[l.Name] = l.Value
	}
	return n
}

// connections names what a source is bound to.
func connections(s *plan.Source) string {
	if s.Connection != "" {
		return s.Connection
	}
	var out []string
	for _, m := range s.Members {
		out = append(out, m.Key+"="+m.Connection)
	}
	return strings.Join(out, ", ")
}

// seer looks ahead.
type seer struct {
	root   *plan.Plan
	out    *Preview
	steps  int
	untold map[string]bool // children of whose steps it was not told, by digest
}

// workflow tells of the steps of a plan. path is that of the step that runs it, with a
// slash; certain is 1 where it runs for sure, and 0 where only the run tells.
func (s *seer) workflow(p *plan.Plan, n *names, path string, certain int) []Step {
	out := []Step{}
	for i := range p.Nodes {
		out = append(out, s.step(&p.Nodes[i], p, n, path, certain))
	}
	return out
}

func (s *seer) step(spec *plan.NodeSpec, p *plan.Plan, n *names, path string, certain int) Step {
	s.steps++
	out := Step{
		Step: path + spec.ID, Kind: string(spec.Kind), Finally: spec.Finally, Will: Runs, When: string(spec.When),
		Source: spec.Source, Tool: spec.Tool, Effect: spec.Effect, ForEach: string(spec.ForEach), After: spec.After,
	}
	if src := sourceOf(p, spec.Source); src != nil && spec.SourceKey == "" {
		out.Connection = src.Connection
	}
	if spec.Loop != nil {
		out.Loop = s.number(n, spec.Loop.Max)
	}
	if spec.Retry != nil && spec.Retry.Attempts != "" {
		out.Retry = s.number(n, spec.Retry.Attempts)
	}
	for _, u := range spec.Undo {
		out.Undo = append(out.Undo, u.Source+"."+u.Tool)
	}
	if child := s.root.Children[spec.Child]; child != nil {
		out.Workflow = child.Workflow
	}
	var when cell
	if spec.When != "" && !spec.WhenEach {
		out.Will, out.Because, when = s.guard(n, spec.When)
	}
	if out.Will == Skips {
		n.steps[spec.ID] = skipped(spec, n)
		return out
	}
	if out.Will != Runs {
		certain = 0
	}
	if spec.ForEach != "" {
		s.fanOut(&out, spec, p, n, certain)
		return out
	}
	one := s.one(spec, p, n, path+spec.ID+"/", certain, out.Loop != "")
	out.take(one)
	if out.Asks != "" {
		s.out.Totals.Asks++
	}
	c := one.cell
	if out.Will != Runs || spec.When != "" && !when.known {
		c.known = false
	}
	n.steps[spec.ID] = c
	return out
}

// skipped is the result of a step that is skipped.
func skipped(spec *plan.NodeSpec, n *names) cell {
	if spec.ForEach != "" || spec.Loop != nil {
		return cell{after: []string{"step." + spec.ID}}
	}
	return cell{known: true, value: result("skipped", value.NullValue)}
}

// result is what an expression sees of a step that calls nothing.
func result(outcome string, output value.Value) value.Value {
	out := value.NewObject(6)
	out.Set("outcome", value.OfString(outcome))
	out.Set("output", output)
	out.Set("text", value.OfString(""))
	out.Set("content", value.OfList(nil))
	out.Set("error", value.NullValue)
	out.Set("attempts", value.OfInt(0))
	return value.OfObject(out)
}

// guard looks at a `when`.
func (s *seer) guard(n *names, e plan.Expr) (Will, []string, cell) {
	c, k := n.value(parse(e), string(e))
	switch {
	case k.Error != "":
		return Fails, []string{k.Error}, c
	case !c.known:
		return Depends, k.After, c
	case c.value.Kind() != value.Bool:
		return Fails, []string{notBool("when", c.value)}, c
	case !c.value.AsBool():
		return Skips, nil, c
	}
	return Runs, nil, c
}

// number is a count as far as it is known, else its expression.
func (s *seer) number(n *names, e plan.Expr) string {
	if k := n.eval(e); k.Value != nil {
		return string(k.Value)
	}
	return string(e)
}

// told is what there is to say of a step without for_each, or of one element.
type told struct {
	will       Will
	because    []string
	connection string
	effect     string
	effectIf   bool
	asks       string
	question   *Question
	args       []Arg
	value      *Known
	steps      []Step
	cell       cell
}

func (out *Step) take(t told) {
	if t.will == Fails {
		out.Will, out.Because = Fails, t.because
	}
	if t.connection != "" {
		out.Connection = t.connection
	}
	out.Effect, out.EffectIf, out.Asks, out.Question, out.Args, out.Value, out.Steps = t.effect, t.effectIf, t.asks, t.question, t.args, t.value, t.steps
}

// one tells of a step, or of an element of it. rounds says that it is done again and
// again, how often only the run tells.
func (s *seer) one(spec *plan.NodeSpec, p *plan.Plan, n *names, path string, certain int, rounds bool) told {
	t := told{will: Runs, effect: spec.Effect, cell: cell{after: []string{"step." + spec.ID}, sensitive: spec.Sensitive}}
	switch spec.Kind {
	case plan.ValueNode:
		c, k := n.value(parse(spec.Value), string(spec.Value))
		t.value = &k
		if k.Error != "" {
			t.will, t.because = Fails, []string{k.Error}
		}
		t.cell = cell{after: k.After, sensitive: c.sensitive}
		if c.known && !rounds && plain(spec) {
			t.cell = cell{known: true, value: result("ok", c.value), sensitive: c.sensitive}
		}
		return t
	case plan.Sleep:
		k := n.eval(spec.Sleep)
		t.value = &k
		return t
	case plan.Run:
		s.child(&t, spec, n, path, certain)
		return t
	case plan.Call, plan.Read, plan.Prompt:
	default:
		// A question: the run waits for a person.
		t.asks = "a person, who answers"
		if a := spec.Ask; a != nil {
			t.question = &Question{Message: n.eval(a.Message), Answer: a.Answer, Choices: n.optional(a.Choices), Approvers: n.optional(a.Approvers)}
		}
		return t
	}
	if src := sourceOf(p, spec.Source); src != nil {
		t.connection = src.Connection
		if spec.SourceKey != "" {
			t.connection, spec = s.member(src, spec, n)
		}
	}
	if spec.URI != "" {
		k := n.eval(spec.URI)
		t.value = &k
	}
	var args cell
	t.args, args = s.args(n, spec.Args)
	for _, a := range t.args {
		if a.Error != "" {
			t.will, t.because = Fails, append(t.because, a.Name+": "+a.Error)
		}
	}
	s.effect(&t, spec, n, args)
	s.permission(&t)
	if t.will != Fails {
		s.count(t, certain, rounds)
	}
	return t
}

// plain reports whether a value step gives just its value.
func plain(spec *plan.NodeSpec) bool {
	return spec.Result == "" && spec.FailIf == "" && spec.Decode == "" && len(spec.Asserts) == 0
}

// effect decides which effect a call has.
func (s *seer) effect(t *told, spec *plan.NodeSpec, n *names, args cell) {
	if spec.EffectExpr == "" {
		return
	}
	t.effect, t.effectIf = spec.Effect, true
	var c cell
	if args.known {
		c, _ = n.withArgs(args.value).value(parse(spec.EffectExpr), "")
	} else {
		c = n.partly(spec, args)
	}
	if c.known && c.value.Kind() == value.String {
		t.effect, t.effectIf = c.value.AsString(), false
	}
}

// partly evaluates the effect over those arguments that are known: args.mode may be
// written down where args.path is not known.
func (n *names) partly(spec *plan.NodeSpec, args cell) cell {
	if args.value.Kind() != value.Object {
		return cell{}
	}
	for _, r := range parse(spec.EffectExpr).Refs() {
		if r.Root == "args" {
			if _, ok := args.value.AsObject().Get(r.Name); !ok {
				return cell{}
			}
		}
	}
	c, _ := n.withArgs(args.value).value(parse(spec.EffectExpr), "")
	return c
}

// permission holds an effect against the deployment's policy.
func (s *seer) permission(t *told) {
	if t.effect != "destructive" && t.effect != "unknown" || s.root.Policy == nil {
		return
	}
	switch s.root.Policy.Destructive {
	case "ask":
		t.asks = "a person, who allows it (the policy of the deployment)"
	case "deny":
		if !t.effectIf {
			t.will, t.because = Fails, append(t.because, "The policy of the deployment denies what is destructive.")
		}
	}
}

// count adds a call to the totals.
func (s *seer) count(t told, certain int, rounds bool) {
	effect := cmp.Or(t.effect, "unknown")
	if certain > 0 && !t.effectIf {
		s.out.Totals.Calls[effect] += certain
	} else {
		s.out.Totals.More = append(s.out.Totals.More, effect)
	}
	if rounds {
		s.out.Totals.More = append(s.out.Totals.More, effect)
	}
}

// member finds the connection that a key chooses, and what holds of it.
func (s *seer) member(src *plan.Source, spec *plan.NodeSpec, n *names) (string, *plan.NodeSpec) {
	k, _ := n.value(parse(spec.SourceKey), "")
	if !k.known || k.value.Kind() != value.String {
		return connections(src), spec
	}
	for _, m := range src.Members {
		if m.Key != k.value.AsString() {
			continue
		}
		if v, ok := spec.Variants[m.Key]; ok {
			return m.Connection, &v
		}
		return m.Connection, spec
	}
	return connections(src), spec
}

// args tells of each argument. The cell has them as an object: all, where it is known,
// else those that are.
func (s *seer) args(n *names, e plan.Expr) ([]Arg, cell) {
	if e == "" {
		return nil, cell{known: true, value: value.OfObject(value.NewObject(0))}
	}
	parsed := parse(e)
	object, ok := parsed.Node.(*hclsyntax.ObjectConsExpr)
	if !ok {
		c, k := n.value(parsed, string(e))
		return []Arg{{Known: k}}, c
	}
	out := make([]Arg, 0, len(object.Items))
	all := cell{known: true}
	values := value.NewObject(len(object.Items))
	for _, item := range object.Items {
		name := ""
		if key, ok := item.KeyExpr.(*hclsyntax.ObjectConsKeyExpr); ok {
			name, ok = parsed.ObjectKey(key)
			if !ok {
				name = expr.Print(parsed.Sub(key.Wrapped))
			}
		}
		part := parsed.Sub(item.ValueExpr)
		c, k := n.value(part, expr.Print(part))
		out = append(out, Arg{name, k})
		if !c.known {
			all.known = false
			all.after = append(all.after, c.after...)
			continue
		}
		all.sensitive = all.sensitive || c.sensitive
		values.Set(name, c.value)
	}
	all.value = value.OfObject(values)
	return out, all
}

// child tells of the workflow that a step runs.
func (s *seer) child(t *told, spec *plan.NodeSpec, n *names, path string, certain int) {
	p := s.root.Children[spec.Child]
	args, given := s.args(n, spec.Args)
	t.args = args
	if p == nil {
		return
	}
	if s.steps > mostSteps {
		s.more(spec.Child)
		return
	}
	inner := newNames(p, s.root)
	for _, in := range p.Inputs {
		c, ok := given.input(in.Name, args, n)
		if !ok && in.Default != nil {
			if v, err := value.ParseJSON(in.Default); err == nil {
				c, ok = cell{known: true, value: v}, true
			}
		}
		if ok {
			c.sensitive = c.sensitive || in.Sensitive
			inner.inputs[in.Name] = c
		}
	}
	t.steps = s.workflow(p, inner, path, certain)
}

// more notes that there may be all calls of a child that is not told of, each once.
func (s *seer) more(digest string) {
	p := s.root.Children[digest]
	if p == nil || s.untold[digest] {
		return
	}
	s.untold[digest] = true
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Source != "" {
			s.out.Totals.More = append(s.out.Totals.More, cmp.Or(n.Effect, "unknown"))
		}
		s.more(n.Child)
	}
}

// input is what one input of a child gets; ok is false where nothing is given.
func (given cell) input(name string, args []Arg, n *names) (_ cell, ok bool) {
	if given.value.Kind() == value.Object {
		if v, ok := given.value.AsObject().Get(name); ok {
			return cell{known: true, value: v, sensitive: given.sensitive}, true
		}
	}
	for _, a := range args {
		if a.Name == name || a.Name == "" && !given.known {
			return cell{after: a.After, sensitive: a.Sensitive}, true
		}
	}
	return cell{}, false
}

func sourceOf(p *plan.Plan, name string) *plan.Source {
	for i := range p.Sources {
		if p.Sources[i].Name == name {
			return &p.Sources[i]
		}
	}
	return nil
}

// callsFunction reports whether an expression calls a function.
func callsFunction(node hclsyntax.Expression, name string) bool {
	found := false
	if node == nil {
		return false
	}
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		if c, ok := n.(*hclsyntax.FunctionCallExpr); ok && c.Name == name {
			found = true
		}
		return nil
	})
	return found
}
