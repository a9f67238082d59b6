//go:build unix

package main

import (
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
)

// nohup(1) starts a command with the hangup ignored. The test does so with itself,
// since what a process ignores all its children do.
func TestACommandThatIsToOutliveItsTerminalIsNotEndedByIt(t *testing.T) {
	const again = "WFC_TEST_HANGUP_IGNORED"
	ended := slices.Contains(interrupts(), os.Signal(syscall.SIGHUP))
	if os.Getenv(again) != "" {
		if ended {
			t.Error("an ignored hangup is an interrupt")
		}
		return
	}
	if !ended {
		t.Skip("the tests themselves are to outlive their terminal")
	}
	cmd := exec.Command("sh", "-c", `trap "" HUP; exec "$0" "$@"`, os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), again+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
