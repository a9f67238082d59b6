package service

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/journal"
	"github.com/lda-wf/wfc/runtime/secretform"
	"github.com/lda-wf/wfc/testdata/crashpoint"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

const (
	planted   = `Pl4nted/"s&cret" +<ä>'v`
	sensitive = "the salary of Ada is 4711"
)

// encoded are texts that hold the planted secret as others write it. A server
// gives them back: they stand in its environment.
func encoded() map[string]string {
	escaped, _ := json.Marshal(planted)
	return map[string]string{
		"PLAIN": "Bearer " + planted, "B64": base64.StdEncoding.EncodeToString([]byte(planted)),
		"B64_1": base64.StdEncoding.EncodeToString([]byte("u" + planted + "x")), "B64_2": base64.URLEncoding.EncodeToString([]byte("uv" + planted)),
		"BASIC": base64.StdEncoding.EncodeToString([]byte("user:" + planted)),
		"QUERY": "https://x/?t=" + url.QueryEscape(planted), "PATH": "https://x/" + url.PathEscape(planted),
		"JSON": `{"t":` + string(escaped) + `}`, "HTML": "<b>" + html.EscapeString(planted) + "</b>",
	}
}

// leaksProject sends the secret wherever a server may send it back from.
func leaksProject() string {
	var env strings.Builder
	for name := range encoded() {
		fmt.Fprintf(&env, "      %s = env(%q)\n", name, name)
	}
	return `
secret "token" {
  env = "TOKEN"
}
secret "image" {
  env = "IMAGE"
}
connection "test" "main" {
  stdio {
    command = env("TESTSERVER")
    args    = ["-log", env("SERVER_LOG"), "-starts", env("SERVER_STARTS"), "-list", env("SERVER_TOOLS"), "-greet", "-logs"]
    env = {
      TOKEN = secret.token
` + env.String() + `    }
  }
}
workflow "leaks" {
  source "s" {
    bind = connection.test.main
  }
  input "private" {
    type      = string
    sensitive = true
  }
  step "forms" {
    call = s.env
    args = {}
  }
  step "structured" {
    call = s.read_raw
    args = { result = { content = [{ type = "text", text = secret.token, annotations = { x = secret.token } }], structuredContent = { t = secret.token } } }
  }
  step "image" {
    call = s.read_raw
    args = { result = { content = [{ type = "image", mimeType = secret.token, data = secret.image }] } }
  }
  step "refused" {
    call     = s.error
    args     = { code = -32000, message = secret.token }
    on_error = "continue"
  }
  step "failed" {
    call     = s.read_raw
    args     = { result = { isError = true, content = [{ type = "text", text = secret.token }] } }
    on_error = "continue"
  }
  step "logged" {
    call = s.chat
    args = { logs = [{ level = "error", logger = secret.token, data = secret.token }] }
  }
  step "stderr" {
    call       = s.stderr
    args       = { n = 2, message = secret.token }
    depends_on = [step.logged]
  }
  step "crash" {
    call       = s.crash
    args       = { code = 3 }
    depends_on = [step.stderr]
    on_error   = "continue"
  }
  step "mumble" {
    call       = s.mumble
    args       = { message = secret.token }
    timeout    = "100ms"
    depends_on = [step.crash]
    on_error   = "continue"
  }
  step "private" {
    call       = s.echo
    args       = { value = input.private }
    depends_on = [step.mumble]
  }
  step "of_private" {
    value = { twice = [step.private.output, step.private.text] }
  }
  output "forms" {
    value = step.forms.output
  }
  output "content" {
    value = [step.structured.content, step.image.content]
  }
  output "failures" {
    value = [step.refused.error, step.failed.error, step.crash.error, step.mumble.error]
  }
}
`
}

var leaksTools = func() string {
	var tools strings.Builder
	for _, name := range []string{"env", "read_raw", "error", "chat", "stderr", "crash", "mumble", "echo"} {
		fmt.Fprintf(&tools, `{"name":%q,"inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}`+"\n", name)
	}
	return tools.String()
}()

