package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/runner/redact"
)

// secrets resolves secret references. A missing one is an error that names the
// secret, where it should be, and what to do. It is safe for concurrent use.
type secrets struct {
	env  Environment
	refs map[string]plan.Secret

	kept map[string]*keptSecret // by name: those of commands
}

// keptSecret is what a command wrote.
type keptSecret struct {
	turn  chan struct{} // holds one value, which whoever runs the command has taken out
	value string
	at    time.Time // zero: it has not run
}

// Bounds of secrets.
const (
	// maxSecret is larger than any key; more is a mistake in the name of a file.
	maxSecret = 64 << 10
	// commandTime lets a person answer a password manager.
	commandTime = 30 * time.Second
	// commandKept spares running a command for every request. A token that ends before
	// is refused, and then the command runs again.
	commandKept = 5 * time.Minute
)

func newSecrets(env Environment, refs []plan.Secret) *secrets {
	s := &secrets{env: env, refs: make(map[string]plan.Secret, len(refs)), kept: map[string]*keptSecret{}}
	for _, r := range refs {
		s.refs[r.Name] = r
		if len(r.Command) > 0 {
			s.kept[r.Name] = &keptSecret{turn: make(chan struct{}, 1)}
			s.kept[r.Name].turn <- struct{}{}
		}
	}
	return s
}

// get returns the secret's value.
func (s *secrets) get(name string) (string, error) {
	return s.fetch(context.Background(), name, false)
}

// fetch returns the secret's value as it is now. anew says that what a command wrote
// before is of no use any more.
func (s *secrets) fetch(ctx context.Context, name string, anew bool) (string, error) {
	ref, ok := s.refs[name]
	switch {
	case !ok:
		return "", fmt.Errorf("secret.%s is not declared in the plan; this is a bug in wfc", name)
	case ref.File != "":
		return s.ofFile(name, ref.File)
	case len(ref.Command) > 0:
		return s.ofCommand(ctx, name, ref.Command, anew)
	}
	v, ok := s.env.Lookup(ref.Env)
	if !ok || v == "" {
		return "", fmt.Errorf("the secret %q is not set: it comes from the environment variable %s.\nSet it and run again:\n\n  export %s=…", name, ref.Env, ref.Env)
	}
	return v, nil
}

// ofFile reads a secret from a file, which is read every time: what renews a token
// writes it there.
func (s *secrets) ofFile(name, path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.env.ProjectRoot, path)
	}
	// To open a pipe waits for whoever writes to it, and what was read is gone for the next reader.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return "", fmt.Errorf("the secret %q is not set: %s is a pipe or a device, and a secret is read more than once. Write it into a file, or give its secret block a command.", name, path)
	}
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the secret %q is not set: there is no file %s. Write the secret into it, or mend the file of its secret block.", name, path)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("the secret %q cannot be read: you may not read the file %s. Let its owner give you the permission.", name, path)
	case err != nil:
		return "", fmt.Errorf("the secret %q cannot be read: %w", name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("the secret %q cannot be read: %w", name, err)
	}
	return secretText(name, string(data), "the file "+path)
}

// secretText is the secret in a text, which from has.
func secretText(name, text, from string) (string, error) {
	if len(text) > maxSecret {
		return "", fmt.Errorf("the secret %q is not set: %s has more than %d KiB, which is no secret.", name, from, maxSecret>>10)
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	if text == "" {
		return "", fmt.Errorf("the secret %q is not set: %s is empty.", name, from)
	}
	return text, nil
}

// ofCommand runs a secret's command, once for all who want it at the same time.
func (s *secrets) ofCommand(ctx context.Context, name string, command []string, anew bool) (string, error) {
	k := s.kept[name]
	wanted := time.Now()
	select {
	case <-k.turn:
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	defer func() { k.turn <- struct{}{} }()
	if fresh := k.at.After(wanted); !k.at.IsZero() && (fresh || !anew && time.Since(k.at) < commandKept) {
		return k.value, nil
	}
	text, err := s.run(ctx, name, command)
	if err != nil {
		return "", err
	}
	k.value, k.at = text, time.Now()
	return text, nil
}

// run runs a command and returns the secret that it writes. What it says on stderr
// is in the error and nowhere else.
func (s *secrets) run(ctx context.Context, name string, command []string) (string, error) {
	caller := ctx
	ctx, cancel := context.WithTimeout(caller, commandTime)
	defer cancel()
	var out, complaint limitedBuffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.env.ProjectRoot, &out, &complaint
	cmd.WaitDelay = time.Second // a child of it may hold its output open
	endWithChildren(cmd)
	err := cmd.Run() // which has killed it when it returns: wfc may end then
	var exit *exec.ExitError
	switch {
	case caller.Err() != nil:
		return "", context.Cause(caller)
	case ctx.Err() != nil:
		return "", fmt.Errorf("the secret %q is not set: its command %q did not end within %s and was stopped%s.", name, command[0], commandTime, complaint.said())
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("the secret %q is not set: its command %q was not found. Install it, or write its full path in the secret block.", name, command[0])
	case errors.As(err, &exit):
		return "", fmt.Errorf("the secret %q is not set: its command %q ended with %s%s.", name, command[0], exit, complaint.said())
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return "", fmt.Errorf("the secret %q is not set: its command %q could not be run: %w", name, command[0], err)
	}
	return secretText(name, out.String(), fmt.Sprintf("what its command %q wrote", command[0]))
}

// limitedBuffer keeps the first bytes of what is written, one more than a secret may have.
// A command that is given up may still write.
type limitedBuffer struct {
	mu sync.Mutex
	b  []byte
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b = append(l.b, p[:min(len(p), maxSecret+1-len(l.b))]...)
	return len(p), nil
}

func (l *limitedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.b)
}

// said quotes what a command complained of, as the end of a clause.
func (l *limitedBuffer) said() string {
	const width = 300 // bytes: the reason, and not a whole help text
	text := strings.Join(strings.FieldsFunc(strings.ToValidUTF8(l.String(), "�"), func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if text == "" {
		return ""
	}
	if len(text) > width {
		text = strings.ToValidUTF8(text[:width], "") + " …"
	}
	return ": " + text
}

// check reads every secret once, so that a missing one is reported before
// anything starts; all missing ones are reported together. What commands write is
// kept, so that nobody waits for one again soon.
func (s *secrets) check(ctx context.Context) error {
	var errs []error
	for _, n := range s.names() {
		_, err := s.fetch(ctx, n, false)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// names returns the names of all secrets, sorted.
func (s *secrets) names() []string {
	names := make([]string, 0, len(s.refs))
	for n := range s.refs {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// values returns the values of all secrets that are set, for redaction.
func (s *secrets) values() []string {
	var out []string
	for n := range s.refs {
		if v, err := s.get(n); err == nil {
			out = append(out, v)
		}
	}
	sort.Strings(out)
	return out
}

// redactor replaces all secrets that are set.
func (s *secrets) redactor() *redact.Redactor {
	var known []redact.Secret
	for _, name := range s.names() {
		if v, err := s.get(name); err == nil {
			known = append(known, redact.Secret{Name: name, Value: v})
		}
	}
	return redact.New(known)
}
