package wftest

import (
	"fmt"
	"time"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/eval"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
)

// answering is an answer block at work.
type answering struct {
	syntax *syntax.TestAnswer
	exprs  compiler.Answer
	used   int // questions that it answered
}

// pendingReply is an answer that is on its way.
type pendingReply struct {
	at    engine.Addr
	comes time.Time
	reply engine.Reply
	place diag.Range // of the answer block
}

// asked finds the answer to a question. Where there is none, the question waits, until
// its deadline passes.
func (s *simulation) asked(f engine.NodeWaiting) {
	in := s.core.Instance(f.At)
	question := value.NewObject(3)
	question.Set("step", value.OfString(in.Path()))
	question.Set("key", in.Key)
	question.Set("message", value.OfString(f.Question.Message))
	scope := eval.MapScope{"input": s.inputs, "question": value.OfObject(question)}
	for i := range s.answers {
		a := &s.answers[i]
		if a.syntax.Step.Text != in.Step || a.syntax.Times != nil && a.used >= a.syntax.Times.N {
			continue
		}
		if a.syntax.When != nil {
			holds, err := boolean(a.exprs.When, scope)
			if err != nil {
				s.broken(a.syntax.When, a.exprs.When, "The `when` of this answer cannot be asked of the question of step %s: %s", in, err)
				return
			}
			if !holds {
				continue
			}
		}
		a.used++
		s.send(a, f.At, in, scope)
		return
	}
}

// send sends the answer of a block on its way.
func (s *simulation) send(a *answering, at engine.Addr, in engine.Instance, scope eval.Scope) {
	p := pendingReply{at: at, comes: s.now, place: diag.RangeOf(a.syntax.Header)}
	if d := a.syntax.Delay; d != nil {
		p.comes = s.now.Add(d.D)
	}
	if a.syntax.As != nil {
		p.reply.By = a.syntax.As.S
	}
	if p.reply.Decline = a.syntax.Decline != nil && a.syntax.Decline.B; !p.reply.Decline {
		r, err := eval.Eval(a.exprs.Data, scope)
		if err != nil {
			s.broken(a.syntax.Data, a.exprs.Data, "The `data` of this answer cannot be computed for the question of step %s: %s", in, err)
			return
		}
		p.reply.Data = &r.Value
	}
	s.replies = append(s.replies, p)
}

// nextReply returns the index of the reply that comes first; -1: none is on its way.
func (s *simulation) nextReply() int {
	next := -1
	for i := range s.replies {
		if next < 0 || s.replies[i].comes.Before(s.replies[next].comes) {
			next = i
		}
	}
	return next
}

// arrive hands a reply to the run. One that comes too late changes nothing; one that is
// refused is a mistake of the test.
func (s *simulation) arrive(i int) {
	p := s.replies[i]
	s.replies = append(s.replies[:i:i], s.replies[i+1:]...)
	if !s.core.Asks(p.at) {
		return
	}
	commands, err := s.core.Reply(s.now, p.at, p.reply)
	if err != nil {
		s.problem(p.place, "This answer is not taken. "+sentence(err.Error()))
		return
	}
	s.obey(commands)
}

// unanswered says which questions wait, and shows blocks that would answer them.
func (j *judge) unanswered() (message string, blocks string) {
	for _, q := range j.core.Questions() {
		message += fmt.Sprintf(" Step %s asks %s, and no answer of this test is for that.", q.Name, value.OfString(q.Message).Summary(mostShown))
		t, problems := types.Parse(q.Answer, "", nil)
		if problems.HasErrors() {
			t = types.ObjectOf(nil, nil)
		}
		label := q.Step
		for i := len(label) - 1; i >= 0; i-- {
			if label[i] == '/' {
				label = label[i+1:]
				break
			}
		}
		b := "  answer " + literal(label) + " {\n    data = " + expression(types.Example(t), 2) + "\n"
		if len(q.Approvers) > 0 {
			b += "    as = " + literal(q.Approvers[0]) + "\n"
		}
		blocks += laidOut(b + "  }\n")
	}
	return message, blocks
}
