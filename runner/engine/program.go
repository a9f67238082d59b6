package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/yosida95/uritemplate/v3"

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

	sensitiveInputs, sensitiveOutputs bool // one of them is
	holdsSensitive                    bool // they do, or what a node gives

	steps    int // nodes that are no finally blocks
	deadline code
	key      code // of concurrency
	limit    code
	policy   plan.Policy
	sources  map[string]*plan.Source

	encodeOnce sync.Once
	bytes      []byte
}

// node is a plan's node with what the core derives from it.
type node struct {
	spec   *plan.NodeSpec
	index  int
	source *plan.Source // nil: of none
	// connection is what the node is said to call in messages; "" where it calls
	// nothing. Of several it is the first, whose variant this is.
	connection string
	private    bool             // to the run; its session
	variants   map[string]*node // by the key of a member; nil: there is one connection only
	child      *Program         // of a run
	after      int              // how many nodes it waits for
	before     []int            // the nodes that wait for it, ascending

	sourceKey, value, uri, sleep, args, when, forEach, key, maxParallel code
	timeout, idleTimeout, deadline, result, failIf, effect              code
	while, loopMax, loopDelay                                           code
	retryAttempts, retryDelay, retryMaxDelay, retryOn, retryWhen        code
	asserts                                                             []validation
	ask                                                                 question
	bind                                                                []binding
	undo                                                                []*node

	sensitive bool // what it gives may be, see [Program.mark]
	// keepsArgs: an expression over the answer refers to args.
	keepsArgs bool
	// usesSecrets: args refers to secret, so that it is evaluated twice, with
	// values for the wire and with references for the digest.
	usesSecrets bool
	nullArgs    map[string]bool
	template    *uritemplate.Template // nil: none
	returns     *types.Type           // nil: anything
	contract    *types.Type           // of the source's interface; nil: none
	resultType  *types.Type           // nil: anything
	inSchema    *lazySchema           // nil: none
	outSchema   *lazySchema           // nil: none
}

// question is what a node asks.
type question struct {
	message, choices, approvers code
	answer                      *types.Type // nil: anything
}

// binding says which member a source of a child is.
type binding struct {
	source string
	key    code
	ours   string // the source of ours whose member it is, where key is not written
}

// loops reports whether the node is done in rounds.
func (n *node) loops() bool { return n.spec.Loop != nil }

// asks reports whether the node asks a server for something.
func (n *node) asks() bool { return n.source != nil }

// variant returns the node as it is where key chooses the connection.
func (n *node) variant(key string) *node {
	if v := n.variants[key]; v != nil {
		return v
	}
	return n
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
	family := family{root: p, schemas: map[string]*lazySchema{}, types: map[string]*types.Type{}, children: map[string]*Program{}}
	return family.program(p)
}

// CheckInputs is [Program.Inputs] of a plan whose program is not made yet, for its error.
func CheckInputs(p *plan.Plan, given value.Value) error {
	family := family{root: p, types: map[string]*types.Type{}}
	l := loader{prog: &Program{plan: p}, family: &family}
	for i := range p.Inputs {
		l.input(i)
	}
	if l.err != nil {
		return l.err
	}
	_, err := l.prog.Inputs(given)
	return err
}

// family makes the programs of a plan and of its children, which share its schemas.
type family struct {
	root     *plan.Plan
	schemas  map[string]*lazySchema
	types    map[string]*types.Type // by their notation; steps that call one tool have one
	children map[string]*Program
}

