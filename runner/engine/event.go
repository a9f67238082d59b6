package engine

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// Event is what watchers of a run are told: the events of `wfc run --json`
// (CLI.md). Every event is durable when it is told, except progress and warnings.
type Event interface {
	// AppendJSON appends the event as one JSON object, without a line end.
	AppendJSON(dst []byte) []byte
	event()
}

// RunQueued says that a run waits until others of its workflow have ended. It is the
// first event of one that has to, before RunStarted.
type RunQueued struct {
	Run        string
	Workflow   string
	Deployment string // "": none
	Time       time.Time
}

// RunStarted is the first event of a run that has begun.
type RunStarted struct {
	Run        string
	Workflow   string
	Deployment string // "": none
	Time       time.Time
}

// RunWarning is something that a person should know and that stops nothing.
type RunWarning struct {
	Run     string
	Message string // full sentences
}

// StepStarted says that a step's call is begun; it may have to wait for its
// connection, or for its turn there, and is skipped where the run stops first. A
// fan-out has one of its own, with the number of its elements, before those of
// its elements. Steps that only compute, whose `when` does not hold, or whose
// arguments fail, have none.
type StepStarted struct {
	Step     Instance
	Elements int    // of a fan-out as a whole; -1: this is none
	Attempt  int    // 0 of a fan-out as a whole
	Effect   string // of a call: read, write, destructive, or unknown; else "". Not in the JSON
	Time     time.Time
}

// StepProgress is a progress message of a call.
type StepProgress struct {
	Step Instance
	Progress
}

// StepFinished says how a step or an element ended. A fan-out has one of its
// own after those of its elements.
type StepFinished struct {
	Step    Instance
	Outcome StepOutcome
	Failure *Failure // nil unless Outcome is error
	Reused  bool     // taken from another run
	Time    time.Time
}

// StepRetrying says that an attempt failed and when the next one comes.
type StepRetrying struct {
	Step    Instance
	Attempt int
	Failure *Failure
	At      time.Time
	Time    time.Time
}

// StepWaiting says that a step waits: for a time, for somebody's word on what its
// effect came to, or for an answer.
type StepWaiting struct {
	Step     Instance
	InDoubt  bool
	Question *journal.Question // nil: it asks nothing
	Until    time.Time         // zero where it is in doubt, or asks
	Time     time.Time
}

// StepAnswered says that a question of a step was answered, or one of the policy about
// its calls.
type StepAnswered struct {
	Step     Instance
	By       string // "": it is not known
	Declined bool
	Time     time.Time
}

// RunWaits is the last event of a run that goes on only when somebody has said what
// the effects of these steps came to, or has answered a question.
type RunWaits struct {
	Run       string
	Steps     []Instance // in doubt
	Questions []journal.Question
	Time      time.Time
}

// RunFinished is the last event of a run.
type RunFinished struct {
	Run     string
	Status  Status
	Outputs value.Value // an object; null unless completed
	Err     *RunError   // nil if completed
	Time    time.Time
}

func (RunQueued) event()    {}
func (RunStarted) event()   {}
func (RunWarning) event()   {}
func (StepStarted) event()  {}
func (StepProgress) event() {}
func (StepFinished) event() {}
func (StepRetrying) event() {}
func (StepWaiting) event()  {}
func (StepAnswered) event() {}
func (RunWaits) event()     {}
func (RunFinished) event()  {}

// object writes a JSON object, field by field.
type object struct{ b []byte }

func begin(dst []byte, event string) object {
	return object{value.AppendString(append(dst, `{"event":`...), event)}
}

func (o *object) name(name string) {
	if o.b[len(o.b)-1] != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(value.AppendString(o.b, name), ':')
}

func (o *object) text(name, s string) {
	o.name(name)
	o.b = value.AppendString(o.b, s)
}

// textIf leaves an empty text out.
func (o *object) textIf(name, s string) {
	if s != "" {
		o.text(name, s)
	}
}

func (o *object) int(name string, n int) {
	o.name(name)
	o.b = strconv.AppendInt(o.b, int64(n), 10)
}

func (o *object) float(name string, f float64) {
	o.name(name)
	o.b = strconv.AppendFloat(o.b, f, 'g', -1, 64)
}

func (o *object) bool(name string, b bool) {
	o.name(name)
	o.b = strconv.AppendBool(o.b, b)
}

func (o *object) time(t time.Time) { o.timeAt("time", t) }

func (o *object) value(name string, v value.Value) {
	o.name(name)
	o.b = value.AppendJSON(o.b, v)
}

// step writes the step, and the element's key where results are a map, else its index.
func (o *object) step(in Instance) {
	o.text("step", in.Path())
	switch in.Key.Kind() {
	case value.String:
		o.value("key", in.Key)
	case value.Number:
		o.value("index", in.Key)
	}
	if in.Round > 0 {
		o.int("round", in.Round)
	}
	if in.Undo > 0 {
		o.int("undo", in.Undo)
	}
	if in.In != nil {
		o.text("in", in.In.String())
	}
}

func (o *object) timeAt(name string, t time.Time) {
	o.text(name, t.UTC().Format("2006-01-02T15:04:05.000Z"))
}

func (o *object) end() []byte { return append(o.b, '}') }

