package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/schema"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// Program is a plan made ready to run: expressions parsed, types read, nodes
// linked by index. It is immutable; any number of runs may share it.
type Program struct {
	plan    *plan.Plan
	nodes   []node // as in the plan
	index   map[string]int
	inputs  []input
	locals  map[string]*local
	outputs []output

	encodeOnce sync.Once
	bytes      []byte
}

// node is a plan's node with what the core derives from it.
type node struct {
	spec       *plan.NodeSpec
	index      int
	connection string // its id; "" where the node calls nothing
	session    sessionID
	after      int   // how many nodes it waits for
	before     []int // the nodes that wait for it, ascending

	value, args, when, forEach, key, maxParallel, timeout, result, failIf, effect code

	// keepsArgs: an expression over the answer refers to args.
	keepsArgs bool
	// usesSecrets: args refers to secret, so that it is evaluated twice, with
	// values for the wire and with references for the digest.
	usesSecrets bool
	nullArgs    map[string]bool
	returns     *types.Type // nil: anything
	contract    *types.Type // of the source's interface; nil: none
	resultType  *types.Type // nil: anything
	inSchema    *lazySchema // nil: none
	outSchema   *lazySchema // nil: none
}

// code is an expression of the plan, compiled; the zero code is one that is not written.
type code struct {
	source  expr.Expr
	program *eval.Program
}

// IsZero reports whether there is no expression.
func (c code) IsZero() bool { return c.program == nil }

func (c code) refersTo(root string) bool {
	return !c.IsZero() && slices.ContainsFunc(c.source.Refs(), func(r expr.Reference) bool { return r.Root == root })
}

type input struct {
	spec        *plan.Input
	typ         *types.Type
	fallback    *value.Value // nil: none
	fixed       *value.Value // nil: none
	validations []validation
}

type validation struct{ condition, message code }

type local struct {
	index int
	code  code
	// cacheable: it refers to nothing that differs between two places of use.
	cacheable bool
	decided   bool
}

type output struct {
	name string
	code code
	typ  *types.Type // nil: anything
}

// lazySchema compiles a schema when the first value meets it: most schemas of a
// plan guard nothing in a given run, and compiling one costs more than a call.
type lazySchema struct {
	compile func() (*schema.Validator, error)
}

func newLazySchema(raw json.RawMessage) *lazySchema {
	return &lazySchema{sync.OnceValues(func() (*schema.Validator, error) { return schema.Compile(raw) })}
}

// NewProgram makes p ready to run. It fails for a plan that no compiler made:
// text that is no expression, names that lead nowhere; the error says what is
// wrong with the plan. p must not change afterwards.
func NewProgram(p *plan.Plan) (*Program, error) {
	prog := &Program{
		plan:   p,
		nodes:  make([]node, len(p.Nodes)),
		index:  make(map[string]int, len(p.Nodes)),
		locals: make(map[string]*local, len(p.Locals)),
	}
	l := loader{prog: prog, schemas: map[string]*lazySchema{}, sessions: map[string]sessionID{}}
	for _, s := range p.Sources {
		l.sessions[s.Name] = sessionID{s.Connection, s.Session == "run"}
	}
	for i := range p.Nodes {
		id := p.Nodes[i].ID
		if _, twice := prog.index[id]; twice {
			l.fail("step %q is there twice", id)
		}
		prog.index[id] = i
	}
	for i := range p.Nodes {
		l.node(i)
	}
	for i := range p.Locals {
		prog.locals[p.Locals[i].Name] = &local{index: i, code: l.code(p.Locals[i].Value, "/locals/%d/value", i)}
	}
	for i := range p.Locals {
		l.cacheable(prog.locals[p.Locals[i].Name])
	}
	for i := range p.Inputs {
		l.input(i)
	}
	for i := range p.Outputs {
		o := &p.Outputs[i]
		prog.outputs = append(prog.outputs, output{
			name: o.Name,
			code: l.code(o.Value, "/outputs/%d/value", i),
			typ:  l.typ(o.Type, "/outputs/%d/type", i),
		})
	}
	if l.err != nil {
		return nil, l.err
	}
	return prog, nil
}

// Plan returns the plan, not to be changed.
func (p *Program) Plan() *plan.Plan { return p.plan }

// loader builds a Program; it keeps the first error and goes on.
type loader struct {
	prog     *Program
	schemas  map[string]*lazySchema
	sessions map[string]sessionID // by source
	err      error
}

func (l *loader) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

