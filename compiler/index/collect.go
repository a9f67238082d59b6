package index

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
)

// collector collects the occurrences of a file.
type collector struct {
	project *project.Project
	file    *syntax.File
	out     []Occurrence

	// Of the expression in hand:
	workflow string // whose names it reads; "": none
	runs     map[string]string
	bound    []Symbol // the variables of `for`
}

func sorted(out []Occurrence) []Occurrence {
	slices.SortStableFunc(out, func(a, b Occurrence) int {
		if n := a.Range.Start.Byte - b.Range.Start.Byte; n != 0 {
			return n
		}
		return a.Range.End.Byte - b.Range.End.Byte
	})
	// A family names the same tool of several connections in one place.
	return slices.CompactFunc(out, func(a, b Occurrence) bool { return a.Range == b.Range && a.Symbol == b.Symbol })
}

func (c *collector) add(o Occurrence) {
	if o.Symbol.Name == "" || o.Range.End.Byte <= o.Range.Start.Byte {
		return
	}
	if at := o.Range.Start.Byte; at > 0 && at <= len(c.file.Source) {
		o.Quoted = c.file.Source[at-1] == '"'
	}
	c.out = append(c.out, o)
}

func (c *collector) define(kind Kind, owner string, l syntax.Label, block hcl.Range) {
	c.add(Occurrence{Symbol: Symbol{kind, owner, l.Text}, Range: l.Range, Definition: true, Block: block})
}

func (c *collector) refer(kind Kind, owner string, l syntax.Label) {
	c.add(Occurrence{Symbol: Symbol{kind, owner, l.Text}, Range: l.Range})
}

func (c *collector) all() {
	f := c.file
	if f.Sampling != nil {
		c.attributes(f.Sampling.BaseURL, f.Sampling.Model, f.Sampling.APIKey)
	}
	if f.Defaults != nil && f.Defaults.Retry != nil {
		c.attributes(f.Defaults.Retry.When)
	}
	for _, x := range f.Providers {
		c.define(Provider, "", x.Name, x.Range)
		c.settings(&x.ConnectionSettings, "")
	}
	for _, x := range f.Connections {
		c.refer(Provider, "", x.Provider)
		c.add(Occurrence{Symbol: Symbol{Connection, "", x.ID()}, Range: x.Account.Range, Definition: true, Block: x.Range})
		c.settings(&x.ConnectionSettings, x.ID())
	}
	for _, x := range f.Secrets {
		c.define(Secret, "", x.Name, x.Range)
	}
	for _, x := range f.Deployments {
		c.deployment(x)
	}
	for _, x := range f.Tests {
		c.test(x)
	}
	for _, x := range f.Workflows {
		c.flow(x)
	}
}

// settings are those of a connection, or of a provider, whose id is "".
func (c *collector) settings(s *syntax.ConnectionSettings, id string) {
	if x := s.Stdio; x != nil {
		c.attributes(x.Command, x.Args, x.Env, x.Cwd)
	}
	for _, x := range []*syntax.HTTP{s.HTTP, s.SSE} {
		if x != nil {
			c.attributes(x.URL, x.Headers)
		}
	}
	if x := s.Auth; x != nil {
		c.attributes(x.Token, x.Name, x.Value, x.Username, x.Password, x.ClientID, x.ClientSecret, x.Scopes)
	}
	for _, t := range s.Tools {
		c.refer(Capability, id, t.Tool)
		c.attributes(t.Effect, t.Result, t.FailIf)
		c.typ(t.Returns)
	}
	for _, l := range []*syntax.List{s.Allow, s.Deny} {
		if l == nil || id == "" {
			continue
		}
		for _, t := range l.Items {
			c.refer(Capability, id, syntax.Label{Text: t.S, Range: unquoted(t.Range)})
		}
	}
}

// unquoted is the place of a text without its quotes.
func unquoted(r hcl.Range) hcl.Range {
	r.Start.Byte, r.Start.Column = r.Start.Byte+1, r.Start.Column+1
	r.End.Byte, r.End.Column = r.End.Byte-1, r.End.Column-1
	return r
}

// connection notes connection.PROVIDER.ACCOUNT.
func (c *collector) connection(r *syntax.Ref) {
	if r == nil || len(r.Path) != 3 {
		return
	}
	c.refer(Provider, "", r.Path[1])
	c.refer(Connection, "", syntax.Label{Text: r.Path[1].Text + "." + r.Path[2].Text, Range: r.Path[2].Range})
}

