package connection

import (
	"os"
	"os/exec"
	"strings"
	"sync"
)

// openStdio starts the process of c. The error is a [Problem].
func (c Connection) openStdio(sinks Sinks) (*pipeChannel, error) {
	path, err := c.Stdio.Resolve()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: path,
		Args: append([]string{c.Stdio.Command}, c.Stdio.Args...),
		Dir:  c.Stdio.Dir,
		Env:  c.Stdio.environ(),
	}
	var parent, child [3]*os.File
	closeAll := func(files [3]*os.File) {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}
	for i := range parent {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(parent)
			closeAll(child)
			return nil, problemf("A pipe to its process could not be made: %v.", err)
		}
		if parent[i], child[i] = r, w; i == 0 {
			parent[i], child[i] = w, r
		}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = child[0], child[1], child[2]
	p, err := startProcess(cmd)
	closeAll(child)
	if err != nil {
		closeAll(parent)
		if info, dirErr := os.Stat(cmd.Dir); cmd.Dir != "" && (dirErr != nil || !info.IsDir()) {
			return nil, problemf("There is no folder %s, in which its command is to be started. Make it, or mend stdio { cwd }.", cmd.Dir)
		}
		return nil, problemf("The command %q could not be started: %v.", c.Stdio.Command, startError(err))
	}
	tail := newStderrTail(parent[2], c.redactor(), sinks.Stderr)
	return newPipeChannel(c.ID, parent[0], parent[1], p, tail, c.Timeouts.CloseTimeout(), sinks), nil
}

// startError takes the path from an error of exec, which the sentence around it names already.
func startError(err error) error {
	if e, ok := err.(*os.PathError); ok {
		return e.Err
	}
	return err
}

// process is a child process with its group.
type process struct {
	cmd  *exec.Cmd
	gone chan struct{} // it exited

	mu       sync.Mutex
	group    group
	released bool
}

// startProcess starts cmd in a group of its own and waits for its exit in a goroutine.
func startProcess(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, gone: make(chan struct{})}
	setGroup(cmd)
	if err := start(cmd); err != nil {
		return nil, err
	}
	p.group = groupOf(cmd.Process)
	go func() {
		defer close(p.gone)
		waitExit(cmd)
	}()
	return p, nil
}

func (p *process) exited() <-chan struct{} { return p.gone }

func (p *process) terminate() { p.signal(group.terminate) }

func (p *process) kill() { p.signal(group.kill) }

// signal does nothing once the process is released: its number may be another's by then.
func (p *process) signal(send func(group)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.released {
		send(p.group)
	}
}

// release kills what is left of the group and reaps the process, which has exited.
func (p *process) release() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.group.kill()
	p.released = true
	_ = p.cmd.Wait() // says again what ProcessState says; the files are ours
	p.group.free()
	if p.cmd.ProcessState == nil {
		return ""
	}
	return strings.TrimSpace(p.cmd.ProcessState.String())
}
