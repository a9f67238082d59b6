//go:build unix

package service

import (
	"os"
	"os/exec"
	"syscall"
)

// endWithChildren has what cmd started end with it when it is given up: a shell does
// not pass that on. At a terminal a command may ask for a pass phrase, which only the
// group of the foreground can; there it stays in ours, and Ctrl-C reaches it all.
func endWithChildren(cmd *exec.Cmd) {
	if terminal, err := os.Open("/dev/tty"); err == nil {
		terminal.Close()
		return
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
