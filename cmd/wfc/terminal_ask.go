package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runtime/callback"
)

// question has the person at the terminal answer what a run asks (see
// [service.Options].Ask). Somebody who is no approver is told who is.
func (t *terminal) question(ctx context.Context, q journal.Question, again error) *engine.Reply {
	user := userName()
	if len(q.Approvers) > 0 && !slices.Contains(q.Approvers, user) {
		return nil // the run says whom it waits for
	}
	done, err := t.begin(ctx)
	if err != nil {
		return nil
	}
	defer done()
	if again != nil {
		t.say("    %s\n", t.view.style.red(indentAfter(printable(again.Error()), "    ")))
	}
	reply, err := t.reply(ctx, q)
	switch {
	case errors.Is(err, io.EOF):
		t.say("\n    It is left open.\n")
		return nil
	case err != nil:
		if ctx.Err() != nil {
			t.say("    It is asked no longer.\n")
		}
		return nil
	}
	reply.By = user
	return reply
}

// reply asks for the answer to a question.
func (t *terminal) reply(ctx context.Context, q journal.Question) (*engine.Reply, error) {
	s := t.view.style
	t.say("\n  %s Step %s asks (Ctrl-D leaves it open):\n", s.yellow("?"), s.bold(printable(q.Name)))
	t.say("    %s\n", indentAfter(printable(q.Message), "    "))
	for _, line := range toApprove(q.Approval) {
		t.say("      %s\n", s.dim(printable(line)))
	}
	form, single := formOf(q)
	switch {
	case form == nil:
		return t.asJSON(ctx, q)
	case len(form.Fields) == 0:
		yes, err := t.agree(ctx, "Approve?")
		return &engine.Reply{Decline: !yes}, err
	}
	for {
		content := value.NewObject(len(form.Fields))
		for _, f := range form.Fields {
			v, given, err := t.field(ctx, f)
			if errors.Is(err, errDeclined) {
				return &engine.Reply{Decline: true}, nil
			}
			if err != nil {
				return nil, err
			}
			if given {
				content.Set(f.Name, v)
			}
		}
		answer := value.OfObject(content)
		if single {
			answer, _ = content.Get(theAnswer)
		}
		switch send, err := t.send(ctx); {
		case err != nil:
			return nil, err
		case send == "yes":
			return &engine.Reply{Data: &answer}, nil
		case send == "decline":
			return &engine.Reply{Decline: true}, nil
		}
	}
}

// asJSON asks for an answer that no form can ask for.
func (t *terminal) asJSON(ctx context.Context, q journal.Question) (*engine.Reply, error) {
	t.say("    The answer is JSON of the type %s%s.\n", printable(q.Answer), exampleOf(q.Answer))
	for {
		t.say("    Answer, or decline: ")
		text, err := t.line(ctx)
		if err != nil {
			return nil, err
		}
		if strings.TrimSpace(text) == "decline" {
			return &engine.Reply{Decline: true}, nil
		}
		v, err := value.ParseJSON([]byte(text))
		if err == nil {
			return &engine.Reply{Data: &v}, nil
		}
		t.say("    %s\n", printable(err.Error()))
	}
}

// exampleOf shows what JSON of a type looks like; "" where the type cannot be read.
func exampleOf(answer string) string {
	t, problems := types.Parse(answer, "answer", nil)
	if problems.HasErrors() {
		return ""
	}
	return ", such as " + printable(types.Example(t).JSON())
}

// send asks what becomes of an answer: "yes", "no" (it is typed again) or "decline".
func (t *terminal) send(ctx context.Context) (string, error) {
	for {
		t.say("    Send this answer? (yes, no to change it, or decline): ")
		text, err := t.line(ctx)
		if err != nil {
			return "", err
		}
		switch strings.ToLower(strings.TrimSpace(text)) {
		case "y", "yes":
			return "yes", nil
		case "n", "no":
			return "no", nil
		case "d", "decline":
			return "decline", nil
		}
	}
}

// theAnswer is the field of an answer that is no object.
const theAnswer = "answer"

// formOf is the form that asks for an answer; single says that it is that of its one
// field. Nil: there is none, the answer has parts of its own.
func formOf(q journal.Question) (form *callback.Form, single bool) {
	parse := func(schema json.RawMessage) *callback.Form {
		params, err := json.Marshal(map[string]any{"message": q.Message, "requestedSchema": schema})
		if err != nil {
			return nil
		}
		asked, err := callback.ParseQuestion(callback.Origin{}, params)
		if err != nil {
			return nil
		}
		return asked.Form
	}
	if strings.HasPrefix(q.Answer, "object(") {
		return parse(q.Schema), false
	}
	return parse(fmt.Appendf(nil, `{"type":"object","properties":{%q:%s},"required":[%q]}`, theAnswer, q.Schema, theAnswer)), true
}

// toApprove tells of the calls that a policy asks about, one a line.
func toApprove(a *journal.Approval) []string {
	if a == nil {
		return nil
	}
	var out []string
	for _, c := range a.Calls {
		args := oneLine(c.Args)
		if c.Key != nil {
			args = string(c.Key) + ": " + args
		}
		out = append(out, args)
	}
	if more := a.Count - len(a.Calls); more > 0 {
		out = append(out, fmt.Sprintf("and %d more", more))
	}
	return out
}
