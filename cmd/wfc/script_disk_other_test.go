//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

func disk(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("small file systems are mounted on Linux only")
}

func mounts() bool { return false }
