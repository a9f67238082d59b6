package engine

import (
	"fmt"
	"unicode/utf8"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// result returns step.NAME of an ended node, built when it is first asked for:
// an object for a plain node, and a list or an object of them for a fan-out.
func (c *Core) result(i int) value.Value {
	n := &c.nodes[i]
	if n.built {
		return n.result
	}
	n.built = true
	switch {
	case c.prog.nodes[i].forEach.IsZero():
		n.result = resultOf(&n.inst, nil)
	case n.fan == nil && c.prog.nodes[i].keyed():
		n.result = value.OfObject(nil)
	case n.fan == nil:
		n.result = value.OfList(nil)
	case n.fan.keyed:
		obj := value.NewObject(len(n.fan.insts))
		for j := range n.fan.insts {
			e := n.fan.element(j)
			obj.Set(e.key.AsString(), resultOf(&n.fan.insts[j], &e))
		}
		n.result = value.OfObject(obj)
	default:
		list := make([]value.Value, len(n.fan.insts))
		for j := range list {
			e := n.fan.element(j)
			list[j] = resultOf(&n.fan.insts[j], &e)
		}
		n.result = value.OfList(list)
	}
	return n.result
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
		end.Outcome, end.Failure = OutcomeError, failure
		return end
	}
	end.Output = output
	return end
}

func (c *Core) output(n *node, at Addr, answer *Answer, attempts int, args value.Value) (value.Value, *Failure) {
	if answer.IsError {
		return value.Value{}, &Failure{Kind: KindTool, Message: n.says("answered with an error") + shownText(answer.Text)}
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
	return output, nil
}

// judge applies fail_if and result, which look at self.
func (c *Core) judge(n *node, at Addr, answer *Answer, output value.Value, attempts int, args value.Value) (value.Value, *Failure) {
	so := instance{state: StateOK, output: output, text: answer.Text, content: answer.Content, attempts: attempts}
	s := &scope{core: c, args: &args}
	if at.Elem != Whole {
		e := c.nodes[at.Node].fan.element(at.Elem)
		s.each = &e
	}
	self := resultOf(&so, s.each)
	s.self = &self
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
			return value.Value{}, &Failure{Kind: KindTool, Message: n.says("gave an answer that its `fail_if` calls a failure") + shownText(answer.Text)}
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
	if n.connection == "" {
		return "The value " + what
	}
	return fmt.Sprintf("The tool %s.%s %s", n.connection, n.spec.Tool, what)
}

// maxShown bounds a server's text in a message: people read it, and the whole
// text is in the result.
const maxShown = 2000

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