// second notes the name after the root of a reference of two parts.
func (c *collector) second(kind Kind, owner string, r *syntax.Ref) (name string) {
	if r == nil || len(r.Path) != 2 {
		return ""
	}
	c.refer(kind, owner, r.Path[1])
	return r.Path[1].Text
}

func (c *collector) deployment(d *syntax.Deployment) {
	c.define(Deployment, "", d.Name, d.Range)
	wf := c.second(Workflow, "", d.Workflow)
	for _, b := range d.Bind {
		c.key(Source, wf, b.Source)
		c.connection(&b.Connection)
	}
	c.keys(d.Inputs, Input, wf)
	if w := d.Webhook; w != nil {
		if w.Input != nil && wf != "" {
			c.refer(Input, wf, *w.Input)
		}
		c.attributes(w.Secret)
	}
}

func (c *collector) test(t *syntax.Test) {
	c.define(Test, "", t.Name, t.Range)
	wf := c.second(Workflow, "", t.Workflow)
	if t.Deployment != nil {
		if d := c.project.Deployments[c.second(Deployment, "", t.Deployment)]; d != nil && d.Workflow != nil && len(d.Workflow.Path) == 2 {
			wf = d.Workflow.Path[1].Text
		}
	}
	c.in(wf, func() {
		c.keys(t.Inputs, Input, wf)
		for _, m := range t.Mocks {
			if wf != "" {
				c.refer(Source, wf, m.Source)
				c.refer(Capability, "source."+wf+"."+m.Source.Text, m.Tool)
			}
			c.attributes(m.When, m.Output, m.Text, m.Error)
		}
		for _, a := range t.Answers {
			if wf != "" {
				c.refer(Step, wf, a.Step)
			}
			c.attributes(a.When, a.Data)
		}
		if e := t.Expect; e != nil {
			c.keys(e.Outputs, Output, wf)
		}
		c.conditions(t.Asserts)
	})
}

// in collects what stands in expressions that read the names of a workflow.
func (c *collector) in(workflow string, f func()) {
	outer := c.workflow
	c.workflow = workflow
	f()
	c.workflow = outer
}

func (c *collector) flow(w *syntax.Workflow) {
	c.define(Workflow, "", w.Name, w.Range)
	name := w.Name.Text
	sources := map[string]*syntax.Source{}
	for _, s := range w.Sources {
		if sources[s.Name.Text] == nil {
			sources[s.Name.Text] = s
		}
		c.define(Source, name, s.Name, s.Range)
		if s.Interface != nil {
			c.second(Interface, "", s.Interface)
		}
		c.connection(s.Bind)
		if s.Family != nil {
			for _, m := range s.Family.Members {
				c.connection(&m.Connection)
			}
		}
	}
	c.runs = map[string]string{}
	for _, s := range slices.Concat(w.Steps, w.Finally) {
		if s.Run != nil && len(s.Run.Path) == 2 {
			c.runs[s.Name.Text] = s.Run.Path[1].Text
		}
	}
	c.in(name, func() {
		for _, in := range w.Inputs {
			c.define(Input, name, in.Name, in.Range)
			c.typ(in.Type)
			c.attributes(in.Default)
			c.conditions(in.Validations)
		}
		for _, l := range w.Locals {
			block := hcl.RangeBetween(l.Name.Range, l.Expr.Range())
			c.define(Local, name, l.Name, block)
			c.expr(l.Expr)
		}
		for _, s := range slices.Concat(w.Steps, w.Finally) {
			c.step(name, s, sources)
		}
		for _, o := range w.Outputs {
			c.define(Output, name, o.Name, o.Range)
			c.expr(o.Value)
			c.typ(o.Type)
		}
		c.attributes(w.Deadline)
		if k := w.Concurrency; k != nil {
			c.attributes(k.Key, k.Limit)
		}
	})
	c.runs = nil
}

func (c *collector) step(workflow string, s *syntax.Step, sources map[string]*syntax.Source) {
	c.define(Step, workflow, s.Name, s.Range)
	c.target(workflow, s.Target(), sources)
	c.attributes(s.Value, s.Sleep, s.URI, s.When, s.ForEach, s.Key, s.MaxParallel, s.Timeout, s.IdleTimeout, s.Deadline, s.Result, s.FailIf)
	c.typ(s.Returns)
	if child := c.second(Workflow, "", s.Run); child != "" {
		for _, b := range s.Bind {
			c.key(Source, child, b.Child)
			if len(b.Ours.Path) > 0 {
				c.refer(Source, workflow, b.Ours.Path[0])
				c.expr(b.Ours.Key)
			}
		}
		c.keysOnly(s.Args, Input, child)
	}
	c.attributes(s.Args)
	for _, d := range s.DependsOn {
		if len(d.Path) == 2 {
			c.refer(Step, workflow, d.Path[1])
		}
	}
	if x := s.Ask; x != nil {
		c.attributes(x.Message, x.Choices, x.Approvers)
		c.typ(x.Answer)
	}
	if x := s.Loop; x != nil {
		c.attributes(x.While, x.Max, x.Delay)
	}
	if x := s.Retry; x != nil {
		c.attributes(x.Attempts, x.Delay, x.MaxDelay, x.On, x.When)
	}
	c.conditions(s.Asserts)
	for _, u := range s.Undo {
		c.target(workflow, u.Call, sources)
		c.attributes(u.Args)
	}
}