// failure writes an error object, or null where kind is "".
func (o *object) failure(at Instance, kind Kind, message string, code *int, inDoubt bool) {
	o.name("error")
	if kind == "" {
		o.b = append(o.b, "null"...)
		return
	}
	e := object{append(o.b, '{')}
	e.text("kind", string(kind))
	e.text("message", message)
	if code != nil {
		e.int("code", *code)
	}
	if inDoubt {
		e.bool("in_doubt", true)
	}
	if at.Step != "" {
		e.step(at)
	}
	o.b = e.end()
}

// AppendJSON implements Event.
func (e RunQueued) AppendJSON(dst []byte) []byte {
	o := begin(dst, "run.queued")
	o.text("run", e.Run)
	o.text("workflow", e.Workflow)
	o.textIf("deployment", e.Deployment)
	o.time(e.Time)
	return o.end()
}

// AppendJSON implements Event.
func (e RunStarted) AppendJSON(dst []byte) []byte {
	o := begin(dst, "run.started")
	o.text("run", e.Run)
	o.text("workflow", e.Workflow)
	o.textIf("deployment", e.Deployment)
	o.time(e.Time)
	return o.end()
}

// AppendJSON implements Event.
func (e RunWarning) AppendJSON(dst []byte) []byte {
	o := begin(dst, "run.warning")
	o.text("run", e.Run)
	o.text("message", e.Message)
	return o.end()
}

// AppendJSON implements Event.
func (e StepStarted) AppendJSON(dst []byte) []byte {
	o := begin(dst, "step.started")
	o.step(e.Step)
	if e.Elements >= 0 {
		o.int("elements", e.Elements)
	}
	if e.Attempt > 0 {
		o.int("attempt", e.Attempt)
	}
	o.time(e.Time)
	return o.end()
}

// AppendJSON implements Event.
func (e StepProgress) AppendJSON(dst []byte) []byte {
	o := begin(dst, "step.progress")
	o.step(e.Step)
	o.textIf("message", e.Message)
	o.float("progress", e.Progress.Progress)
	if e.Total != 0 {
		o.float("total", e.Total)
	}
	return o.end()
}

// AppendJSON implements Event.
func (e StepFinished) AppendJSON(dst []byte) []byte {
	o := begin(dst, "step.finished")
	o.step(e.Step)
	o.text("outcome", string(e.Outcome))
	if f := e.Failure; f != nil {
		o.failure(Instance{}, f.Kind, f.Message, f.Code, f.InDoubt)
	} else {
		o.failure(Instance{}, "", "", nil, false)
	}
	o.bool("reused", e.Reused)
	o.time(e.Time)
	return o.end()
}

// AppendJSON implements Event.
func (e StepRetrying) AppendJSON(dst []byte) []byte {
	o := begin(dst, "step.retry")
	o.step(e.Step)
	o.int("attempt", e.Attempt)
	o.failure(Instance{}, e.Failure.Kind, e.Failure.Message, e.Failure.Code, e.Failure.InDoubt)
	o.timeAt("retry_at", e.At)
	o.time(e.Time)
	return o.end()
}

// AppendJSON implements Event.
func (e StepWaiting) AppendJSON(dst []byte) []byte {
	o := begin(dst, "step.waiting")
	o.step(e.Step)
	switch {
	case e.InDoubt:
		o.text("for", "in_doubt")
	case e.Question != nil:
		o.text("for", "question")
		o.question("question", e.Question)
	default:
		o.text("for", "timer")
		o.timeAt("until", e.Until)
	}
	o.time(e.Time)
	return o.end()
}

// AppendJSON implements Event.
func (e StepAnswered) AppendJSON(dst []byte) []byte {
	o := begin(dst, "step.answered")
	o.step(e.Step)
	o.textIf("by", e.By)
	o.bool("declined", e.Declined)
	o.time(e.Time)
	return o.end()
}

// question writes a question as `wfc runs show --json` prints it.
func (o *object) question(name string, q *journal.Question) {
	o.name(name)
	b, err := json.Marshal(q)
	if err != nil {
		panic("engine: " + err.Error() + " (this is a bug in wfc)")
	}
	o.b = append(o.b, b...)
}

// AppendJSON implements Event.
func (e RunWaits) AppendJSON(dst []byte) []byte {
	o := begin(dst, "run.waiting")
	o.text("run", e.Run)
	o.name("in_doubt")
	o.b = append(o.b, '[')
	for i, in := range e.Steps {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = value.AppendString(o.b, in.String())
	}
	o.b = append(o.b, ']')
	if len(e.Questions) > 0 {
		o.name("questions")
		for i := range e.Questions {
			b, err := json.Marshal(&e.Questions[i])
			if err != nil {
				panic("engine: " + err.Error() + " (this is a bug in wfc)")
			}
			o.b = append(append(o.b, "[,"[min(i, 1)]), b...)
		}
		o.b = append(o.b, ']')
	}
	o.time(e.Time)
	return o.end()
}

// AppendJSON implements Event.
func (e RunFinished) AppendJSON(dst []byte) []byte {
	o := begin(dst, "run.finished")
	o.text("run", e.Run)
	o.text("status", string(e.Status))
	o.value("outputs", e.Outputs)
	if r := e.Err; r != nil {
		o.failure(r.At, r.Kind, r.Message, r.Code, r.InDoubt)
	} else {
		o.failure(Instance{}, "", "", nil, false)
	}
	o.time(e.Time)
	return o.end()
}
