package wftest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/yosida95/uritemplate/v3"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
)

// mock is a mock block at work.
type mock struct {
	syntax *syntax.Mock
	exprs  compiler.Mock
	check  check.Mock
	used   int // calls that it answered
}

// reply is what a call gets.
type reply struct {
	answer *engine.Answer
	failed *engine.CallError // one of the two is nil
	delay  time.Duration
}

// fact is what the end of the call is told as.
func (r *reply) fact(at engine.Addr) engine.Fact {
	if r.failed != nil {
		return engine.CallFailed{At: at, Err: r.failed}
	}
	return engine.CallAnswered{At: at, Answer: r.answer}
}

// answer finds the mock that a call is for and what it answers. ok is false where there
// is none, or it cannot answer, which is a problem of the test.
func (s *simulation) answer(c call) (_ *reply, ok bool) {
	for i := range s.mocks {
		m := &s.mocks[i]
		variables, names := m.names(&c)
		if !names || m.syntax.Times != nil && m.used >= m.syntax.Times.N {
			continue
		}
		scope := s.mockScope(&c, variables)
		if m.syntax.When != nil {
			holds, err := boolean(m.exprs.When, scope)
			if err != nil {
				s.broken(m.syntax.When, m.exprs.When, "The `when` of this mock cannot be asked of the call of %s by step %s: %s", c.name(), c.step, err)
				return nil, false
			}
			if !holds {
				continue
			}
		}
		m.used++
		return s.reply(m, &c, scope)
	}
	if s.live != nil && s.standsIn(c.connection) {
		s.problem(s.placeOf(&c), fmt.Sprintf("Step %s calls %s, and there is nothing to record it from: the source %q is bound to no connection. Give it a bind, or record a test of a deployment that binds it.", c.step, c.name(), c.source))
		return nil, false
	}
	if s.live != nil {
		answer, failed := s.live(s.ctx, c)
		return &reply{answer: answer, failed: failed}, true
	}
	s.unmocked(&c)
	return nil, false
}

// standsIn reports whether an id is of no connection, but of the interface of a source
// that is bound to none.
func (s *simulation) standsIn(connection string) bool {
	return slices.ContainsFunc(s.test.Plan.Connections, func(c plan.Connection) bool { return c.ID == connection && c.StandsIn() })
}

// names reports whether a mock is of what is called. variables are those of a URI that
// its name is a template of.
func (m *mock) names(c *call) (variables *value.ObjectValue, ok bool) {
	name := m.syntax.Tool.Text
	switch {
	case m.syntax.Source.Text != c.source:
		return nil, false
	case c.Do != plan.Read:
		return nil, name == c.Tool
	case name == c.Tool:
		return nil, true
	}
	for _, t := range m.check.Templates {
		if t == c.spec.URITemplate {
			return nil, true
		}
	}
	if !strings.Contains(name, "://") || !strings.Contains(name, "{") {
		return nil, false
	}
	t, err := uritemplate.New(name)
	if err != nil {
		return nil, false
	}
	match := t.Match(c.Tool)
	if match == nil {
		return nil, false
	}
	variables = value.NewObject(len(match))
	for _, v := range t.Varnames() {
		variables.Set(v, value.OfString(match.Get(v).String()))
	}
	return variables, true
}

// mockScope has what the expressions of a mock may name.
func (s *simulation) mockScope(c *call, variables *value.ObjectValue) eval.Scope {
	args := c.args
	if variables != nil {
		o := value.NewObject(args.AsObject().Len() + variables.Len())
		for name, v := range args.AsObject().All() {
			o.Set(name, v)
		}
		for name, v := range variables.All() {
			o.Set(name, v)
		}
		args = value.OfObject(o)
	}
	about := value.NewObject(4)
	about.Set("step", value.OfString(c.step.Path()))
	about.Set("key", c.step.Key)
	about.Set("connection", value.OfString(c.connection))
	about.Set("attempt", value.OfInt(int64(c.Attempt)))
	return eval.MapScope{"input": s.inputs, "args": args, "call": value.OfObject(about)}
}

