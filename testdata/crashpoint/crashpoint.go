// Package crashpoint ends processes at each point of the writing of a journal, one
// point after the other, to see what the next process makes of what is left.
//
// A test starts itself as the process that is to die ([Each]), and that one gives
// [Hook] to its journal (journal.Options.At). Only tests import it.
package crashpoint

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// env names the number of the point at which a process ends.
const env = "WFC_TEST_CRASH_AT"

// At is the entry of an environment that ends a process at its n-th point.
func At(n int) string { return env + "=" + strconv.Itoa(n) }

// says is what a process says on stderr before it ends, with the point's name.
const says = "killed at the point: "

// Hook returns what kills the process at its point, where [Each] started it; nil elsewhere.
func Hook[Point ~string]() func(Point) {
	last, err := strconv.ParseInt(os.Getenv(env), 10, 64)
	if err != nil {
		return nil
	}
	var passed atomic.Int64
	return func(p Point) {
		if passed.Add(1) == last {
			fmt.Fprintln(os.Stderr, says+string(p))
			die()
		}
	}
}

// die ends this process as kill -9 does.
func die() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {} // until it is dead
}

// Run is one start of the process.
type Run struct {
	N     int    // the point at which it was to end, from 1
	Died  bool   // it passed that point
	Point string // its name; "" unless Died
	Out   string // what it printed
}

// Each starts the process that start makes, once for each point 1, 1+step, … until
// it passes fewer and ends by itself, and calls check after each end. The process
// inherits this one's environment where start gives it none. It returns the
// number of starts.
func Each(t *testing.T, step int, start func(n int) *exec.Cmd, check func(Run)) (starts int) {
	t.Helper()
	for n := 1; ; n += step {
		cmd := start(n)
		if cmd.Env == nil {
			cmd.Env = os.Environ()
		}
		cmd.Env = append(cmd.Env, At(n))
		var log bytes.Buffer
		cmd.Stderr = &log
		out, err := cmd.Output()
		_, point, died := strings.Cut(log.String(), says)
		point, _, _ = strings.Cut(point, "\n")
		if err != nil && !died {
			t.Fatalf("point %d: the process failed: %v\n%s%s", n, err, out, log.String())
		}
		check(Run{n, died, point, string(out)})
		if t.Failed() {
			t.Fatalf("point %d, %s:\n%s%s", n, point, out, log.String())
		}
		starts++
		if !died {
			return starts
		}
	}
}
