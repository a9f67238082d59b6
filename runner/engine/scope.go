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
	core *Core
	each *element
	self *value.Value
	args *value.Value
	// secret gives secret.NAME; nil: there are none here.
	secret func(name string) (string, error)
}

// Root implements eval.Scope.
func (s *scope) Root(name string) (value.Value, error) {
	switch name {
	case "input":
		return s.core.created.Inputs, nil
	case "local":
		locals := s.core.prog.plan.Locals
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
		obj := value.NewObject(len(s.core.nodes))
		for i := range s.core.nodes {
			if s.core.nodes[i].state.ended() {
				obj.Set(s.core.prog.nodes[i].spec.ID, s.core.result(i))
			}
		}
		return value.OfObject(obj), nil
	case "run":
		obj := value.NewObject(3)
		for _, attr := range []string{"id", "started_at", "deployment"} {
			v, _, _ := s.Member("run", attr)
			obj.Set(attr, v)
		}
		return value.OfObject(obj), nil
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
		if i, ok := s.core.prog.index[name]; ok && s.core.nodes[i].state.ended() {
			return s.core.result(i), true, nil
		}
	case "local":
		if loc, ok := s.core.prog.locals[name]; ok {
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

// local evaluates a local where it is used; what is the same everywhere is
// evaluated once a run.
func (s *scope) local(loc *local) (value.Value, error) {
	if !loc.cacheable {
		r, err := loc.code.program.Eval(s)
		return r.Value, err
	}
	cached := &s.core.locals[loc.index]
	if cached.done {
		return cached.value, nil
	}
	// What a cached local refers to has ended for good, so its value stays; a
	// failure is evaluated again, which gives it the place of the new use.
	r, err := loc.code.program.Eval(&scope{core: s.core})
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
		return value.Value{}, c.expressionFailure(what, err)
	}
	return r.Value, nil
}

func (c *Core) expressionFailure(what string, err error) *Failure {
	return &Failure{Kind: KindExpression, Message: c.prog.explain("In `"+what+"`", err)}
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
