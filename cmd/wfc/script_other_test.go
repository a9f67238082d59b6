//go:build !unix

package main

import "github.com/rogpeppe/go-internal/testscript"

func fifo(ts *testscript.TestScript, _ bool, _ []string)  { ts.Fatalf("fifo needs a Unix system") }
func await(ts *testscript.TestScript, _ bool, _ []string) { ts.Fatalf("await needs a Unix system") }
