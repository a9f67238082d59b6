package preview

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/value"
)

// unknownError is why an expression has no value yet: it refers to what only the run
// tells.
type unknownError struct{ after string }

func (e *unknownError) Error() string { return e.after + " is known in the run only" }

// names are the values of LANGUAGE 3 as far as they are known, in one workflow.
type names struct {
	plan   *plan.Plan
	root   *plan.Plan
	inputs map[string]cell
	steps  map[string]cell
	locals map[string]plan.Expr

	each *each        // nil: outside of a fan-out
	args *value.Value // nil: not known
}

// each is an element; known says whether it is, or stands for all.
type each struct {
	known      bool
	after      []string
	index      int
	key, value value.Value
	sensitive  bool
}

// cell is a value, or what tells it.
type cell struct {
	known     bool
	value     value.Value
	after     []string // where it is not known
	sensitive bool
}

// Root implements eval.Scope.
func (n *names) Root(name string) (value.Value, error) {
	switch name {
	case "input":
		out := value.NewObject(len(n.inputs))
		for _, in := range n.plan.Inputs {
			v, ok, err := n.Member("input", in.Name)
			if err != nil {
				return value.NullValue, err
			}
			if ok {
				out.Set(in.Name, v)
			}
		}
		return value.OfObject(out), nil
	case "each":
		if n.each != nil && n.each.known {
			out := value.NewObject(3)
			out.Set("key", n.each.key)
			out.Set("value", n.each.value)
			out.Set("index", value.OfInt(int64(n.each.index)))
			return value.OfObject(out), nil
		}
	case "args":
		if n.args != nil {
			return *n.args, nil
		}
	}
	return value.NullValue, &unknownError{name}
}

// Member implements eval.Scope.
func (n *names) Member(root, name string) (value.Value, bool, error) {
	switch root {
	case "input":
		c, ok := n.inputs[name]
		if !ok {
			return value.NullValue, false, nil // left out: absent
		}
		return c.take("input." + name)
	case "step":
		c, ok := n.steps[name]
		if !ok {
			c.after = []string{"step." + name}
		}
		return c.take("step." + name)
	case "local":
		if e, ok := n.locals[name]; ok {
			r, err := eval.Eval(parse(e), &names{plan: n.plan, root: n.root, inputs: n.inputs, steps: n.steps, locals: n.locals, each: n.each})
			return r.Value, true, cause(err)
		}
	case "each":
		if n.each == nil {
			break
		}
		if !n.each.known {
			return value.NullValue, true, &unknownError{"each." + name}
		}
		switch name {
		case "key":
			return n.each.key, true, nil
		case "value":
			return n.each.value, true, nil
		case "index":
			return value.OfInt(int64(n.each.index)), true, nil
		}
	case "run":
		if name == "deployment" {
			if d := n.root.Deployment; d != "" {
				return value.OfString(d), true, nil
			}
			return value.NullValue, true, nil
		}
		return value.NullValue, true, &unknownError{"run." + name}
	case "loop", "self", "secret":
		return value.NullValue, true, &unknownError{root + "." + name}
	}
	return value.NullValue, false, nil
}

func (c cell) take(name string) (value.Value, bool, error) {
	if c.known {
		return c.value, true, nil
	}
	if len(c.after) > 0 {
		name = c.after[0]
	}
	return value.NullValue, true, &unknownError{name}
}

// cause returns why a scope could not give a name, which an expression passes on.
func cause(err error) error {
	var unknown *unknownError
	if errors.As(err, &unknown) {
		return unknown
	}
	return err
}

// parse parses an expression of a plan.
func parse(e plan.Expr) expr.Expr {
	out, _ := expr.Parse(string(e), "")
	return out
}

// eval evaluates an expression as far as it is known.
func (n *names) eval(e plan.Expr) Known {
	_, k := n.value(parse(e), string(e))
	return k
}

