package mcpserver_test

import (
	"io"
	"testing"
)

// pipe is one end of two pipes.
type pipe struct {
	in  io.ReadCloser
	out io.WriteCloser
}

func pipes(t *testing.T) (ours, theirs pipe) {
	t.Helper()
	a, b := io.Pipe()
	c, d := io.Pipe()
	return pipe{a, d}, pipe{c, b}
}
