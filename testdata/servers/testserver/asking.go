package testserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// asked is one request of ours in the order of writing.
type asked struct {
	name string
	raw  json.RawMessage // {"method":…,"params":…}
}

// ordered reads the members of an object in their order.
func ordered(raw json.RawMessage) []asked {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var out []asked
	for d.More() {
		name, err := d.Token()
		if err != nil {
			fail(err)
		}
		var v json.RawMessage
		if err := d.Decode(&v); err != nil {
			fail(err)
		}
		out = append(out, asked{fmt.Sprint(name), v})
	}
	return out
}

// round is what a client of 2026-07-28 sends with a request that it makes again.
type round struct {
	Responses json.RawMessage `json:"inputResponses"`
	State     string          `json:"requestState"`
}

// ask asks the client the requests in their order and hands the raw answers, one
// object, to then: by requests of our own, or, from 2026-07-28 on, by a result that
// asks for input.
func (s *server) ask(m message, requests json.RawMessage, then func(answers json.RawMessage)) {
	if s.modern {
		var r round
		_ = json.Unmarshal(m.Params, &r)
		if r.Responses == nil {
			s.answer(m.ID, fmt.Sprintf(`{"resultType":"input_required","inputRequests":%s,"requestState":"after %s"}`, requests, m.ID))
			return
		}
		if !strings.HasPrefix(r.State, "after ") {
			s.refuse(m.ID, -32602, "the state is lost")
			return
		}
		then(r.Responses)
		return
	}
	go func() {
		var b strings.Builder
		for i, a := range ordered(requests) {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, "%q:%s", a.name, s.request(a.raw))
		}
		then(json.RawMessage("{" + b.String() + "}"))
	}()
}

// request sends a request to the client and returns the result of its answer, or
// the error as {"error":…}.
func (s *server) request(r json.RawMessage) json.RawMessage {
	answer := make(chan message, 1)
	s.mu.Lock()
	s.asks++
	id := fmt.Sprintf(`"ask-%d"`, s.asks)
	s.replies[id] = answer
	s.mu.Unlock()
	s.send(`{"jsonrpc":"2.0","id":` + id + "," + string(bytes.TrimSpace(r)[1:]))
	reply := <-answer
	if reply.Error != nil {
		return json.RawMessage(`{"error":` + string(reply.Error) + `}`)
	}
	return reply.Result
}

// replied takes the client's answer to a request of ours.
func (s *server) replied(m message) {
	s.mu.Lock()
	answer := s.replies[string(m.ID)]
	delete(s.replies, string(m.ID))
	s.mu.Unlock()
	if answer != nil {
		answer <- m
	}
}

// confirm asks a person whether to go on, as servers do.
func (s *server) confirm(m message, what string) {
	message, _ := json.Marshal("Really " + what + "?")
	s.ask(m, json.RawMessage(fmt.Sprintf(`{"sure":{"method":"elicitation/create","params":{"message":%s,"requestedSchema":{"type":"object",`+
		`"properties":{"ok":{"type":"boolean","title":"Sure"},"why":{"type":"string","maxLength":10}},"required":["ok"]}}}}`, message)), func(answers json.RawMessage) {
		var a struct {
			Sure struct {
				Action  string
				Content json.RawMessage
				Error   json.RawMessage
			}
		}
		_ = json.Unmarshal(answers, &a)
		if a.Sure.Action != "accept" {
			s.answer(m.ID, fmt.Sprintf(`{"content":[{"type":"text","text":"not confirmed: %s"}],"isError":true}`, a.Sure.Action))
			return
		}
		text, _ := json.Marshal("confirmed: " + string(a.Sure.Content))
		s.answer(m.ID, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, text))
	})
}

// sample asks for a completion and answers with its text.
func (s *server) sample(m message, prompt string) {
	text, _ := json.Marshal(prompt)
	s.ask(m, json.RawMessage(fmt.Sprintf(`{"model":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":%s}}],"maxTokens":10}}}`, text)), func(answers json.RawMessage) {
		var a struct {
			Model struct {
				Content struct{ Text string }
				Error   struct{ Message string }
			}
		}
		_ = json.Unmarshal(answers, &a)
		out, _ := json.Marshal(a.Model.Content.Text)
		if a.Model.Error.Message != "" {
			out, _ = json.Marshal("no completion: " + a.Model.Error.Message)
			s.answer(m.ID, fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"isError":true}`, out))
			return
		}
		s.answer(m.ID, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, out))
	})
}

// gate refuses until a person has gone to a URL, which the second call believes.
func (s *server) gate(m message) {
	if s.gated = !s.gated; s.gated {
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32042,"message":"sign in first","data":{"elicitations":[`+
			`{"mode":"url","elicitationId":"e1","url":"https://example.com/sign-in?for=x&n=1","message":"Sign in."}]}}}`, m.ID))
		return
	}
	s.answer(m.ID, `{"content":[{"type":"text","text":"welcome"}]}`)
}

// chat sends each log message, with a progress message after it, and the answer at once.
func (s *server) chat(m message, token json.RawMessage, logs []json.RawMessage) {
	for i, params := range logs {
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":%s}`, params))
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, token, i+1))
	}
	s.answer(m.ID, `{"content":[]}`)
}
