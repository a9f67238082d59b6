package compiler

import (
	"cmp"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// The defaults of connections (LANGUAGE 4, "Connections").
const (
	defaultConnectMS   = 60_000
	defaultIdleMS      = 600_000
	defaultCloseMS     = 2_000
	defaultMaxInFlight = 8
)

// linker writes the plan of a checked workflow: of the one that is compiled, or of
// a child.
type linker struct {
	project *project.Project
	checked *check.Workflow
	plan    *plan.Plan
	locals  map[int]bool // in use

	// root writes the plan that the others are children of; it has what all share.
	root        *linker
	secrets     map[string]bool            // in use
	connections map[string]bool            // written
	digests     map[*byte]string           // of schemas, by where they begin: steps of one tool share them
	children    map[*check.Workflow]string // their digests
}

// newLinker returns a linker of w; root is nil for the one that is compiled.
func newLinker(p *project.Project, w *check.Workflow, root *linker) *linker {
	l := &linker{project: p, checked: w, root: root, locals: map[int]bool{}, plan: &plan.Plan{
		FormatVersion: plan.FormatVersion,
		Language:      1,
		Functions:     funcs.Version,
		Workflow:      w.Syntax.Name.Text,
		Ranges:        map[string]plan.Range{},
	}}
	if s := p.Settings; s != nil && s.Project.Language != nil {
		l.plan.Language = s.Project.Language.N
	}
	if root == nil {
		l.root = l
		l.secrets, l.connections, l.digests = map[string]bool{}, map[string]bool{}, map[*byte]string{}
		l.children = map[*check.Workflow]string{}
	}
	return l
}

func (l *linker) link() {
	l.workflow()
	l.usedSecrets()
}

// workflow writes all but what is shared.
func (l *linker) workflow() {
	l.inputs()
	l.nodes()
	l.outputs()
	l.usedLocals()
	l.sources()
	y := l.checked.Syntax
	l.plan.Deadline = l.attribute(y.Deadline, "/deadline")
	if c := y.Concurrency; c != nil {
		l.plan.Concurrency = &plan.Concurrency{
			Key: l.attribute(c.Key, "/concurrency/key"), Limit: l.attribute(c.Limit, "/concurrency/limit"),
			OnConflict: cmp.Or(text(c.OnConflict), "queue"),
		}
	}
}

// child writes the plan of a workflow that a node runs, once, and returns its digest.
func (l *linker) child(w *check.Workflow) string {
	if digest, ok := l.root.children[w]; ok {
		return digest
	}
	c := newLinker(l.project, w, l.root)
	c.workflow()
	c.plan.Seal()
	root := l.root.plan
	if root.Children == nil {
		root.Children = map[string]*plan.Plan{}
	}
	root.Children[c.plan.Digest] = c.plan
	l.root.children[w] = c.plan.Digest
	return c.plan.Digest
}

func (l *linker) policy(y *syntax.Policy) {
	if y == nil {
		return
	}
	l.plan.Policy = &plan.Policy{
		Destructive: cmp.Or(text(y.Destructive), "allow"),
		Drift:       cmp.Or(text(y.Drift), "fail"),
		InDoubt:     cmp.Or(text(y.InDoubt), "ask"),
	}
}

// print gives an expression in canonical print and notes its place and the
// secrets that it names.
func (l *linker) print(e expr.Expr, at string, parts ...any) plan.Expr {
	if e.IsZero() {
		return ""
	}
	l.place(e.Range(), at, parts...)
	for _, r := range e.Refs() {
		if r.Root == "secret" {
			l.root.secrets[r.Name] = true
		}
		if r.Root == "run" && (r.Name == "previous" || r.Name == "") {
			l.root.plan.Previous = true
		}
	}
	return plan.Expr(expr.Print(withFiles(l.project, e)))
}

func (l *linker) attribute(a *syntax.Attribute, at string, parts ...any) plan.Expr {
	if a == nil {
		return ""
	}
	return l.print(a.Expr, at, parts...)
}

// place notes where in the source something is, by JSON pointer into the plan.
func (l *linker) place(r hcl.Range, at string, parts ...any) {
	if r.Filename == "" {
		return
	}
	column := r.Start.Column
	if src := l.project.Source(r.Filename); src != nil {
		end := min(max(r.Start.Byte, 0), len(src))
		start := end
		for start > 0 && src[start-1] != '\n' {
			start--
		}
		column = utf8.RuneCount(src[start:end]) + 1
	}
	l.plan.Ranges[fmt.Sprintf(at, parts...)] = plan.Range{File: r.Filename, Line: r.Start.Line, Column: column}
}

func (l *linker) inputs() {
	for i, in := range l.checked.Inputs {
		l.place(in.Syntax.Header, "/inputs/%d", i)
		out := plan.Input{
			Name:        in.Syntax.Name.Text,
			Type:        types.PrintClosed(in.Type),
			Optional:    in.Optional,
			Default:     constant(in.Default),
			Fixed:       constant(in.Fixed),
			Description: text(in.Syntax.Description),
			Sensitive:   is(in.Syntax.Sensitive),
		}
		for j, v := range in.Syntax.Validations {
			out.Validations = append(out.Validations, plan.Condition{
				Condition:    l.print(v.Condition, "/inputs/%d/validations/%d/condition", i, j),
				ErrorMessage: l.print(v.ErrorMessage, "/inputs/%d/validations/%d/error_message", i, j),
			})
		}
		l.plan.Inputs = append(l.plan.Inputs, out)
	}
}

func constant(v *value.Value) json.RawMessage {
	if v == nil {
		return nil
	}
	return value.AppendJSON(nil, *v)
}

func is(b *bool) bool { return b != nil && *b }

func text(t *syntax.Text) string {
	if t == nil {
		return ""
	}
	return t.S
}

// source returns a source of the workflow, an empty one where there is none.
func (l *linker) source(name string) *check.Source {
	for i := range l.checked.Sources {
		if l.checked.Sources[i].Syntax.Name.Text == name {
			return &l.checked.Sources[i]
		}
	}
	return &check.Source{}
}

// schema stores a JSON Schema and returns its digest, "" for none.
func (l *linker) schema(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	if digest, ok := l.root.digests[&raw[0]]; ok {
		return digest
	}
	canonical, err := plan.CanonicalJSON(raw)
	if err != nil {
		return "" // a broken schema is a problem of its tool, whose type is any
	}
	digest := plan.SchemaDigest(canonical)
	root := l.root
	if root.plan.Schemas == nil {
		root.plan.Schemas = map[string]json.RawMessage{}
	}
	root.plan.Schemas[digest] = canonical
	root.digests[&raw[0]] = digest
	return digest
}

func (l *linker) outputs() {
	for i, o := range l.checked.Outputs {
		for _, n := range o.Needs.Locals {
			l.useLocal(n)
		}
		l.place(o.Syntax.Header, "/outputs/%d", i)
		out := plan.Output{Name: o.Syntax.Name.Text, Value: l.print(o.Syntax.Value, "/outputs/%d/value", i), Sensitive: is(o.Syntax.Sensitive)}
		if o.Type != nil {
			out.Type = types.PrintClosed(o.Type)
		}
		l.plan.Outputs = append(l.plan.Outputs, out)
	}
}

// useLocal notes that a local, and those that it refers to, are in use.
func (l *linker) useLocal(i int) {
	if l.locals[i] {
		return
	}
	l.locals[i] = true
	for _, n := range l.checked.Locals[i].Needs.Locals {
		l.useLocal(n)
	}
}

func (l *linker) usedLocals() {
	for i, x := range l.checked.Locals {
		if l.locals[i] {
			n := len(l.plan.Locals)
			l.plan.Locals = append(l.plan.Locals, plan.Local{Name: x.Syntax.Name.Text, Value: l.print(x.Syntax.Expr, "/locals/%d/value", n)})
		}
	}
}

// sources writes the sources that a node asks, and their connections, once each.
func (l *linker) sources() {
	asked := map[string]bool{}
	for _, n := range l.plan.Nodes {
		asked[n.Source] = true
		for _, u := range n.Undo {
			asked[u.Source] = true
		}
	}
	for _, s := range l.checked.Sources {
		if !asked[s.Syntax.Name.Text] {
			continue
		}
		l.place(s.Syntax.Header, "/sources/%d", len(l.plan.Sources))
		out := plan.Source{Name: s.Syntax.Name.Text}
		for _, m := range s.Members {
			session := cmp.Or(s.Session, text(m.Connection.Session), "shared")
			if out.Session == "" {
				out.Session = session
			}
			out.Members = append(out.Members, plan.Member{Key: m.Key, Connection: m.Connection.ID(), Session: session})
			if id := m.Connection.ID(); !l.root.connections[id] {
				l.root.connections[id] = true
				l.root.connection(m.Connection, m.Snapshot)
			}
		}
		if len(s.Members) == 0 {
			out.Connection, out.Session = l.root.standIn(s.Syntax), cmp.Or(s.Session, "shared")
		}
		if len(out.Members) == 1 && !s.Family {
			out.Connection, out.Members = out.Members[0].Connection, nil
		}
		l.plan.Sources = append(l.plan.Sources, out)
	}
}

// defaults is the project's defaults block, an empty one where there is none.
func (l *linker) defaults() *syntax.Defaults {
	if s := l.project.Settings; s != nil && s.Defaults != nil {
		return s.Defaults
	}
	return &syntax.Defaults{}
}
