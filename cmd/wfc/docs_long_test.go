package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
)

// killed runs a command, kills it once it has printed the text after, and returns
// what it printed, with the line of the shell that it was killed.
func (s *session) killed(line, after string) string {
	cmd := exec.Command("sh", "-c", "exec "+line)
	cmd.Dir, cmd.Env = s.dir, s.environ()
	killer := &killer{after: after, cmd: cmd}
	cmd.Stdout, cmd.Stderr = killer, killer
	if err := cmd.Run(); err == nil || !killer.killed {
		s.errorf("$ %s\nends before it prints %q (%v):\n%s", line, after, err, killer.out.Bytes())
	}
	return killer.out.String() + "Killed\n"
}

// killer kills a command once the command has written a text, which ends in a whole line.
type killer struct {
	after  string
	cmd    *exec.Cmd
	out    bytes.Buffer
	killed bool
}

func (k *killer) Write(b []byte) (int, error) {
	n, err := k.out.Write(b)
	if _, rest, found := strings.Cut(k.out.String(), k.after); found && strings.Contains(rest, "\n") && !k.killed {
		k.killed = true
		err = errors.Join(err, k.cmd.Process.Kill())
	}
	return n, err
}

// goesOn starts a command, and returns the first lines of its standard output, up to
// the one with the text after. When the page has ended it is asked to end, and must.
func (s *session) goesOn(line, after string) string {
	if strings.HasPrefix(line, "wfc serve") {
		line += " --listen 127.0.0.1:0"
	}
	cmd := exec.Command("sh", "-c", "exec "+line)
	cmd.Dir, cmd.Env = s.dir, s.environ()
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	at := s.at
	s.t.Cleanup(func() {
		err := cmd.Process.Signal(syscall.SIGTERM)
		_, e := io.Copy(io.Discard, out)
		if err := errors.Join(err, e, cmd.Wait()); err != nil {
			s.t.Errorf("%s: $ %s\ndoes not end well: %v\n%s", at, line, err, log.Bytes())
		}
	})
	var printed strings.Builder
	for r := bufio.NewReader(out); !strings.Contains(printed.String(), after); {
		text, err := r.ReadString('\n')
		if printed.WriteString(text); err != nil {
			s.errorf("$ %s\nends before it prints %q:\n%s", line, after, printed.String())
			break
		}
	}
	if real := address.FindString(printed.String()); real != "" {
		s.addrs[defaultListen] = real
	}
	return printed.String()
}

// address is where a server listens.
var address = regexp.MustCompile(`127\.0\.0\.1:[0-9]+`)
