package service

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/runtime/connection"
)

// environment is that of a project in root, with these variables.
func environment(root string, vars map[string]string) Environment {
	return Environment{ProjectRoot: root, Binary: "/bin/wfc", Lookup: func(name string) (string, bool) {
		v, ok := vars[name]
		return v, ok
	}}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"plain": "s3cret", "line": "s3cret\n", "crlf": "s3cret\r\n", "lines": "a\nb\n\n", "empty": "\n", "huge": strings.Repeat("x", maxSecret+1)} {
		write(t, filepath.Join(dir, name), text, 0o600)
	}
	write(t, filepath.Join(dir, "closed"), "s3cret", 0o000)
	sh := func(script string) plan.Secret { return plan.Secret{Command: []string{"sh", "-c", script}} }
	for _, c := range []struct {
		name   string
		secret plan.Secret
		want   string
		fails  string // DIR stands for the folder
	}{
		{"environment", plan.Secret{Env: "SET"}, "s3cret\n", ""},
		{"environment, not set", plan.Secret{Env: "UNSET"}, "", "the secret \"s\" is not set: it comes from the environment variable UNSET.\nSet it and run again:\n\n  export UNSET=…"},
		{"file", plan.Secret{File: "plain"}, "s3cret", ""},
		{"file with an absolute path", plan.Secret{File: filepath.Join(dir, "plain")}, "s3cret", ""},
		{"file that ends with a line", plan.Secret{File: "line"}, "s3cret", ""},
		{"file of Windows", plan.Secret{File: "crlf"}, "s3cret", ""},
		{"only the last line break is cut", plan.Secret{File: "lines"}, "a\nb\n", ""},
		{"no file", plan.Secret{File: "none"}, "", `the secret "s" is not set: there is no file DIR/none. Write the secret into it, or mend the file of its secret block.`},
		{"empty file", plan.Secret{File: "empty"}, "", `the secret "s" is not set: the file DIR/empty is empty.`},
		{"huge file", plan.Secret{File: "huge"}, "", `the secret "s" is not set: the file DIR/huge has more than 64 KiB, which is no secret.`},
		{"folder", plan.Secret{File: "."}, "", `the secret "s" cannot be read: read DIR: is a directory`},
		{"pipe", plan.Secret{File: "pipe"}, "", `the secret "s" is not set: DIR/pipe is a pipe or a device, and a secret is read more than once. Write it into a file, or give its secret block a command.`},
		{"device", plan.Secret{File: "/dev/null"}, "", `the secret "s" is not set: /dev/null is a pipe or a device, and a secret is read more than once. Write it into a file, or give its secret block a command.`},
		{"closed file", plan.Secret{File: "closed"}, "", `the secret "s" cannot be read: you may not read the file DIR/closed. Let its owner give you the permission.`},
		{"command", plan.Secret{Command: []string{"echo", "s3cret"}}, "s3cret", ""},
		{"command in the project's folder", sh("cat plain"), "s3cret", ""},
		{"what it complains of does not matter", sh("echo careful >&2; echo s3cret"), "s3cret", ""},
		{"failing command", sh("echo wrong pass phrase >&2; echo half; exit 3"), "", `the secret "s" is not set: its command "sh" ended with exit status 3: wrong pass phrase.`},
		{"silent failing command", sh("exit 1"), "", `the secret "s" is not set: its command "sh" ended with exit status 1.`},
		{"command without output", sh(":"), "", `the secret "s" is not set: what its command "sh" wrote is empty.`},
		{"command that never ends its output", sh("yes s3cret | head -c 1000000"), "", `the secret "s" is not set: what its command "sh" wrote has more than 64 KiB, which is no secret.`},
		{"unknown command", plan.Secret{Command: []string{"no-such-program"}}, "", `the secret "s" is not set: its command "no-such-program" was not found. Install it, or write its full path in the secret block.`},
		{"command that is no program", plan.Secret{Command: []string{filepath.Join(dir, "plain")}}, "", `the secret "s" is not set: its command "DIR/plain" could not be run: fork/exec DIR/plain: permission denied`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "closed file" && os.Geteuid() == 0 {
				t.Skip("the superuser may read all files")
			}
			if c.name == "pipe" && exec.Command("mkfifo", filepath.Join(dir, "pipe")).Run() != nil {
				t.Skip("this system makes no pipes with names")
			}
			c.secret.Name = "s"
			got, err := newSecrets(environment(dir, map[string]string{"SET": "s3cret\n"}), []plan.Secret{c.secret}).get("s")
			failed := ""
			if err != nil {
				failed = strings.ReplaceAll(err.Error(), dir, "DIR")
			}
			if got != c.want || failed != c.fails {
				t.Errorf("got %q, %s\nwant %q, %s", got, failed, c.want, c.fails)
			}
		})
	}
}

