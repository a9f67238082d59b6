//go:build unix

package connection

import (
	"os"
	"syscall"
)

// group is a process group, named by the process that leads it.
type group int

func groupOf(p *os.Process) group { return group(p.Pid) }

func (g group) terminate() { _ = syscall.Kill(-int(g), syscall.SIGTERM) }

func (g group) kill() { _ = syscall.Kill(-int(g), syscall.SIGKILL) }

func (g group) free() {}
