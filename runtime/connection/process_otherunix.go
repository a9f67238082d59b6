//go:build unix && !linux

package connection

import (
	"os/exec"
	"syscall"
)

func setGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func start(cmd *exec.Cmd) error { return cmd.Start() }

// waitExit reaps the child: these systems have no portable way to wait without.
func waitExit(cmd *exec.Cmd) { _ = cmd.Wait() }
