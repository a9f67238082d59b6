package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// Reply is what a person says to a question of a run.
type Reply struct {
	Step    string       // as [Instance.String] writes it: confirm, confirm["de"], deploy/confirm
	Data    *value.Value // the answer; nil where Decline is set, or where the question wants nothing but consent
	Decline bool
	By      string // who answers; "" is unknown
}

// The reasons of a [ReplyError] that is no fault of the journal.
var (
	ErrNotApprover = errors.New("somebody else is asked")
	ErrBadAnswer   = errors.New("the answer is not what is asked for")
	ErrNoQuestion  = errors.New("nothing is asked")
)

// ReplyError says why a reply was not taken: the question waits as before, if it does.
type ReplyError struct {
	Reason  error  // one of the above
	Message string // full sentences
}

func (e *ReplyError) Error() string { return e.Message }

// Unwrap returns the reason.
func (e *ReplyError) Unwrap() error { return e.Reason }

func refusal(reason error, format string, args ...any) *ReplyError {
	return &ReplyError{reason, fmt.Sprintf(format, args...)}
}

// AnswerQuestion takes a reply to a question of a run, whoever owns it: it is durable
// when AnswerQuestion returns, and the one that counts. owner is the process that goes
// on with it, at once; nil: none executes the run, and whoever resumes it does. Errors
// are a [*ReplyError], with the question waiting on, or the journal's: with
// [journal.ErrAnswered] somebody was faster, which says who, and when; with
// [journal.ErrNoWait] its deadline has passed.
func AnswerQuestion(ctx context.Context, store *journal.Store, run journal.RunID, r Reply) (owner *journal.Owner, err error) {
	path, instance, err := ParseInstance(r.Step)
	if err != nil {
		return nil, refusal(ErrNoQuestion, "%q names no step: %v.", r.Step, err)
	}
	questions, err := store.Questions(ctx, run)
	if err != nil {
		return nil, err
	}
	ev := journal.Event{Node: path, Instance: instance}
	i := slices.IndexFunc(questions, func(q journal.Question) bool { return q.Name == canonical(path, instance) })
	if i < 0 {
		if err := store.CheckQuestion(ctx, run, path, instance); err != nil {
			return nil, err
		}
		return nil, refusal(ErrNoQuestion, "The step %s began to ask this very moment. Look at what it asks.", r.Step)
	}
	q := questions[i]
	answer, err := taken(&q, r)
	if err != nil {
		return nil, err
	}
	data := journal.NodeAnswered{Declined: r.Decline, By: r.By}
	if !r.Decline {
		data.Data = value.AppendStored(nil, answer)
	}
	ev.Data, ev.Sensitive = data, q.Sealed
	return store.Send(ctx, run, ev)
}

// taken holds a reply against the question: who may answer it, its type and choices.
// Of one that declines the answer is null.
func taken(q *journal.Question, r Reply) (value.Value, error) {
	if len(q.Approvers) > 0 && !slices.Contains(q.Approvers, r.By) {
		return value.NullValue, refusal(ErrNotApprover, "The question of the step %s is for %s to answer, and %s is not among them.", r.Step, namesOf(q.Approvers), orSomebody(r.By))
	}
	if r.Decline {
		return value.NullValue, nil
	}
	return checkAnswer(q, r.Data)
}

// canonical is the name of a step that the journal names by two texts.
func canonical(path, instance string) string {
	steps, texts := strings.Split(path, "/"), partTexts(instance)
	for i := range steps {
		if i < len(texts) {
			steps[i] = partOf(steps[i], texts[i])
		}
	}
	return strings.Join(steps, "/")
}

func orSomebody(by string) string {
	if by == "" {
		return "somebody without a name"
	}
	return by
}

func namesOf(list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// checkAnswer holds an answer against what is asked for, and returns it with the
// defaults of what it leaves out. nil stands for an answer with nothing in it.
func checkAnswer(q *journal.Question, given *value.Value) (value.Value, error) {
	v := value.OfObject(nil)
	if given != nil {
		v = *given
	}
	t, err := answerType(q.Answer)
	if err != nil {
		return v, fmt.Errorf("the question of the step %s cannot be read: %w", q.Name, err)
	}
	v = withDefaults(t, v)
	m := types.Conforms(t, v)
	if m == nil {
		// Who answers {"ok": false} where nothing but consent is asked for does not consent.
		m = types.Excess(t, v)
	}
	if m != nil {
		at := ""
		if m.Path != "" {
			at = " at " + strings.TrimPrefix(m.Path, ".")
		}
		want := "It must be of the type " + types.Print(t) + "."
		if o := t.Underlying(); o.Kind() == types.Object && len(o.Attrs()) == 0 && o.Rest() == nil {
			want = "Nothing but consent is asked for: {} gives it, and who does not consent declines."
		}
		return v, refusal(ErrBadAnswer, "The answer to the step %s is wrong%s: %s. %s", q.Name, at, m.Reason, want)
	}
	if len(q.Choices) == 0 {
		return v, nil
	}
	choices, err := value.ParseJSON(q.Choices)
	if err != nil {
		return v, fmt.Errorf("the choices of the step %s cannot be read: %w", q.Name, err)
	}
	if choices.Kind() != value.Object || v.Kind() != value.Object {
		return v, nil
	}
	for name, list := range choices.AsObject().All() {
		picked, there := v.AsObject().Get(name)
		if !there || picked.IsNull() || list.Kind() != value.List {
			continue
		}
		where, several := name, []value.Value{picked}
		isList := picked.Kind() == value.List && !among(list, picked)
		if isList {
			several = picked.AsList()
		}
		for i, p := range several {
			if among(list, p) {
				continue
			}
			if isList {
				where = fmt.Sprintf("%s[%d]", name, i)
			}
			return v, refusal(ErrBadAnswer, "The answer to the step %s is wrong at %s: it is %s, and must be one of %s.", q.Name, where, p.Summary(80), listed(list))
		}
	}
	return v, nil
}

func among(list, v value.Value) bool {
	return slices.ContainsFunc(list.AsList(), func(e value.Value) bool { return value.Equal(e, v) })
}

// mostListed bounds how many choices a message lists.
const mostListed = 20

func listed(list value.Value) string {
	var out []string
	for i, v := range list.AsList() {
		if i == mostListed {
			out = append(out, "…")
			break
		}
		out = append(out, v.Summary(80))
	}
	return strings.Join(out, ", ")
}

// answerType reads the type of an answer.
func answerType(text string) (*types.Type, error) {
	if text == "" {
		return types.AnyType, nil
	}
	t, problems := types.Parse(text, "answer", nil)
	if problems.HasErrors() {
		return nil, errors.New(problems[0].Detail)
	}
	return t, nil
}
