package check

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
)

// promptType is the output of a prompt (LANGUAGE 5).
var promptType = types.ObjectOf([]types.Attr{
	{Name: "messages", Type: types.ListOf(types.ObjectOf([]types.Attr{
		{Name: "role", Type: enum("user", "assistant")},
		{Name: "content", Type: partType},
	}, nil))},
}, nil)

var (
	uriSubject      = &subject{plain: "The uri"}
	sleepSubject    = &subject{plain: "What the step waits for"}
	messageSubject  = &subject{plain: "The message"}
	approverSubject = &subject{plain: "The list of approvers"}
)

// action checks what a step does and returns its output before decode.
func (c *checker) action(s *step, sc site) *types.Type {
	y := s.syn
	switch {
	case y.Call != nil:
		return c.checkCall(s, sc.secrets, sc.en)
	case y.Read != nil:
		return c.checkRead(s, sc)
	case y.Prompt != nil:
		c.checkKey(s.source, y.Prompt, sc.secrets, sc.en)
		if s.does.args == nil {
			return c.callUnknown(s, y.Prompt, sc.secrets, sc.en)
		}
		s.args = c.given(s, y.Prompt, sc)
		return promptType
	case y.Run != nil:
		return c.checkRun(s, sc)
	case y.Value != nil:
		var want *types.Type
		sub := &subject{plain: "The value of step " + quoted(s.name())}
		if y.Decode != nil {
			want = types.StringType
		} else if y.Result == nil && !y.Returns.IsZero() {
			want = c.returns(s)
		}
		s.args = types.ObjectOf(nil, nil)
		return c.check(y.Value.Expr, sc.general, sc.en, want, sub)
	case y.Ask != nil:
		s.args = types.ObjectOf(nil, nil)
		return c.checkAsk(y.Ask, sc)
	case y.Sleep != nil:
		s.args = types.ObjectOf(nil, nil)
		c.duration(y.Sleep.Expr, sc.general, sc.en, sleepSubject)
		return types.NullType
	}
	return types.ErrorType // no action, which has its diagnostic
}

// given checks the arguments of a prompt or a resource template.
func (c *checker) given(s *step, ref *syntax.Ref, sc site) *types.Type {
	t := s.does.args
	got := c.arguments(s.syn.Args, s.syn.Range, ref.Range, t, &subject{noun: "argument", of: s.does.owner, sent: true}, sc.secrets, sc.en)
	return argsAs(t, got, false)
}

// resolveRead finds the source and, where one is named, the resource template.
func (c *checker) resolveRead(s *step) capability {
	y := s.syn
	src := c.sourceOf(y.Read)
	if src == nil {
		return capability{wrong: true}
	}
	if len(y.Read.Path) == 2 && y.Read.Key.IsZero() && src.member(y.Read.Path[1].Text) != nil && src.family {
		s.whole = true // FAMILY["key"]
		return capability{source: src}
	}
	if len(y.Read.Path) == 1 {
		s.whole = true
		_, ok := c.choose(src, y.Read)
		return capability{source: src, wrong: !ok}
	}
	return c.resolve(y.Read, templates)
}

// checkRead checks what is read: a resource by its address, or a resource
// template with its variables.
func (c *checker) checkRead(s *step, sc site) *types.Type {
	y := s.syn
	c.checkKey(s.source, y.Read, sc.secrets, sc.en)
	name := quoted(y.Read.Path[0].Text)
	switch {
	case s.whole:
		s.args = types.ObjectOf([]types.Attr{{Name: "uri", Type: types.StringType}}, nil)
		if y.Args != nil {
			c.report(diag.New(codeMisfit, y.Args.NameRange, "A resource is read by its address: write uri = \"…\". The variables of a resource template stand in args of read = SOURCE.TEMPLATE."))
		} else if y.URI == nil && !c.w.hasFinding(y.Range) {
			c.report(diag.New(codeAttributeNeeded, y.Header, "The step %q needs the attribute \"uri\": the address of the resource that it reads.", s.name()))
		}
		if y.URI != nil {
			c.check(y.URI.Expr, sc.general, sc.en, types.StringType, uriSubject)
		}
		return types.StringType
	case s.source == nil:
		if y.URI != nil {
			c.check(y.URI.Expr, sc.general, sc.en, types.StringType, uriSubject)
		}
	case y.URI != nil:
		c.report(diag.New(codeMisfit, y.URI.NameRange, "A resource template makes the address of its variables, which stand in args. Remove uri, or read the source: read = %s.", y.Read.Path[0].Text))
	}
	if s.does.args == nil {
		s.args = types.ObjectOf(nil, nil)
		if y.Args != nil {
			s.args = c.check(y.Args.Expr, sc.secrets, sc.en, types.MapOf(types.StringType), &subject{plain: "What is given to " + name})
		}
		return types.StringType
	}
	s.args = c.given(s, y.Read, sc)
	return types.StringType
}

// checkAsk checks a question and returns the type of its answer.
func (c *checker) checkAsk(a *syntax.Ask, sc site) *types.Type {
	answer := c.answer(a)
	if a.Message != nil {
		c.check(a.Message.Expr, sc.general, sc.en, types.StringType, messageSubject)
	}
	if a.Choices != nil {
		c.choices(a.Choices.Expr, answer, sc)
	}
	if a.Approvers != nil {
		c.check(a.Approvers.Expr, sc.general, sc.en, types.ListOf(types.StringType), approverSubject)
	}
	return filled(answer)
}

// answer returns the type of what is answered to a question. One without a type
// asks for no more than that it is not declined.
func (c *checker) answer(a *syntax.Ask) *types.Type {
	if a.Answer.IsZero() {
		return types.ObjectOf(nil, nil)
	}
	return c.typeOf(a.Answer)
}

// choices checks which values the attributes of an answer may have.
func (c *checker) choices(e expr.Expr, answer *types.Type, sc site) {
	lit, ok := e.Node.(*hclsyntax.ObjectConsExpr)
	if !ok {
		if _, broken := e.Node.(*hclsyntax.ExprSyntaxError); !broken {
			c.report(diag.New(codeNotConstant, e.Range(), "The choices are written as an object: the attributes of the answer, each with the list of what it may be, as { pick = [\"a\", \"b\"] }."))
		}
		return
	}
	u := answer.Underlying()
	if answer.IsError() {
		c.check(e, sc.general, sc.en, nil, nil)
		return
	}
	for _, it := range lit.Items {
		var name string
		known := false
		c.at(e.Source, sc.general, func() { name, known = c.keyName(it.KeyExpr) })
		if !known {
			c.report(diag.New(codeNotConstant, it.KeyExpr.Range(), "The name of an attribute of the answer is written as it is, not computed."))
			continue
		}
		want := types.AnyType
		if u.Kind() == types.Object {
			a := u.Attr(name)
			if a == nil {
				names := attrNames(u)
				d := unknownName(codeUnknownAttribute, "attribute", "The answer", name, it.KeyExpr.Range(), names)
				if _, near := nearest.Name(name, names); !near {
					d.Fixes = nil
				}
				c.report(d)
				continue
			}
			want = types.WithoutNull(a.Type)
			if w := want.Underlying(); w.Kind() == types.List {
				want = w.Elem() // of which several may be picked
			}
		}
		c.check(e.Sub(it.ValueExpr), sc.general, sc.en, types.ListOf(want), &subject{plain: "The choices of " + quoted(name)})
	}
	if u.Kind() != types.Object {
		c.report(diag.New(codeNoAttributes, e.Range(), "The choices are of the attributes of the answer, and the answer is %s. Give it attributes: answer = object({ … }).", describe(answer)))
	}
}
