package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// model is "model FILE": a provider of OpenAI's chat completions, at $MODEL, which
// repeats the last message and appends to the file a line for each request: the
// credential and the body. A message of a number is answered with that HTTP status,
// and words about the credential.
func model(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FILE")
	}
	var mu sync.Mutex
	file := ts.MkAbs(args[0])
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var body json.RawMessage
		var asked struct{ Messages []struct{ Content string } }
		if json.NewDecoder(r.Body).Decode(&body) != nil || json.Unmarshal(body, &asked) != nil || r.URL.Path != "/v1/chat/completions" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		defer f.Close()
		fmt.Fprintf(f, "%s %s\n", r.Header.Get("Authorization"), body)
		last := asked.Messages[len(asked.Messages)-1].Content
		var status int
		if _, err := fmt.Sscan(last, &status); err == nil {
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error":{"message":%q}}`, "no luck with "+r.Header.Get("Authorization"))
			return
		}
		text, _ := json.Marshal("You said: " + last)
		fmt.Fprintf(w, `{"model":"parrot-2","choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}]}`, text)
	}))
	ts.Defer(server.Close)
	ts.Setenv("MODEL", server.URL)
}
