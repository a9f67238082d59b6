package main

import (
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"
)

// disk is "disk FOLDER SIZE": it mounts a file system of so many bytes on a folder,
// which needs the rights of root; without them the script is skipped.
func disk(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: disk FOLDER SIZE")
	}
	dir := ts.MkAbs(args[0])
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=0700,size="+args[1]); err != nil {
		ts.Fatalf("a small file system cannot be mounted: %v", err)
	}
	ts.Defer(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
}

// mounts reports whether this process may mount file systems.
func mounts() bool {
	return unix.Mount("", "/nowhere-to-mount", "tmpfs", 0, "") == unix.ENOENT
}
