package connection

import (
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// setGroup puts the child into a group of its own and lets the kernel kill it
// when we die without a chance to do so.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// starter starts all children on one thread that lives as long as this process,
// because the kernel sends Pdeathsig when the thread that started a child ends.
// Its goroutine is the only one of the package that is never waited for.
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

func start(cmd *exec.Cmd) error {
	result := make(chan error, 1)
	starter() <- func() { result <- cmd.Start() }
	return <-result
}

// waitExit waits until the child has exited and leaves it unreaped, so that its
// number stays the group's own until the group is killed.
func waitExit(cmd *exec.Cmd) {
	for {
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
