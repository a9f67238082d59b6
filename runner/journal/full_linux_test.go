package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// small mounts a file system of so many bytes, which needs the rights of root.
func small(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+size); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	return dir
}

func TestAFullDiskLosesNothing(t *testing.T) {
	root := small(t, "1m")
	ballast := filepath.Join(root, "ballast")
	must(t, os.WriteFile(ballast, make([]byte, 512<<10), 0o600))
	s, err := Open(t.Context(), filepath.Join(root, ".wfc"), Options{})
	must(t, err)
	checkFull(t, s, func() { must(t, os.Remove(ballast)) })
}

// Where the disk is full already, nothing begins.
func TestNothingIsOpenedOnAFullDisk(t *testing.T) {
	root := small(t, "64k")
	must(t, os.WriteFile(filepath.Join(root, "ballast"), make([]byte, 60<<10), 0o600))
	if _, err := Open(t.Context(), filepath.Join(root, ".wfc"), Options{}); !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "Free some space") {
		t.Errorf("got %v", err)
	}
}

// A blob that does not fit leaves nothing behind, and no event names it.
func TestABlobThatDoesNotFit(t *testing.T) {
	root := small(t, "1m")
	s, err := Open(t.Context(), filepath.Join(root, ".wfc"), Options{})
	must(t, err)
	defer func() { _ = s.Close() }()
	r := newRun(t, s)
	if _, err := s.PutBlob(t.Context(), make([]byte, 2<<20)); !errors.Is(err, ErrFull) {
		t.Errorf("a blob larger than the disk: %v", err)
	}
	left, err := os.ReadDir(filepath.Join(s.dir, blobsName))
	must(t, err)
	if len(left) > 0 {
		t.Errorf("the folder has %v", left)
	}
	must(t, r.Commit(t.Context(), numbered(1))) // which the journal itself does not mind
}
