package sampling

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/runtime/callback"
)

const key = "sk-hunter2hunter2"

// stub is a provider that answers as it is told, and what it was asked.
type stub struct {
	status int
	answer string
	asked  []string
	header http.Header
	path   string
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.asked, s.header, s.path = append(s.asked, string(body)), r.Header, r.URL.Path
	w.WriteHeader(s.status)
	_, _ = io.WriteString(w, s.answer)
}

func start(t *testing.T, h http.Handler) *Provider {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return &Provider{BaseURL: server.URL + "/v1/", Model: "small", APIKey: key, Client: server.Client()}
}

func request(t *testing.T, params string) callback.Request {
	t.Helper()
	r, err := callback.ParseRequest(callback.Origin{Connection: "demo.main", Operation: "tools/call x"}, json.RawMessage(params))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

const hello = `{"messages":[{"role":"user","content":{"type":"text","text":"Hello"}}],"maxTokens":100}`

func TestRequestInTheProvidersTerms(t *testing.T) {
	s := &stub{status: 200, answer: `{"model":"small-2025","choices":[{"message":{"content":"Hi <there>"},"finish_reason":"stop"}]}`}
	p := start(t, s)
	got, err := p.Sample(t.Context(), request(t, `{
		"messages": [
			{"role": "user", "content": {"type": "text", "text": "What is <this>?"}},
			{"role": "assistant", "content": [{"type": "text", "text": "Show me."}]},
			{"role": "user", "content": [{"type": "text", "text": "Here"}, {"type": "image", "data": "AAEC", "mimeType": "image/png"}]}
		],
		"systemPrompt": "Be brief.", "maxTokens": 50, "temperature": 0.10, "stopSequences": ["END"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if got != (callback.Completion{Text: "Hi <there>", Model: "small-2025", Stop: "endTurn"}) {
		t.Errorf("got %+v", got)
	}
	want := `{"model":"small","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"What is <this>?"},` +
		`{"role":"assistant","content":"Show me."},{"role":"user","content":[{"type":"text","text":"Here"},` +
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,AAEC"}}]}],"max_tokens":50,"temperature":0.10,"stop":["END"]}`
	if s.asked[0] != want {
		t.Errorf("asked %s\nwant  %s", s.asked[0], want)
	}
	if s.path != "/v1/chat/completions" || s.header.Get("Authorization") != "Bearer "+key {
		t.Errorf("path %s, headers %v", s.path, s.header)
	}
}

func TestNoKeyIsSentWhereThereIsNone(t *testing.T) {
	s := &stub{status: 200, answer: `{"choices":[{"message":{"content":"Hi"},"finish_reason":"length"}]}`}
	p := start(t, s)
	p.APIKey = ""
	got, err := p.Sample(t.Context(), request(t, hello))
	if err != nil || got.Model != "small" || got.Stop != "maxTokens" {
		t.Errorf("got %+v, %v", got, err)
	}
	if s.header.Values("Authorization") != nil {
		t.Errorf("headers %v", s.header)
	}
}

func TestLimitUnderItsNewName(t *testing.T) {
	var asked []string
	p := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if asked = append(asked, string(body)); strings.Contains(string(body), `"max_tokens"`) {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}`)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"Hi"}}]}`)
	}))
	if got, err := p.Sample(t.Context(), request(t, hello)); err != nil || got.Text != "Hi" || len(asked) != 2 {
		t.Errorf("got %+v, %v after %q", got, err, asked)
	}
}

func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		status       int
		answer, want string
	}{
		"a wrong key":          {401, `{"error":{"message":"Incorrect API key: ` + key + `"}}`, `answered with HTTP 401: the api_key of the sampling block in wfc.hcl is not accepted: Incorrect API key: [redacted].`},
		"too many":             {429, `slow down`, `answered with HTTP 429: it takes no more requests for now: slow down.`},
		"a wrong model":        {404, `{"error":"model not found"}`, `answered with HTTP 404: the base_url or the model of the sampling block in wfc.hcl is wrong: model not found.`},
		"a key across the cut": {500, strings.Repeat("x", 490) + key + "yyy", `x[redacted`},
		"a fault":              {500, ``, `answered with HTTP 500.`},
		"a long page":          {502, strings.Repeat("x", 1000), `answered with HTTP 502: ` + strings.Repeat("x", 500) + `….`},
		"no JSON":              {200, `<html>`, `gave an answer that is no chat completion: invalid JSON at byte 0: `},
		"no choices":           {200, `{}`, `gave an answer that is no chat completion: it has no choices.`},
		"an empty choice":      {200, `{"choices":[{}]}`, `gave an answer that is no chat completion: its message has no text.`},
		"a choice of nonsense": {200, `{"choices":["x"]}`, `gave an answer that is no chat completion: its message has no text.`},
		"a refusal":            {200, `{"choices":[{"message":{"content":null,"refusal":"I will not."}}]}`, `the model refused: I will not.`},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, &stub{status: c.status, answer: c.answer})
			_, err := p.Sample(t.Context(), request(t, hello))
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), `The model "small" at http://`) {
				t.Fatalf("got %v\nwant %s", err, c.want)
			}
			if strings.Contains(err.Error(), key[:4]) {
				t.Error("the key is in the error")
			}
		})
	}
}

func TestTheKeyGoesNowhereElse(t *testing.T) {
	elsewhere := &stub{status: 200, answer: `{"choices":[{"message":{"content":"Hi"}}]}`}
	other := httptest.NewServer(elsewhere)
	defer other.Close()
	for _, status := range []int{301, 302, 307, 308} {
		p := start(t, http.RedirectHandler(other.URL+"/v1/chat/completions", status))
		const want = "it redirects to another place, where neither the key nor the conversation is sent. If it is right, write it as the base_url of the sampling block in wfc.hcl."
		if _, err := p.Sample(t.Context(), request(t, hello)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d: got %v", status, err)
		}
	}
	if len(elsewhere.asked) > 0 {
		t.Errorf("another server was asked %q with %v", elsewhere.asked, elsewhere.header)
	}
}

func TestProviderThatIsNotThere(t *testing.T) {
	p := start(t, &stub{})
	p.BaseURL = "http://127.0.0.1:1"
	if _, err := p.Sample(t.Context(), request(t, hello)); err == nil || !strings.Contains(err.Error(), "could not be asked") {
		t.Errorf("got %v", err)
	}
}

func TestAProviderThatIsSilent(t *testing.T) {
	release := make(chan struct{})
	p := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(func() { close(release) })
	p.Timeout = 20 * time.Millisecond
	if _, err := p.Sample(t.Context(), request(t, hello)); err == nil || !strings.HasSuffix(err.Error(), "could not be asked: it gave no answer within 20ms.") {
		t.Errorf("got %v", err)
	}
}

func TestACompletionThatIsGivenUp(t *testing.T) {
	asked, release := make(chan struct{}), make(chan struct{})
	p := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(asked); <-release }))
	t.Cleanup(func() { close(release) })
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-asked; cancel(errors.New("the call was given up")) }()
	if _, err := p.Sample(ctx, request(t, hello)); err == nil || !strings.HasSuffix(err.Error(), "could not be asked: the call was given up.") {
		t.Errorf("got %v", err)
	}
}
