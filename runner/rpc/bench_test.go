package rpc

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/service"
)

// What capabilities.call costs over an HTTP handler that does nothing but make the same
// call: reading and judging the request, and writing the result.
//
//	go test ./runner/rpc -run XXX -bench Call
func BenchmarkCall(b *testing.B) {
	s := newServerTest(b, Options{}).refresh()
	in := value.NewObject(1)
	in.Set("value", value.OfInt(1))
	args := value.OfObject(in)
	bare := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		reply, err := s.host.CallCapability(r.Context(), "fixture.default.echo", args, service.Direct{})
		if err != nil {
			panic(err)
		}
		_, _ = w.Write(value.AppendJSON(nil, reply.Result(true)))
	}))
	defer bare.Close()
	const body = `{"jsonrpc":"2.0","id":1,"method":"capabilities.call","params":{"capability":"fixture.default.echo","arguments":{"value":1}}}`
	for _, on := range []struct{ name, url string }{{"bare", bare.URL}, {"rpc", s.url + "/rpc"}} {
		b.Run(on.name, func(b *testing.B) {
			for b.Loop() {
				answer, err := http.Post(on.url, "application/json", strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				text, err := io.ReadAll(answer.Body)
				answer.Body.Close()
				if err != nil || !strings.Contains(string(text), `"outcome":"ok"`) {
					b.Fatalf("answered %s, %v", text, err)
				}
			}
		})
	}
}
