package connection

import (
	"encoding/base64"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestFingerprintIsTheIdentityOfASession(t *testing.T) {
	base := func() Connection {
		return Connection{ID: "a.b", Stdio: &Stdio{Command: "go", Args: []string{"x", "y"}, Env: map[string]string{"A": "1", "B": "2"}, Dir: "/d"}}
	}
	want := base().Fingerprint("")
	same := map[string]func(*Connection){
		"the same again":            func(*Connection) {},
		"timeouts":                  func(c *Connection) { c.Timeouts.Idle = 1 },
		"calls in flight":           func(c *Connection) { c.MaxInFlight = 1 },
		"the snapshot's revision":   func(c *Connection) { c.ProtocolVersion = "2025-11-25" },
		"what is to be redacted":    func(c *Connection) { c.Redact = []string{"x"} },
		"the order of the env":      func(c *Connection) { c.Stdio.Env = map[string]string{"B": "2", "A": "1"} },
		"an empty env for none":     func(c *Connection) { c.Stdio.Env["C"] = ""; delete(c.Stdio.Env, "C") },
		"the full path of the same": func(c *Connection) { c.Stdio.Command, _ = c.Stdio.Resolve() },
	}
	for name, change := range same {
		c := base()
		if change(&c); c.Fingerprint("") != want {
			t.Errorf("%s: another fingerprint", name)
		}
	}
	other := map[string]func(*Connection){
		"the id":               func(c *Connection) { c.ID = "a.c" },
		"the command":          func(c *Connection) { c.Stdio.Command = "gofmt" },
		"an unknown command":   func(c *Connection) { c.Stdio.Command = "no-such-command" },
		"an argument":          func(c *Connection) { c.Stdio.Args[1] = "z" },
		"where arguments part": func(c *Connection) { c.Stdio.Args = []string{"xy"} },
		"no arguments":         func(c *Connection) { c.Stdio.Args = nil },
		"a value":              func(c *Connection) { c.Stdio.Env["A"] = "3" },
		"a name":               func(c *Connection) { c.Stdio.Env = map[string]string{"A": "1", "C": "2"} },
		"the folder":           func(c *Connection) { c.Stdio.Dir = "/e" },
	}
	for name, change := range other {
		c := base()
		if change(&c); c.Fingerprint("") == want {
			t.Errorf("%s: the same fingerprint", name)
		}
		if base().Same(c) {
			t.Errorf("%s: said to be the same", name)
		}
	}
	if base().Fingerprint("run-1") == want {
		t.Error("the scope: the same fingerprint")
	}
	if !base().Same(base()) {
		t.Error("equal connections are said to differ")
	}
	stream := func(id string) Connection {
		return Stream("a.b", id, func() (io.ReadWriteCloser, error) { return nil, io.EOF })
	}
	if stream("1").Fingerprint("") == stream("2").Fingerprint("") || stream("1").Same(stream("2")) {
		t.Error("streams to different servers are the same")
	}
}

func TestCommands(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes of files")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	for path, mode := range map[string]os.FileMode{program: 0o700, filepath.Join(dir, "text"): 0o600} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	onPath := map[string]string{"PATH": dir}
	for _, c := range []struct {
		name string
		s    Stdio
		want string // the path, or the error
	}{
		{"absolute", Stdio{Command: program}, program},
		{"relative to the folder", Stdio{Command: "./program", Dir: dir}, program},
		{"on the PATH that it gets", Stdio{Command: "program", Env: onPath}, program},
		{"not in the folder", Stdio{Command: "program", Dir: dir, Env: map[string]string{"PATH": "."}},
			`The command "program" was not found in any folder of PATH. Install it, or write its full path in stdio { command }.`},
		{"no such file", Stdio{Command: "./no", Dir: dir},
			`The command "./no" was not found: there is no file ` + dir + `/no. Write the path of a program in stdio { command }.`},
		{"no program", Stdio{Command: "./text", Dir: dir},
			`The command "./text" is not executable. Make it so, or write another program in stdio { command }.`},
		{"empty", Stdio{}, `Its command is empty. Write the program to start in stdio { command }.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.s.Resolve()
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// B41: configuring one variable takes no other away, and none of ours leaks.
func TestEnvironmentHasTheNamedVariablesOnly(t *testing.T) {
	t.Setenv("USER", "ada")
	t.Setenv("SECRET_OF_OURS", "x")
	s := Stdio{Env: map[string]string{"PATH": "/bin", "A": "a=b\nc"}}
	env := s.environ()
	if !slices.Contains(env, "A=a=b\nc") || !slices.Contains(env, "PATH=/bin") {
		t.Errorf("configured variables: %q", env)
	}
	if runtime.GOOS != "windows" && !slices.Contains(env, "USER=ada") {
		t.Errorf("inherited variables: %q", env)
	}
	if slices.ContainsFunc(env, func(s string) bool { return strings.HasPrefix(s, "SECRET") }) {
		t.Errorf("our own variables: %q", env)
	}
}

func TestRedactor(t *testing.T) {
	secret := `pass"word/1+ä`
	c := Connection{Redact: []string{secret, "", "abc", "long-secret", "long-secret-and-more", "-----KEY-----\nMIIabcdefgh\n"}}
	redact := c.Redactor()
	for text, want := range map[string]string{
		"nothing here":                      "nothing here",
		"a " + secret + " b":                "a [redacted] b",
		"json " + `pass\"word/1+ä`:          "json [redacted]",
		"url " + url.QueryEscape(secret):    "url [redacted]",
		"path " + url.PathEscape(secret):    "path [redacted]",
		"abc abcd xabc (abc) abc":           "[redacted] abcd xabc ([redacted]) [redacted]",
		"long-secret-and-more, long-secret": "[redacted], [redacted]",
		"key: MIIabcdefgh.":                 "key: [redacted].",
		"basic " + strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "="): "basic [redacted]",
	} {
		if got := redact(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// What a server says is cut where it is long. No cut leaves a part of a secret.
func TestTheBeginningOfATextHoldsNoPartOfASecret(t *testing.T) {
	const secret, width = "0123456789abcdef", 100
	r := Connection{Redact: []string{secret}}.redactor()
	for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte("user:" + secret))} {
		for before := range 3 * width {
			text := strings.Repeat(form+" ", 3) + strings.Repeat("-", before) + form + strings.Repeat("+", before)
			got := r.beginning(text[:min(len(text), r.enough(width))], width)
			if strings.Contains(got, form[8:12]) || len(got) > width {
				t.Fatalf("%d bytes before it: %q", before, got)
			}
			if want := r.text(text); !strings.HasPrefix(want, got) || len(got) < min(len(want), width)-r.longest {
				t.Fatalf("%d bytes before it: %q is not the beginning of %q", before, got, want)
			}
		}
	}
}
