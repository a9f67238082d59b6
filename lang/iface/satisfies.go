package iface

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// Offer is what a connection offers.
type Offer struct {
	Snapshot *catalog.Snapshot
	// Adjust puts what the connection says of one of its tools in the place of what
	// the server says. declared is what the interface says of it. It returns why the
	// tool cannot be used at all, in sentences, or "". nil: nothing is said.
	Adjust func(t *catalog.Tool, declared *Tool, o *Offered) (problem string)
}

// Offered is a tool as a connection offers it.
type Offered struct {
	Args       *types.Type // an object type
	Output     *types.Type // nil: nothing is promised
	Effect     catalog.Effect
	Idempotent bool
}

// Problem is a reason why a connection does not satisfy an interface.
type Problem struct {
	Message string    // full sentences
	Range   hcl.Range // the name of what is declared and not met
}

// Satisfies returns why an offer does not satisfy an interface, in the order of
// the declarations; none where it does. It does where every tool is there,
// takes at least the declared arguments, gives at most the declared result and
// has no stronger effect than declared. A tool that promises nothing of its
// result satisfies any as a contract, which is held against what arrives.
func Satisfies(o Offer, i *Interface) []Problem {
	s := satisfaction{offer: o}
	for _, t := range i.Tools {
		s.at = t.Name.Range
		s.tool(t)
	}
	for _, r := range i.Resources {
		s.at = r.Name.Range
		s.resource(r)
	}
	for _, p := range i.Prompts {
		s.at = p.Name.Range
		s.prompt(p)
	}
	return s.problems
}

// satisfaction collects what is not met.
type satisfaction struct {
	offer    Offer
	problems []Problem
	at       hcl.Range
}

func (s *satisfaction) report(format string, args ...any) {
	s.problems = append(s.problems, Problem{fmt.Sprintf(format, args...), s.at})
}

func (s *satisfaction) tool(d *Tool) {
	name := d.Name.Text
	snap := s.offer.Snapshot
	t := snap.Tool(name)
	if t == nil {
		if needs := snap.Needs(name); needs != nil {
			s.report("The tool %s is there only for clients that offer %s. Add it to the connection's offers, and refresh the snapshot.", name, strings.Join(needs, " and "))
			return
		}
		s.missing("tool", name, snap.ToolNames(), "tools")
		return
	}
	switch {
	case t.TaskRequired:
		s.report("The tool %s can be called as a task only, which wfc does not support.", name)
		return
	case t.Problem != "":
		s.report("What the snapshot says of the tool %s cannot be relied on. %s", name, t.Problem)
		return
	}
	o := Offered{Args: t.Args, Output: t.Output, Effect: t.Effect, Idempotent: t.Idempotent != nil && *t.Idempotent}
	if s.offer.Adjust != nil {
		if problem := s.offer.Adjust(t, d, &o); problem != "" {
			s.report("%s", problem)
			return
		}
	}
	s.params("tool", name, d.Params, o.Args)
	if o.Output != nil {
		if m := types.Assignable(arriving(d.Result), o.Output); m != nil {
			s.report("The tool %s gives something else than declared: %s.", name, m.Error())
		}
	}
	s.effect(d, o)
}

// missing reports what is not there, with the name that is near.
func (s *satisfaction) missing(noun, name string, have []string, list string) {
	detail := fmt.Sprintf("There is no %s %q.", noun, name)
	if near, ok := nearest.Name(name, have); ok {
		detail = fmt.Sprintf("There is no %s %q, but %q.", noun, name, near)
	}
	for _, e := range s.offer.Snapshot.Errors {
		if e.List == list {
			detail += fmt.Sprintf(" The server failed to list its %s: %s", list, e.Message)
		}
	}
	s.report("%s", detail)
}

// params compares the declared parameters with what can be given.
func (s *satisfaction) params(noun, name string, declared, takes *types.Type) {
	takes = takes.Underlying()
	if takes.Kind() != types.Object {
		return // any
	}
	for _, p := range declared.Attrs() {
		a := takes.Attr(p.Name)
		switch {
		case a == nil && takes.Rest() == nil:
			s.untaken(noun, name, p.Name, declared, takes)
			continue
		case a == nil:
			a = &types.Attr{Name: p.Name, Type: takes.Rest(), Optional: true}
		case !a.Optional && p.Optional:
			s.report("The %s %s needs the argument %q, which the interface lets its users leave out.", noun, name, p.Name)
		}
		if m := types.Assignable(a.Type, p.Type); m != nil {
			s.report("The argument %q of the %s %s may be what is not taken: %s.", p.Name, noun, name, m.Error())
		}
		if d := a.Default; d != nil && p.Default != nil && !value.Equal(*d, *p.Default) {
			s.report("The argument %q of the %s %s is %s where it is left out, and the interface says %s. Declare it without a default, if it does not matter.",
				p.Name, noun, name, types.Notation(*d), types.Notation(*p.Default))
		}
	}
	for _, a := range takes.Attrs() {
		if !a.Optional && declared.Attr(a.Name) == nil {
			s.report("The %s %s needs the argument %q, which the interface does not declare.", noun, name, a.Name)
		}
	}
	if rest := declared.Rest(); rest != nil {
		if takes.Rest() == nil {
			s.report("The %s %s takes no other arguments than it declares, and the interface lets its users give any.", noun, name)
		} else if m := types.Assignable(takes.Rest(), rest); m != nil {
			s.report("The other arguments of the %s %s may be what is not taken: %s.", noun, name, m.Error())
		}
	}
}

