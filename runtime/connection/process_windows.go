package connection

import (
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
}

func start(cmd *exec.Cmd) error { return cmd.Start() }

func waitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

// group is a job object with the process and all it starts; Windows ends them
// when the job is closed, also when we die. Without a job there is the process alone.
type group struct {
	job     windows.Handle
	process *os.Process
}

func groupOf(p *os.Process) group {
	g := group{process: p}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		var h windows.Handle
		if h, err = windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(p.Pid)); err == nil {
			err = windows.AssignProcessToJobObject(job, h)
			_ = windows.CloseHandle(h)
		}
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return g
	}
	g.job = job
	return g
}

// terminate is kill: Windows has no signal that asks a program without a window.
func (g group) terminate() { g.kill() }

func (g group) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		return
	}
	_ = g.process.Kill()
}

func (g group) free() {
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
	}
}
