package wholefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteKeepsThePermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := Write(path, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if got, _ := os.ReadFile(path); string(got) != "new" {
		t.Errorf("it holds %q", got)
	}
}

func TestWriteGoesThroughALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Skip("no links here:", err)
	}
	if err := Write(link, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); to != "target" || err != nil {
		t.Errorf("the link leads to %q (%v)", to, err)
	}
	if got, _ := os.ReadFile(target); string(got) != "new" {
		t.Errorf("it leads to %q", got)
	}
}

func TestWriteLeavesNothingBehindWhenItFails(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "folder")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	err := Write(folder, []byte("new"), 0o644)
	if err == nil || !strings.Contains(err.Error(), "folder cannot be written: it is no regular file") {
		t.Errorf("the error is %v", err)
	}
	if err := Write(filepath.Join(dir, "missing", "a"), nil, 0o644); err == nil {
		t.Error("a file was written into a folder that does not exist")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("there are %v (%v)", entries, err)
	}
}

func TestAFileThatMayNotBeWrittenStaysAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("old"), 0o444); err != nil {
		t.Fatal(err)
	}
	if f, err := os.OpenFile(path, os.O_WRONLY, 0); err == nil {
		f.Close()
		t.Skip("this user may write everything")
	}
	if err := Write(path, []byte("new"), 0o644); err == nil {
		t.Error("it was replaced")
	}
}
