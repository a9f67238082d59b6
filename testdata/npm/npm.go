// Package npm installs the real MCP servers that tests run: the npm packages
// of package.json beside it, with the exact versions of its lock file, into a
// cache folder that is shared by test binaries and survives them.
package npm

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/lockedfile"
)

//go:embed package.json
var manifest []byte

//go:embed package-lock.json
var lock []byte

// Bin returns the folder with the servers' commands (such as
// "mcp-server-filesystem"), to be put on a PATH that has node on it. It
// installs them first where that was not done before, which needs the npm
// registry. Where node is missing or the install fails, the test is skipped
// with the reason, or fails if WFC_REQUIRE_REAL is 1.
func Bin(t testing.TB) string {
	t.Helper()
	dir, err := install()
	if err != nil {
		if os.Getenv("WFC_REQUIRE_REAL") == "1" {
			t.Fatalf("real servers are required (WFC_REQUIRE_REAL=1): %v", err)
		}
		t.Skipf("real servers are not available: %v", err)
	}
	return filepath.Join(dir, "node_modules", ".bin")
}

// install returns a folder that holds the installed packages.
func install() (string, error) {
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
	sum := sha256.Sum256(append(append([]byte(nil), manifest...), lock...))
	dir := filepath.Join(cache, hex.EncodeToString(sum[:8]))
	done := filepath.Join(dir, "installed")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	// Test binaries run side by side: one installs, the others wait for it.
	unlock, err := lockedfile.MutexAt(filepath.Join(cache, "lock")).Lock()
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(done); err == nil {
		return dir, nil
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for name, content := range map[string][]byte{"package.json": manifest, "package-lock.json": lock} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return "", err
		}
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return dir, os.WriteFile(done, nil, 0o644)
}