// A file is read for every use; a command runs once in a while, or when what it gave
// is refused.
func TestSecretsAreRenewed(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "token"), "1\n", 0o600)
	s := newSecrets(environment(dir, nil), []plan.Secret{
		{Name: "file", File: "token"}, {Name: "command", Command: []string{"cat", "token"}},
	})
	get := func(name string, anew bool) string {
		t.Helper()
		got, err := s.fetch(t.Context(), name, anew)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if get("file", false) != "1" || get("command", false) != "1" {
		t.Error("they are not read")
	}
	write(t, filepath.Join(dir, "token"), "2\n", 0o600)
	if got := get("file", false); got != "2" {
		t.Errorf("the file has %s", got)
	}
	if got := get("command", false); got != "1" {
		t.Errorf("the command ran again and gave %s", got)
	}
	if got := get("command", true); got != "2" {
		t.Errorf("the command gave %s", got)
	}
	s.kept["command"].at = time.Now().Add(-2 * commandKept)
	write(t, filepath.Join(dir, "token"), "3\n", 0o600)
	if got := get("command", false); got != "3" {
		t.Errorf("after a while the command gave %s", got)
	}
}

// Who waits for the secrets of a connection may give up, as with Ctrl-C.
func TestCheckingSecretsCanBeGivenUp(t *testing.T) {
	s := newSecrets(environment(t.TempDir(), nil), []plan.Secret{{Name: "s", Command: []string{"sleep", "60"}}})
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("interrupted"))
	defer cancel()
	if err := s.check(ctx); err == nil || err.Error() != "interrupted" {
		t.Errorf("got %v", err)
	}
}

func TestACommandThatHangsHoldsUpNobody(t *testing.T) {
	s := newSecrets(environment(t.TempDir(), nil), []plan.Secret{{Name: "s", Command: []string{"sh", "-c", "sleep 60 & wait"}}})
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, errors.New("the run was cancelled"))
	defer cancel()
	begin := time.Now()
	_, err := s.fetch(ctx, "s", false)
	if err == nil || err.Error() != "the run was cancelled" || time.Since(begin) > 10*time.Second {
		t.Errorf("after %s: %v", time.Since(begin), err)
	}
}

