package journal

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"
)

// KindNodeAnswered is the kind of [NodeAnswered].
const KindNodeAnswered EventKind = "node.answered"

// NodeAnswered is a person's answer to what a node asks, which waits for it no longer.
// What the node is then, its next event says.
type NodeAnswered struct {
	Declined bool            `json:"declined,omitempty"`
	By       string          `json:"by,omitempty"` // who answered; "" is unknown
	Data     json.RawMessage `json:"-"`            // the answer; nil where it is declined. Kept byte by byte
}

func (NodeAnswered) kind() EventKind         { return KindNodeAnswered }
func (p NodeAnswered) body() json.RawMessage { return p.Data }

// WaitNote is what the engine keeps of a wait in [NodeWaiting].Note.
type WaitNote struct {
	Deadline time.Time `json:"deadline,omitzero"`  // of the node or element; zero: none
	Question *Asked    `json:"question,omitempty"` // what is asked; nil: it waits for something else
}

// Asked is what a person is asked.
type Asked struct {
	Message string `json:"message"`
	// Answer is the type of the answer, in the notation of the language; Schema says the
	// same as a JSON Schema of draft 2020-12, Choices included.
	Answer  string          `json:"answer"`
	Schema  json.RawMessage `json:"schema"`
	Choices json.RawMessage `json:"choices,omitempty"` // an object: an attribute of the answer → the list of what it may be; nil: no restriction
	// Approvers are those who may answer; nil, printed as null: anybody.
	Approvers []string  `json:"approvers"`
	Approval  *Approval `json:"approval,omitempty"` // a policy asks; nil: a step does
}

// Approval is what a policy asks about: calls that may destroy something. Its answer
// has nothing in it but that it is not declined.
type Approval struct {
	Connection string         `json:"connection"` // its id; "": several, chosen by a key
	Tool       string         `json:"tool"`
	Effect     string         `json:"effect"` // "destructive" or "unknown"
	Calls      []ApprovalCall `json:"calls"`  // the first of them
	Count      int            `json:"count"`  // how many there are
}

// ApprovalCall is one of the calls that a policy asks about.
type ApprovalCall struct {
	Key  json.RawMessage `json:"key,omitempty"` // the element's key or index; nil: the step itself
	Args json.RawMessage `json:"args"`          // with references in place of secrets; "(sensitive)" where they are that
}

// Question is what a run asks and waits for.
type Question struct {
	Run   RunID           `json:"run"`
	Step  string          `json:"step"`            // with those that it is in: "deploy/build"
	Key   json.RawMessage `json:"key,omitempty"`   // the element's key or index; nil: the step itself
	Round int             `json:"round,omitempty"` // of a loop, from 1; 0: none
	Undo  int             `json:"undo,omitempty"`  // which undo block, from 1; 0: the step itself
	Name  string          `json:"name"`            // the step as commands name it: confirm["de"]
	Asked
	AskedAt  time.Time  `json:"asked_at"`           // UTC
	Deadline *time.Time `json:"deadline,omitempty"` // UTC; nil: it waits for ever

	// Sealed: what is answered is kept encrypted.
	Sealed bool `json:"-"`
}

// NewQuestion returns the question that a node of a run asks; node and instance
// are as in an [Event].
func NewQuestion(run RunID, node, instance string, asked Asked, at, deadline time.Time) Question {
	r := StepRecord{Step: node}
	r.part(instance)
	q := Question{
		Run: run, Step: node, Key: r.Key, Round: r.Round, Undo: r.Undo,
		Name: r.name(), Asked: asked, AskedAt: at.UTC(),
	}
	if !deadline.IsZero() {
		due := deadline.UTC()
		q.Deadline = &due
	}
	return q
}

// name is the step as commands name it.
func (r *StepRecord) name() string { return cmp.Or(r.Name, Part{Key: string(r.Key)}.Name(r.Step)) }

// Questions returns what a run asks and waits for, the oldest first.
func (s *Store) Questions(ctx context.Context, run RunID) (questions []Question, err error) {
	num, err := s.numOf(ctx, run)
	if err != nil {
		return nil, err
	}
	err = s.snapshot(ctx, func(q querier) error {
		questions, err = s.questions(ctx, q, run, num)
		return err
	})
	return questions, err
}

