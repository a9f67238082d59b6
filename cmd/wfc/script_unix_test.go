//go:build unix

package main

import (
	"bufio"
	"os"
	"strconv"
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

// await is "await FIFO [LINES]": it waits until somebody has written a line into it, or
// several. Lines that follow each other without a doing of the script in between are
// to be awaited at once: what is not read is lost.
func await(ts *testscript.TestScript, neg bool, args []string) {
	lines := 1
	if len(args) == 2 {
		n, err := strconv.Atoi(args[1])
		ts.Check(err)
		lines, args = n, args[:1]
	}
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await FIFO [LINES]")
	}
	// Open for writing too, it needs no other end to be opened and has no end.
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_RDWR|unix.O_NONBLOCK, 0)
	ts.Check(err)
	defer f.Close()
	ts.Check(f.SetReadDeadline(time.Now().Add(5 * time.Minute)))
	for r := bufio.NewReader(f); lines > 0; lines-- {
		_, err = r.ReadString('\n')
		ts.Check(err)
	}
}
