package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/value"
)

// scope gives the names of LANGUAGE 3 their values. The zero values of its
// fields leave out what an expression at this place cannot name.
type scope struct {
	core  *Core
	frame *frame
	each  *element
	// round is that of a loop, from 1, of unit; 0: there is none.
	round int
	unit  *instance
	self  *value.Value
	args  *value.Value
	// secret gives secret.NAME; nil: there are none here.
	secret func(name string) (string, error)
}

// Root implements eval.Scope.
func (s *scope) Root(name string) (value.Value, error) {
	switch name {
	case "input":
		return s.frame.inputs, nil
	case "local":
		locals := s.frame.prog.plan.Locals
		obj := value.NewObject(len(locals))
		for i := range locals {
			v, _, err := s.Member("local", locals[i].Name)
			if err != nil {
				return value.Value{}, err
			}
			obj.Set(locals[i].Name, v)
		}
		return value.OfObject(obj), nil
	case "step":
		obj := value.NewObject(len(s.frame.nodes))
		for i := range s.frame.nodes {
			if s.frame.nodes[i].state.ended() {
				obj.Set(s.frame.prog.nodes[i].spec.ID, s.core.result(s.frame, i))
			}
		}
		return value.OfObject(obj), nil
	case "run":
		obj := value.NewObject(3)
		for _, attr := range []string{"id", "started_at", "deployment", "previous", "errors", "outcome", "error"} {
			if v, known, _ := s.Member("run", attr); known {
				obj.Set(attr, v)
			}
		}
		return value.OfObject(obj), nil
	case "loop":
		if s.round > 0 {
			obj := value.NewObject(2)
			for _, attr := range []string{"index", "previous"} {
				v, _, _ := s.Member("loop", attr)
				obj.Set(attr, v)
			}
			return value.OfObject(obj), nil
		}
	case "each":
		if s.each != nil {
			obj := value.NewObject(3)
			obj.Set("key", s.each.key)
			obj.Set("value", s.each.value)
			obj.Set("index", value.OfInt(int64(s.each.index)))
			return value.OfObject(obj), nil
		}
	case "self":
		if s.self != nil {
			return *s.self, nil
		}
	case "args":
		if s.args != nil {
			return *s.args, nil
		}
	}
	return value.Value{}, fmt.Errorf("%s is not known here", name)
}

// Member implements eval.Scope.
func (s *scope) Member(root, name string) (value.Value, bool, error) {
	switch root {
	case "step":
		if i, ok := s.frame.prog.index[name]; ok && s.frame.nodes[i].state.ended() {
			return s.core.result(s.frame, i), true, nil
		}
	case "local":
		if loc, ok := s.frame.prog.locals[name]; ok {
			v, err := s.local(loc)
			return v, true, err
		}
	case "each":
		if s.each == nil {
			break
		}
		switch name {
		case "key":
			return s.each.key, true, nil
		case "value":
			return s.each.value, true, nil
		case "index":
			return value.OfInt(int64(s.each.index)), true, nil
		}
	case "run":
		switch name {
		case "id":
			return value.OfString(s.core.created.Run), true, nil
		case "started_at":
			return value.OfString(s.core.created.StartedAt.UTC().Format(time.RFC3339)), true, nil
		case "deployment":
			if d := s.core.prog.plan.Deployment; d != "" {
				return value.OfString(d), true, nil
			}
			return value.NullValue, true, nil
		case "previous":
			return s.core.created.Previous, true, nil
		case "errors":
			// They are part of outputs and of finally blocks, where none comes any more.
			return value.OfList(s.frame.errors), true, nil
		case "outcome":
			if s.frame.outcome != "" {
				return value.OfString(string(s.frame.outcome)), true, nil
			}
		case "error":
			if s.frame.outcome != "" {
				return runError(s.frame.settled), true, nil
			}
		}
	case "loop":
		switch {
		case s.round == 0:
		case name == "index":
			return value.OfInt(int64(s.round - 1)), true, nil
		case name == "previous" && s.round == 1:
			return value.NullValue, true, nil
		case name == "previous":
			return resultOf(&s.unit.rounds[s.round-2], s.each), true, nil
		}
	case "secret":
		if s.secret == nil {
			return value.Value{}, false, fmt.Errorf("secret.%s cannot be used here: secrets are for arguments only", name)
		}
		text, err := s.secret(name)
		if err != nil {
			return value.Value{}, false, err
		}
		return value.OfString(text), true, nil
	}
	return value.Value{}, false, nil
}

// scopeAt is the scope of the expressions of an instance, without self and args.
func (c *Core) scopeAt(at Addr) *scope {
	f := c.frames[at.Frame]
	s := &scope{core: c, frame: f, round: at.Round}
	n := &f.nodes[at.Node]
	unit := &n.inst
	if at.Elem != Whole {
		e := n.fan.element(at.Elem)
		s.each, unit = &e, &n.fan.insts[at.Elem]
	}
	if at.Round > 0 {
		s.unit = unit
	}
	return s
}

// local evaluates a local where it is used; what is the same everywhere is
// evaluated once a run.
func (s *scope) local(loc *local) (value.Value, error) {
	if !loc.cacheable {
		r, err := loc.code.program.Eval(s)
		return r.Value, err
	}
	cached := &s.frame.locals[loc.index]
	if cached.done {
		return cached.value, nil
	}
	// What a cached local refers to has ended for good, so its value stays; a
	// failure is evaluated again, which gives it the place of the new use.
	r, err := loc.code.program.Eval(&scope{core: s.core, frame: s.frame})
	if err != nil {
		return value.Value{}, err
	}
	cached.value, cached.done = r.Value, true
	return r.Value, nil
}

// cachedLocal is a local's value once it was asked for.
type cachedLocal struct {
	done  bool
	value value.Value
}

// eval evaluates e, which may be the zero code (null), for attribute what of a
// step. A failure is of the kind expression and says which attribute and where
// in the source it is.
func (c *Core) eval(what string, e code, s *scope) (value.Value, *Failure) {
	if e.IsZero() {
		return value.NullValue, nil
	}
	r, err := e.program.Eval(s)
	if err != nil {
		return value.Value{}, c.expressionFailure(s, what, err)
	}
	return r.Value, nil
}

func (c *Core) expressionFailure(s *scope, what string, err error) *Failure {
	return &Failure{Kind: KindExpression, Message: c.explain(s, "In `"+what+"`", err)}
}

func (c *Core) explain(s *scope, where string, err error) string {
	return s.frame.prog.explain(where, err)
}

// explain gives the message of an expression that failed; where begins it, and
// the place in the source follows.
func (p *Program) explain(where string, err error) string {
	var e *eval.Error
	if errors.As(err, &e) {
		where += p.place(e)
	}
	return where + ": " + err.Error()
}

// evalBool evaluates a condition.
func (c *Core) evalBool(what string, e code, s *scope) (bool, *Failure) {
	v, f := c.eval(what, e, s)
	if f != nil {
		return false, f
	}
	if v.Kind() != value.Bool {
		return false, &Failure{Kind: KindExpression, Message: fmt.Sprintf("`%s` must be true or false; it is %s.", what, v.Summary(80))}
	}
	return v.AsBool(), nil
}