func (l *loader) node(i int) {
	spec := &l.prog.plan.Nodes[i]
	n := &l.prog.nodes[i]
	n.spec, n.index = spec, i
	switch spec.Kind {
	case plan.Call:
		s, ok := l.sessions[spec.Source]
		if !ok {
			l.fail("step %q calls the source %q, which the plan does not bind", spec.ID, spec.Source)
		}
		n.connection, n.session = s.connection, s
	case plan.ValueNode:
	default:
		l.fail("step %q is of the kind %q, which this version of wfc does not know", spec.ID, spec.Kind)
	}
	seen := make(map[int]bool, len(spec.After))
	for _, name := range spec.After {
		j, ok := l.prog.index[name]
		switch {
		case !ok:
			l.fail("step %q waits for %q, which is no step", spec.ID, name)
		case j >= i:
			l.fail("step %q waits for %q, which comes after it", spec.ID, name)
		case !seen[j]:
			seen[j] = true
			n.after++
			l.prog.nodes[j].before = append(l.prog.nodes[j].before, i)
		}
	}
	e := func(text plan.Expr, field string) code { return l.code(text, "/nodes/%d/"+field, i) }
	n.value, n.args = e(spec.Value, "value"), e(spec.Args, "args")
	n.when, n.forEach, n.key = e(spec.When, "when"), e(spec.ForEach, "for_each"), e(spec.Key, "key")
	n.maxParallel, n.timeout = e(spec.MaxParallel, "max_parallel"), e(spec.Timeout, "timeout")
	n.result, n.failIf, n.effect = e(spec.Result, "result"), e(spec.FailIf, "fail_if"), e(spec.EffectExpr, "effect_expr")
	n.keepsArgs = n.result.refersTo("args") || n.failIf.refersTo("args")
	n.usesSecrets = n.args.refersTo("secret")
	if len(spec.NullArgs) > 0 {
		n.nullArgs = make(map[string]bool, len(spec.NullArgs))
		for _, name := range spec.NullArgs {
			n.nullArgs[name] = true
		}
	}
	n.returns = l.typ(spec.Returns, "/nodes/%d/returns", i)
	if k := spec.Contract; k != nil {
		n.contract = l.typ(k.Type, "/nodes/%d/contract/type", i)
	}
	n.resultType = l.typ(spec.ResultType, "/nodes/%d/result_type", i)
	n.inSchema, n.outSchema = l.schema(spec.InputSchema), l.schema(spec.OutputSchema)
}

func (l *loader) input(i int) {
	spec := &l.prog.plan.Inputs[i]
	in := input{spec: spec, typ: l.typ(spec.Type, "/inputs/%d/type", i)}
	if in.typ == nil {
		in.typ = types.AnyType
	}
	in.fallback = l.constant(spec.Default, spec.Name)
	in.fixed = l.constant(spec.Fixed, spec.Name)
	for j, v := range spec.Validations {
		in.validations = append(in.validations, validation{
			condition: l.code(v.Condition, "/inputs/%d/validations/%d/condition", i, j),
			message:   l.code(v.ErrorMessage, "/inputs/%d/validations/%d/error_message", i, j),
		})
	}
	l.prog.inputs = append(l.prog.inputs, in)
}

func (l *loader) constant(raw json.RawMessage, name string) *value.Value {
	if len(raw) == 0 {
		return nil
	}
	v, err := value.ParseStored(raw)
	if err != nil {
		l.fail("the value of the input %q is no JSON: %v", name, err)
		return nil
	}
	return &v
}

// code parses and compiles text. Its ranges carry the JSON pointer as file name,
// by which the plan's Ranges are found again (see [Program.place]).
func (l *loader) code(text plan.Expr, pointer string, args ...any) code {
	if text == "" {
		return code{}
	}
	pointer = fmt.Sprintf(pointer, args...)
	e, problems := expr.Parse(string(text), pointer)
	if l.check(problems, pointer); problems.HasErrors() {
		return code{}
	}
	return code{source: e, program: eval.Compile(e)}
}

func (l *loader) typ(text, pointer string, args ...any) *types.Type {
	if text == "" {
		return nil
	}
	pointer = fmt.Sprintf(pointer, args...)
	e, problems := expr.Parse(text, pointer)
	if l.check(problems, pointer); problems.HasErrors() {
		return nil
	}
	t, problems := types.FromHCL(e, nil)
	if l.check(problems, pointer); problems.HasErrors() || t.Kind() == types.Any {
		return nil
	}
	return t
}

func (l *loader) check(problems diag.List, pointer string) {
	for _, d := range problems {
		if d.Severity == diag.Error {
			l.fail("%s: %s", pointer, d.Detail)
		}
	}
}

func (l *loader) schema(digest string) *lazySchema {
	if digest == "" {
		return nil
	}
	s := l.schemas[digest]
	if s == nil {
		raw, ok := l.prog.plan.Schemas[digest]
		if !ok {
			l.fail("the plan refers to the schema %s and does not have it", digest)
			return nil
		}
		s = newLazySchema(raw)
		l.schemas[digest] = s
	}
	return s
}

// cacheable decides whether a local is the same wherever it is used: it refers
// to inputs, ended steps and the run only. Locals form no cycle; one in a plan
// that has it all the same is not cached.
func (l *loader) cacheable(loc *local) bool {
	if loc.decided {
		return loc.cacheable
	}
	loc.decided = true
	for _, ref := range loc.code.source.Refs() {
		switch ref.Root {
		case "input", "step", "run":
		case "local":
			if other := l.prog.locals[ref.Name]; other == nil || !l.cacheable(other) {
				return false
			}
		default:
			return false
		}
	}
	loc.cacheable = true
	return true
}

// place says where an expression's failure is in the source, as " (file:line:column)",
// or "" where the plan has no place for it.
func (p *Program) place(err *eval.Error) string {
	r, ok := p.plan.Ranges[err.Range.Filename]
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (%s:%d:%d)", r.File, r.Line, r.Column)
}

// encoded returns the plan as the journal keeps it.
func (p *Program) encoded() []byte {
	p.encodeOnce.Do(func() { p.bytes = p.plan.Encode() })
	return p.bytes
}