// untaken reports an argument that cannot be given, with the one that is
// probably the same: of a near name, and not declared itself.
func (s *satisfaction) untaken(noun, name, arg string, declared, takes *types.Type) {
	var free []string
	for _, a := range takes.Attrs() {
		if declared.Attr(a.Name) == nil {
			free = append(free, a.Name)
		}
	}
	near, ok := nearest.Name(arg, free)
	if !ok {
		s.report("The %s %s takes no argument %q.", noun, name, arg)
		return
	}
	s.report("The %s %s takes no argument %q, but %q.", noun, name, arg, near)
}

var effectNames = map[catalog.Effect]string{catalog.Read: "only reads", catalog.Write: "writes", catalog.Destructive: "destroys"}

func (s *satisfaction) effect(d *Tool, o Offered) {
	name := d.Name.Text
	switch {
	case o.Effect <= d.Effect:
	case o.Effect == catalog.Unknown && d.Effect == catalog.Destructive:
		// What is not known is taken to destroy, which is declared.
	case o.Effect == catalog.Unknown:
		s.report("Nothing says what the tool %s does, and the interface declares %s. If you know it, say it in the connection:\n\n    tool %s {\n      effect = %s\n    }",
			name, annotations[d.Effect], strconv.Quote(name), strconv.Quote(d.Effect.String()))
	default:
		s.report("The tool %s %s, and the interface declares %s.", name, effectNames[o.Effect], annotations[d.Effect])
	}
	if d.Idempotent && !o.Idempotent && o.Effect != catalog.Read {
		s.report("Nothing says that the tool %s does the same when it is called twice, and the interface declares @idempotent. If you know it, say it in the connection:\n\n    tool %s {\n      idempotent = true\n    }",
			name, strconv.Quote(name))
	}
}

// arriving returns the type of what arrives where t is declared: objects may
// have more attributes than are declared, which nobody can read.
func arriving(t *types.Type) *types.Type { return opener{}.open(t) }

// opener opens objects; it remembers names, which may be recursive.
type opener map[*types.Type]*types.Type

func (o opener) open(t *types.Type) *types.Type {
	switch t.Kind() {
	case types.Named:
		if done := o[t]; done != nil {
			return done
		}
		name, define := types.Declare(t.Name())
		o[t] = name
		define(o.open(t.Underlying()))
		return name
	case types.List:
		return types.ListOf(o.open(t.Elem())).Refined(t.Refinement())
	case types.Map:
		return types.MapOf(o.open(t.Elem())).Refined(t.Refinement())
	case types.Tuple:
		return types.TupleOf(o.all(t.Items())...)
	case types.Union:
		return types.UnionOf(o.all(t.Items())...)
	case types.Object:
		attrs := slices.Clone(t.Attrs())
		for i := range attrs {
			attrs[i].Type = o.open(attrs[i].Type)
		}
		rest := types.AnyType
		if t.Rest() != nil {
			rest = o.open(t.Rest())
		}
		return types.ObjectOf(attrs, rest)
	}
	return t
}

func (o opener) all(ts []*types.Type) []*types.Type {
	out := make([]*types.Type, len(ts))
	for i, t := range ts {
		out[i] = o.open(t)
	}
	return out
}

func (s *satisfaction) prompt(d *Prompt) {
	p := s.offer.Snapshot.Prompt(d.Name.Text)
	if p == nil {
		s.missing("prompt", d.Name.Text, s.offer.Snapshot.PromptNames(), "prompts")
		return
	}
	s.params("prompt", d.Name.Text, d.Params, p.Args)
}

// resource looks for the URI: it, not the name, says what is read.
func (s *satisfaction) resource(d *Resource) {
	if _, problem := uriVariables(d.URI); problem != "" {
		return // which has its diagnostic
	}
	var have []string
	for _, o := range slices.Concat(s.offer.Snapshot.Resources, s.offer.Snapshot.ResourceTemplates) {
		r := object(json.RawMessage(o.Raw))
		uri := r.URI
		if uri == "" {
			uri = r.URITemplate
		}
		if uri == d.URI || len(d.Variables()) == 0 && matches(uri, d.URI) {
			return
		}
		have = append(have, uri)
	}
	list := "resources"
	if len(d.Variables()) > 0 {
		list = "resource_templates"
	}
	s.missing("resource", d.URI, have, list)
}

// variable is an expression of a URI template.
var variable = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\\{[^{}]*\\\}`) })

// matches reports whether a URI may come of a template.
func matches(template, uri string) bool {
	if !strings.Contains(template, "{") {
		return false
	}
	pattern := variable().ReplaceAllStringFunc(regexp.QuoteMeta(template), func(x string) string {
		switch strings.TrimPrefix(x, `\{`)[0] {
		case '\\', '#', '/', ';', '&': // an operator, perhaps escaped
			return ".*"
		}
		return "[^/?#]*"
	})
	re, err := regexp.Compile("^(?s:" + pattern + ")$")
	return err == nil && re.MatchString(uri)
}
