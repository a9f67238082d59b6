package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// ErrUnknownEvent is the error of an event that this version does not know: readers
// pass over it.
var ErrUnknownEvent = errors.New("unknown event")

// eventJSON has the attributes of all events.
type eventJSON struct {
	Event      string             `json:"event"`
	Run        string             `json:"run"`
	Workflow   string             `json:"workflow"`
	Deployment string             `json:"deployment"`
	Message    string             `json:"message"`
	Elements   *int               `json:"elements"`
	Attempt    int                `json:"attempt"`
	Effect     string             `json:"effect"`
	Progress   float64            `json:"progress"`
	Total      float64            `json:"total"`
	Outcome    StepOutcome        `json:"outcome"`
	Reused     bool               `json:"reused"`
	Status     Status             `json:"status"`
	Outputs    value.Value        `json:"outputs"`
	Error      *failureJSON       `json:"error"`
	For        string             `json:"for"`
	InDoubt    json.RawMessage    `json:"in_doubt"`
	Question   *journal.Question  `json:"question"`
	Questions  []journal.Question `json:"questions"`
	By         string             `json:"by"`
	Declined   bool               `json:"declined"`
	Until      time.Time          `json:"until"`
	RetryAt    time.Time          `json:"retry_at"`
	Time       time.Time          `json:"time"`
	stepJSON
}

type stepJSON struct {
	Step  string      `json:"step"`
	Key   value.Value `json:"key"`
	Index value.Value `json:"index"`
	Round int         `json:"round"`
	Undo  int         `json:"undo"`
	In    string      `json:"in"`
}

type failureJSON struct {
	Kind    Kind   `json:"kind"`
	Message string `json:"message"`
	Code    *int   `json:"code"`
	InDoubt bool   `json:"in_doubt"`
	stepJSON
}

// ReadEvent reads what [Event].AppendJSON wrote, and the effect of a StepStarted where
// it was added. The error is [ErrUnknownEvent] for an event of a later version.
func ReadEvent(src []byte) (Event, error) {
	var e eventJSON
	if err := json.Unmarshal(src, &e); err != nil {
		return nil, fmt.Errorf("an event cannot be read: %w", err)
	}
	step, err := e.instance()
	if err != nil {
		return nil, err
	}
	switch e.Event {
	case "run.queued":
		return RunQueued{Run: e.Run, Workflow: e.Workflow, Deployment: e.Deployment, Time: e.Time}, nil
	case "run.started":
		return RunStarted{Run: e.Run, Workflow: e.Workflow, Deployment: e.Deployment, Time: e.Time}, nil
	case "run.warning":
		return RunWarning{Run: e.Run, Message: e.Message}, nil
	case "step.started":
		elements := -1
		if e.Elements != nil {
			elements = *e.Elements
		}
		return StepStarted{Step: step, Elements: elements, Attempt: e.Attempt, Effect: e.Effect, Time: e.Time}, nil
	case "step.progress":
		return StepProgress{Step: step, Progress: Progress{Message: e.Message, Progress: e.Progress, Total: e.Total}}, nil
	case "step.finished":
		return StepFinished{Step: step, Outcome: e.Outcome, Failure: e.Error.failure(), Reused: e.Reused, Time: e.Time}, nil
	case "step.retry":
		return StepRetrying{Step: step, Attempt: e.Attempt, Failure: e.Error.failure(), At: e.RetryAt, Time: e.Time}, nil
	case "step.waiting":
		return StepWaiting{Step: step, InDoubt: e.For == "in_doubt", Question: e.Question, Until: e.Until, Time: e.Time}, nil
	case "step.answered":
		return StepAnswered{Step: step, By: e.By, Declined: e.Declined, Time: e.Time}, nil
	case "run.waiting":
		return e.runWaits()
	case "run.finished":
		out := RunFinished{Run: e.Run, Status: e.Status, Outputs: e.Outputs, Time: e.Time}
		if f := e.Error.failure(); f != nil {
			at, err := e.Error.instance()
			if err != nil {
				return nil, err
			}
			out.Err = &RunError{At: at, Kind: f.Kind, Message: f.Message, Code: f.Code, InDoubt: f.InDoubt}
		}
		return out, nil
	}
	return nil, fmt.Errorf("%w %q", ErrUnknownEvent, e.Event)
}

func (e *eventJSON) runWaits() (Event, error) {
	out := RunWaits{Run: e.Run, Questions: e.Questions, Time: e.Time}
	var names []string
	if err := json.Unmarshal(e.InDoubt, &names); err != nil {
		return nil, fmt.Errorf("an event cannot be read: %w", err)
	}
	for _, name := range names {
		in, err := readInstance(name)
		if err != nil {
			return nil, err
		}
		out.Steps = append(out.Steps, *in)
	}
	return out, nil
}

func (f *failureJSON) failure() *Failure {
	if f == nil {
		return nil
	}
	return &Failure{Kind: f.Kind, Message: f.Message, Code: f.Code, InDoubt: f.InDoubt}
}

// instance is the step that an event is of; one without a name where it is of the run.
func (s *stepJSON) instance() (Instance, error) {
	out := Instance{Step: s.Step[strings.LastIndexByte(s.Step, '/')+1:], Key: s.Key, Round: s.Round, Undo: s.Undo}
	if !s.Index.IsNull() {
		out.Key = s.Index
	}
	var err error
	if s.In != "" {
		out.In, err = readInstance(s.In)
	}
	return out, err
}

// readInstance reads what [Instance.String] wrote.
func readInstance(text string) (*Instance, error) {
	path, instance, err := ParseInstance(text)
	if err != nil {
		return nil, err
	}
	parts, err := journal.Parts(instance)
	if err != nil {
		return nil, err
	}
	var in *Instance
	for i, step := range strings.Split(path, "/") {
		one := Instance{Step: step, In: in}
		if i < len(parts) {
			one.Round, one.Undo = parts[i].Round, parts[i].Undo
			if parts[i].Key != "" {
				if one.Key, err = value.ParseJSON([]byte(parts[i].Key)); err != nil {
					return nil, err
				}
			}
		}
		in = &one
	}
	return in, nil
}
