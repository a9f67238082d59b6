package lsp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lsp"
	"github.com/lda-wf/wfc/lsp/feature"
	"github.com/lda-wf/wfc/lsp/protocol"
)

const clean = "workflow \"w\" {\n  step \"s\" {\n    value = 1\n  }\n  output \"o\" {\n    value = step.s.output\n  }\n}\n"

func TestASession(t *testing.T) {
	s := begin(t, "")
	s.refused("textDocument/diagnostic", protocol.DocumentDiagnosticParams{}, protocol.ServerNotInitialized)
	s.must(s.Notify("textDocument/didOpen", struct{}{})) // left out
	r, err := s.Initialize(t.Context(), protocol.InitializeParams{})
	s.must(err)
	if r.ServerInfo.Name != "wfc" || r.Capabilities["positionEncoding"] != "utf-16" {
		t.Errorf("initialize is answered with %+v", r)
	}
	s.refused("initialize", protocol.InitializeParams{}, protocol.InvalidRequest)
	s.refused("textDocument/nothing", nil, protocol.MethodNotFound)
	s.must(s.Call(t.Context(), "shutdown", nil, nil))
	s.refused("textDocument/diagnostic", protocol.DocumentDiagnosticParams{}, protocol.InvalidRequest)
	s.refused("shutdown", nil, protocol.InvalidRequest)
	s.must(s.Notify("exit", nil))
	if code := <-s.exit; code != 0 {
		t.Errorf("the exit code is %d", code)
	}
}

func TestHowASessionEnds(t *testing.T) {
	cases := map[string]struct {
		end  func(*running)
		code int
	}{
		"exit without shutdown":                     {func(s *running) { s.must(s.Notify("exit", nil)) }, 1},
		"the end of input":                          {func(s *running) { s.in.Close() }, 1},
		"the end of input in the middle of a frame": {func(s *running) { s.must(s.Raw([]byte("Content-Length: 100\r\n\r\n{"))); s.in.Close() }, 1},
		"exit before initialize":                    {func(s *running) { s.must(s.Notify("exit", nil)) }, 1},
		"the end of input after shutdown": {func(s *running) {
			_, err := s.Initialize(t.Context(), protocol.InitializeParams{})
			s.must(err)
			s.must(s.Call(t.Context(), "shutdown", nil, nil))
			s.in.Close()
		}, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := begin(t, "")
			c.end(s)
			if code := <-s.exit; code != c.code {
				t.Errorf("the exit code is %d, want %d", code, c.code)
			}
		})
	}
}

// stuck is a client that never reads: what is written to it stays there.
type stuck struct{ held chan struct{} }

func (s stuck) Write(p []byte) (int, error) { <-s.held; return len(p), nil }

func TestAClientThatNeverReadsHoldsNobodyUp(t *testing.T) {
	held := stuck{make(chan struct{})}
	server := lsp.New(held, lsp.Options{})
	var wire strings.Builder
	say := func(text string) { fmt.Fprintf(&wire, "Content-Length: %d\r\n\r\n%s", len(text), text) }
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`)
	say(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:a","languageId":"wfc","version":0,"text":"x"}}}`)
	for i := range 5000 {
		say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"nothing"}`, i+2))
	}
	say(`{"jsonrpc":"2.0","method":"exit"}`)
	if code := server.Serve(strings.NewReader(wire.String())); code != 1 {
		t.Errorf("the exit code is %d", code)
	}
	close(held.held)
	server.Close()
}

func TestWhatIsWrongWithMessagesEndsNothing(t *testing.T) {
	s := initialized(t, "", nil)
	for _, src := range []string{
		"garbage\r\n\r\n",
		"Content-Length: x\r\n\r\n",
		"Content-Length: 99999999999999\r\n\r\n",
		"X: " + strings.Repeat("y", 100_000) + "\r\n\r\n",
	} {
		s.must(s.Raw([]byte(src)))
	}
	for _, src := range []string{
		``, `null`, `[]`, `{}`, `{"jsonrpc":"2.0","method":7}`, `{"jsonrpc":"2.0","result":1}`,
		`{"jsonrpc":"2.0","id":"nobody asked","result":1}`,
		`{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"the client does not want to"}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen"}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":[]}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":"x"}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///never/opened"},"contentChanges":[]}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":7}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didClose","params":{"textDocument":{"uri":"file:///never/opened"}}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":"%%%"}]}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeWorkspaceFolders","params":{"event":null}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"unknown"}}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":{}}}`,
		`{"jsonrpc":"2.0","method":"$/unknown"}`, `{"jsonrpc":"2.0","method":"unknown/notification"}`,
	} {
		s.must(s.Raw(protocol.Frame([]byte(src))))
	}
	s.must(s.Open("untitled:a", 3, clean))
	if got := s.codes("untitled:a", 3); got != "" {
		t.Errorf("afterwards a clean document has %s", got)
	}
	// Requests are answered, those included of which nothing but the id can be read.
	for _, strange := range s.Strange() {
		if !strings.Contains(strange, `"code":-32700`) && !strings.Contains(strange, `"code":-32600`) {
			t.Errorf("the server sent %s", strange)
		}
	}
	if n := len(s.Strange()); n == 0 {
		t.Error("what is no message has no answer")
	}
	s.forgive()
}

func TestRequestsWithWrongParametersAreRefused(t *testing.T) {
	s := initialized(t, "", nil)
	for _, params := range []any{nil, []int{}, "text", map[string]any{"textDocument": 1}} {
		err := s.Call(t.Context(), "textDocument/diagnostic", params, nil)
		if e, ok := err.(*protocol.Error); params != nil && (!ok || e.Code != protocol.InvalidParams) {
			t.Errorf("%v: %v", params, err)
		}
	}
}

