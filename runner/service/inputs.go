package service

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
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
			return value.NullValue, fmt.Errorf("the input file %s %s", file, value.NotTaken(err))
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
				return value.NullValue, notJSON(p, name, text, err)
			}
		}
		out.Set(name, v)
	}
	return value.OfObject(out), nil
}

// notJSON is the error of a text that is no JSON, where an input takes JSON.
func notJSON(p *plan.Plan, name, text string, err error) error {
	if e := (*value.JSONError)(nil); errors.As(err, &e) && e.Limit {
		return fmt.Errorf("--input %s: %s %s", name, written(text), value.NotTaken(err))
	}
	hint := ""
	// What begins like a list, an object or a text in quotes was meant as JSON.
	if some(inputType(p, name), mayBeText) && !strings.ContainsAny(text[:min(1, len(text))], "[{\"") {
		shown := "…"
		if len(text) <= 40 && !strings.ContainsRune(text, '\'') {
			shown = strings.Trim(value.OfString(text).JSON(), `"`)
		}
		hint = fmt.Sprintf(`. Text is written in double quotes: --input %s='"%s"'`, name, shown)
	}
	return fmt.Errorf("--input %s: a value of the type %s is written in JSON, and %s %s%s", name, declared(p, name).Type, written(text), value.NotTaken(err), hint)
}

// written shows what stands on the command line, or the beginning of it.
func written(text string) string {
	const most = 200
	if len(text) <= most {
		return strconv.Quote(text)
	}
	return value.OfString(text).Summary(most)
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
	t := inputType(p, name)
	return t != nil && !some(t, func(t *types.Type) bool { return !isText(t) })
}

// inputType returns the type of an input, without null; nil where there is none.
func inputType(p *plan.Plan, name string) *types.Type {
	in := declared(p, name)
	if in == nil {
		return nil
	}
	e, diags := expr.Parse(in.Type, "plan")
	if diags.HasErrors() {
		return nil
	}
	t, diags := types.FromHCL(e, nil)
	if diags.HasErrors() {
		return nil
	}
	return types.WithoutNull(t)
}

// some reports whether a member of t has what is asked for.
func some(t *types.Type, is func(*types.Type) bool) bool {
	if t == nil {
		return false
	}
	t = t.Underlying()
	if t.Kind() == types.Union {
		return slices.ContainsFunc(t.Items(), func(m *types.Type) bool { return some(m, is) })
	}
	return is(t)
}

func isText(t *types.Type) bool {
	return t.Kind() == types.String || t.Kind() == types.Literal && t.Lit().Kind() == value.String
}

func mayBeText(t *types.Type) bool { return isText(t) || t.Kind() == types.Any }
