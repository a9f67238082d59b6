package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// asking is a question that waits for its answer.
type asking struct {
	at       Addr
	asked    *journal.Asked
	since    time.Time
	deadline time.Time // zero: it waits for ever
	offered  bool      // the driver has had somebody asked here
}

// startAsk asks what a step asks.
func (c *Core) startAsk(n *node, at Addr, s *scope) {
	asked, failure := c.asked(n, s)
	if failure != nil {
		c.refused(n, at, failure)
		return
	}
	c.record(NodeWaiting{At: at, For: WaitQuestion, Question: asked, Deadline: c.deadlineOf(at), Time: c.now})
}

// asked evaluates a question.
func (c *Core) asked(n *node, s *scope) (*journal.Asked, *Failure) {
	message, failure := c.eval("message", n.ask.message, s)
	if failure != nil {
		return nil, failure
	}
	if message.Kind() != value.String {
		return nil, expressionFailure("`message` must be text; it is %s.", message.Summary(80))
	}
	choices, failure := c.choices(n, s)
	if failure != nil {
		return nil, failure
	}
	approvers, failure := c.approvers(n, s)
	if failure != nil {
		return nil, failure
	}
	asked := &journal.Asked{Message: message.AsString(), Answer: n.spec.Ask.Answer, Approvers: approvers}
	if choices.Kind() == value.Object {
		asked.Choices = value.AppendJSON(nil, choices)
	}
	asked.Schema = schemaOfAnswer(n.ask.answer, choices)
	return asked, nil
}

// choices evaluates what the attributes of an answer may be: an object of lists, or
// null where there is no restriction.
func (c *Core) choices(n *node, s *scope) (value.Value, *Failure) {
	v, failure := c.eval("choices", n.ask.choices, s)
	if failure != nil || v.IsNull() {
		return v, failure
	}
	if v.Kind() != value.Object {
		return v, expressionFailure("`choices` must be an object; it is %s.", v.Summary(80))
	}
	for name, list := range v.AsObject().All() {
		if list.Kind() != value.List {
			return v, expressionFailure("The choices of %q must be a list; they are %s.", name, list.Summary(80))
		}
		if len(list.AsList()) == 0 {
			return v, expressionFailure("There is nothing to choose from for %q: its list of choices is empty. Ask only where there is something, with `when`.", name)
		}
	}
	return v, nil
}

// approvers evaluates who may answer; nil: anybody.
func (c *Core) approvers(n *node, s *scope) ([]string, *Failure) {
	if n.ask.approvers.IsZero() {
		return nil, nil
	}
	v, failure := c.eval("approvers", n.ask.approvers, s)
	if failure != nil {
		return nil, failure
	}
	if v.Kind() != value.List {
		return nil, expressionFailure("`approvers` must be a list of names; it is %s.", v.Summary(80))
	}
	names := []string{}
	for _, name := range v.AsList() {
		if name.Kind() != value.String {
			return nil, expressionFailure("`approvers` must be a list of names; one of them is %s.", name.Summary(80))
		}
		if strings.TrimSpace(name.AsString()) == "" {
			return nil, expressionFailure("`approvers` has an empty name, as which nobody could answer.")
		}
		names = append(names, name.AsString())
	}
	if len(names) == 0 {
		return nil, expressionFailure("`approvers` is empty, so that nobody could answer.")
	}
	return names, nil
}

// schemaOfAnswer is the JSON Schema of an answer, with what it may choose from.
func schemaOfAnswer(t *types.Type, choices value.Value) json.RawMessage {
	if t == nil {
		t = types.AnyType
	}
	schema := types.ToSchema(t)
	if choices.Kind() != value.Object || schema.Kind() != value.Object {
		return value.AppendJSON(nil, schema)
	}
	properties, ok := schema.AsObject().Get("properties")
	if !ok || properties.Kind() != value.Object {
		return value.AppendJSON(nil, schema)
	}
	restricted := value.NewObject(properties.AsObject().Len())
	for name, p := range properties.AsObject().All() {
		if list, is := choices.AsObject().Get(name); is {
			p = withEnum(p, list)
		}
		restricted.Set(name, p)
	}
	return value.AppendJSON(nil, with(schema, "properties", value.OfObject(restricted)))
}

// withEnum restricts a schema, or that of its items where it is one of a list.
func withEnum(schema, list value.Value) value.Value {
	if schema.Kind() != value.Object {
		schema = value.OfObject(nil)
	}
	if items, of := schema.AsObject().Get("items"); of {
		return with(schema, "items", withEnum(items, list))
	}
	return with(schema, "enum", list)
}