// reply makes the answer of a mock to a call.
func (s *simulation) reply(m *mock, c *call, scope eval.Scope) (*reply, bool) {
	r := &reply{}
	if d := m.syntax.Delay; d != nil {
		r.delay = d.D
	}
	values := map[string]value.Value{}
	for _, x := range []struct {
		name    string
		written *syntax.Attribute
		expr    expr.Expr
	}{
		{"output", m.syntax.Output, m.exprs.Output}, {"text", m.syntax.Text, m.exprs.Text},
		{"content", m.syntax.Content, m.exprs.Content}, {"error", m.syntax.Error, m.exprs.Error},
	} {
		if x.expr.IsZero() {
			continue
		}
		v, err := eval.Eval(x.expr, scope)
		if err != nil {
			s.broken(x.written, x.expr, "The `%s` of this mock cannot be computed for the call of %s by step %s: %s", x.name, c.name(), c.step, err)
			return nil, false
		}
		values[x.name] = v.Value
	}
	text, hasText := values["text"]
	if hasText && text.Kind() != value.String {
		s.broken(m.syntax.Text, m.exprs.Text, "The `text` of this mock is no text for the call of %s by step %s; it is %s.", c.name(), c.step, text.Summary(80))
		return nil, false
	}
	if failure, ok := values["error"]; ok {
		s.fails(r, m, c, failure)
		return r, r.answer != nil || r.failed != nil
	}
	output, hasOutput := values["output"]
	if hasOutput {
		if why := s.violates(m, output); why != "" {
			s.broken(m.syntax.Output, m.exprs.Output, "The `output` of this mock is not what %s may answer (the call is of step %s): %s", c.name(), c.step, sentence(why))
			return nil, false
		}
	}
	if hasOutput && c.Do == plan.Prompt && types.Conforms(promptType(), output) != nil {
		s.broken(m.syntax.Output, m.exprs.Output, "The `output` of this mock is no prompt: %s", sentence(types.Conforms(promptType(), output).Error()))
		return nil, false
	}
	content, hasContent := values["content"]
	switch {
	case hasContent:
		a, err := s.contentAnswer(c, content)
		if err != nil {
			s.broken(m.syntax.Content, m.exprs.Content, "The `content` of this mock is none for the call of %s by step %s: %s", c.name(), c.step, err)
			return nil, false
		}
		if hasText {
			a.Text = text.AsString()
		}
		if hasOutput && c.Do == plan.Call {
			a.Structured = &output
		}
		r.answer = a
	case c.Do == plan.Prompt:
		r.answer = promptAnswer(output, hasOutput, text)
	case !hasOutput:
		r.answer = textAnswer(c, text.AsString())
	case output.Kind() == value.String && m.check.Schema == nil:
		r.answer = textAnswer(c, output.AsString())
	default:
		shown := output.JSON()
		if hasText {
			shown = text.AsString()
		}
		r.answer = textAnswer(c, shown)
		if c.Do == plan.Call {
			r.answer.Structured = &output
		}
	}
	return r, true
}

// violates says why an output is none that the tool may give; "": it is one.
func (s *simulation) violates(m *mock, output value.Value) string {
	if m.check.Output != nil {
		if why := types.Conforms(m.check.Output, output); why != nil {
			return why.Error()
		}
	}
	if len(m.check.Schema) == 0 {
		return ""
	}
	v, err := s.shared.schemas.Get(m.check.Schema)
	if err != nil {
		return "" // the snapshot's problem, which wfc check says
	}
	if err := v.Validate(output); err != nil {
		return err.Error()
	}
	return ""
}

