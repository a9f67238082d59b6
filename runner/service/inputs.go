package service

import (
	"fmt"
	"os"
	"strings"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// Inputs makes the inputs of a run from what a command line says: a JSON file
// (empty: none), then NAME=VALUE pairs, of which a later one wins. VALUE is text
// for an input that takes text, else JSON. Whether the inputs are what the
// workflow wants is the engine's to judge.
func Inputs(p *plan.Plan, file string, pairs []string) (value.Value, error) {
	out := value.NewObject(len(pairs))
	if file != "" {
		src, err := os.ReadFile(file)
		if err != nil {
			return value.NullValue, fmt.Errorf("the input file cannot be read: %w", err)
		}
		v, err := value.ParseJSON([]byte(strings.TrimPrefix(string(src), "\ufeff")))
		if err != nil {
			return value.NullValue, fmt.Errorf("the input file %s is no JSON: %w", file, err)
		}
		if v.Kind() != value.Object {
			return value.NullValue, fmt.Errorf("the input file %s holds a %s; it must hold an object with an attribute for each input", file, v.Kind())
		}
		for k, a := range v.AsObject().All() {
			out.Set(k, a)
		}
	}
	for _, pair := range pairs {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return value.NullValue, fmt.Errorf("--input %q: write NAME=VALUE", pair)
		}
		if takesText(p, name) {
			out.Set(name, value.OfString(text))
			continue
		}
		v, err := value.ParseJSON([]byte(text))
		if err != nil {
			if declared(p, name) == nil {
				// The engine names the inputs that there are; what was written does not matter.
				v = value.OfString(text)
			} else {
				return value.NullValue, fmt.Errorf("--input %s: a value of the type %s is written in JSON, and %q is no JSON: %w", name, declared(p, name).Type, text, err)
			}
		}
		out.Set(name, v)
	}
	return value.OfObject(out), nil
}

func declared(p *plan.Plan, name string) *plan.Input {
	for i := range p.Inputs {
		if p.Inputs[i].Name == name {
			return &p.Inputs[i]
		}
	}
	return nil
}

// takesText reports whether every value of the input but null is text.
func takesText(p *plan.Plan, name string) bool {
	in := declared(p, name)
	if in == nil {
		return false
	}
	e, diags := expr.Parse(in.Type, "plan")
	if diags.HasErrors() {
		return false
	}
	t, diags := types.FromHCL(e, nil)
	if diags.HasErrors() {
		return false
	}
	return isText(types.WithoutNull(t))
}

func isText(t *types.Type) bool {
	t = t.Underlying()
	switch t.Kind() {
	case types.String:
		return true
	case types.Literal:
		return t.Lit().Kind() == value.String
	case types.Union:
		for _, m := range t.Items() {
			if !isText(m) {
				return false
			}
		}
		return true
	}
	return false
}
