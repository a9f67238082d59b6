//go:build unix

package main

import (
	"bufio"
	"os"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// fifo is "fifo FILE": a named pipe, through which a server tells the script
// where it is.
func fifo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fifo FILE")
	}
	ts.Check(unix.Mkfifo(ts.MkAbs(args[0]), 0o600))
}

// await is "await FIFO": it waits until somebody has written a line into it.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await FIFO")
	}
	// Open for writing too, it needs no other end to be opened and has no end.
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_RDWR|unix.O_NONBLOCK, 0)
	ts.Check(err)
	defer f.Close()
	ts.Check(f.SetReadDeadline(time.Now().Add(30 * time.Second)))
	_, err = bufio.NewReader(f).ReadString('\n')
	ts.Check(err)
}
