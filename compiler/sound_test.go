package compiler_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
)

// A workflow that wfc check --strict accepts without a word never fails at run
// time with a type error, a missing attribute, or a null where a value was wanted,
// whatever conforming values the servers return and the inputs have (LANGUAGE 2,
// "Soundness"). Whole workflows over generated tools are compiled and run; they hold
// no partial operation, so that the error answers of servers are all that may fail.
func TestAcceptedWorkflowsDoNotFail(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "wfc.hcl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	store, err := journal.Open(t.Context(), filepath.Join(root, ".wfc"), journal.Options{Durability: journal.Process})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	accepted, total := 0, 0
	one := func(rt *rapid.T) {
		w := generate(rt)
		total++
		p, err := project.Load(root, project.Options{Overlay: map[string][]byte{
			filepath.Join(root, "w.wf.hcl"):                 []byte(w.source),
			filepath.Join(root, "gen.wfi"):                  []byte(w.iface),
			filepath.Join(root, "catalog", "gen.main.json"): w.catalog(),
		}})
		if err != nil {
			rt.Fatal(err)
		}
		for _, d := range check.Strict(p) {
			switch {
			case strings.HasPrefix(string(d.Code), "WFC33"):
			case strings.HasPrefix(string(d.Code), "WFC1") && d.Severity == diag.Error:
				rt.Fatalf("the generator wrote what cannot be read: %s\n%s%s", d.Detail, w.iface, w.source)
			case d.Severity == diag.Error, d.Code == "WFC3010":
				return
			}
		}
		target, err := p.Select("w")
		if err != nil {
			rt.Fatal(err)
		}
		compiled, found := compiler.Compile(p, compiler.Target{Target: target})
		if compiled == nil {
			rt.Fatalf("accepted, and not compiled: %v\n%s", found, w.source)
		}
		program, err := engine.NewProgram(compiled)
		if err != nil {
			rt.Fatalf("%v\n%s", err, w.source)
		}
		accepted++
		for range 3 {
			run(t.Context(), rt, w, program, store)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		const several = 4 // workflows are small, and many are refused
		for range several {
			one(rt)
		}
	})
	if accepted*3 < total {
		t.Errorf("only %d of %d workflows were accepted: the property says little", accepted, total)
	}
}

// run runs a workflow once with inputs and answers that are drawn.
func run(ctx context.Context, rt *rapid.T, w *generated, program *engine.Program, store *journal.Store) {
	inputs := value.NewObject(len(w.inputs))
	for _, in := range w.inputs {
		inputs.Set(in.name, w.value(rt, in.typ))
	}
	caller := &scripted{w: w, answers: map[string][]engine.Answer{}}
	for _, tool := range w.tools {
		const several = 3 // then they come again
		for range several {
			caller.answers[tool.name] = append(caller.answers[tool.name], w.answer(rt, tool))
		}
	}
	var mu sync.Mutex
	var wrong []string
	out, err := engine.Run(ctx, engine.Options{
		Program: program, Inputs: value.OfObject(inputs), Caller: caller, Journal: store,
		Watch: func(ev engine.Event) {
			if f, ok := ev.(engine.StepFinished); ok && f.Failure != nil && f.Failure.Kind != engine.KindTool && f.Failure.Kind != engine.KindCancelled {
				mu.Lock()
				defer mu.Unlock()
				wrong = append(wrong, fmt.Sprintf("step %s fails (%s): %s", f.Step.Step, f.Failure.Kind, f.Failure.Message))
			}
		},
	})
	if err != nil {
		rt.Fatalf("%v\nwith %s\n%s", err, value.OfObject(inputs).JSON(), w.source)
	}
	if out.Err != nil && out.Err.Kind != engine.KindTool {
		wrong = append(wrong, fmt.Sprintf("the run fails (%s): %s", out.Err.Kind, out.Err.Message))
	}
	wrong = append(wrong, caller.wrong...)
	if len(wrong) > 0 {
		answers := ""
		for name, as := range caller.answers {
			for _, a := range as {
				if a.Structured != nil {
					answers += "\n" + name + ": " + a.Structured.JSON()
				}
			}
		}
		rt.Fatalf("%s\nwith inputs %s\nand answers%s\nof %s\n%s", strings.Join(wrong, "\n"), value.OfObject(inputs).JSON(), answers, w.signatures(), w.iface+w.source)
	}
}