func TestAClientThatSaysOddThingsOfItselfGetsAServer(t *testing.T) {
	s := begin(t, "")
	var r protocol.InitializeResult
	s.must(s.Call(t.Context(), "initialize", map[string]any{
		"processId": "none", "rootUri": 7, "workspaceFolders": nil,
		"capabilities": map[string]any{"general": []int{}, "workspace": "x", "textDocument": map[string]any{"hover": 1}},
	}, &r))
	if r.ServerInfo.Name != "wfc" {
		t.Errorf("got %+v", r)
	}
	s.refused("initialize", "x", protocol.InvalidRequest)
}

// A client that says nothing of itself is offered all but what only its own asking makes
// useful, and in words that say yes to every client: Emacs reads {} as no.
func TestAClientThatSaysNothingOfItselfIsOfferedAllFeatures(t *testing.T) {
	s := begin(t, "")
	r, err := s.Initialize(t.Context(), protocol.InitializeParams{})
	s.must(err)
	for _, f := range feature.All() {
		if f.Capability == "" || f.Capability == "diagnosticProvider" { // it is sent all findings
			continue
		}
		switch o := r.Capabilities[f.Capability].(type) {
		case bool:
			if !o {
				t.Errorf("%s is false", f.Capability)
			}
		case map[string]any:
			if len(o) == 0 {
				t.Errorf("%s has no options", f.Capability)
			}
		default:
			t.Errorf("%s is %v", f.Capability, o)
		}
	}
}

// Editors but VS Code and its kin complain of commands that they do not know.
func TestOnlyVSCodeIsToldToCompleteAgain(t *testing.T) {
	for client, want := range map[string]bool{"Visual Studio Code": true, "Visual Studio Code - Insiders": true, "VSCodium": true, "Neovim": false, "helix": false, "": false} {
		s := initialized(t, "", func(p *protocol.InitializeParams) { p.ClientInfo = &protocol.ClientInfo{Name: client} })
		s.must(s.Open("untitled:a", 0, "workflow \"w\" {\n  step \"a\" {\n    when = \n  }\n}\n"))
		var list protocol.CompletionList
		place := protocol.TextDocumentPositionParams{TextDocument: protocol.TextDocumentIdentifier{URI: "untitled:a"}, Position: protocol.Position{Line: 2, Character: 11}}
		s.must(s.Call(t.Context(), "textDocument/completion", protocol.CompletionParams{TextDocumentPositionParams: place}, &list))
		got := slices.ContainsFunc(list.Items, func(i protocol.CompletionItem) bool { return i.Command != nil })
		if len(list.Items) == 0 || got != want {
			t.Errorf("%q: %d items, with a command: %v", client, len(list.Items), got)
		}
	}
}

func TestARequestIsCancelled(t *testing.T) {
	s := initialized(t, "", nil)
	// Many, so that some are under way and some were answered; each has one answer.
	var answers []<-chan *protocol.Message
	s.must(s.Open("untitled:a", 0, clean))
	for range 100 {
		id, answer, err := s.Begin("textDocument/diagnostic", protocol.DocumentDiagnosticParams{TextDocument: protocol.TextDocumentIdentifier{URI: "untitled:a"}})
		s.must(err)
		s.must(s.Notify("$/cancelRequest", protocol.CancelParams{ID: id}))
		answers = append(answers, answer)
	}
	for _, answer := range answers {
		m, ok := <-answer
		if !ok || m.Error != nil && m.Error.Code != protocol.RequestCancelled {
			t.Fatalf("a request is answered with %+v", m)
		}
	}
}

func TestEncodings(t *testing.T) {
	for offered, character := range map[string]uint32{"": 17, "utf-8": 20, "utf-32": 16} {
		s := initialized(t, "", func(p *protocol.InitializeParams) {
			if offered != "" {
				p.Capabilities.General.PositionEncodings = []string{offered}
			}
		})
		uri := protocol.DocumentURI("untitled:a")
		s.must(s.Open(uri, 0, "workflow \"w\" {\r\n  output \"o\" {\r\n    value = \"å😀\" + 1\r\n  }\r\n}\r\n"))
		found, err := s.Diagnostics(t.Context(), uri, 0)
		s.must(err)
		if len(found) != 1 || found[0].Range.Start != (protocol.Position{Line: 2, Character: 12}) || found[0].Range.End.Character != character {
			t.Errorf("with %q: %+v", offered, found)
		}
	}
}

// A request is answered from the texts of its arrival, whatever is changed while it is
// under way.
func TestARequestSeesTheTextsOfItsArrival(t *testing.T) {
	s := initialized(t, "", nil)
	uri := protocol.DocumentURI("untitled:a")
	s.must(s.Open(uri, 0, clean))
	var answers []<-chan *protocol.Message
	for i := range 20 {
		text := clean
		if i%2 == 0 {
			text = strings.Replace(clean, "step.s.output", "step.t.output", 1)
		}
		s.must(s.Change(uri, int32(i+1), protocol.ContentChange{Text: text}))
		_, answer, err := s.Begin("textDocument/diagnostic", protocol.DocumentDiagnosticParams{TextDocument: protocol.TextDocumentIdentifier{URI: uri}})
		s.must(err)
		answers = append(answers, answer)
	}
	for i, answer := range answers {
		m := <-answer
		if m == nil || m.Error != nil || strings.Contains(string(m.Result), "has no step") != (i%2 == 0) {
			t.Errorf("request %d is answered with %s", i, m.Result)
		}
	}
}
