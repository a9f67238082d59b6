package compiler_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/lda-wf/wfc/"

// goPackage is what `go list` says of a package.
type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func list(t *testing.T) map[string]goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,Imports,Deps", "./...")
	cmd.Dir = ".."
	src, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	out := map[string]goPackage{}
	for d := json.NewDecoder(strings.NewReader(string(src))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		if name, ok := strings.CutPrefix(p.ImportPath, module); ok {
			out[name] = p
		}
	}
}

// in reports whether a package, by its path in the module, is one of folders or below one.
func in(pkg string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return pkg == f || strings.HasPrefix(pkg, f+"/") })
}

// What lang, compiler and lsp are made of reaches no network, starts no process
// and opens no database: checking is offline, and an editor may do it at every key.
func TestOfflinePackages(t *testing.T) {
	forbidden := []string{"net", "os/exec", "database/sql"}
	for name, p := range list(t) {
		if !in(name, "lang", "compiler", "lsp") {
			continue
		}
		for _, d := range p.Deps {
			if slices.Contains(forbidden, d) || d == "net/http" {
				t.Errorf("%s reaches %s", name, d)
			}
		}
	}
}

// Imports point one way (ARCHITECTURE, "Folders").
func TestImportsPointOneWay(t *testing.T) {
	rules := []struct {
		from string
		may  []string // of the module
	}{
		{"lang", []string{"lang"}},
		{"compiler/plan", []string{"lang"}},
		{"compiler/project", []string{"lang"}},
		{"compiler/check", []string{"lang", "compiler/project", "compiler/check"}},
		{"compiler", []string{"lang", "compiler"}},
		{"lsp", []string{"lang", "compiler", "lsp"}},
		{"runtime", []string{"lang", "runtime"}},
		{"runner/journal", []string{"lang", "compiler/plan"}},
		{"runner/engine", []string{"lang", "compiler/plan", "runner/journal", "runner/redact"}},
		{"runner/wftest", []string{"lang", "compiler", "runner/engine", "runner/redact"}},
		{"runner/schedule", []string{"runner/service"}},
		{"runner/redact", []string{"lang", "runtime/secretform"}},
		{"runner/rpc/jsonrpc", nil},
		{"runner/rpc/protocol", []string{"lang", "runner/rpc/jsonrpc"}},
		{"runner/rpc/client", []string{"runner/rpc/jsonrpc", "runner/rpc/protocol"}},
		{"runner/rpc/token", []string{"runner/rpc/protocol", "runner/wholefile"}},
		{"runner/rpc", []string{"lang", "runner/engine", "runner/journal", "runner/service", "runner/rpc"}},
		{"runner/registry", []string{}},
		{"runner/telemetry", []string{}},
		{"runner/service", []string{"lang", "compiler", "runtime", "runner/engine", "runner/journal", "runner/registry", "runner/redact", "runner/wholefile"}},
	}
	for name, p := range list(t) {
		for _, r := range rules {
			if !in(name, r.from) {
				continue
			}
			for _, i := range p.Imports {
				if inner, ok := strings.CutPrefix(i, module); ok && !in(inner, r.may...) {
					t.Errorf("%s imports %s; it may import %s only", name, inner, strings.Join(r.may, ", "))
				}
			}
			break
		}
	}
}

// The leaves of lang know only what their comments say.
func TestLeavesOfLang(t *testing.T) {
	may := map[string][]string{
		"lang/diag":    {"nearest"},
		"lang/value":   {},
		"lang/nearest": {},
		"lang/expr":    {"diag", "value", "nearest"},
		"lang/types":   {"diag", "value", "expr", "nearest"},
		"lang/funcs":   {"value", "types", "diag", "nearest"},
		"lang/eval":    {"value", "expr", "funcs", "diag", "nearest"},
		"lang/catalog": {"types", "value", "diag", "nearest"},
		"lang/syntax":  {"diag", "expr", "nearest"},
	}
	for name, p := range list(t) {
		allowed, ok := may[name]
		if !ok {
			continue
		}
		for _, i := range p.Imports {
			if inner, ok := strings.CutPrefix(i, module); ok && !slices.Contains(allowed, path.Base(inner)) {
				t.Errorf("%s imports %s; it may import %v only", name, inner, allowed)
			}
		}
	}
}

// Property tests draw the same values each time (testdata/rapidseed).
func TestPropertiesDoNotDependOnChance(t *testing.T) {
	cmd := exec.Command("go", "list", "-e", "-json=ImportPath,TestImports,XTestImports", "./...")
	cmd.Dir = ".."
	src, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(src))); ; {
		var p struct {
			ImportPath                string
			TestImports, XTestImports []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		imports := slices.Concat(p.TestImports, p.XTestImports)
		if slices.Contains(imports, "pgregory.net/rapid") && !slices.Contains(imports, module+"testdata/rapidseed") {
			t.Errorf("the tests of %s use rapid and do not import %stestdata/rapidseed", p.ImportPath, module)
		}
	}
}
