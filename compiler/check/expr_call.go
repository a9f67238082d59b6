package check

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/types"
)

// call checks a function call.
func (c *checker) call(x *hclsyntax.FunctionCallExpr, en *env, want *types.Type, s *subject) typed {
	if x.Name == "env" {
		return c.fit(x, en, want, c.envCall(x, en), s)
	}
	if x.Name == "file" {
		return c.fit(x, en, want, c.fileCall(x, en), s)
	}
	f := funcs.Lookup(x.Name)
	if f == nil {
		c.unknownFunction(x)
		// The arguments may hold mistakes of their own.
		for _, arg := range x.Args {
			c.infer(arg, en)
		}
		return failed
	}
	if !c.arity(x, f) {
		c.seeArguments(x, f, en)
		return failed
	}
	switch f.Form {
	case funcs.Coalesce, funcs.Try:
		if !x.ExpandFinal {
			return c.alternatives(x, f, en, want, s)
		}
	case funcs.Can:
		if c.expr(x.Args[0], en.inTry(true), nil, nil).t.IsError() {
			return failed
		}
		return c.fit(x, en, want, of(types.BoolType), s)
	}
	return c.fit(x, en, want, c.strictCall(x, f, en), s)
}

// alternatives checks coalesce and try: what is wanted of the call is wanted
// of each argument. All but the last of try may fail, all but the last of
// coalesce may be null.
func (c *checker) alternatives(x *hclsyntax.FunctionCallExpr, f *funcs.Func, en *env, want *types.Type, s *subject) typed {
	parts := make([]typed, len(x.Args))
	for i, arg := range x.Args {
		last := i == len(x.Args)-1
		inner, w := en, want
		switch {
		case f.Form == funcs.Try:
			inner = en.inTry(!last)
		case f.Form == funcs.Coalesce && !last && want != nil:
			w = types.NullableOf(want)
		}
		p := c.expr(arg, inner, w, s.asValue())
		if f.Form == funcs.Coalesce && !last && !p.t.IsError() {
			p = of(types.WithoutNull(p.t))
		}
		parts[i] = p
	}
	for i := range parts {
		parts[i].present = nil // what they give is a value, null or not
	}
	return c.join(x, want, parts, x.Args, "arguments")
}

// arity checks the number of arguments.
func (c *checker) arity(x *hclsyntax.FunctionCallExpr, f *funcs.Func) bool {
	least, most := len(f.Params), len(f.Params)+len(f.Optional)
	n := len(x.Args)
	if f.Variadic != nil {
		most = -1
	}
	if x.ExpandFinal {
		// The last argument stands for any number of them.
		if n-1 <= most || most < 0 {
			return true
		}
	} else if n >= least && (most < 0 || n <= most) {
		return true
	}
	takes := count(least, "argument")
	switch {
	case most < 0:
		takes = "at least " + takes
	case most > least:
		takes = fmt.Sprintf("%d to %s", least, count(most, "argument"))
	}
	c.report(diag.New(codeArgumentCount, x.Range(), "%s takes %s, and %s given: %s.", x.Name, takes, isAre(n), signature(f)))
	return false
}

func isAre(n int) string {
	if n == 1 {
		return "1 is"
	}
	return strconv.Itoa(n) + " are"
}

// signature prints how a function is called.
func signature(f *funcs.Func) string {
	s := f.Name + "("
	sep := ""
	add := func(p funcs.Param, after string) {
		s += sep + p.Name + after
		sep = ", "
	}
	for _, p := range f.Params {
		add(p, "")
	}
	for _, p := range f.Optional {
		add(p, "?")
	}
	if f.Variadic != nil {
		add(*f.Variadic, "…")
	}
	return s + ")"
}

// param returns the parameter that takes the i-th argument.
func param(f *funcs.Func, i int) funcs.Param {
	switch {
	case i < len(f.Params):
		return f.Params[i]
	case i < len(f.Params)+len(f.Optional):
		return f.Optional[i-len(f.Params)]
	}
	return *f.Variadic
}

// strictCall checks a function whose arguments are all evaluated.
func (c *checker) strictCall(x *hclsyntax.FunctionCallExpr, f *funcs.Func, en *env) typed {
	args := make([]funcs.Arg, len(x.Args))
	before := len(c.diags)
	bad := false
	for i, arg := range x.Args {
		if x.ExpandFinal && i == len(x.Args)-1 {
			return c.expanded(x, f, args[:i], arg, en, bad)
		}
		p := param(f, i)
		s := &subject{plain: "The argument " + strconv.Quote(p.Name) + " of " + x.Name}
		got := c.strict(arg, en, p.Type, s)
		bad = bad || got.t.IsError()
		args[i] = funcs.Arg{Type: got.t, Const: c.constantArg(arg, got.t, en)}
	}
	if bad {
		c.inWrongOrder(x, f, before, en)
		return failed
	}
	return c.result(x, f, args, en)
}

// inWrongOrder replaces what was found in the two arguments of a call by one
// finding, where they fit the other way round.
func (c *checker) inWrongOrder(x *hclsyntax.FunctionCallExpr, f *funcs.Func, before int, en *env) {
	if len(x.Args) != 2 || len(c.diags) != before+2 {
		return
	}
	for i, d := range c.diags[before:] {
		if d.Code != codeWrongType || d.Range != diag.RangeOf(x.Args[i].Range()) {
			return
		}
	}
	fits := true
	c.silently(func() {
		for i, arg := range x.Args {
			t := c.infer(arg, en)
			fits = fits && !t.IsError() && types.Assignable(param(f, 1-i).Type, t) == nil
		}
	})
	if !fits {
		return
	}
	a, b := x.Args[0].Range(), x.Args[1].Range()
	c.diags = append(c.diags[:before], diag.New(codeWrongType, hcl.RangeBetween(a, b), "The arguments of %s are the other way round: %s.", x.Name, signature(f)).
		Fix("Swap them", true, edit(a, c.text(b)), edit(b, c.text(a))))
}

