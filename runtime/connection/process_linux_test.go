package connection

import (
	"context"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

// The kernel kills a child that asks for it when the thread ends that started it,
// and Go ends the thread of a goroutine that returns while it is locked to it.
func TestServerOutlivesTheThreadThatOpenedIt(t *testing.T) {
	var c Channel
	var err error
	thread := make(chan int, 1)
	go onAThreadThatEnds(func() {
		c, err = Connection{ID: "test.main", Stdio: &Stdio{Command: servertest.Path(t)}}.Open(Sinks{})
		thread <- unix.Gettid()
	})
	servertest.CheckThreadGone(t, <-thread)
	if err != nil {
		t.Fatal(err)
	}
	wire, err := c.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	x := c.Begin(nil)
	defer c.Finish(x, "")
	if err := wire.Write(x.Context(t.Context()), request(t, 1, "ping")); err != nil {
		t.Fatal(err)
	}
	if _, err := wire.Read(t.Context()); err != nil {
		t.Errorf("the server does not answer: %v (%+v)", err, c.End())
	}
	c.Close()
	if _, err := wire.Read(context.Background()); err == nil {
		t.Error("a message after the end")
	}
	<-c.Done()
}

// onAThreadThatEnds runs f on a thread that ends afterwards, as the first one of a
// process never does.
func onAThreadThatEnds(f func()) {
	runtime.LockOSThread()
	if unix.Gettid() != unix.Getpid() {
		f()
		return
	}
	defer runtime.UnlockOSThread()
	done := make(chan struct{})
	go func() {
		defer close(done)
		onAThreadThatEnds(f)
	}()
	<-done
}
