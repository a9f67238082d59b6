//go:build unix

package service

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
)

// What a shell has started ends with it: at a terminal Ctrl-C reaches it, elsewhere we do.
func TestAGivenUpCommandLeavesNothing(t *testing.T) {
	if tty, err := os.Open("/dev/tty"); err == nil {
		tty.Close()
		t.Skip("at a terminal a command stays in the group of the foreground")
	}
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := exec.Command("mkfifo", pipe).Run(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	given := make(chan error, 1)
	s := newSecrets(environment(dir, nil), []plan.Secret{{Name: "s", Command: []string{"sh", "-c", "(echo started; exec sleep 600) >pipe; :"}}})
	go func() {
		_, err := s.fetch(ctx, "s", false)
		given <- err
	}()
	f, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := bufio.NewReader(f)
	if _, err := r.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	cancel(errors.New("interrupted"))
	if err := <-given; err == nil || err.Error() != "interrupted" {
		t.Errorf("got %v", err)
	}
	// Its end is the end of the pipe.
	late := time.AfterFunc(10*time.Second, func() { f.Close() })
	defer late.Stop()
	if _, err := r.ReadByte(); err == nil || !late.Stop() {
		t.Errorf("what the command started lives on (%v)", err)
	}
}
