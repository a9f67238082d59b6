package engine

import (
	"fmt"
	"strings"

	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// InputError says what is wrong with the inputs of a run that did not begin.
type InputError struct{ Problems []InputProblem }

// InputProblem is what is wrong with one input.
type InputProblem struct {
	Input   string
	Message string // full sentences that name the input
}

// Error returns all problems, one a line.
func (e *InputError) Error() string {
	if len(e.Problems) == 1 {
		return e.Problems[0].Message
	}
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = "\n  " + strings.ReplaceAll(p.Message, "\n", "\n  ")
	}
	return "the workflow cannot run with these inputs:\n" + strings.Join(lines, "")
}

// Inputs completes given, an object or null, with the deployment's values and
// the defaults, and checks types and validations. The result is an object in the
// plan's order; optional inputs that were left out are not in it. The error is
// an *[InputError] with all problems.
func (p *Program) Inputs(given value.Value) (value.Value, error) {
	var problems []InputProblem
	report := func(name, format string, args ...any) {
		problems = append(problems, InputProblem{name, fmt.Sprintf(format, args...)})
	}
	if given.IsNull() {
		given = value.OfObject(nil)
	}
	if given.Kind() != value.Object {
		report("", "The inputs must be an object; they are %s.", given.Summary(80))
		return value.Value{}, &InputError{problems}
	}
	p.unknownInputs(given.AsObject(), report)
	all := value.NewObject(len(p.inputs))
	for i := range p.inputs {
		in := &p.inputs[i]
		name := in.spec.Name
		v, written := given.AsObject().Get(name)
		switch {
		case in.fixed != nil && written:
			report(name, "The input %q is set by the deployment %s and cannot be given.", name, p.plan.Deployment)
			continue
		case in.fixed != nil:
			v = *in.fixed
		case written:
		case in.fallback != nil:
			v = *in.fallback
		case in.spec.Optional:
			continue
		default:
			report(name, "The input %q is missing. It must be %s.", name, wanted(in.typ))
			continue
		}
		v = withDefaults(in.typ, v)
		if m := types.Conforms(in.typ, v); m != nil {
			where := ""
			if m.Path != "" {
				where = " at " + name + m.Path
			}
			report(name, "The input %q is wrong%s: %s.", name, where, m.Reason)
			continue
		}
		all.Set(name, v)
	}
	if len(problems) == 0 {
		p.validate(value.OfObject(all), report)
	}
	if len(problems) > 0 {
		return value.Value{}, &InputError{problems}
	}
	return value.OfObject(all), nil
}

// wanted says what a value of type t is: "a string", "a value of the type list(string)".
func wanted(t *types.Type) string {
	switch t.Underlying().Kind() {
	case types.List, types.Map, types.Tuple, types.Object:
		return "a value of the type " + types.Print(t)
	}
	return types.Describe(t)
}

func (p *Program) unknownInputs(given *value.ObjectValue, report func(name, format string, args ...any)) {
	names := make([]string, len(p.inputs))
	known := make(map[string]bool, len(p.inputs))
	for i := range p.inputs {
		names[i] = p.inputs[i].spec.Name
		known[names[i]] = true
	}
	for name := range given.All() {
		if known[name] {
			continue
		}
		hint := ""
		if near, ok := nearest.Name(name, names); ok {
			hint = fmt.Sprintf(" Did you mean %q?", near)
		} else if len(names) > 0 {
			hint = " Its inputs are " + strings.Join(names, ", ") + "."
		} else {
			hint = " It has no inputs."
		}
		report(name, "The workflow %s has no input %q.%s", p.plan.Workflow, name, hint)
	}
}