func (f *family) program(p *plan.Plan) (*Program, error) {
	prog := &Program{
		plan:    p,
		nodes:   make([]node, len(p.Nodes)),
		index:   make(map[string]int, len(p.Nodes)),
		locals:  make(map[string]*local, len(p.Locals)),
		sources: make(map[string]*plan.Source, len(p.Sources)),
		policy:  plan.Policy{Destructive: "allow", Drift: "fail", InDoubt: "ask"},
	}
	if f.root.Policy != nil {
		prog.policy = *f.root.Policy
	}
	l := loader{prog: prog, family: f}
	for i := range p.Sources {
		prog.sources[p.Sources[i].Name] = &p.Sources[i]
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
	prog.deadline = l.code(p.Deadline, "/deadline")
	if c := p.Concurrency; c != nil {
		prog.key, prog.limit = l.code(c.Key, "/concurrency/key"), l.code(c.Limit, "/concurrency/limit")
	}
	if l.err != nil {
		return nil, l.err
	}
	prog.mark()
	return prog, nil
}

// child returns the program of a child of the plan, made once.
func (f *family) child(digest string) (*Program, error) {
	if prog, ok := f.children[digest]; ok {
		if prog == nil {
			return nil, fmt.Errorf("the workflow %s runs itself", digest)
		}
		return prog, nil
	}
	p := f.root.Children[digest]
	if p == nil {
		return nil, fmt.Errorf("the plan runs the workflow %s and does not have it", digest)
	}
	f.children[digest] = nil
	prog, err := f.program(p)
	if err != nil {
		return nil, fmt.Errorf("workflow %s: %w", p.Workflow, err)
	}
	f.children[digest] = prog
	return prog, nil
}

// Plan returns the plan, not to be changed.
func (p *Program) Plan() *plan.Plan { return p.plan }

// loader builds a Program; it keeps the first error and goes on.
type loader struct {
	prog   *Program
	family *family
	err    error
}

func (l *loader) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

func (l *loader) node(i int) {
	spec := &l.prog.plan.Nodes[i]
	n := &l.prog.nodes[i]
	l.spec(n, spec, fmt.Sprintf("/nodes/%d", i))
	n.index = i
	if !spec.Finally {
		l.prog.steps++
	}
	seen := make(map[int]bool, len(spec.After))
	for _, name := range spec.After {
		j, ok := l.prog.index[name]
		switch {
		case !ok:
			l.fail("step %q waits for %q, which is no step", spec.ID, name)
		case j >= i:
			l.fail("step %q waits for %q, which comes after it", spec.ID, name)
		case spec.Finally != l.prog.plan.Nodes[j].Finally:
			// All steps have ended when a finally block begins, which none waits for.
			if !spec.Finally {
				l.fail("step %q waits for the finally block %q", spec.ID, name)
			}
		case !seen[j]:
			seen[j] = true
			n.after++
			l.prog.nodes[j].before = append(l.prog.nodes[j].before, i)
		}
	}
}

// spec makes of a node of the plan, a variant or an undo of one, what the core
// needs; at is its JSON pointer.
func (l *loader) spec(n *node, spec *plan.NodeSpec, at string) {
	n.spec = spec
	switch spec.Kind {
	case plan.Call, plan.Read, plan.Prompt:
		n.source = l.prog.sources[spec.Source]
		switch {
		case n.source == nil:
			l.fail("step %q calls the source %q, which the plan does not bind", spec.ID, spec.Source)
			n.source = &plan.Source{}
		case n.source.Connection != "":
			n.connection, n.private = n.source.Connection, n.source.Session == "run"
		case len(n.source.Members) > 0:
			n.connection = n.source.Members[0].Connection
		}
	case plan.Run:
		child, err := l.family.child(spec.Child)
		if err != nil {
			l.fail("step %q: %v", spec.ID, err)
		}
		n.child = child
	case plan.ValueNode, plan.Sleep:
	case plan.AskNode:
		l.question(n, spec, at)
	default:
		l.fail("step %q is of the kind %q, which this version of wfc does not know", spec.ID, spec.Kind)
	}
	e := func(text plan.Expr, field string) code { return l.code(text, "%s/%s", at, field) }
	n.sourceKey, n.value, n.uri, n.sleep, n.args = e(spec.SourceKey, "source_key"), e(spec.Value, "value"), e(spec.URI, "uri"), e(spec.Sleep, "sleep"), e(spec.Args, "args")
	n.when, n.forEach, n.key = e(spec.When, "when"), e(spec.ForEach, "for_each"), e(spec.Key, "key")
	n.maxParallel, n.timeout = e(spec.MaxParallel, "max_parallel"), e(spec.Timeout, "timeout")
	n.idleTimeout, n.deadline = e(spec.IdleTimeout, "idle_timeout"), e(spec.Deadline, "deadline")
	n.result, n.failIf, n.effect = e(spec.Result, "result"), e(spec.FailIf, "fail_if"), e(spec.EffectExpr, "effect_expr")
	if x := spec.Loop; x != nil {
		n.while, n.loopMax, n.loopDelay = e(x.While, "loop/while"), e(x.Max, "loop/max"), e(x.Delay, "loop/delay")
	}
	if x := spec.Retry; x != nil {
		n.retryAttempts, n.retryDelay, n.retryMaxDelay = e(x.Attempts, "retry/attempts"), e(x.Delay, "retry/delay"), e(x.MaxDelay, "retry/max_delay")
		n.retryOn, n.retryWhen = e(x.On, "retry/on"), e(x.When, "retry/when")
	}
	n.keepsArgs = n.result.refersTo("args") || n.failIf.refersTo("args") || n.while.refersTo("args") || n.retryWhen.refersTo("args")
	for i, x := range spec.Asserts {
		a := validation{e(x.Condition, fmt.Sprintf("asserts/%d/condition", i)), e(x.ErrorMessage, fmt.Sprintf("asserts/%d/error_message", i))}
		n.keepsArgs = n.keepsArgs || a.condition.refersTo("args") || a.message.refersTo("args")
		n.asserts = append(n.asserts, a)
	}
	for i, x := range spec.Bind {
		n.bind = append(n.bind, binding{x.Source, e(x.Key, fmt.Sprintf("bind/%d/key", i)), x.Ours})
	}
	n.usesSecrets = n.args.refersTo("secret")
	if len(spec.NullArgs) > 0 {
		n.nullArgs = make(map[string]bool, len(spec.NullArgs))
		for _, name := range spec.NullArgs {
			n.nullArgs[name] = true
		}
	}
	if t := spec.URITemplate; t != "" {
		var err error
		if n.template, err = uritemplate.New(t); err != nil {
			l.fail("step %q reads %q, which is no URI template: %v", spec.ID, t, err)
		}
	}
	n.returns = l.typ(spec.Returns, "%s/returns", at)
	if k := spec.Contract; k != nil {
		n.contract = l.typ(k.Type, "%s/contract/type", at)
	}
	n.resultType = l.typ(spec.ResultType, "%s/result_type", at)
	n.inSchema, n.outSchema = l.schema(spec.InputSchema), l.schema(spec.OutputSchema)
	for i := range spec.Undo {
		u := &node{}
		l.spec(u, &spec.Undo[i], fmt.Sprintf("%s/undo/%d", at, i))
		n.undo = append(n.undo, u)
	}
	if n.source == nil || len(n.source.Members) == 0 {
		return
	}
	n.variants = make(map[string]*node, len(n.source.Members))
	for _, m := range n.source.Members {
		v := *n
		if other, ok := spec.Variants[m.Key]; ok {
			v = node{}
			l.spec(&v, &other, at)
		}
		v.connection, v.private, v.index = m.Connection, m.Session == "run", n.index
		n.variants[m.Key] = &v
	}
}

func (l *loader) question(n *node, spec *plan.NodeSpec, at string) {
	x := spec.Ask
	if x == nil {
		l.fail("step %q asks, and the plan does not say what", spec.ID)
		return
	}
	n.ask.message, n.ask.choices = l.code(x.Message, "%s/ask/message", at), l.code(x.Choices, "%s/ask/choices", at)
	n.ask.approvers = l.code(x.Approvers, "%s/ask/approvers", at)
	n.ask.answer = l.typ(x.Answer, "%s/ask/answer", at)
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
	if t, ok := l.family.types[text]; ok {
		return t
	}
	pointer = fmt.Sprintf(pointer, args...)
	e, problems := expr.Parse(text, pointer)
	if l.check(problems, pointer); problems.HasErrors() {
		return nil
	}
	t, problems := types.FromHCL(e, nil)
	if l.check(problems, pointer); problems.HasErrors() {
		return nil
	}
	if t.Kind() == types.Any {
		t = nil
	}
	l.family.types[text] = t
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
	s := l.family.schemas[digest]
	if s == nil {
		raw, ok := l.family.root.Schemas[digest]
		if !ok {
			l.fail("the plan refers to the schema %s and does not have it", digest)
			return nil
		}
		s = newLazySchema(raw)
		l.family.schemas[digest] = s
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
		case "input", "step":
		case "run":
			// In a finally block and in outputs there is more of the run than before.
			if n := ref.Name; n != "id" && n != "started_at" && n != "deployment" && n != "previous" {
				return false
			}
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
