package engine

import (
	"unicode/utf8"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// result returns step.NAME of an ended node, built when it is first asked for:
// an object for a plain node, a list of them for a loop, and a list or an object
// of either for a fan-out.
func (c *Core) result(f *frame, i int) value.Value {
	n := &f.nodes[i]
	if n.built {
		return n.result
	}
	n.built = true
	spec := &f.prog.nodes[i]
	switch {
	case spec.forEach.IsZero():
		n.result = spec.resultOf(&n.inst, nil)
	case n.fan == nil && spec.keyed():
		n.result = value.OfObject(nil)
	case n.fan == nil:
		n.result = value.OfList(nil)
	case n.fan.keyed:
		obj := value.NewObject(len(n.fan.insts))
		for j := range n.fan.insts {
			e := n.fan.element(j)
			obj.Set(e.key.AsString(), spec.resultOf(&n.fan.insts[j], &e))
		}
		n.result = value.OfObject(obj)
	default:
		list := make([]value.Value, len(n.fan.insts))
		for j := range list {
			e := n.fan.element(j)
			list[j] = spec.resultOf(&n.fan.insts[j], &e)
		}
		n.result = value.OfList(list)
	}
	return n.result
}

// resultOf is the result of a node without for_each, or of an element: under a
// loop the list of its rounds.
func (n *node) resultOf(inst *instance, each *element) value.Value {
	if !n.loops() {
		return resultOf(inst, each)
	}
	rounds := make([]value.Value, 0, len(inst.rounds))
	for i := range inst.rounds {
		if r := &inst.rounds[i]; r.state.ended() {
			rounds = append(rounds, resultOf(r, each))
		}
	}
	return value.OfList(rounds)
}

// keyed reports whether a fan-out that was never reached is an empty map
// rather than an empty list.
func (n *node) keyed() bool { return !n.key.IsZero() || n.spec.EachMap }

// resultOf is one result of LANGUAGE 5. each is nil outside a fan-out.
func resultOf(inst *instance, each *element) value.Value {
	obj := value.NewObject(7)
	outcome := inst.state.outcome()
	obj.Set("outcome", value.OfString(string(outcome)))
	obj.Set("output", inst.output)
	obj.Set("text", value.OfString(inst.text))
	obj.Set("content", value.OfList(inst.content))
	obj.Set("error", failureValue(inst.failure))
	if each != nil {
		e := value.NewObject(2)
		e.Set("key", each.key)
		e.Set("value", each.value)
		obj.Set("each", value.OfObject(e))
	}
	obj.Set("attempts", value.OfInt(int64(inst.attempts)))
	return value.OfObject(obj)
}

func failureValue(f *Failure) value.Value {
	if f == nil {
		return value.NullValue
	}
	obj := value.NewObject(4)
	obj.Set("kind", value.OfString(string(f.Kind)))
	obj.Set("message", value.OfString(f.Message))
	if f.Code != nil {
		obj.Set("code", value.OfInt(int64(*f.Code)))
	}
	obj.Set("in_doubt", value.OfBool(f.InDoubt))
	return value.OfObject(obj)
}

// settle makes an answer the end of a node: "an answer becomes output so" of
// LANGUAGE 4. answer is what came, of a value node its value as text or as
// structured content. args is what was sent, where expressions ask for it.
func (c *Core) settle(n *node, at Addr, answer *Answer, attempts int, args value.Value) NodeEnded {
	end := NodeEnded{At: at, Outcome: OutcomeOK, Attempts: attempts, Text: answer.Text, Content: answer.Content}
	output, failure := c.output(n, at, answer, attempts, args)
	if failure != nil {
		if n.connection != "" {
			failure.Sent = SentYes
		}
		for _, remark := range answer.Remarks {
			failure.Message += "\n" + remark
		}
		end.Outcome, end.Failure = OutcomeError, failure
		return c.within(n, end)
	}
	end.Output = output
	return c.within(n, end)
}

func (c *Core) output(n *node, at Addr, answer *Answer, attempts int, args value.Value) (value.Value, *Failure) {
	if answer.IsError {
		return value.Value{}, &Failure{Kind: KindTool, Message: n.says("answered with an error") + n.shown(answer.Text)}
	}
	output, failure := n.decode(answer)
	if failure != nil {
		return value.Value{}, failure
	}
	if !n.failIf.IsZero() || !n.result.IsZero() {
		if output, failure = c.judge(n, at, answer, output, attempts, args); failure != nil {
			return value.Value{}, failure
		}
	}
	// Where there is a result of the step's own, judge has looked.
	if n.result.IsZero() || n.afterResult() {
		if failure := n.breaks(output); failure != nil {
			return value.Value{}, failure
		}
	}
	if n.returns != nil {
		if m := types.Conforms(n.returns, output); m != nil {
			return value.Value{}, &Failure{Kind: KindDecode, Message: n.says("did not give what `returns` says") + ": " + m.Error()}
		}
	}
	if len(n.asserts) > 0 {
		if failure := c.holds(n, at, answer, output, attempts, args); failure != nil {
			return value.Value{}, failure
		}
	}
	return output, nil
}

// holds evaluates what is asserted of a result.
func (c *Core) holds(n *node, at Addr, answer *Answer, output value.Value, attempts int, args value.Value) *Failure {
	s := c.over(at, answer, output, attempts, &args)
	for i := range n.asserts {
		a := &n.asserts[i]
		holds, failure := c.evalBool("condition", a.condition, s)
		if failure != nil {
			return failure
		}
		if holds {
			continue
		}
		r, err := a.message.program.Eval(s)
		switch {
		case err != nil:
			return &Failure{Kind: KindAssert, Message: "What is asserted does not hold, and its message cannot be told. " + c.explain(s, "In `error_message`", err)}
		case r.Value.Kind() == value.String:
			return &Failure{Kind: KindAssert, Message: r.Value.AsString()}
		}
		return &Failure{Kind: KindAssert, Message: r.Value.Summary(200)}
	}
	return nil
}

// over is the scope of expressions that look at a result.
func (c *Core) over(at Addr, answer *Answer, output value.Value, attempts int, args *value.Value) *scope {
	so := instance{state: StateOK, output: output, text: answer.Text, content: answer.Content, attempts: attempts}
	s := c.scopeAt(at)
	self := resultOf(&so, s.each)
	s.self, s.args = &self, args
	return s
}

// judge applies fail_if and result, which look at self.
func (c *Core) judge(n *node, at Addr, answer *Answer, output value.Value, attempts int, args value.Value) (value.Value, *Failure) {
	s := c.over(at, answer, output, attempts, &args)
	if !n.failIf.IsZero() {
		failed, failure := c.evalBool("fail_if", n.failIf, s)
		if failure != nil {
			// What fail_if relies on may not be there because the contract is broken.
			if broken := n.breaks(output); broken != nil && !n.afterResult() {
				failure = broken
			}
			return value.Value{}, failure
		}
		if failed {
			return value.Value{}, &Failure{Kind: KindTool, Message: n.says("gave an answer that its `fail_if` calls a failure") + n.shown(answer.Text)}
		}
	}
	if n.result.IsZero() {
		return output, nil
	}
	if !n.afterResult() {
		if failure := n.breaks(output); failure != nil {
			return value.Value{}, failure
		}
	}
	return c.eval("result", n.result, s)
}

// breaks holds an output against the contract of the source's interface. The
// connection breaks it, not the workflow.
func (n *node) breaks(output value.Value) *Failure {
	if n.contract == nil {
		return nil
	}
	m := types.Conforms(n.contract, output)
	if m == nil {
		return nil
	}
	return &Failure{Kind: KindDecode, Message: n.says("did not give what "+n.spec.Contract.Interface+" says of it") + ": " + m.Error()}
}

// afterResult reports whether the contract is of what the result gives.
func (n *node) afterResult() bool { return n.contract != nil && n.spec.Contract.AfterResult }

// says begins a message about a node: "The tool files.docs.read_file did not …".
func (n *node) says(what string) string {
	switch {
	case n.child != nil:
		return "The workflow " + n.child.plan.Workflow + " " + what
	case n.spec.Kind == plan.AskNode:
		return "The answer " + what
	case n.connection == "":
		return "The value " + what
	}
	return "The " + n.noun() + " " + n.what() + " " + what
}

// noun is what a node asks a server for.
func (n *node) noun() string {
	switch {
	case n.spec.Kind == plan.Prompt:
		return "prompt"
	case n.spec.Kind == plan.Read && n.template != nil:
		return "resource template"
	case n.spec.Kind == plan.Read:
		return "resource of"
	}
	return "tool"
}

// what names it.
func (n *node) what() string {
	switch {
	case n.spec.Kind != plan.Read:
		return n.connection + "." + n.spec.Tool
	case n.template != nil:
		return n.connection + " " + n.spec.URITemplate
	}
	return n.connection
}

// maxShown bounds a server's text in a message: people read it, and the whole
// text is in the result.
const maxShown = 2000

// shown is what a message shows of an answer's text.
func (n *node) shown(text string) string {
	if n.spec.Sensitive && text != "" {
		return ". What it says is sensitive and is not shown."
	}
	return shownText(text)
}

func shownText(text string) string {
	switch {
	case text == "":
		return ", without a text."
	case len(text) > maxShown:
		cut := maxShown
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		return ": " + text[:cut] + "…"
	}
	return ": " + text
}
