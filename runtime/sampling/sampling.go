// Package sampling answers servers that ask for a completion of a model, through
// the chat completions of any provider that speaks OpenAI's HTTP interface.
//
// Its central type is [Provider]. Of wfc it imports lang/value, runtime/callback
// and runtime/connection only.
package sampling

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runtime/callback"
	"github.com/lda-wf/wfc/runtime/connection"
)

// DefaultTimeout bounds one completion: models that think take minutes.
const DefaultTimeout = 5 * time.Minute

// maxAnswer bounds the answer of a provider, which is text of at most some thousand
// tokens: what is larger is no completion.
const maxAnswer = 16 << 20

// maxTold bounds what a provider's error says.
const maxTold = 500

// Provider is the model that the `sampling` block of wfc.hcl names. It is safe for
// concurrent use.
type Provider struct {
	BaseURL string // "https://api.openai.com/v1": what /chat/completions goes behind
	Model   string
	APIKey  string        // "": none is sent, as local models want it
	Timeout time.Duration // of one completion; 0: DefaultTimeout
	Client  *http.Client  // nil: http.DefaultClient
}

var _ callback.Sampler = (*Provider)(nil)

// Sample implements [callback.Sampler]. The error names the provider and the model,
// and has no secret in it.
func (p *Provider) Sample(ctx context.Context, r callback.Request) (callback.Completion, error) {
	limit := cmp.Or(p.Timeout, DefaultTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it gave no answer within %s", limit))
	defer cancel()
	var done callback.Completion
	status, answer, err := p.post(ctx, p.body(r, "max_tokens"))
	if err == nil && status == http.StatusBadRequest && r.MaxTokens > 0 && bytes.Contains(answer, []byte("max_completion_tokens")) {
		// Newer models want the limit under another name, and say so.
		status, answer, err = p.post(ctx, p.body(r, "max_completion_tokens"))
	}
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return done, p.fail("could not be asked: %s", err)
	}
	if status < 200 || status > 299 {
		return done, p.fail("%s", refusal(status, []byte(p.redact(string(answer)))))
	}
	done, err = completion(answer)
	if err != nil {
		return done, p.fail("gave an answer that is no chat completion: %s", err)
	}
	if done.Model == "" {
		done.Model = p.Model
	}
	return done, nil
}

// fail returns a full sentence about the provider without its key.
func (p *Provider) fail(format string, args ...any) error {
	what := strings.TrimRight(fmt.Sprintf(format, args...), ".")
	return errors.New(p.redact(fmt.Sprintf("The model %q at %s %s.", p.Model, p.BaseURL, what)))
}

// redact takes the key out of a text, which is not to be cut before.
func (p *Provider) redact(text string) string {
	return connection.Connection{Redact: []string{p.APIKey}}.Redactor()(text)
}

// post sends one request and returns the answer's body.
func (p *Provider) post(ctx context.Context, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(p.BaseURL, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if p.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+p.APIKey)
	}
	client := http.Client{}
	if p.Client != nil {
		client = *p.Client
	}
	// The key and the conversation go to the place that the project names and to no other.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(answer) > maxAnswer {
		err = fmt.Errorf("its answer is larger than %d MiB", maxAnswer>>20)
	}
	return resp.StatusCode, answer, err
}

// body returns the request in the provider's terms; limit is the name of the
// largest number of tokens.
func (p *Provider) body(r callback.Request, limit string) []byte {
	o := value.NewObject(6)
	o.Set("model", value.OfString(p.Model))
	var messages []value.Value
	if r.System != "" {
		messages = append(messages, message("system", value.OfString(r.System)))
	}
	for _, m := range r.Messages {
		messages = append(messages, message(m.Role, parts(m.Parts)))
	}
	o.Set("messages", value.OfList(messages))
	if r.MaxTokens > 0 {
		o.Set(limit, value.OfInt(r.MaxTokens))
	}
	if r.Temperature != nil {
		o.Set("temperature", value.OfNumber(*r.Temperature))
	}
	if len(r.Stop) > 0 {
		stop := make([]value.Value, len(r.Stop))
		for i, s := range r.Stop {
			stop[i] = value.OfString(s)
		}
		o.Set("stop", value.OfList(stop))
	}
	return value.AppendJSON(nil, value.OfObject(o))
}

