// Package callback has what a server sends in the course of an operation beside
// its answer: questions to a person (elicitation), requests for a completion of a
// model (sampling), and log messages.
//
// Its central types are [Answerer] and [Sampler]. Of wfc it imports lang/types and
// lang/value only.
package callback

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/lda-wf/wfc/lang/value"
)

// Origin says who asks. An operation is asked about only if it alone can have
// caused the question.
type Origin struct {
	Connection string // its id
	Operation  string // "tools/call greet"
}

// Question is a question of a server to a person, either a form or a URL. No text
// in it is to be trusted.
type Question struct {
	Origin
	Message string
	Form    *Form  // what is to be filled in; nil: the person is to go to URL
	URL     string // "": there is a form
	ID      string // of a question with a URL, as the server calls it
}

// Action is what became of a question.
type Action string

// The actions.
const (
	Accept  Action = "accept"  // the form is filled in, the person will go to the URL
	Decline Action = "decline" // the person, or whoever speaks for them, said no
	Cancel  Action = "cancel"  // nothing was said: the question was given up
)

// Answer is the answer to a [Question].
type Answer struct {
	Action Action
	// Content is an object that the form's Check holds of; null unless Action is
	// Accept and there is a form.
	Content value.Value
}

// Answerer answers the questions of servers.
type Answerer interface {
	// Answer returns when there is an answer, or ctx is done because the operation
	// was given up. It is called on a goroutine of its own, for several operations
	// at once. An error says why nobody could answer, as a clause; the server is told
	// that the question was cancelled.
	Answer(ctx context.Context, q Question) (Answer, error)
}

// Sampler gives the completions of a model that servers ask for.
type Sampler interface {
	// Sample returns when there is a completion, the model refused, or ctx is done.
	// The error is a full sentence without secrets, which the server is told.
	Sample(ctx context.Context, r Request) (Completion, error)
}

// ParseQuestion reads the parameters of elicitation/create. The error is a clause
// that says what is not as the protocol has it.
func ParseQuestion(from Origin, params json.RawMessage) (Question, error) {
	q := Question{Origin: from}
	o, err := object(params)
	if err != nil {
		return q, err
	}
	if q.Message, err = text(o, "message", true); err != nil {
		return q, err
	}
	if q.URL, err = text(o, "url", false); err != nil {
		return q, err
	}
	if q.ID, err = text(o, "elicitationId", false); err != nil {
		return q, err
	}
	mode, err := text(o, "mode", false)
	if err != nil {
		return q, err
	}
	if mode == "" && q.URL != "" {
		mode = "url"
	}
	switch mode {
	case "url":
		if q.URL == "" {
			return q, fmt.Errorf("it has no url")
		}
		return q, nil
	case "form", "":
		q.URL = ""
		schema, _ := o.Get("requestedSchema")
		q.Form, err = newForm(schema)
		return q, err
	}
	return q, fmt.Errorf("its mode is %q, not form or url", mode)
}

func object(raw json.RawMessage) (*value.ObjectValue, error) {
	if len(raw) == 0 {
		return nil, fmt.Errorf("it has no parameters")
	}
	v, err := value.ParseJSON(raw)
	if err != nil {
		return nil, err
	}
	if v.Kind() != value.Object {
		return nil, fmt.Errorf("its parameters are no object")
	}
	return v.AsObject(), nil
}

// text returns the text member name of o, "" if it has none and need not.
func text(o *value.ObjectValue, name string, required bool) (string, error) {
	v, ok := o.Get(name)
	switch {
	case !ok || v.IsNull():
		if required {
			return "", fmt.Errorf("it has no %s", name)
		}
		return "", nil
	case v.Kind() != value.String:
		return "", fmt.Errorf("its %s is a %s, not text", name, v.Kind())
	}
	return v.AsString(), nil
}
