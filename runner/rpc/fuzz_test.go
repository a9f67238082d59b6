package rpc

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/lda-wf/wfc/runner/rpc/protocol"
)

// Whatever a body is, it is answered as JSON-RPC says, and nothing panics.
func FuzzRPC(f *testing.F) {
	s := newServerTest(f, Options{Limits: Limits{Body: 1 << 16, Depth: 50, Batch: 20}})
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"drafts.create","params":{"workspace_id":"a","source":"workflow \"w\" {\n}\n"}}`,
		`{"jsonrpc":"2.0","id":"x","method":"runs.start","params":{"target":"nosuch","input":{"a":1.5},"texts":{"b":"c"},"bindings":[{"logical_source":"a","concrete_source":"b"}]}}`,
		`[{"jsonrpc":"2.0","method":"drafts.list","params":{"limit":1,"after":"\u0000"}},{"jsonrpc":"2.0","id":null,"method":"rpc.discover"}]`,
		`{"jsonrpc":"2.0","id":1,"method":"deployments.save","params":{"id":"../x","artifact_id":"","bindings":[],"policy":{"drift":"warn"},"schedule":{"cron":"* * * * *"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"artifacts.create_from_draft","params":{"workspace_id":"a","artifact_id":"b","version":"1"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"runs.resolve","params":{"run_id":"a","step":"a[\"","as":"ok","output":null}}`,
		`{"jsonrpc":"2.0","id":1e400,"method":"runs.events","params":{"run_id":"","after":"-1"}}`,
	} {
		f.Add([]byte(seed))
	}
	for _, m := range protocol.Methods() {
		f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"` + m.Name + `","params":{}}`))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "/rpc", bytes.NewReader(body))
		r.Host = "localhost"
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		switch w.Code {
		case http.StatusNoContent:
			if w.Body.Len() > 0 {
				t.Fatalf("nothing is %q", w.Body)
			}
		case http.StatusOK, http.StatusBadRequest, http.StatusRequestEntityTooLarge:
			if !json.Valid(w.Body.Bytes()) {
				t.Fatalf("%q is answered with %q", body, w.Body)
			}
			if bytes.Contains(w.Body.Bytes(), []byte(`"error":{"code":-32603`)) {
				t.Fatalf("%q is answered with %q\n%s", body, w.Body, s.logs)
			}
		default:
			t.Fatalf("%q is answered with %d", body, w.Code)
		}
	})
}