func message(role string, content value.Value) value.Value {
	o := value.NewObject(2)
	o.Set("role", value.OfString(role))
	o.Set("content", content)
	return value.OfObject(o)
}

// parts returns a message's content: a text alone as text, which every provider
// takes, else a list.
func parts(all []callback.Part) value.Value {
	if len(all) == 1 && all[0].Image == "" {
		return value.OfString(all[0].Text)
	}
	out := make([]value.Value, len(all))
	for i, p := range all {
		o := value.NewObject(2)
		if p.Image == "" {
			o.Set("type", value.OfString("text"))
			o.Set("text", value.OfString(p.Text))
		} else {
			url := value.NewObject(1)
			url.Set("url", value.OfString("data:"+p.MIMEType+";base64,"+p.Image))
			o.Set("type", value.OfString("image_url"))
			o.Set("image_url", value.OfObject(url))
		}
		out[i] = value.OfObject(o)
	}
	return value.OfList(out)
}

// refusal says what a status that is no success means, in the provider's words
// where it has some.
func refusal(status int, answer []byte) string {
	what := fmt.Sprintf("answered with HTTP %d", status)
	if status >= 300 && status < 400 {
		return what + ": it redirects to another place, where neither the key nor the conversation is sent. If it is right, write it as the base_url of the sampling block in wfc.hcl"
	}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		what += ": the api_key of the sampling block in wfc.hcl is not accepted"
	case http.StatusNotFound:
		what += ": the base_url or the model of the sampling block in wfc.hcl is wrong"
	case http.StatusTooManyRequests:
		what += ": it takes no more requests for now"
	}
	if told := told(answer); told != "" {
		what += ": " + told
	}
	return what
}

// told returns what the body of an error says, "" if it says nothing.
func told(answer []byte) string {
	text := strings.TrimSpace(string(answer))
	if v, err := value.ParseJSON(answer); err == nil {
		for _, path := range [][]string{{"error", "message"}, {"error"}, {"message"}, {"detail"}} {
			if m, ok := at(v, path...); ok && m.Kind() == value.String {
				text = m.AsString()
				break
			}
		}
	}
	if len(text) > maxTold {
		text = strings.ToValidUTF8(text[:maxTold], "") + "…"
	}
	return text
}

// at returns the value at a path of member names and whether there is one.
func at(v value.Value, path ...string) (value.Value, bool) {
	for _, name := range path {
		if v.Kind() != value.Object {
			return value.Value{}, false
		}
		next, ok := v.AsObject().Get(name)
		if !ok {
			return value.Value{}, false
		}
		v = next
	}
	return v, true
}

// stops are the reasons for an end in MCP's words.
var stops = map[string]string{"stop": "endTurn", "length": "maxTokens"}

// completion reads a chat completion. The error is a clause.
func completion(answer []byte) (callback.Completion, error) {
	var done callback.Completion
	v, err := value.ParseJSON(answer)
	if err != nil {
		return done, err
	}
	if m, ok := at(v, "model"); ok && m.Kind() == value.String {
		done.Model = m.AsString()
	}
	choices, _ := at(v, "choices")
	if choices.Kind() != value.List || len(choices.AsList()) == 0 {
		return done, errors.New("it has no choices")
	}
	choice := choices.AsList()[0]
	if reason, ok := at(choice, "finish_reason"); ok && reason.Kind() == value.String {
		done.Stop = reason.AsString()
		if known, ok := stops[done.Stop]; ok {
			done.Stop = known
		}
	}
	if why, ok := at(choice, "message", "refusal"); ok && why.Kind() == value.String && why.AsString() != "" {
		return done, fmt.Errorf("the model refused: %s", why.AsString())
	}
	content, _ := at(choice, "message", "content")
	if content.Kind() != value.String {
		return done, errors.New("its message has no text")
	}
	done.Text = content.AsString()
	return done, nil
}
