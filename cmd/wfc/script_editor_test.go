package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/lda-wf/wfc/testdata/npm"
)

const editorsPage = "../../docs/editors.md"

// TestEditors runs testdata/script/editors: the language server in editors that are set
// up as docs/editors.md says, and in the client library of VS Code.
func TestEditors(t *testing.T) {
	for _, editor := range []string{"neovim", "emacs", "node"} {
		t.Run(editor, func(t *testing.T) {
			t.Parallel()
			set, err := editors[editor](t)
			if err != nil {
				if os.Getenv("WFC_REQUIRE_REAL") == "1" {
					t.Fatalf("real editors are required (WFC_REQUIRE_REAL=1): %v", err)
				}
				t.Skipf("the editor is not available: %v", err)
			}
			runScripts(t, "../../testdata/script/editors/"+editor, func(env *testscript.Env) error {
				home := filepath.Join(env.WorkDir, "home")
				for name, value := range map[string]string{
					"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, ".config"), "XDG_DATA_HOME": filepath.Join(home, ".local", "share"),
					"XDG_STATE_HOME": filepath.Join(home, ".local", "state"), "XDG_CACHE_HOME": filepath.Join(home, ".cache"), "XDG_RUNTIME_DIR": home,
				} {
					env.Setenv(name, value)
				}
				for name, text := range set.files {
					to := filepath.Join(home, name)
					if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
						return err
					}
					if err := os.WriteFile(to, []byte(text), 0o644); err != nil {
						return err
					}
				}
				for name, value := range set.env {
					env.Setenv(name, value)
				}
				return nil
			})
		})
	}
}

// setup is how an editor is set up: files below the home folder, and the environment.
type setup struct {
	files, env map[string]string
}

// editors say how each editor is set up, or why it is not there.
var editors = map[string]func(*testing.T) (setup, error){
	"neovim": neovim, "emacs": emacs,
	"node": func(t *testing.T) (setup, error) {
		return setup{env: map[string]string{"NODE_PATH": npm.Protocol(t)}}, nil
	},
}

// neovim is set up as the page says for the version that is there.
func neovim(t *testing.T) (setup, error) {
	out, err := exec.Command("nvim", "--version").Output()
	if err != nil {
		return setup{}, fmt.Errorf("Neovim (Debian's package is neovim): %w", err)
	}
	m := regexp.MustCompile(`^NVIM v0\.(\d+)`).FindSubmatch(out)
	if m == nil {
		return setup{}, fmt.Errorf("Neovim says that it is %q", out)
	}
	version := "neovim 0.11"
	if minor, _ := strconv.Atoi(string(m[1])); minor < 11 {
		version = "neovim 0.7"
	}
	return setup{files: map[string]string{".config/nvim/init.lua": configuration(t, version) + configuration(t, "neovim lenses")}}, nil
}

func emacs(t *testing.T) (setup, error) {
	out, err := exec.Command("emacs", "--batch", "--eval", "(require 'eglot)").CombinedOutput()
	if err != nil {
		return setup{}, errors.Join(fmt.Errorf("Emacs with Eglot (Debian's packages are emacs-nox and elpa-eglot): %w", err), errors.New(string(out)))
	}
	return setup{files: map[string]string{"init.el": configuration(t, "emacs")}}, nil
}

// configuration is what the page says that an editor is configured with.
func configuration(t *testing.T, editor string) string {
	for _, b := range readPage(t, editorsPage).blocks {
		if b.marks["configures"] == editor {
			return b.text
		}
	}
	t.Fatalf("%s does not say how %s is configured", editorsPage, editor)
	return ""
}

// TestNeovimReadsAllSettings: the settings of the versions that are not here, too,
// are Lua at least.
func TestNeovimReadsAllSettings(t *testing.T) {
	if _, err := exec.LookPath("nvim"); err != nil && os.Getenv("WFC_REQUIRE_REAL") != "1" {
		t.Skip("Neovim is not installed")
	}
	for _, version := range []string{"neovim 0.7", "neovim 0.11"} {
		file := filepath.Join(t.TempDir(), "init.lua")
		if err := os.WriteFile(file, []byte(configuration(t, version)), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("nvim", "--headless", "-u", "NONE", "-i", "NONE", "-c", "lua assert(loadfile("+strconv.Quote(file)+"))", "-c", "qa!").CombinedOutput()
		if text := strings.TrimSpace(string(out)); err != nil || text != "" {
			t.Errorf("%s: %v\n%s", version, err, text)
		}
	}
}
