package engine

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// encode makes a journal event of a fact that the journal keeps. start is what
// NodeStarted says beyond the fact; nil of a fan-out.
func (c *Core) encode(f Fact, start *journal.NodeStarted) journal.Event {
	switch f := f.(type) {
	case NodeStarted:
		in := c.Instance(f.At)
		data := journal.NodeStarted{Generation: f.Generation, Repeatable: f.Repeatable}
		if start != nil {
			data.IdempotencyKey, data.ArgsDigest, data.Deadline = start.IdempotencyKey, start.ArgsDigest, start.Deadline
		}
		return journal.Event{Node: in.Step, Instance: in.Text(), Attempt: f.Attempt, Data: data}
	case NodeEnded:
		in := c.Instance(f.At)
		return journal.Event{Node: in.Step, Instance: in.Text(), Attempt: f.Attempts, Data: c.encodeEnd(f)}
	case CancelRequested:
		return journal.Event{Data: journal.CancelRequested{By: f.By}}
	case RunEnded:
		data := journal.RunFinished{Status: journal.Status(f.Status)}
		if f.Status == StatusCompleted {
			data.Outputs = value.AppendStored(nil, f.Outputs)
		}
		if e := f.Err; e != nil {
			data.Error = &journal.Failure{Kind: string(e.Kind), Message: e.Message, Code: e.Code, InDoubt: e.InDoubt, Step: e.At.Step}
			if text := e.At.Text(); text != "" {
				data.Error.Key = json.RawMessage(text)
			}
		}
		return journal.Event{Data: data}
	}
	panic(fmt.Sprintf("engine: %T is no part of a history (this is a bug in wfc)", f))
}

func (c *Core) encodeEnd(f NodeEnded) journal.Payload {
	var result json.RawMessage
	if !c.isFanOut(f.At) && f.Outcome != OutcomeSkipped {
		result = encodeResult(f)
	}
	switch f.Outcome {
	case OutcomeOK:
		return journal.NodeCompleted{Result: result}
	case OutcomeSkipped:
		return journal.NodeSkipped{}
	}
	if len(result) == len("{}") {
		result = nil
	}
	data := journal.NodeFailed{
		Kind: string(f.Failure.Kind), Message: f.Failure.Message, Code: f.Failure.Code,
		InDoubt: f.Failure.InDoubt, Result: result,
	}
	if f.Attempts > 0 {
		data.Sent = f.Failure.Sent.String()
	}
	return data
}

// encodeResult renders what a result is made of: {"output", "text", "content"}. What
// can be told from the rest is left out: most answers are one text, and a result
// has it three times.
func encodeResult(f NodeEnded) json.RawMessage {
	b := []byte{'{'}
	add := func(name string, v value.Value) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(value.AppendString(b, name), ':')
		b = value.AppendStored(b, v)
	}
	if f.Outcome == OutcomeOK && !isText(f.Output, f.Text) {
		add("output", f.Output)
	}
	if f.Text != "" {
		add("text", value.OfString(f.Text))
	}
	if !isOneText(f.Content, f.Text) {
		add("content", value.OfList(f.Content))
	}
	return append(b, '}')
}

func isText(v value.Value, text string) bool {
	return v.Kind() == value.String && v.AsString() == text
}

// isOneText reports whether content is what a result without "content" stands
// for: one plain text part with the whole text, or no part where there is no text.
func isOneText(content []value.Value, text string) bool {
	if text == "" {
		return len(content) == 0
	}
	return len(content) == 1 && value.Equal(content[0], textPart(text))
}

func textPart(text string) value.Value {
	obj := value.NewObject(2)
	obj.Set("type", value.OfString("text"))
	obj.Set("text", value.OfString(text))
	return value.OfObject(obj)
}