// Whatever a server does with a secret, and whenever the run's process dies: no form
// of it is in a byte that was written or said; nor is a sensitive input.
func TestNoPlantedSecretIsWritten(t *testing.T) {
	server := servertest.Path(t)
	step := 4
	if testing.Short() {
		step = 23
	}
	t.Setenv("WFC_TEST_TOKEN", planted)
	t.Setenv("WFC_TEST_IMAGE", base64.StdEncoding.EncodeToString([]byte("\x89PNG "+planted+" \x00")))
	for name, text := range encoded() {
		t.Setenv("WFC_TEST_"+name, text)
	}
	root := t.TempDir()
	at := func(name string) *crashWorld {
		w := newCrashWorld(t, filepath.Join(root, name), server, "leaks")
		w.project, w.tools = leaksProject(), leaksTools
		return w
	}
	first := at("first")
	first.lay(nil)
	p, s := first.open(nil)
	_, err := s.Refresh(t.Context(), reach(t, p, "test.main"), RefreshOptions{})
	first.must(err)
	first.must(s.Close())
	snapshot, err := os.ReadFile(filepath.Join(first.root, "catalog", "test.main.json"))
	first.must(err)

	crashpoint.Each(t, step, func(n int) *exec.Cmd {
		w := at(fmt.Sprint(n))
		w.lay(snapshot)
		cmd := exec.Command(os.Args[0], "-test.run=^TestCrashedProcess$")
		inputs, _ := json.Marshal(map[string]string{"private": sensitive})
		cmd.Env = append(os.Environ(), "WFC_TEST_CRASH_PROJECT="+w.root, "WFC_TEST_CRASH_SERVER="+server, "WFC_TEST_CRASH_WORKFLOW=leaks",
			"WFC_TEST_CRASH_INPUTS="+string(inputs))
		return cmd
	}, func(run crashpoint.Run) {
		w := at(fmt.Sprint(run.N))
		w.calls() // whose server is gone then
		var told bytes.Buffer
		w.told = &told
		_, s := w.open(nil)
		store, err := s.journal()
		w.must(err)
		runs, err := store.Runs(t.Context(), journal.Filter{})
		w.must(err)
		// As it lies there after the death, before anybody tidies up.
		checkNoLeak(t, "after the death", everyFile(t, filepath.Join(w.root, StateFolder)))
		for _, r := range runs {
			if r.Status == journal.Interrupted {
				outcome, err := s.Resume(t.Context(), string(r.Run), w.watch)
				w.must(err)
				if outcome.Status != engine.StatusCompleted {
					t.Errorf("it is %s: %v", outcome.Status, outcome.Err)
				}
				fmt.Fprintln(&told, outcome.Outputs.JSON())
			}
			record, err := store.Run(t.Context(), string(r.Run))
			w.must(err)
			shown, err := json.Marshal(record)
			w.must(err)
			told.Write(shown)
			w.must(store.Export(t.Context(), r.Run, filepath.Join(w.root, StateFolder, "exported"), journal.ExportOptions{}))
		}
		checkNoLeak(t, "while it is open", everyFile(t, filepath.Join(w.root, StateFolder)))
		w.must(s.Close())
		checkNoLeak(t, "at the end", everyFile(t, filepath.Join(w.root, StateFolder)))
		checkNoLeak(t, "what is said", told.Bytes())
		checkNoLeak(t, "what the process said", []byte(run.Out))
		if !run.Died && !bytes.Contains(told.Bytes(), []byte("(secret token)")) {
			t.Errorf("the secret never came: %s", told.Bytes())
		}
	})
}

// checkNoLeak looks for all that must not be there.
func checkNoLeak(t *testing.T, where string, data []byte) {
	t.Helper()
	for _, form := range append(secretform.Of(planted), sensitive) {
		if i := bytes.Index(data, []byte(form)); i >= 0 {
			t.Errorf("%s: %q is in …%q…", where, form, data[max(i-100, 0):min(i+100, len(data))])
		}
	}
}

// everyFile returns the bytes of all files below dir.
func everyFile(t *testing.T, dir string) (all []byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		all = append(append(all, path...), data...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
