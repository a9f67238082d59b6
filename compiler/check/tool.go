package check

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/types"
)

// resolveCalls finds the source and tool of every step that calls one, and
// reports those that do not exist.
func (c *checker) resolveCalls() {
	for _, s := range c.f.stepList {
		if s.syn.Call != nil && len(s.syn.Call.Path) > 0 {
			c.resolveCall(s)
		}
	}
}

func (c *checker) resolveCall(s *step) {
	path := s.syn.Call.Path
	s.effect = catalog.Unknown
	s.source = c.f.sources[path[0].Text]
	if s.source == nil {
		c.unknownSource(s)
		return
	}
	conn := s.source.conn
	if len(path) < 2 || conn == nil {
		return
	}
	name := path[1].Text
	s.block = conn.tools[name]
	snap := conn.open()
	if snap == nil {
		return
	}
	s.tool = snap.Tool(name)
	if s.tool == nil {
		owner := "The source " + quoted(path[0].Text) + " (" + conn.syn.ID() + ")"
		d := unknownName(codeUnknownTool, "tool", owner, name, path[1].Range, snap.ToolNames())
		if len(d.Fixes) == 0 {
			d.Detail += " If the server has it by now, refresh the snapshot:\n\n    wfc catalog refresh " + conn.syn.ID()
		} else if near, _ := nearest.Name(name, snap.ToolNames()); !isIdentifier(near) {
			// A tool whose name is no identifier is called by index.
			d.Fixes = nil
			d = d.Fix("Change it to "+near, true, edit(hcl.RangeBetween(path[0].Range, s.syn.Call.Range), path[0].Text+"["+quoted(near)+"]"))
		}
		c.report(d)
		return
	}
	if s.tool.Problem != "" {
		c.report(diag.New(codeToolProblem, path[1].Range, "What the snapshot says of the tool %s.%s cannot be relied on, so that its calls are checked in part or not at all. %s", conn.syn.ID(), name, s.tool.Problem))
	}
	if s.tool.TaskRequired {
		c.report(diag.New(codeTaskSupport, path[1].Range, "The tool %s.%s can only be called as a task, which wfc does not support. Call another tool.", conn.syn.ID(), name))
	}
}

func (c *checker) unknownSource(s *step) {
	l := s.syn.Call.Path[0]
	if c.w.mayBeLost(l.Text, c.f.file()) {
		return
	}
	d := unknownName(codeUnknownSource, "source", c.f.name(), l.Text, l.Range, keysOf(c.f.sources))
	if len(d.Fixes) == 0 {
		d.Detail += " Declare it with a source block in the workflow."
	}
	c.report(d)
}

// checkCall checks the arguments of a call and returns the tool's output.
func (c *checker) checkCall(s *step, p *place, en *env) *types.Type {
	y := s.syn
	if s.tool == nil {
		// Nothing is known of the tool: the arguments are whatever they are.
		s.args = types.ObjectOf(nil, nil)
		if y.Args != nil {
			s.args = c.check(y.Args.Expr, p, en, objectOfAnything, &subject{plain: "What is given to " + quoted(y.Call.Path[0].Text)})
		}
		if s.source == nil || s.source.conn == nil || s.source.conn.open() != nil {
			return types.ErrorType
		}
		return types.AnyType
	}
	conn := s.source.conn
	t := conn.args(s.tool)
	sub := &subject{noun: "argument", of: " of the tool " + conn.syn.ID() + "." + s.tool.Name}
	if y.Args == nil {
		s.args = types.ObjectOf(nil, nil)
		for _, a := range attrsOf(t) {
			if !a.Optional && !c.w.hasFinding(y.Range) {
				// Args that could not be read have a diagnostic.
				c.missing(y.Call.Range, a, sub)
			}
		}
	} else {
		s.args = c.check(y.Args.Expr, p, en, arguments(t), sub)
	}
	s.nullArgs = c.takesNull(s, t)
	s.effect = c.effectOf(s.tool, s.block, argsAs(t, s.args, true))
	s.args = argsAs(t, s.args, false)
	if s.tool.Output == nil {
		return types.AnyType
	}
	return s.tool.Output
}

// objectOfAnything is what arguments are of which nothing is known.
var objectOfAnything = types.ObjectOf(nil, types.AnyType)

func attrsOf(t *types.Type) []types.Attr { return t.Underlying().Attrs() }

// arguments returns what the arguments of a call may be: as the tool's schema
// says, and null for an optional argument too, which leaves it out.
func arguments(t *types.Type) *types.Type {
	u := t.Underlying()
	if u.Kind() != types.Object {
		return t
	}
	attrs := u.Attrs()
	out := attrs
	for i, a := range attrs {
		if !a.Optional || a.Type.Nullable() || isAny(a.Type) {
			continue
		}
		if len(out) > 0 && &out[0] == &attrs[0] {
			out = append([]types.Attr(nil), attrs...)
		}
		out[i].Type = types.NullableOf(a.Type)
	}
	return types.ObjectOf(out, u.Rest())
}

// takesNull returns the arguments for which a null is sent: those whose schema
// allows it. Where the arguments are written as an object, only of these.
func (c *checker) takesNull(s *step, t *types.Type) []string {
	u := t.Underlying()
	if s.syn.Args == nil || u.Kind() != types.Object {
		return nil
	}
	allows := func(t *types.Type) bool { return t != nil && (isAny(t) || t.Nullable()) }
	var out []string
	e := s.syn.Args.Expr
	if lit, ok := e.Node.(*hclsyntax.ObjectConsExpr); ok {
		for _, it := range lit.Items {
			var name string
			known := false
			c.at(e.Source, nil, func() { name, known = c.keyName(it.KeyExpr) })
			if !known {
				return declaredNull(u, allows)
			}
			if a := u.Attr(name); a != nil && allows(a.Type) || a == nil && allows(u.Rest()) {
				out = append(out, name)
			}
		}
		return out
	}
	return declaredNull(u, allows)
}

func declaredNull(u *types.Type, allows func(*types.Type) bool) []string {
	var out []string
	for _, a := range u.Attrs() {
		if allows(a.Type) {
			out = append(out, a.Name)
		}
	}
	return out
}
