package eval

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/value"
)

// call is a call of a function that gets all of its arguments.
type call struct {
	name   string
	f      *funcs.Func // nil: only the scope may know it
	args   []node
	expand bool // the last argument is a list of arguments
	at     hcl.Range
}

func (c *call) eval(m *machine) (Result, *Error) {
	args := make([]value.Value, 0, len(c.args))
	for i, a := range c.args {
		r, err := a.eval(m)
		if err != nil {
			return r, err
		}
		if c.expand && i == len(c.args)-1 {
			if r.Value.Kind() != value.List {
				return Result{}, fail(c.at, "%s: what stands before ... must be a list, not %s.", c.name, describe(r.Value))
			}
			args = append(args, r.Value.AsList()...)
			continue
		}
		args = append(args, r.Value)
	}
	if c.f == nil {
		return c.scopeCall(m, args)
	}
	blobs, _ := m.scope.(funcs.Blobs)
	v, err := c.f.ApplyWith(blobs, args)
	if err != nil {
		return Result{}, fail(c.at, "%s: %v", c.name, err)
	}
	return Result{Value: v}, nil
}

// scopeCall calls a function that the table does not have.
func (c *call) scopeCall(m *machine, args []value.Value) (Result, *Error) {
	if own, ok := m.scope.(Functions); ok {
		v, ok, err := own.Call(c.name, args)
		if err != nil {
			return Result{}, fail(c.at, "%s: %v", c.name, err)
		}
		if ok {
			return Result{Value: v}, nil
		}
	}
	did := ""
	if near, ok := nearest.Name(c.name, funcs.Names()); ok {
		did = " Did you mean \"" + near + "\"?"
	}
	return Result{}, fail(c.at, "There is no function %q.%s", c.name, did)
}

// try gives the first of its arguments that does not fail. In them, reading
// an absent attribute fails.
type try struct {
	args []node
	at   hcl.Range
}

func (t *try) eval(m *machine) (Result, *Error) {
	var err *Error
	for _, a := range t.args {
		var r Result
		if r, err = a.eval(m); err == nil {
			return Result{Value: r.Value}, nil
		}
		if err.Err != nil {
			return Result{}, err
		}
	}
	return Result{}, fail(t.at, "try: all of its arguments failed. The last one said: %s", err.Message)
}

// can says whether its argument does not fail.
type can struct{ arg node }

func (c *can) eval(m *machine) (Result, *Error) {
	_, err := c.arg.eval(m)
	if err != nil && err.Err != nil {
		return Result{}, err
	}
	return Result{Value: value.OfBool(err == nil)}, nil
}

// coalesce gives the first of its arguments that is not null; it does not evaluate those after it.
type coalesce struct {
	args   []node
	expand bool
	at     hcl.Range
}

func (c *coalesce) eval(m *machine) (Result, *Error) {
	for i, a := range c.args {
		r, err := a.eval(m)
		if err != nil {
			return r, err
		}
		if !c.expand || i < len(c.args)-1 {
			if !r.Value.IsNull() {
				return Result{Value: r.Value}, nil
			}
			continue
		}
		if r.Value.Kind() != value.List {
			return Result{}, fail(c.at, "coalesce: what stands before ... must be a list, not %s.", describe(r.Value))
		}
		for _, v := range r.Value.AsList() {
			if !v.IsNull() {
				return Result{Value: v}, nil
			}
		}
	}
	return Result{}, nil
}