// optional evaluates an expression; nil: it is not written.
func (n *names) optional(e plan.Expr) *Known {
	if e == "" {
		return nil
	}
	k := n.eval(e)
	return &k
}

// value evaluates an expression; text is how it is written. The cell is what an
// expression that refers to it gets.
func (n *names) value(e expr.Expr, text string) (cell, Known) {
	c := cell{sensitive: n.sensitive(e, 0)}
	r, err := eval.Eval(e, n)
	var unknown *unknownError
	switch {
	case errors.As(err, &unknown):
		c.after = n.tells(e)
		return c, Known{Expr: text, After: c.after, Sensitive: c.sensitive}
	case err != nil:
		c.after = []string{"what cannot be evaluated"}
		return c, Known{Expr: text, Error: message(err)}
	}
	c.known, c.value = true, r.Value
	if c.sensitive {
		return c, Known{Sensitive: true}
	}
	return c, Known{Value: value.AppendJSON(nil, r.Value)}
}

// message is what is wrong with an expression, in full sentences.
func message(err error) string {
	var e *eval.Error
	if errors.As(err, &e) {
		return e.Message
	}
	return err.Error()
}

// tells returns what an expression refers to that only the run tells, sorted.
func (n *names) tells(e expr.Expr) []string {
	found := map[string]bool{}
	n.collect(e, found, 0)
	out := make([]string, 0, len(found))
	for f := range found {
		out = append(out, f)
	}
	sort.Strings(out)
	return out
}

// deepest is how far locals are followed: they have no cycles, and a plan that was
// made by hand ends here, too.
const deepest = 200

func (n *names) collect(e expr.Expr, into map[string]bool, depth int) {
	if depth > deepest {
		return
	}
	for _, r := range e.Refs() {
		switch r.Root {
		case "input":
			if c, ok := n.inputs[r.Name]; ok && !c.known {
				for _, a := range c.after {
					into[a] = true
				}
			}
		case "step":
			c := n.steps[r.Name]
			if c.known {
				continue
			}
			if len(c.after) == 0 {
				c.after = []string{"step." + r.Name}
			}
			for _, a := range c.after {
				into[a] = true
			}
		case "local":
			n.collect(parse(n.locals[r.Name]), into, depth+1)
		case "each":
			if n.each != nil && !n.each.known {
				for _, a := range n.each.after {
					into[a] = true
				}
			}
		case "run":
			if r.Name != "deployment" {
				into["run."+r.Name] = true
			}
		case "secret":
			into["secret."+r.Name] = true
		case "loop", "self":
			into[r.Root] = true
		}
	}
}

// sensitive reports whether an expression refers to what must not be shown: it is not
// looked at what it makes of it.
func (n *names) sensitive(e expr.Expr, depth int) bool {
	if depth > deepest {
		return true
	}
	return slices.ContainsFunc(e.Refs(), func(r expr.Reference) bool {
		switch r.Root {
		case "input":
			if r.Name == "" {
				for _, c := range n.inputs {
					if c.sensitive {
						return true
					}
				}
			}
			return n.inputs[r.Name].sensitive
		case "step":
			return n.steps[r.Name].sensitive
		case "local":
			return n.sensitive(parse(n.locals[r.Name]), depth+1)
		case "each":
			return n.each != nil && n.each.sensitive
		case "secret":
			return true
		}
		return false
	}) || sensitiveCall(e)
}

// sensitiveCall reports whether an expression says itself that something is sensitive.
func sensitiveCall(e expr.Expr) bool { return callsFunction(e.Node, "sensitive") }

// within returns the names inside of one element.
func (n *names) within(e *each) *names {
	out := *n
	out.each = e
	return &out
}

// withArgs returns the names where the arguments are known.
func (n *names) withArgs(args value.Value) *names {
	out := *n
	out.args = &args
	return &out
}

// notBool says that a condition is none.
func notBool(what string, v value.Value) string {
	return fmt.Sprintf("`%s` must be true or false; it is %s.", what, v.Summary(80))
}