// target notes SOURCE.TOOL.
func (c *collector) target(workflow string, r *syntax.Ref, sources map[string]*syntax.Source) {
	if r == nil || len(r.Path) == 0 {
		return
	}
	c.refer(Source, workflow, r.Path[0])
	c.expr(r.Key)
	if len(r.Path) != 2 {
		return
	}
	of := owners(sources[r.Path[0].Text])
	if len(of) == 0 {
		of = []string{"source." + workflow + "." + r.Path[0].Text}
	}
	for _, owner := range of {
		c.refer(Capability, owner, r.Path[1])
	}
}

// owners are what declares the capabilities of a source, as it says itself.
func owners(s *syntax.Source) []string {
	switch {
	case s == nil:
	case s.Interface != nil && len(s.Interface.Path) == 2:
		return []string{"interface." + s.Interface.Path[1].Text}
	case s.Bind != nil && len(s.Bind.Path) == 3:
		return []string{s.Bind.Path[1].Text + "." + s.Bind.Path[2].Text}
	case s.Family != nil:
		var out []string
		for _, m := range s.Family.Members {
			if p := m.Connection.Path; len(p) == 3 {
				out = append(out, p[1].Text+"."+p[2].Text)
			}
		}
		return out
	}
	return nil
}

// ofSource takes apart the owner of a capability of a source.
func ofSource(s Symbol) (workflow, source string, ok bool) {
	if s.Kind != Capability {
		return "", "", false
	}
	rest, ok := strings.CutPrefix(s.Owner, "source.")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, ".")
}

func (c *collector) conditions(list []*syntax.Condition) {
	for _, x := range list {
		c.expr(x.Condition)
		c.expr(x.ErrorMessage)
	}
}

func (c *collector) attributes(list ...*syntax.Attribute) {
	for _, a := range list {
		if a != nil {
			c.expr(a.Expr)
		}
	}
}

// key notes a name that is the key of an object.
func (c *collector) key(kind Kind, owner string, l syntax.Label) {
	if owner == "" {
		return
	}
	src := c.file.Source
	bare := l.Range.Start.Byte > 0 && l.Range.Start.Byte <= len(src) && src[l.Range.Start.Byte-1] != '"'
	c.add(Occurrence{Symbol: Symbol{kind, owner, l.Text}, Range: l.Range, Key: bare})
}

// keys notes the keys of an object as names, and what stands in its values.
func (c *collector) keys(a *syntax.Attribute, kind Kind, owner string) {
	c.keysOnly(a, kind, owner)
	c.attributes(a)
}

func (c *collector) keysOnly(a *syntax.Attribute, kind Kind, owner string) {
	if a == nil || owner == "" {
		return
	}
	lit, ok := a.Expr.Node.(*hclsyntax.ObjectConsExpr)
	if !ok {
		return
	}
	for _, it := range lit.Items {
		k, ok := it.KeyExpr.(*hclsyntax.ObjectConsKeyExpr)
		if !ok {
			continue
		}
		if name, literal := a.Expr.ObjectKey(k); literal {
			at := k.Range()
			if at.End.Byte-at.Start.Byte == len(name)+2 {
				at = unquoted(at)
			}
			if at.End.Byte-at.Start.Byte == len(name) {
				c.key(kind, owner, syntax.Label{Text: name, Range: at})
			}
		}
	}
}

// typ notes the types of interfaces that a type expression names.
func (c *collector) typ(e expr.Expr) {
	for _, r := range e.Refs() {
		if r.Root != "interface" {
			continue
		}
		path, ok := e.Sub(r.Node).StaticPath()
		if !ok || len(path) < 2 {
			continue
		}
		c.refer(Interface, "", syntax.Label{Text: path[1].Text, Range: path[1].Range})
		if len(path) == 3 {
			c.refer(InterfaceType, path[1].Text, syntax.Label{Text: path[2].Text, Range: path[2].Range})
		}
	}
}
