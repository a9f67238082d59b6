package proxy_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/lda-wf/wfc/runtime/proxy"
)

// A client of one era uses a server that speaks the other only: what both eras have
// passes, and elicitation is a request on one side and a result that asks for input on
// the other.
func TestAClientOfOneEraUsesAServerOfTheOther(t *testing.T) {
	for _, era := range []string{older, newer} {
		other := older
		skipped := []string{"a second client has its own server"}
		if era == older {
			other = newer
			// The server cannot send requests of its own there, and says so.
			skipped = append(skipped, "elicitation by a request", "sampling", "roots")
		}
		for _, up := range []string{"stdio", "http"} {
			for _, down := range []string{"stdio", "http"} {
				t.Run(fmt.Sprintf("client %s/%s from %s", era, down, up), func(t *testing.T) {
					for _, r := range rows {
						if slices.Contains(skipped, r.name) {
							continue
						}
						t.Run(r.name, func(t *testing.T) {
							c := upstreamOf(t, "a.b", up, other == newer)
							c.Protocol = other
							at := behind(t, down, proxy.Options{Sources: []proxy.Source{{Connection: c}}})
							if err := try(t, at, era, r); err != nil {
								t.Error(err)
							}
						})
					}
				})
			}
		}
	}
}