// fails makes the reply of a mock that says an error.
func (s *simulation) fails(r *reply, m *mock, c *call, v value.Value) {
	kind, message := engine.KindTool, ""
	var code *int
	sent := engine.SentMaybe
	switch v.Kind() {
	case value.String:
		message = v.AsString()
	case value.Object:
		o := v.AsObject()
		if k, ok := o.Get("kind"); ok && k.Kind() == value.String {
			kind = engine.Kind(k.AsString())
		}
		if t, ok := o.Get("message"); ok && t.Kind() == value.String {
			message = t.AsString()
		}
		if n, ok := o.Get("code"); ok && n.Kind() == value.Number {
			if i, ok := n.AsNumber().Int64(); ok {
				code = new(int)
				*code = int(i)
			}
		}
		if b, ok := o.Get("in_doubt"); ok && b.Kind() == value.Bool && !b.AsBool() {
			sent = engine.SentNo
		}
	default:
		s.broken(m.syntax.Error, m.exprs.Error, "The `error` of this mock is neither a text nor an object for the call of %s by step %s; it is %s.", c.name(), c.step, v.Summary(80))
		return
	}
	if kind == engine.KindTool && c.Do == plan.Call {
		r.answer = textAnswer(c, message)
		r.answer.IsError = true
		return
	}
	if message == "" {
		message = fmt.Sprintf("Its mock (%s) fails, kind %s.", place(diag.RangeOf(m.syntax.Header)), kind)
	}
	r.failed = &engine.CallError{Kind: kind, Message: c.name() + ": " + message, Code: code, Sent: sent, Generation: 1}
	switch kind {
	case engine.KindTool, engine.KindProtocol, engine.KindRateLimit, engine.KindLimit, engine.KindDeclined:
		r.failed.Answered, r.failed.Sent = true, engine.SentYes // the server has spoken
	}
}

// promptType is what a prompt gives at least.
var promptType = sync.OnceValue(func() *types.Type {
	return types.MustParse(`object({ messages = list(object({ role = enum("user", "assistant"), content = object({ type = string }, any) })) })`)
})

// textAnswer is an answer of one text.
func textAnswer(c *call, text string) *engine.Answer {
	part := value.NewObject(3)
	if c.Do == plan.Read {
		part.Set("type", value.OfString("resource"))
		part.Set("uri", value.OfString(c.Tool))
	} else {
		part.Set("type", value.OfString("text"))
	}
	part.Set("text", value.OfString(text))
	return &engine.Answer{Text: text, Content: []value.Value{value.OfObject(part)}, Generation: 1}
}

// promptAnswer is the answer to a prompt: its messages, or one of the user's.
func promptAnswer(output value.Value, hasOutput bool, text value.Value) *engine.Answer {
	if !hasOutput {
		part := value.NewObject(2)
		part.Set("type", value.OfString("text"))
		part.Set("text", text)
		message := value.NewObject(2)
		message.Set("role", value.OfString("user"))
		message.Set("content", value.OfObject(part))
		all := value.NewObject(1)
		all.Set("messages", value.OfList([]value.Value{value.OfObject(message)}))
		output = value.OfObject(all)
	}
	a := &engine.Answer{Structured: &output, Generation: 1}
	var texts []string
	messages, _ := output.AsObject().Get("messages")
	for _, m := range messages.AsList() {
		content, _ := m.AsObject().Get("content")
		a.Content = append(a.Content, content)
		if t, ok := content.AsObject().Get("text"); ok && t.Kind() == value.String {
			texts = append(texts, t.AsString())
		}
	}
	a.Text = strings.Join(texts, "\n")
	return a
}

// boolean evaluates a condition.
func boolean(e expr.Expr, scope eval.Scope) (bool, error) {
	r, err := eval.Eval(e, scope)
	if err != nil {
		return false, err
	}
	if r.Value.Kind() != value.Bool {
		return false, fmt.Errorf("it is %s, and not true or false", r.Value.Summary(80))
	}
	return r.Value.AsBool(), nil
}

// problem notes why the run is not gone on with.
func (s *simulation) problem(at diag.Range, message string) {
	s.problems = append(s.problems, Failure{At: at, Message: message})
}

// broken notes that an attribute of the test cannot be used. used is its expression.
func (s *simulation) broken(written *syntax.Attribute, used expr.Expr, format string, args ...any) {
	at := diag.RangeOf(written.Expr.Range())
	for _, a := range args {
		if err, ok := a.(error); ok {
			at = where(written.Expr, used, err)
		}
	}
	s.problem(at, fmt.Sprintf(format, args...))
}

// where is the place of what went wrong in an expression. One with the texts of files
// in it has no places of its own.
func where(written, used expr.Expr, err error) diag.Range {
	at := written.Range()
	if e := (*eval.Error)(nil); used.Range() == at && errors.As(err, &e) {
		at = e.Range
	}
	return diag.RangeOf(at)
}

func (s *simulation) header() diag.Range { return diag.RangeOf(s.test.Syntax.Header) }