func (s *Store) questions(ctx context.Context, q querier, run RunID, num int64) ([]Question, error) {
	var events []Event
	open := s.bodiesOf(ctx, run, num)
	err := each(ctx, q, func(rows *sql.Rows) error {
		ev, err := scanEvent(rows, open)
		if errors.Is(err, ErrKey) {
			ev, err = scanEvent(rows, &bodies{blobs: &s.blobs}) // without what is encrypted
		}
		events = append(events, ev)
		return err
	}, selectEvent+`seq IN (SELECT seq FROM waits WHERE run = ? AND kind = 'question') ORDER BY seq`, num)
	if err != nil {
		return nil, err
	}
	var out []Question
	for _, ev := range events {
		p, _ := ev.Data.(NodeWaiting)
		var note WaitNote
		if len(p.Note) > 0 {
			if err := json.Unmarshal(p.Note, &note); err != nil {
				return nil, failure(ErrDamaged, err, "What the step %s of the run %s asks cannot be read: %v.", nameOf(&ev), run, err)
			}
		}
		if note.Question == nil {
			note.Question = &Asked{Message: hidden, Schema: json.RawMessage("true"), Answer: "any"}
		}
		question := NewQuestion(run, ev.Node, ev.Instance, *note.Question, ev.Time, p.Due)
		question.Sealed = ev.Sensitive
		out = append(out, question)
	}
	return out, nil
}

// CheckQuestion returns nil where a node of a run waits for an answer. Else the error
// says why it does not: with the reason [ErrAnswered] who has answered, and when, with
// [ErrNoWait] that it asks nothing or that its deadline passed, or [ErrFinished].
func (s *Store) CheckQuestion(ctx context.Context, id RunID, node, instance string) error {
	num, err := s.numOf(ctx, id)
	if err != nil {
		return err
	}
	ev := Event{Node: node, Instance: instance, Data: NodeAnswered{}}
	return s.do(ctx, func(c *conn) error {
		row, err := c.row(`SELECT time, data FROM inbox WHERE run = ? AND kind = ? AND node = ? AND instance = ?`, num, string(KindNodeAnswered), node, instance)
		if err != nil {
			return err
		}
		if row != nil {
			return answered(&ev, row[1], row[0])
		}
		if err = checkWait(c, num, &ev, false, s.clock()); err == nil || errors.Is(err, ErrAnswered) {
			return err
		}
		row, e := c.row(`SELECT status FROM runs WHERE num = ?`, num)
		if e != nil {
			return e
		}
		if row != nil && isFinal(Status(row[0].(string))) {
			return errFinished(id, Status(row[0].(string)))
		}
		return err
	})
}

// checkQuestion checks that a node waits for an answer: the state is that of its
// row, wait what it waits for, and due until when, 0 for ever.
func checkQuestion(c *conn, run int64, ev *Event, state State, wait Wait, due int64, now time.Time) error {
	if wait == WaitQuestion {
		if due != 0 && now.UnixNano() >= due {
			return failure(ErrNoWait, nil, "The deadline of the question of %s passed at %s, so that it cannot be answered any more.", nameOf(ev), stampOf(timeOf(due)))
		}
		return nil
	}
	row, err := c.row(`SELECT data, time FROM events WHERE run = ? AND kind = ? AND node = ? AND instance = ? ORDER BY seq DESC LIMIT 1`,
		run, string(KindNodeAnswered), ev.Node, ev.Instance)
	if err != nil {
		return err
	}
	if row != nil {
		return answered(ev, row[0], row[1])
	}
	if state == StatePending {
		return failure(ErrNoWait, nil, "The step %s asks nothing yet.", nameOf(ev))
	}
	return failure(ErrNoWait, nil, "The step %s asks nothing: its state is %s.", nameOf(ev), state)
}

// answered is the error that says who answered a question, and when.
func answered(ev *Event, data, at any) error {
	text, _ := data.(string)
	when, _ := at.(int64)
	p, err := unmarshal[NodeAnswered]([]byte(text))
	if err != nil {
		return err
	}
	what := "answered"
	if p.Declined {
		what = "declined"
	}
	return failure(ErrAnswered, nil, "The question of %s was %s already, by %s at %s.", nameOf(ev), what, cmp.Or(p.By, "somebody"), stampOf(timeOf(when)))
}

// stampOf prints a time for people: local, to the second.
func stampOf(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }
