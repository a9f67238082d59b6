package callback

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/lda-wf/wfc/lang/value"
)

// Request is a request of a server for a completion of a model. No text in it is
// to be trusted.
type Request struct {
	Origin
	System      string // the system prompt; "": none
	Messages    []Message
	MaxTokens   int64          // 0: the server does not say
	Temperature *value.Decimal // nil: the server does not say
	Stop        []string       // sequences that end the completion
}

// Message is one message of a conversation.
type Message struct {
	Role  string // "user" or "assistant"
	Parts []Part
}

// Part is a piece of a message: an image, or text.
type Part struct {
	Text     string
	Image    string // base64, as the server sent it; "": this is text
	MIMEType string // of the image
}

// Completion is what a model said.
type Completion struct {
	Text  string
	Model string // as the provider names it
	// Stop is why it ends: "endTurn", "maxTokens", "stopSequence", or what the
	// provider says. "" if it does not say.
	Stop string
}

// ParseRequest reads the parameters of sampling/createMessage. The error is a full
// sentence: what is not as the protocol has it, or what wfc does not do.
func ParseRequest(from Origin, params json.RawMessage) (Request, error) {
	r := Request{Origin: from}
	o, err := object(params)
	if err != nil {
		return r, fmt.Errorf("The request is not as MCP says: %w.", err)
	}
	if tools, ok := o.Get("tools"); ok && tools.Kind() == value.List && len(tools.AsList()) > 0 {
		return r, errors.New("wfc does not give tools to the model that answers a server; ask without tools.")
	}
	if r.System, err = text(o, "systemPrompt", false); err != nil {
		return r, fmt.Errorf("The request is not as MCP says: %w.", err)
	}
	if n, ok := o.Get("maxTokens"); ok && n.Kind() == value.Number {
		if whole, fits := n.AsNumber().Int64(); fits && whole > 0 {
			r.MaxTokens = whole
		}
	}
	if t, ok := o.Get("temperature"); ok && t.Kind() == value.Number {
		d := t.AsNumber()
		r.Temperature = &d
	}
	if list, ok := o.Get("stopSequences"); ok && list.Kind() == value.List {
		for _, s := range list.AsList() {
			if s.Kind() == value.String {
				r.Stop = append(r.Stop, s.AsString())
			}
		}
	}
	list, _ := o.Get("messages")
	if list.Kind() != value.List || len(list.AsList()) == 0 {
		return r, errors.New("The request has no messages.")
	}
	for i, m := range list.AsList() {
		message, err := readMessage(m)
		if err != nil {
			return r, fmt.Errorf("messages[%d]: %w.", i, err)
		}
		r.Messages = append(r.Messages, message)
	}
	return r, nil
}

// readMessage reads one message, whose content is a part or, since 2025-11-25, a
// list of them.
func readMessage(v value.Value) (Message, error) {
	var m Message
	if v.Kind() != value.Object {
		return m, fmt.Errorf("it is a %s, not an object", v.Kind())
	}
	var err error
	if m.Role, err = text(v.AsObject(), "role", true); err != nil {
		return m, err
	}
	if m.Role != "user" && m.Role != "assistant" {
		return m, fmt.Errorf("its role is %q, not user or assistant", m.Role)
	}
	content, _ := v.AsObject().Get("content")
	parts := []value.Value{content}
	if content.Kind() == value.List {
		parts = content.AsList()
	}
	for _, p := range parts {
		part, err := readPart(p)
		if err != nil {
			return m, err
		}
		m.Parts = append(m.Parts, part)
	}
	return m, nil
}

func readPart(v value.Value) (Part, error) {
	var p Part
	if v.Kind() != value.Object {
		return p, errors.New("it has no content")
	}
	kind, err := text(v.AsObject(), "type", true)
	if err != nil {
		return p, err
	}
	switch kind {
	case "text":
		p.Text, err = text(v.AsObject(), "text", true)
		return p, err
	case "image":
		if p.MIMEType, err = text(v.AsObject(), "mimeType", true); err != nil {
			return p, err
		}
		p.Image, err = text(v.AsObject(), "data", true)
		return p, err
	}
	return p, fmt.Errorf("wfc gives a model text and images, not content of the type %q", kind)
}