// expanded checks a call whose last argument is a list of arguments: f(a, list...).
func (c *checker) expanded(x *hclsyntax.FunctionCallExpr, f *funcs.Func, args []funcs.Arg, last hclNode, en *env, bad bool) typed {
	s := &subject{plain: "The list of arguments of " + x.Name}
	got := c.strict(last, en, types.ListOf(types.AnyType), s)
	if got.t.IsError() || bad {
		return failed
	}
	u := got.t.Underlying()
	switch u.Kind() {
	case types.Tuple:
		for i, t := range u.Items() {
			n := len(args)
			if f.Variadic == nil && n >= len(f.Params)+len(f.Optional) {
				c.report(diag.New(codeArgumentCount, last.Range(), "%s takes fewer arguments than this list of %s has: %s.", x.Name, count(len(u.Items()), "element"), signature(f)))
				return failed
			}
			if m := types.Assignable(param(f, n).Type, t); m != nil {
				c.report(diag.New(codeWrongType, last.Range(), "Element %d of this list is the argument %q of %s: %s.", i, param(f, n).Name, x.Name, m.Reason))
				return failed
			}
			args = append(args, funcs.Arg{Type: t})
		}
		if len(args) < len(f.Params) {
			c.report(diag.New(codeArgumentCount, last.Range(), "%s needs more arguments than this list of %s has: %s.", x.Name, count(len(u.Items()), "element"), signature(f)))
			return failed
		}
		return c.result(x, f, args, en)
	case types.List:
		return c.spread(x, f, args, u.Elem(), en)
	}
	return c.spread(x, f, args, types.AnyType, en)
}

// spread checks a list of unknown length as arguments: its elements may become any of
// the parameters that are left.
func (c *checker) spread(x *hclsyntax.FunctionCallExpr, f *funcs.Func, args []funcs.Arg, elem *types.Type, en *env) typed {
	last := len(f.Params) + len(f.Optional)
	if f.Variadic != nil {
		last++
	}
	for n := len(args); n < last; n++ {
		if m := types.Assignable(param(f, n).Type, elem); m != nil {
			c.report(diag.New(codeWrongType, x.Args[len(x.Args)-1].Range(), "The elements of this list are arguments of %s: %s.", x.Name, m.Reason))
			return failed
		}
	}
	return c.result(x, f, append(args, funcs.Arg{Type: elem, Rest: true}), en)
}

// result returns what a call gives whose arguments fit.
func (c *checker) result(x *hclsyntax.FunctionCallExpr, f *funcs.Func, args []funcs.Arg, en *env) typed {
	if !en.isCaught() && c.neverSucceeds(x, f, args) {
		return failed
	}
	if f.Infer == nil {
		return of(f.Result)
	}
	t, problem, i := f.Infer(args)
	if problem == "" {
		if t == nil {
			t = f.Result
		}
		return of(t)
	}
	if en.isCaught() && t != nil {
		return of(t)
	}
	if f.Name == "contains" && c.mayBecomeEqual(anElement(args[0].Type), args[1].Type, x.Args[0], x.Args[1], en) {
		return of(t)
	}
	at := x.Range()
	if i >= 0 && i < len(x.Args) {
		at = x.Args[i].Range()
	}
	c.report(diag.New(codeFunctionArgument, at, "%s: %s", x.Name, problem))
	return failed
}

func (c *checker) unknownFunction(x *hclsyntax.FunctionCallExpr) {
	d := diag.New(codeUnknownFunction, x.NameRange, "There is no function %q.", x.Name)
	if why, known := funcs.Reserved(x.Name); known {
		d.Detail += " " + why
		if slices.Contains(lengths, x.Name) {
			d = d.Fix("Change it to length", true, edit(x.NameRange, "length"))
		}
	} else if x.Name == "secret" && len(x.Args) == 1 && isText(x.Args[0]) {
		if name, ok := c.sub(x.Args[0]).Text(); ok && isIdentifier(name) {
			d.Detail += fmt.Sprintf(" A secret is read by its name: secret.%s.", name)
			d = d.Fix("Change it to secret."+name, true, edit(x.Range(), "secret."+name))
		}
	} else if near, ok := nearest.Name(x.Name, funcs.Names()); ok {
		d.Detail += fmt.Sprintf(" Did you mean %q?", near)
		d = d.Fix("Change it to "+near, true, edit(x.NameRange, near))
	}
	c.report(d)
}

// envCall checks env("VAR") and env("VAR", "default"), which is no function of
// the table: it reads the environment when a connection opens.
func (c *checker) envCall(x *hclsyntax.FunctionCallExpr, en *env) typed {
	if c.place.roots&rootProject == 0 {
		c.notHere("env", "in provider, connection and deployment blocks; a workflow gets such a value as an input", x.NameRange)
		return failed
	}
	if n := len(x.Args); n < 1 || n > 2 || x.ExpandFinal {
		c.report(diag.New(codeArgumentCount, x.Range(), "env takes 1 to 2 arguments, and %s given: env(variable, default?).", isAre(n)))
		return failed
	}
	s := &subject{plain: "The argument of env"}
	for _, arg := range x.Args {
		if c.expr(arg, en, types.StringType, s).t.IsError() {
			return failed
		}
	}
	return of(types.StringType)
}
