package mcpserver_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/runner/mcpserver"
)

func TestLinesThatAreNoMessagesEndNothing(t *testing.T) {
	_, s, err := open(t, mcpserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := pipes(t)
	served := make(chan error, 1)
	go func() { served <- s.ServeStdio(context.Background(), ours.in, ours.out) }()
	answers := bufio.NewReader(theirs.in)
	for _, line := range []struct{ sent, want string }{
		{"npm warn something", `"id":null,"error":{"code":-32700`},
		{"7", `"id":null,"error":{"code":-32600`},
		{"{}", `"id":null,"error":{"code":-32600`},
		{"[]", `"id":null,"error":{"code":-32600`},
		{`[{"jsonrpc":"2.0"}]`, `"id":null,"error":{"code":-32600`},
		{strings.Repeat("x", 17<<20), `"id":null,"error":{"code":-32600`},
		{"\r\n" + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, `"id":1,"result"`},
	} {
		if _, err := io.WriteString(theirs.out, line.sent+"\n"); err != nil {
			t.Fatal(err)
		}
		answer, err := answers.ReadString('\n')
		if err != nil || !strings.Contains(answer, line.want) {
			t.Fatalf("the line %.100q is answered with %s, %v", line.sent, answer, err)
		}
	}
	if err := theirs.out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Errorf("it ended with %v", err)
	}
}
