package connection

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// inherited names the variables that a server gets of our environment. All
// others may hold secrets that are none of its business.
var inherited = map[bool][]string{
	false: {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"},
	true: {"APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMFILES",
		"SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE"},
}[runtime.GOOS == "windows"]

// environ returns the environment of the process, sorted.
func (s *Stdio) environ() []string {
	var env []string
	for _, name := range inherited {
		if _, set := s.Env[name]; set {
			continue
		}
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	for name, v := range s.Env {
		env = append(env, name+"="+v)
	}
	slices.Sort(env)
	return env
}

// Resolve returns the absolute path of the program that Command means: looked
// up on the PATH that the process gets, or relative to Dir if Command has a
// separator. The error is a [Problem].
func (s *Stdio) Resolve() (string, error) {
	if s.Command == "" {
		return "", Problem("Its command is empty. Write the program to start in stdio { command }.")
	}
	if strings.ContainsRune(s.Command, '/') || strings.ContainsRune(s.Command, filepath.Separator) {
		path := s.Command
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Dir, path)
		}
		found, err := exec.LookPath(path)
		if err == nil {
			return found, nil
		}
		if errors.Is(err, fs.ErrPermission) {
			return "", problemf("The command %q is not executable. Make it so, or write another program in stdio { command }.", s.Command)
		}
		return "", problemf("The command %q was not found: there is no file %s. Write the path of a program in stdio { command }.", s.Command, path)
	}
	path, set := s.Env["PATH"]
	if !set {
		path = os.Getenv("PATH")
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // what runs must not depend on the working directory
		}
		if found, err := exec.LookPath(filepath.Join(dir, s.Command)); err == nil {
			return found, nil
		}
	}
	return "", problemf("The command %q was not found in any folder of PATH. Install it, or write its full path in stdio { command }.", s.Command)
}
