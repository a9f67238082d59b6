package service

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runtime/connection"
)

// Environment is what connections are resolved against: the only place where
// wfc reads the environment, and only when a connection opens.
type Environment struct {
	ProjectRoot string                      // absolute
	Binary      string                      // absolute path of the running wfc
	Lookup      func(string) (string, bool) // of environment variables
}

// connectionScope gives a connection's expressions their names: project.root,
// project.wfc, secret.NAME and env(…).
type connectionScope struct {
	secrets *secrets
	ctx     context.Context // of what waits for a secret; nil: of nothing in particular
	anew    bool            // what commands wrote before is of no use any more
}

// secret returns the value of a secret.
func (c connectionScope) secret(name string) (string, error) {
	if c.ctx == nil {
		return c.secrets.get(name)
	}
	return c.secrets.fetch(c.ctx, name, c.anew)
}

func (c connectionScope) Root(name string) (value.Value, error) {
	switch name {
	case "project":
		o := value.NewObject(2)
		o.Set("root", value.OfString(c.secrets.env.ProjectRoot))
		o.Set("wfc", value.OfString(c.secrets.env.Binary))
		return value.OfObject(o), nil
	case "secret":
		o := value.NewObject(len(c.secrets.refs))
		for n := range c.secrets.refs {
			v, err := c.secret(n)
			if err != nil {
				return value.NullValue, err
			}
			o.Set(n, value.OfString(v))
		}
		return value.OfObject(o), nil
	}
	return value.NullValue, fmt.Errorf("a connection knows no %q", name)
}

func (c connectionScope) Member(root, name string) (value.Value, bool, error) {
	if root != "secret" {
		return value.NullValue, false, nil
	}
	v, err := c.secret(name)
	return value.OfString(v), true, err
}

// Call implements [eval.Functions]: env("VAR") and env("VAR", "default").
func (c connectionScope) Call(name string, args []value.Value) (value.Value, bool, error) {
	if name != "env" {
		return value.NullValue, false, nil
	}
	if len(args) < 1 || len(args) > 2 || args[0].Kind() != value.String {
		return value.NullValue, true, errors.New("write env(\"VAR\") or env(\"VAR\", \"default\")")
	}
	variable := args[0].AsString()
	if v, ok := c.secrets.env.Lookup(variable); ok {
		return value.OfString(v), true, nil
	}
	if len(args) == 2 {
		return args[1], true, nil
	}
	return value.NullValue, true, fmt.Errorf("the environment variable %s is not set. Set it, or write a default: env(%q, \"…\")", variable, variable)
}

// connect turns the plan's connection into one that can be opened.
func (s *secrets) connect(c plan.Connection) (connection.Connection, error) {
	out := connection.Connection{
		ID: c.ID,
		Timeouts: connection.Timeouts{
			Connect: time.Duration(c.ConnectMS) * time.Millisecond,
			Idle:    time.Duration(c.IdleMS) * time.Millisecond,
			Close:   time.Duration(c.CloseMS) * time.Millisecond,
		},
		MaxInFlight:     c.MaxInFlight,
		Protocol:        c.Protocol,
		ProtocolVersion: c.ProtocolVersion,
		Offers:          s.offers(c.Offers),
		Redact:          s.values(),
	}
	if r := c.RateLimit; r != nil {
		out.RateLimit = connection.RateLimit{Requests: r.Requests, Per: time.Duration(r.PerMS) * time.Millisecond}
	}
	r := resolver{scope: connectionScope{secrets: s}, of: "connection " + c.ID}
	switch {
	case c.HTTP != nil:
		out.HTTP = r.web("http", c.HTTP, c.Auth)
		return out, r.err
	case c.SSE != nil:
		out.SSE = r.web("sse", c.SSE, c.Auth)
		return out, r.err
	case c.Stdio == nil:
		return out, fmt.Errorf("connection %s has no transport; this is a bug in wfc", c.ID)
	}
	std := &connection.Stdio{
		Command: r.text("command", c.Stdio.Command),
		Args:    r.texts("args", c.Stdio.Args),
		Env:     r.textMap("env", c.Stdio.Env),
		Dir:     r.text("cwd", c.Stdio.Cwd),
	}
	if r.err != nil {
		return out, r.err
	}
	if std.Dir == "" {
		std.Dir = s.env.ProjectRoot
	} else if !filepath.IsAbs(std.Dir) {
		std.Dir = filepath.Join(s.env.ProjectRoot, std.Dir)
	}
	out.Stdio = std
	return out, nil
}

// resolver evaluates a connection's expressions and keeps the first error.
type resolver struct {
	scope connectionScope
	of    string // what the expressions belong to: "connection demo.main"; "": the reader knows
	err   error
}

func (r *resolver) eval(attr string, e plan.Expr) value.Value {
	if e == "" || r.err != nil {
		return value.NullValue
	}
	x, diags := expr.Parse(string(e), "plan")
	if diags.HasErrors() {
		r.fail(attr, diags[0].Detail)
		return value.NullValue
	}
	res, err := eval.Eval(x, r.scope)
	if err != nil {
		r.fail(attr, err.Error())
		return value.NullValue
	}
	return res.Value
}

func (r *resolver) fail(attr, why string) {
	if r.err != nil {
		return
	}
	if r.of != "" {
		attr = r.of + ": " + attr
	}
	r.err = fmt.Errorf("%s: %s", attr, why)
}

func (r *resolver) text(attr string, e plan.Expr) string {
	return r.asText(attr, r.eval(attr, e))
}

func (r *resolver) asText(attr string, v value.Value) string {
	switch v.Kind() {
	case value.String:
		if strings.ContainsRune(v.AsString(), 0) {
			r.fail(attr, "a NUL character cannot be passed to a process.")
		}
		return v.AsString()
	case value.Null:
		return ""
	}
	r.fail(attr, fmt.Sprintf("a %s where a string is wanted.", v.Kind()))
	return ""
}

func (r *resolver) texts(attr string, e plan.Expr) []string {
	v := r.eval(attr, e)
	if v.IsNull() {
		return nil
	}
	if v.Kind() != value.List {
		r.fail(attr, fmt.Sprintf("a %s where a list of strings is wanted.", v.Kind()))
		return nil
	}
	out := make([]string, 0, len(v.AsList()))
	for i, el := range v.AsList() {
		out = append(out, r.asText(fmt.Sprintf("%s[%d]", attr, i), el))
	}
	return out
}

func (r *resolver) textMap(attr string, e plan.Expr) map[string]string {
	v := r.eval(attr, e)
	if v.IsNull() {
		return nil
	}
	if v.Kind() != value.Object {
		r.fail(attr, fmt.Sprintf("a %s where a map of strings is wanted.", v.Kind()))
		return nil
	}
	out := make(map[string]string, v.AsObject().Len())
	for k, el := range v.AsObject().All() {
		if el.IsNull() {
			continue // an optional variable that is left out
		}
		out[k] = r.asText(attr+"."+k, el)
	}
	return out
}
