package engine

import (
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// encode makes a journal event of a fact that the journal keeps. key is the
// idempotency key of a call that starts; else "".
func (c *Core) encode(f Fact, key string) journal.Event {
	at := func(a Addr, attempt int, data journal.Payload) journal.Event {
		in := c.Instance(a)
		return journal.Event{Node: in.Path(), Instance: in.Text(), Attempt: attempt, Data: data, Sensitive: c.isSensitive(a)}
	}
	of := func(frame int, data journal.Payload) journal.Event {
		if frame == 0 {
			return journal.Event{Data: data}
		}
		return at(c.frames[frame].parent, 0, data)
	}
	switch f := f.(type) {
	case RunBegun:
		return journal.Event{Data: journal.RunBegun{}}
	case NodeStarted:
		data := journal.NodeStarted{
			IdempotencyKey: key, ArgsDigest: f.ArgsDigest, Generation: f.Generation, Deadline: f.Deadline, Repeatable: f.Repeatable,
		}
		if f.Effect != "" && f.Effect != "read" {
			data.Effect, data.Connection = f.Effect, f.Connection
		}
		return at(f.At, f.Attempt, data)
	case AttemptFailed:
		return at(f.At, f.Attempt, journal.NodeFailed{
			Kind: string(f.Failure.Kind), Message: f.Failure.Message, Code: f.Failure.Code,
			Sent: f.Failure.Sent.String(), InDoubt: f.Failure.InDoubt, RetryAt: f.RetryAt,
		})
	case NodeWaiting:
		data := journal.NodeWaiting{For: journal.WaitTimer, Due: f.Until}
		switch f.For {
		case WaitInDoubt:
			data.For = journal.WaitInDoubt
		case WaitQuestion:
			data.For, data.Due = journal.WaitQuestion, f.Deadline
		}
		if !f.Deadline.IsZero() || f.Question != nil {
			data.Note, _ = json.Marshal(journal.WaitNote{Deadline: f.Deadline, Question: f.Question})
		}
		attempt := 0
		if inst := c.instance(f.At); inst != nil {
			attempt = inst.attempts
		}
		return at(f.At, attempt, data)
	case NodeAnswered:
		data := journal.NodeAnswered{Declined: f.Declined, By: f.By}
		if f.Data != nil {
			data.Data = value.AppendStored(nil, *f.Data)
		}
		return at(f.At, 0, data)
	case NodeResolved:
		data := journal.NodeResolved{As: f.As, By: f.By}
		if f.Output != nil {
			data.Output = value.AppendStored(nil, *f.Output)
		}
		return at(f.At, c.instance(f.At).attempts, data)
	case NodeEnded:
		return at(f.At, f.Attempts, c.encodeEnd(f))
	case CancelRequested:
		return journal.Event{Data: journal.CancelRequested{By: f.By}}
	case DeadlinePassed:
		return of(f.Frame, journal.DeadlinePassed{Message: f.Message})
	case Settled:
		ev := of(f.Frame, journal.RunSettled{Outcome: string(f.Outcome), Error: encodeError(f.Err)})
		ev.Sensitive = ev.Sensitive || c.tellsSensitive(f.Err)
		return ev
	case RunEnded:
		data := journal.RunFinished{Status: journal.Status(f.Status), Error: encodeError(f.Err)}
		if f.Status == StatusCompleted {
			data.Outputs = value.AppendStored(nil, f.Outputs)
		}
		return journal.Event{Data: data, Sensitive: f.Status == StatusCompleted && c.prog.sensitiveOutputs || c.tellsSensitive(f.Err)}
	}
	panic(fmt.Sprintf("engine: %T is no part of a history (this is a bug in wfc)", f))
}

func encodeError(e *RunError) *journal.Failure {
	if e == nil {
		return nil
	}
	out := &journal.Failure{Kind: string(e.Kind), Message: e.Message, Code: e.Code, InDoubt: e.InDoubt, Step: e.At.Step}
	if !e.At.Key.IsNull() {
		out.Key = json.RawMessage(e.At.Key.JSON())
	}
	return out
}

func decodeError(e *journal.Failure) (*RunError, error) {
	if e == nil {
		return nil, nil
	}
	out := &RunError{At: Instance{Step: e.Step}, Kind: Kind(e.Kind), Message: e.Message, Code: e.Code, InDoubt: e.InDoubt}
	if len(e.Key) > 0 {
		key, err := value.ParseJSON(e.Key)
		if err != nil {
			return nil, fmt.Errorf("the element that failed the run cannot be read: %w", err)
		}
		out.At.Key = key
	}
	return out, nil
}

func (c *Core) encodeEnd(f NodeEnded) journal.Payload {
	var result json.RawMessage
	if !c.isContainer(f.At) && f.Outcome != OutcomeSkipped {
		result = encodeResult(f)
	}
	switch f.Outcome {
	case OutcomeOK:
		return journal.NodeCompleted{Result: result, Reused: f.Reused}
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
// left and have no end in it are running; [Core.Resume] goes on.
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
	at := Addr{Elem: Whole}
	frame := 0
	if ev.Node != "" {
		var err error
		if at, err = c.Find(ev.Node, ev.Instance); err != nil {
			return nil, err
		}
		if inst := c.instance(at); inst != nil {
			frame = inst.child
		}
	}
	end := NodeEnded{At: at, Attempts: ev.Attempt}
	var result json.RawMessage
	switch d := ev.Data.(type) {
	case journal.RunCreated:
		return c.decodeCreated(ev.Time, d)
	case journal.RunBegun:
		return RunBegun{ev.Time}, nil
	case journal.NodeStarted:
		return NodeStarted{
			At: at, Attempt: ev.Attempt, Generation: d.Generation, Repeatable: d.Repeatable,
			ArgsDigest: d.ArgsDigest, Deadline: d.Deadline, Time: ev.Time,
		}, nil
	case journal.NodeWaiting:
		return c.decodeWaiting(at, ev.Time, d)
	case journal.NodeResolved:
		f := NodeResolved{At: at, As: d.As, By: d.By, Time: ev.Time}
		if len(d.Output) > 0 {
			output, err := value.ParseStored(d.Output)
			if err != nil {
				return nil, fmt.Errorf("the output that was given for %s cannot be read: %w", c.Instance(at), err)
			}
			f.Output = &output
		}
		return f, nil
	case journal.NodeAnswered:
		f := NodeAnswered{At: at, Declined: d.Declined, By: d.By, Time: ev.Time}
		if len(d.Data) > 0 {
			data, err := value.ParseStored(d.Data)
			if err != nil {
				return nil, fmt.Errorf("the answer to %s cannot be read: %w", c.Instance(at), err)
			}
			f.Data = &data
		}
		return f, nil
	case journal.NodeCompleted:
		end.Outcome, end.Reused, result = OutcomeOK, d.Reused, d.Result
	case journal.NodeSkipped:
		end.Outcome = OutcomeSkipped
	case journal.NodeFailed:
		failure := &Failure{Kind: Kind(d.Kind), Message: d.Message, Code: d.Code, InDoubt: d.InDoubt, Sent: sentOf(d.Sent)}
		if !d.RetryAt.IsZero() {
			return AttemptFailed{At: at, Attempt: ev.Attempt, Failure: failure, RetryAt: d.RetryAt}, nil
		}
		end.Outcome, end.Failure, result = OutcomeError, failure, d.Result
	case journal.CancelRequested:
		return CancelRequested{By: d.By}, nil
	case journal.DeadlinePassed:
		return DeadlinePassed{Frame: frame, Message: d.Message}, nil
	case journal.RunSettled:
		err, bad := decodeError(d.Error)
		return Settled{Frame: frame, Outcome: RunOutcome(d.Outcome), Err: err}, bad
	case journal.SessionLost:
		if !d.Private {
			return nil, nil
		}
		return SessionGone{Connection: d.Connection}, nil
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

func (c *Core) decodeCreated(at time.Time, d journal.RunCreated) (Fact, error) {
	inputs, err := value.ParseStored(d.Inputs)
	if err != nil {
		return nil, fmt.Errorf("the inputs of the run cannot be read: %w", err)
	}
	f := RunCreated{StartedAt: at, Inputs: inputs, Queued: d.Queued}
	if len(d.Previous) > 0 {
		if f.Previous, err = value.ParseStored(d.Previous); err != nil {
			return nil, fmt.Errorf("what the run knows of the one before it cannot be read: %w", err)
		}
	}
	return f, nil
}

func (c *Core) decodeWaiting(at Addr, since time.Time, d journal.NodeWaiting) (Fact, error) {
	f := NodeWaiting{At: at, Until: d.Due, Time: since}
	switch {
	case d.For == journal.WaitInDoubt:
		f.For = WaitInDoubt
	case d.For == journal.WaitQuestion:
		f.For, f.Until = WaitQuestion, time.Time{}
	case d.For != journal.WaitTimer:
		return nil, fmt.Errorf("%s waits for a %s, which this wfc does not know", c.Instance(at), d.For)
	case c.isContainer(at):
		f.For = WaitRound
	default:
		f.For = WaitSleep
	}
	if len(d.Note) > 0 {
		var note journal.WaitNote
		if err := json.Unmarshal(d.Note, &note); err != nil {
			return nil, fmt.Errorf("what %s waits for cannot be read: %w", c.Instance(at), err)
		}
		f.Deadline, f.Question = note.Deadline, note.Question
	}
	return f, nil
}

// isContainer reports whether an address is that of a whole fan-out or loop,
// which have no result but those of their parts.
func (c *Core) isContainer(at Addr) bool {
	return c.isFanOut(at) || at.Round == 0 && at.Undo == 0 && c.nodeOf(at).loops()
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
	err, bad := decodeError(d.Error)
	ended.Err = err
	return ended, bad
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
