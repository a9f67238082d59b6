package check

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

// resolveActions finds what every step calls, reads, renders or runs, and
// reports what does not exist.
func (c *checker) resolveActions() {
	for _, s := range c.f.stepList {
		y := s.syn
		switch {
		case y.Call != nil:
			s.effect = catalog.Unknown
			s.does = c.resolve(y.Call, tools)
		case y.Prompt != nil:
			s.does = c.resolve(y.Prompt, prompts)
		case y.Read != nil:
			s.does = c.resolveRead(s)
		}
		s.source = s.does.source
		if len(s.does.of) > 0 && !s.does.wrong {
			s.tool = s.does.of[0].tool
		}
		s.block = s.does.block()
		for _, u := range y.Undo {
			if u.Call != nil {
				s.undo = append(s.undo, c.resolve(u.Call, tools))
			} else {
				s.undo = append(s.undo, capability{wrong: true})
			}
		}
	}
}

// block returns the tool block that is the same for all connections, nil where
// there is none or where they differ.
func (k capability) block() *syntax.ToolOverride {
	var out *syntax.ToolOverride
	for i, o := range k.of {
		if i > 0 && o.block != out {
			return nil
		}
		out = o.block
	}
	return out
}

// output returns what a call gives, nil where a member has no output schema.
func (k capability) output() *types.Type {
	var all []*types.Type
	for _, o := range k.of {
		if o.tool == nil || o.tool.Output == nil {
			return nil
		}
		if len(all) > 0 && alike(o, k.of[0]) {
			continue
		}
		all = append(all, o.tool.Output)
	}
	if len(all) == 1 {
		return all[0]
	}
	return types.UnionOf(all...)
}

// effect returns the strongest effect that a call with such arguments may have.
func (c *checker) effect(k capability, args *types.Type) catalog.Effect {
	if k.declared != nil && len(k.of) == 0 {
		return k.declared.Effect
	}
	var e catalog.Effect
	for _, o := range k.of {
		e = max(e, c.effectOf(o.tool, o.block, argsAs(o.args, args, true)))
	}
	return e
}

// depends reports whether what effect a call has is said of its arguments.
func (k capability) depends() bool {
	return slices.ContainsFunc(k.of, func(o offer) bool {
		return o.block != nil && o.block.Effect != nil && len(o.block.Effect.Expr.Refs()) > 0
	})
}

// checkCall checks the arguments of a call and returns the tool's output.
func (c *checker) checkCall(s *step, p *place, en *env) *types.Type {
	y := s.syn
	c.checkKey(s.source, y.Call, p, en)
	if s.tool == nil && s.does.declared == nil {
		return c.callUnknown(s, y.Call, p, en)
	}
	t := s.does.args
	before := len(c.diags)
	s.args = c.arguments(y.Args, y.Range, y.Call.Range, t, &subject{noun: "argument", of: s.does.owner, sent: true}, p, en)
	s.unsure = len(c.diags) > before && s.does.depends()
	s.nullArgs = c.takesNull(y.Args, t)
	s.effect = c.effect(s.does, s.args)
	s.args = argsAs(t, s.args, false)
	if d := s.does.declared; d != nil {
		return d.Result
	}
	if out := s.does.output(); out != nil {
		return out
	}
	return types.AnyType
}

// callUnknown checks the arguments of something of which nothing is known.
func (c *checker) callUnknown(s *step, ref *syntax.Ref, p *place, en *env) *types.Type {
	s.args = types.ObjectOf(nil, nil)
	if s.syn.Args != nil {
		s.args = c.check(s.syn.Args.Expr, p, en, objectOfAnything, &subject{plain: "What is given to " + quoted(ref.Path[0].Text)})
	}
	if s.does.wrong || s.source == nil || len(s.source.members) == 0 {
		return types.ErrorType
	}
	return types.AnyType
}

// arguments checks what is given to something that takes t, and returns the
// type of that. block is the whole of what gives it, at where it is called.
func (c *checker) arguments(given *syntax.Attribute, block, at hcl.Range, t *types.Type, sub *subject, p *place, en *env) *types.Type {
	if given != nil {
		return c.check(given.Expr, p, en, arguments(t), sub)
	}
	var lacks []types.Attr
	for _, a := range attrsOf(t) {
		if !a.Optional {
			lacks = append(lacks, a)
		}
	}
	if len(lacks) > 0 && !c.w.hasFinding(block) { // args that could not be read have a diagnostic
		c.missing(at, lacks, sub)
	}
	return types.ObjectOf(nil, nil)
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
func (c *checker) takesNull(args *syntax.Attribute, t *types.Type) []string {
	u := t.Underlying()
	if args == nil || u.Kind() != types.Object {
		return nil
	}
	allows := func(t *types.Type) bool { return t != nil && (isAny(t) || t.Nullable()) }
	var out []string
	e := args.Expr
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

// textOf is the source text of an expression.
func (c *checker) textOf(e expr.Expr) string {
	r := e.Range()
	return string(e.Source[r.Start.Byte:r.End.Byte])
}