func decodeResult(raw json.RawMessage, f *NodeEnded) error {
	if len(raw) == 0 {
		return nil
	}
	v, err := value.ParseStored(raw)
	if err != nil {
		return err
	}
	if v.Kind() != value.Object {
		return fmt.Errorf("it is %s", v.Summary(40))
	}
	text, _ := v.AsObject().Get("text")
	if text.Kind() == value.String {
		f.Text = text.AsString()
	}
	if output, ok := v.AsObject().Get("output"); ok {
		f.Output = output
	} else if f.Outcome == OutcomeOK {
		f.Output = value.OfString(f.Text)
	}
	switch content, ok := v.AsObject().Get("content"); {
	case ok && content.Kind() == value.List:
		f.Content = content.AsList()
	case f.Text != "":
		f.Content = []value.Value{textPart(f.Text)}
	}
	return nil
}

// Restore returns a core that is where the history of a run ends. Calls that had
// left and have no end in it are running; [Core.Next] says what is to be done
// besides.
func Restore(prog *Program, opts CoreOptions, run journal.RunID, history iter.Seq2[journal.Event, error]) (*Core, error) {
	c := NewCore(prog, opts)
	for ev, err := range history {
		if err != nil {
			return nil, err
		}
		f, err := c.decode(ev)
		if err == nil && f != nil {
			if created, ok := f.(RunCreated); ok {
				created.Run = string(run)
				f = created
			}
			err = c.Replay(f)
		}
		if err != nil {
			return nil, fmt.Errorf("the history of the run %s cannot be replayed: event %d (%s): %w", run, ev.Seq, ev.Kind(), err)
		}
	}
	return c, nil
}

// decode makes a fact of an event of the run's history; nil for one that says
// nothing about the state of its nodes. All that came before must have been
// replayed.
func (c *Core) decode(ev journal.Event) (Fact, error) {
	var at Addr
	if ev.Node != "" {
		var err error
		if at, err = c.Find(ev.Node, ev.Instance); err != nil {
			return nil, err
		}
	}
	end := NodeEnded{At: at, Attempts: ev.Attempt}
	var result json.RawMessage
	switch d := ev.Data.(type) {
	case journal.RunCreated:
		inputs, err := value.ParseStored(d.Inputs)
		if err != nil {
			return nil, fmt.Errorf("the inputs of the run cannot be read: %w", err)
		}
		return RunCreated{StartedAt: ev.Time, Inputs: inputs}, nil
	case journal.NodeStarted:
		return NodeStarted{At: at, Attempt: ev.Attempt, Generation: d.Generation, Repeatable: d.Repeatable}, nil
	case journal.NodeCompleted:
		end.Outcome, result = OutcomeOK, d.Result
	case journal.NodeSkipped:
		end.Outcome = OutcomeSkipped
	case journal.NodeFailed:
		end.Outcome, result = OutcomeError, d.Result
		end.Failure = &Failure{Kind: Kind(d.Kind), Message: d.Message, Code: d.Code, InDoubt: d.InDoubt, Sent: sentOf(d.Sent)}
	case journal.CancelRequested:
		return CancelRequested{By: d.By}, nil
	case journal.RunFinished:
		return c.decodeRunEnded(d)
	default:
		return nil, nil
	}
	if err := decodeResult(result, &end); err != nil {
		return nil, fmt.Errorf("the result of %s cannot be read: %w", c.Instance(at), err)
	}
	return end, nil
}

func (c *Core) decodeRunEnded(d journal.RunFinished) (Fact, error) {
	ended := RunEnded{Status: Status(d.Status)}
	if ended.Status == StatusCompleted {
		outputs, err := value.ParseStored(d.Outputs)
		if err != nil {
			return nil, fmt.Errorf("the outputs of the run cannot be read: %w", err)
		}
		ended.Outputs = outputs
	}
	if e := d.Error; e != nil {
		ended.Err = &RunError{At: Instance{Step: e.Step}, Kind: Kind(e.Kind), Message: e.Message, Code: e.Code, InDoubt: e.InDoubt}
		if len(e.Key) > 0 {
			key, err := value.ParseJSON(e.Key)
			if err != nil {
				return nil, fmt.Errorf("the element that failed the run cannot be read: %w", err)
			}
			ended.Err.At.Key = key
		}
	}
	return ended, nil
}

func sentOf(text string) Sent {
	switch text {
	case "maybe":
		return SentMaybe
	case "yes":
		return SentYes
	}
	return SentNo
}