// validate evaluates the validations of all inputs. Inputs that were left out read as null.
func (p *Program) validate(inputs value.Value, report func(name, format string, args ...any)) {
	c := NewCore(p, CoreOptions{})
	c.created = &RunCreated{Inputs: inputs}
	c.frames[0].inputs = inputs
	s := &scope{core: c, frame: c.frames[0]}
	for i := range p.inputs {
		in := &p.inputs[i]
		if _, there := inputs.AsObject().Get(in.spec.Name); !there {
			continue // nobody gave a value that could be wrong
		}
		for _, v := range in.validations {
			holds, failure := c.evalBool("condition", v.condition, s)
			if failure != nil {
				report(in.spec.Name, "The input %q cannot be validated. %s", in.spec.Name, failure.Message)
				continue
			}
			if holds {
				continue
			}
			r, err := v.message.program.Eval(s)
			switch {
			case err != nil:
				report(in.spec.Name, "The input %q is not valid, and its message cannot be told. %s", in.spec.Name, p.explain("In `error_message`", err))
			case r.Value.Kind() == value.String:
				report(in.spec.Name, "The input %q is not valid: %s", in.spec.Name, r.Value.AsString())
			default:
				report(in.spec.Name, "The input %q is not valid: %s", in.spec.Name, r.Value.Summary(200))
			}
		}
	}
}

// withDefaults puts the defaults of optional attributes where a value of type t
// leaves them out. A value that does not fit t is returned as it is.
func withDefaults(t *types.Type, v value.Value) value.Value {
	t = t.Underlying()
	switch {
	case v.Kind() == value.Object && t.Kind() == types.Map && hasDefaults(t):
		obj := value.NewObject(v.AsObject().Len())
		for k, a := range v.AsObject().All() {
			obj.Set(k, withDefaults(t.Elem(), a))
		}
		return value.OfObject(obj)
	case v.Kind() == value.Object && t.Kind() == types.Object && hasDefaults(t):
		obj := value.NewObject(v.AsObject().Len())
		for k, a := range v.AsObject().All() {
			if attr := t.Attr(k); attr != nil {
				a = withDefaults(attr.Type, a)
			} else if t.Rest() != nil {
				a = withDefaults(t.Rest(), a)
			}
			obj.Set(k, a)
		}
		for _, attr := range t.Attrs() {
			if _, there := obj.Get(attr.Name); !there && attr.Default != nil {
				obj.Set(attr.Name, withDefaults(attr.Type, *attr.Default))
			}
		}
		return value.OfObject(obj)
	case v.Kind() == value.List && t.Kind() == types.List && hasDefaults(t):
		list := make([]value.Value, len(v.AsList()))
		for i, e := range v.AsList() {
			list[i] = withDefaults(t.Elem(), e)
		}
		return value.OfList(list)
	case v.Kind() == value.List && t.Kind() == types.Tuple && hasDefaults(t) && len(v.AsList()) == len(t.Items()):
		list := make([]value.Value, len(v.AsList()))
		for i, e := range v.AsList() {
			list[i] = withDefaults(t.Items()[i], e)
		}
		return value.OfList(list)
	case t.Kind() == types.Union:
		// The first member that the value fits, with its defaults, is the one meant.
		for _, member := range t.Items() {
			if w := withDefaults(member, v); types.Conforms(member, w) == nil {
				return w
			}
		}
	}
	return v
}

// hasDefaults reports whether a default is somewhere in t. It looks through no
// names: the types of inputs are written out, so that none is recursive.
func hasDefaults(t *types.Type) bool {
	switch t.Kind() {
	case types.List, types.Map:
		return hasDefaults(t.Elem())
	case types.Tuple, types.Union:
		for _, m := range t.Items() {
			if hasDefaults(m) {
				return true
			}
		}
	case types.Object:
		for _, a := range t.Attrs() {
			if a.Default != nil || hasDefaults(a.Type) {
				return true
			}
		}
		return t.Rest() != nil && hasDefaults(t.Rest())
	}
	return false
}

// outputs evaluates the outputs of a run whose nodes have all ended.
func (c *Core) outputs(f *frame) (value.Value, *RunError) {
	all := value.NewObject(len(f.prog.outputs))
	for i := range f.prog.outputs {
		o := &f.prog.outputs[i]
		r, err := o.code.program.Eval(&scope{core: c, frame: f})
		if err != nil {
			return value.Value{}, &RunError{Kind: KindExpression, Message: f.prog.explain(fmt.Sprintf("In the output %q", o.name), err)}
		}
		if o.typ != nil {
			if m := types.Conforms(o.typ, r.Value); m != nil {
				return value.Value{}, &RunError{Kind: KindExpression, Message: fmt.Sprintf("The output %q is not of its type: %s", o.name, m.Error())}
			}
		}
		all.Set(o.name, r.Value)
	}
	return value.OfObject(all), nil
}
