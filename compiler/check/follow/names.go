package follow

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// begin returns the mark of a value that something marks.
func begin(kind Kind, name string, at hcl.Range, text string) mark {
	return mark{kind: kind, origin: name, at: at, way: &hop{at: at, name: name, text: text}}
}

// named returns the shape of input.NAME, local.NAME, step.NAME or secret.NAME.
func (a *analysis) named(root, name string) *shape {
	switch root {
	case "secret":
		// A secret has no place in the workflow: where it is read is where it begins.
		return whole([]mark{{kind: Sensitive, origin: "secret." + name}})
	case "input":
		if in := a.inputs[name]; in != nil && isTrue(in.Sensitive) {
			return whole([]mark{begin(Sensitive, "input."+name, in.Header, "The input \""+name+"\" is sensitive.")})
		}
	case "local":
		if l := a.locals[name]; l != nil {
			return a.local(l)
		}
	case "step":
		if s := a.steps[name]; s != nil {
			return a.result(s)
		}
	}
	return nil
}

func (a *analysis) local(l *local) *shape {
	switch l.state {
	case fresh:
		l.state = open
		name := "local." + l.syntax.Name.Text
		l.shape = a.in(nil, l.syntax.Expr, nil, nil).through(name, "The local \""+l.syntax.Name.Text+"\" is made from it.")
		l.state = done
	case open:
		return nil // a cycle has its diagnostic
	}
	return l.shape
}

// each returns the shape of each, in a step with for_each.
func (a *analysis) each() *shape {
	if a.step == nil {
		return nil
	}
	coll := a.elements(a.step)
	if coll == nil {
		return nil
	}
	return compose(nil, map[string]*shape{"key": keysOf(coll), "value": coll.element()}, nil)
}

// elements returns the shape of what a step goes through.
func (a *analysis) elements(s *step) *shape {
	if s.elementsState == fresh && s.Syntax.ForEach != nil {
		s.elementsState = open
		s.elements = a.attribute(nil, s.Syntax.ForEach, nil, nil).through("each", "The step \""+s.Syntax.Name.Text+"\" goes through it.")
		s.elementsState = done
	}
	return s.elements
}

// result returns the shape of step.NAME.
func (a *analysis) result(s *step) *shape {
	one := a.one(s)
	if one == nil {
		return nil
	}
	y := s.Syntax
	if y.ForEach != nil && y.Loop != nil {
		return list(list(one))
	}
	if y.ForEach != nil || y.Loop != nil {
		return list(one)
	}
	return one
}

// one returns the shape of one result of a step.
func (a *analysis) one(s *step) *shape {
	switch s.state {
	case done:
		return s.one
	case open:
		return nil // loop.previous, or a cycle, which has its diagnostic
	}
	s.state = open
	attrs := map[string]*shape{"output": a.output(s)}
	if answer := a.answer(s); answer != nil {
		attrs["text"], attrs["content"] = answer, answer
	}
	if s.Syntax.ForEach != nil {
		if coll := a.elements(s); coll != nil {
			attrs["each"] = compose(nil, map[string]*shape{"key": keysOf(coll), "value": coll.element()}, nil)
		}
	}
	s.one = compose(nil, attrs, nil)
	s.state = done
	return s.one
}

// output returns the shape of the output of one result.
func (a *analysis) output(s *step) *shape {
	y := s.Syntax
	name := "step." + y.Name.Text
	made := func(out *shape) *shape {
		return out.through(name, "The output of the step \""+y.Name.Text+"\" is made from it.")
	}
	var out *shape
	switch {
	case y.Value != nil:
		out = made(a.attribute(s, y.Value, nil, nil))
		if y.Decode != nil {
			out = whole(out.all())
		}
	case y.Run != nil:
		attrs := map[string]*shape{}
		for _, o := range sensitiveOutputs(a.flow, y) {
			m := begin(Sensitive, name+".output."+o.Name.Text, y.Run.Range, "The output \""+o.Name.Text+"\" of the workflow is sensitive.")
			m.step = y.Name.Text
			attrs[o.Name.Text] = whole([]mark{m})
		}
		out = compose(nil, attrs, nil)
	default:
		out = a.answer(s)
	}
	result, args := y.Result, y.Args
	if result == nil && s.Block != nil {
		result = s.Block.Result
	}
	if result == nil {
		return out
	}
	var given *shape
	if args != nil {
		given = a.attribute(s, args, nil, nil)
	}
	self := compose(nil, map[string]*shape{"output": out, "text": a.answer(s), "content": a.answer(s)}, nil)
	return made(a.attribute(s, result, self, given))
}

// answer returns the shape of what a tool, resource or prompt gives.
func (a *analysis) answer(s *step) *shape {
	y := s.Syntax
	at := y.ActionName
	if t := y.Target(); t != nil {
		at = t.Range
	}
	name := "step." + y.Name.Text
	var marks []mark
	add := func(kind Kind, text string) {
		if s.Gives&kind != 0 {
			m := begin(kind, name, at, text)
			m.conn, m.step = s.Connection, y.Name.Text
			marks = append(marks, m)
		}
	}
	add(Sensitive, "The step \""+y.Name.Text+"\" gets it: what "+s.Tool+" answers is sensitive.")
	add(Private, "The step \""+y.Name.Text+"\" gets it: the data of the connection "+s.Connection+" is private.")
	add(Untrusted, "The step \""+y.Name.Text+"\" gets it: the connection "+s.Connection+" is untrusted.")
	return whole(marks)
}

// previous follows run.previous.outputs.NAME, an output of the run before this one.
func (a *analysis) previous(x *hclsyntax.ScopeTraversalExpr) *shape {
	attrs := map[string]*shape{}
	for name, o := range a.outputs {
		if isTrue(o.Sensitive) {
			attrs[name] = whole([]mark{begin(Sensitive, "run.previous.outputs."+name, o.Header, "The output \""+name+"\" is sensitive.")})
		}
	}
	s := compose(nil, map[string]*shape{"previous": compose(nil, map[string]*shape{"outputs": compose(nil, attrs, nil)}, nil)}, nil)
	return a.walk(s, x.Traversal[1:]).read(x.SrcRange)
}