// scripted is a Caller that answers what was drawn, and judges what it is given.
type scripted struct {
	w       *generated
	mu      sync.Mutex
	calls   int
	answers map[string][]engine.Answer
	wrong   []string
}

func (s *scripted) Call(_ context.Context, c engine.Call) (*engine.Answer, error) {
	if err := c.BeforeSend(1); err != nil {
		return nil, &engine.CallError{Kind: engine.KindCancelled, Message: "It was not sent."}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	args, err := value.ParseJSON(c.Args)
	if err != nil {
		return nil, err
	}
	tool := s.w.tool(c.Tool)
	if m := types.Conforms(tool.args, args); m != nil {
		s.wrong = append(s.wrong, fmt.Sprintf("the arguments of %s do not conform: %v: %s", c.Tool, m, c.Args))
	}
	s.calls++
	as := s.answers[c.Tool]
	a := as[s.calls%len(as)]
	return &a, nil
}

// generated is a workflow over tools of its own.
type generated struct {
	source string
	iface  string // the interface file; empty: none
	bound  bool   // the source is bound to the interface
	defs   map[string]any
	tools  []*genTool
	inputs []genName
}

type genName struct {
	name string
	typ  *types.Type
}

type genTool struct {
	name   string
	args   *types.Type
	output *types.Type // nil: text
	reads  bool
	fails  bool // it may answer with an error
}

func (w *generated) tool(name string) *genTool {
	for _, t := range w.tools {
		if t.name == name {
			return t
		}
	}
	return nil
}

// signatures are the tools as one reads them.
func (w *generated) signatures() string {
	var b strings.Builder
	for _, t := range w.tools {
		output := "text"
		if t.output != nil {
			output = types.Print(t.output)
		}
		fmt.Fprintf(&b, "%s(%s) -> %s\n", t.name, types.Print(t.args), output)
	}
	return b.String()
}

// catalog is the snapshot of the tools.
func (w *generated) catalog() []byte {
	w.defs = map[string]any{}
	var tools []any
	for _, t := range w.tools {
		object := map[string]any{
			"name": t.name, "inputSchema": w.schema(t.args),
			"annotations": map[string]any{"readOnlyHint": t.reads, "destructiveHint": false},
		}
		if t.output != nil {
			object["outputSchema"] = w.schema(t.output)
		}
		tools = append(tools, map[string]any{"digest": t.name, "object": object})
	}
	src, err := json.MarshalIndent(map[string]any{
		"format_version": 1, "connection": "gen.main", "tools": tools,
		"resources": []any{}, "resource_templates": []any{}, "prompts": []any{},
	}, "", "  ")
	if err != nil {
		panic(err) // it is made of plain values
	}
	return src
}

// schema writes a type as a JSON Schema, with the definitions of named types.
func (w *generated) schema(t *types.Type) map[string]any {
	s := w.schemaOf(t.Underlying())
	s["$defs"] = w.defs
	return s
}

func (w *generated) schemaOf(t *types.Type) map[string]any {
	if t.Kind() == types.Named {
		name := types.Print(t)
		if _, known := w.defs[name]; !known {
			w.defs[name] = nil
			w.defs[name] = w.schemaOf(t.Underlying())
		}
		return map[string]any{"$ref": "#/$defs/" + name}
	}
	switch u := t.Underlying(); u.Kind() {
	case types.Null:
		return map[string]any{"type": "null"}
	case types.Bool:
		return map[string]any{"type": "boolean"}
	case types.String:
		return map[string]any{"type": "string"}
	case types.Integer:
		return map[string]any{"type": "integer"}
	case types.Number:
		return map[string]any{"type": "number"}
	case types.Literal:
		return map[string]any{"const": json.RawMessage(u.Lit().JSON())}
	case types.List:
		return map[string]any{"type": "array", "items": w.schemaOf(u.Elem())}
	case types.Map:
		return map[string]any{"type": "object", "additionalProperties": w.schemaOf(u.Elem())}
	case types.Union:
		var members []any
		for _, m := range u.Items() {
			members = append(members, w.schemaOf(m))
		}
		return map[string]any{"anyOf": members}
	case types.Object:
		properties := map[string]any{}
		required := []string{}
		for _, a := range u.Attrs() {
			properties[a.Name] = w.schemaOf(a.Type)
			if !a.Optional {
				required = append(required, a.Name)
			}
		}
		s := map[string]any{"type": "object", "properties": properties, "required": required}
		if u.Rest() != nil {
			s["additionalProperties"] = w.schemaOf(u.Rest())
		}
		return s
	}
	return map[string]any{} // any
}

// answer draws what a tool answers.
func (w *generated) answer(rt *rapid.T, t *genTool) engine.Answer {
	if t.fails && rapid.IntRange(0, 2).Draw(rt, "fails") == 0 {
		return engine.Answer{IsError: true, Text: "no", Generation: 1}
	}
	if t.output == nil {
		return engine.Answer{Text: rapid.SampledFrom([]string{"", "a", "a\nb\n"}).Draw(rt, "text"), Generation: 1}
	}
	v := w.value(rt, t.output)
	return engine.Answer{Structured: &v, Text: v.JSON(), Generation: 1}
}

// undeclaredNames are names that other types declare.
var undeclaredNames = []string{"zz", "a", "b", "c", "d", "k"}

// value draws a value of a type. Objects may have attributes that it does not declare.
func (w *generated) value(rt *rapid.T, t *types.Type) value.Value {
	u := t.Underlying()
	switch u.Kind() {
	case types.Null:
		return value.NullValue
	case types.Bool:
		return value.OfBool(rapid.Bool().Draw(rt, "bool"))
	case types.String:
		return value.OfString(rapid.SampledFrom([]string{"", "x", "p"}).Draw(rt, "string"))
	case types.Integer, types.Number:
		return value.OfInt(int64(rapid.IntRange(-1, 2).Draw(rt, "integer")))
	case types.Literal:
		return u.Lit()
	case types.List:
		elems := make([]value.Value, rapid.IntRange(0, 2).Draw(rt, "length"))
		for i := range elems {
			elems[i] = w.value(rt, u.Elem())
		}
		return value.OfList(elems)
	case types.Map:
		o := value.NewObject(2)
		for _, k := range []string{"a", "k"}[:rapid.IntRange(0, 2).Draw(rt, "size")] {
			o.Set(k, w.value(rt, u.Elem()))
		}
		return value.OfObject(o)
	case types.Object:
		o := value.NewObject(4)
		for _, a := range u.Attrs() {
			if !a.Optional || rapid.Bool().Draw(rt, "there") {
				o.Set(a.Name, w.value(rt, a.Type))
			}
		}
		if name := rapid.SampledFrom(undeclaredNames).Draw(rt, "name"); u.Attr(name) == nil && rapid.Bool().Draw(rt, "more") {
			if u.Rest() != nil {
				o.Set(name, w.value(rt, u.Rest()))
			} else {
				o.Set(name, rapid.SampledFrom([]value.Value{value.OfBool(true), value.NullValue, value.OfList(nil), value.OfInt(7), value.OfObject(value.NewObject(0))}).Draw(rt, "undeclared"))
			}
		}
		return value.OfObject(o)
	case types.Union:
		return w.value(rt, rapid.SampledFrom(u.Items()).Draw(rt, "member"))
	}
	return value.OfInt(1) // any
}