func TestConnectionsToAURL(t *testing.T) {
	vars := map[string]string{"TOKEN": "s3cret-token", "OTHER": "another-token", "BROKEN": "s3cret-token\n", "HOST": "mcp.example.com"}
	s := newSecrets(environment(t.TempDir(), vars), []plan.Secret{
		{Name: "token", Env: "TOKEN"}, {Name: "other", Env: "OTHER"}, {Name: "broken", Env: "BROKEN"},
	})
	at := func(auth *plan.Auth, headers plan.Expr) plan.Connection {
		return plan.Connection{ID: "web.main", HTTP: &plan.HTTP{URL: `"https://${env("HOST")}/mcp"`, Headers: headers}, Auth: auth}
	}
	for _, c := range []struct {
		name    string
		auth    plan.Auth
		headers plan.Expr
		header  string
		value   string
		fails   string
	}{
		{"bearer", plan.Auth{Kind: "bearer", Token: "secret.token"}, "", "", "Bearer s3cret-token", ""},
		{"header", plan.Auth{Kind: "header", Name: `"X-Api-Key"`, Value: `"key ${secret.token}"`}, "", "X-Api-Key", "key s3cret-token", ""},
		{"basic", plan.Auth{Kind: "basic", Username: `"ada"`, Password: "secret.token"}, "", "", "Basic YWRhOnMzY3JldC10b2tlbg==", ""},
		{"basic without a password", plan.Auth{Kind: "basic", Username: "secret.token", Password: `""`}, "", "", "Basic czNjcmV0LXRva2VuOg==", ""},
		{"a line break", plan.Auth{Kind: "bearer", Token: "secret.broken"}, "", "", "",
			`connection web.main: auth.token: the value has a line break, which no header can have. If it is a secret, write it without the line break at its end.`},
		{"an empty token", plan.Auth{Kind: "bearer", Token: `""`}, "", "", "", `connection web.main: auth.token: it is empty.`},
		{"a colon in the name", plan.Auth{Kind: "basic", Username: `"a:b"`, Password: `"x"`}, "", "", "", `connection web.main: auth.username: a user name cannot have a colon, which ends it.`},
		{"a header of the transport", plan.Auth{Kind: "header", Name: `"Mcp-Session-Id"`, Value: `"x"`}, "", "", "", `connection web.main: auth.name: "Mcp-Session-Id" cannot be the name of a credential's header.`},
		{"headers of the transport", plan.Auth{}, `{ "content-type" = "x" }`, "", "", `connection web.main: http.headers["content-type"]: MCP itself sets this header. Leave it out.`},
		{"a name that is none", plan.Auth{}, `{ "X Team" = "x" }`, "", "", `connection web.main: http.headers["X Team"]: this is no name of a header. Letters, digits and dashes are.`},
		{"twice the same", plan.Auth{Kind: "bearer", Token: "secret.token"}, `{ authorization = "x" }`, "", "", `connection web.main: http.headers["authorization"]: the auth block sets this header. Leave one of them out.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			auth := &c.auth
			if auth.Kind == "" {
				auth = nil
			}
			got, err := s.connect(at(auth, c.headers))
			if c.fails != "" {
				if err == nil || err.Error() != c.fails {
					t.Errorf("got %v, want %s", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.HTTP.URL != "https://mcp.example.com/mcp" || got.HTTP.Auth.Header != c.header {
				t.Errorf("got %s with the header %q", got.HTTP.URL, got.HTTP.Auth.Header)
			}
			if v, err := got.HTTP.Auth.Credential(t.Context(), ""); v != c.value || err != nil {
				t.Errorf("the header says %q, %v", v, err)
			}
			if strings.Contains(got.HTTP.Auth.Identity+got.HTTP.Auth.Name, "s3cret") {
				t.Errorf("the identity is %s", got.HTTP.Auth.Identity)
			}
		})
	}

	t.Run("a renewed token is of the same session, another's is not", func(t *testing.T) {
		connect := func(token plan.Expr) connection.Connection {
			c, err := s.connect(at(&plan.Auth{Kind: "bearer", Token: token}, ""))
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		before := connect("secret.token")
		vars["TOKEN"] = "renewed-token"
		after, other := connect("secret.token"), connect("secret.other")
		if !before.Same(after) || before.Fingerprint("") != after.Fingerprint("") {
			t.Error("a renewed token is another session")
		}
		if before.Same(other) || before.Fingerprint("") == other.Fingerprint("") {
			t.Error("somebody else's token is the same session")
		}
		if v, _ := before.HTTP.Auth.Credential(t.Context(), ""); v != "Bearer renewed-token" {
			t.Errorf("the session before sends %q", v)
		}
	})
}
