package service

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runner/redact"
)

// A snapshot is committed: what a server says of itself must not bring a password into it.
func TestSnapshotsHoldNoSecret(t *testing.T) {
	const secret = "hunter2-hunter2"
	object := func(text string) catalog.Object { return catalog.Object{Raw: json.RawMessage(text)} }
	plain := `{"name":"plain","n":1.50,"n":2}`
	snap := &catalog.Snapshot{
		ServerInfo:   json.RawMessage(`{"name":"s","version":"hunter2-hunter2"}`),
		Instructions: "Connected with hunter2-hunter2.",
		Capabilities: json.RawMessage(`{"experimental":{"hunter2-hunter2":{}}}`),
		Tools: []catalog.Object{object(plain), object(`{"name":"t","n":9007199254740993,"inputSchema":{"type":"object","properties":{"a":{"default":"hunter2-hunter2"}}}}`),
			object(`{"name":"u","description":"hunter2-hunter2","n":1e100000000}`)},
		Resources:         []catalog.Object{object(`{"uri":"postgres://me:hunter2-hunter2@db/x","name":"x"}`)},
		ResourceTemplates: []catalog.Object{object(`{"uriTemplate":"db://hunter2-hunter2/{x}","name":"x"}`)},
		Prompts:           []catalog.Object{object(`{"name":"p","description":"aHVudGVyMi1odW50ZXIy"}`)},
		Errors:            []catalog.ListError{{List: "prompts", Message: "no hunter2-hunter2"}},
	}
	cleanSnapshot(redact.New([]redact.Secret{{Name: "token", Value: secret}}), snap)
	if string(snap.Tools[0].Raw) != plain {
		t.Errorf("a tool without a secret is %s", snap.Tools[0].Raw)
	}
	want := `{"name":"t","n":9007199254740993,"inputSchema":{"type":"object","properties":{"a":{"default":"(secret token)"}}}}`
	if got := string(snap.Tools[1].Raw); got != want {
		t.Errorf("a tool with one\n got %s\nwant %s", got, want)
	}
	if text := string(snap.Encode()); strings.Contains(text, "hunter2") || strings.Contains(text, "aHVudGVy") {
		t.Errorf("it holds the secret:\n%s", text)
	}
}