// with is an object with another value of an attribute.
func with(v value.Value, name string, attr value.Value) value.Value {
	out := value.NewObject(v.AsObject().Len() + 1)
	for k, a := range v.AsObject().All() {
		out.Set(k, a)
	}
	out.Set(name, attr)
	return value.OfObject(out)
}

// Questions returns what the run asks and waits for, the oldest first.
func (c *Core) Questions() []journal.Question {
	var out []journal.Question
	for _, q := range c.asking {
		out = append(out, c.questionOf(q))
	}
	return out
}

func (c *Core) questionOf(q *asking) journal.Question {
	in := c.Instance(q.at)
	out := journal.NewQuestion(journal.RunID(c.created.Run), in.Path(), in.Text(), *q.asked, q.since, q.deadline)
	out.Sealed = c.isSensitive(q.at)
	return out
}

// isGate reports whether a question at an address is one of the policy.
func (c *Core) isGate(at Addr) bool { return at.Undo > 0 || c.nodeOf(at).spec.Kind != plan.AskNode }

// applyAsked has an instance, or calls of a node, wait for an answer.
func (c *Core) applyAsked(f NodeWaiting) error {
	if f.Question == nil {
		return fmt.Errorf("%s asks, and what it asks is not known", c.Instance(f.At))
	}
	q := &asking{at: f.At, asked: f.Question, since: f.Time, deadline: f.Deadline}
	if c.isGate(f.At) {
		c.asking = append(c.asking, q)
		c.gateAsked(q)
		return nil
	}
	inst, err := c.reach(f.At)
	if err != nil {
		return err
	}
	if inst.live == nil {
		c.goOn(f.At, inst)
	}
	l := inst.live
	c.dueBy(f.At, f.Deadline)
	c.waits(f.At, l, waitQuestion, time.Time{})
	l.asking = q
	c.asking = append(c.asking, q)
	inst.state = StateWaiting
	inst.attempts = 1
	return nil
}

// unask says that a question waits no longer; nil is fine.
func (c *Core) unask(q *asking) {
	if i := slices.Index(c.asking, q); q != nil && i >= 0 {
		c.asking = slices.Delete(c.asking, i, i+1)
	}
}

// Answer takes a person's answer, which was checked (see [AnswerQuestion]), and returns what
// to do now. An error means that nothing changed: nothing is asked there.
func (c *Core) Answer(f NodeAnswered) ([]Command, error) {
	c.now = f.Time
	if c.openAt(f.At) == nil {
		return nil, sentence("The step %s asks nothing.", c.Instance(f.At))
	}
	c.record(f)
	c.takeAnswers()
	return c.next(), nil
}

// openAt returns the question that is asked at an address; nil: none is.
func (c *Core) openAt(at Addr) *asking {
	for _, q := range c.asking {
		if q.at == at {
			return q
		}
	}
	return nil
}

func (c *Core) applyAnswered(f NodeAnswered) error {
	q := c.openAt(f.At)
	if q == nil {
		return fmt.Errorf("%s was answered and asks nothing", c.Instance(f.At))
	}
	if c.isGate(f.At) {
		c.unask(q)
		c.gateAnswered(f)
		return nil
	}
	inst := c.instance(f.At)
	c.noWait(inst.live)
	inst.state = StateRunning
	inst.live.answer = &f
	c.replies = append(c.replies, f.At)
	return nil
}

// takeAnswers makes what was answered the end of the steps that asked, and lets the
// calls go on, or not, that waited.
func (c *Core) takeAnswers() {
	answered := c.replies
	c.replies = nil
	for _, at := range answered {
		if c.isGate(at) {
			c.openGate(at)
			continue
		}
		if inst := c.instance(at); inst != nil && inst.live != nil && inst.live.answer != nil {
			c.endAsk(at, inst)
		}
	}
}

func (c *Core) endAsk(at Addr, inst *instance) {
	n, f := c.nodeOf(at), inst.live.answer
	inst.live.answer = nil
	if f.Declined {
		c.ended(n, NodeEnded{At: at, Outcome: OutcomeError, Attempts: inst.attempts, Failure: declined(f.By)}, value.NullValue)
		return
	}
	data := value.NullValue
	if f.Data != nil {
		data = *f.Data
	}
	c.ended(n, c.settle(n, at, &Answer{Structured: &data}, inst.attempts, value.NullValue), value.NullValue)
}

// declined is the failure of what somebody has declined; by may be "".
func declined(by string) *Failure {
	if by == "" {
		by = "whoever was asked"
	}
	return &Failure{Kind: KindDeclined, Message: fmt.Sprintf("It was declined by %s.", by)}
}
