package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each change of a file runs the tests again that it affects, and no others.
func TestWatchRunsWhatAChangeAffects(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		// In one step, so that nothing sees half of it.
		part := filepath.Join(filepath.Dir(path), ".part")
		if err := os.WriteFile(part, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(part, path); err != nil {
			t.Fatal(err)
		}
	}
	workflow := func(name, value string) string {
		return "workflow \"" + name + "\" {\n  output \"o\" {\n    value = " + value + "\n  }\n}\n"
	}
	test := func(name, workflow, want string) string {
		return "test \"" + name + "\" {\n  workflow = workflow." + workflow + "\n  expect {\n    outputs = { o = " + want + " }\n  }\n}\n"
	}
	put("wfc.hcl", "project {\n  name     = \"p\"\n  language = 1\n}\n")
	put("a.wf.hcl", workflow("a", `file("text.txt")`))
	put("text.txt", "one")
	put("b.wf.hcl", workflow("b", "length([1])"))
	put("a.wftest.hcl", test("ta", "a", `"${"o"}ne"`)+test("tb", "b", "1"))

	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	k := &testRun{std: streams{out: w, err: w}, paths: []string{root}, format: "text"}
	ended := make(chan error, 1)
	go func() { ended <- k.watch(ctx); w.Close() }()
	lines := bufio.NewScanner(r)
	next := func() string {
		t.Helper()
		var b strings.Builder
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "Waiting for changes") {
				return b.String()
			}
			b.WriteString(lines.Text() + "\n")
		}
		t.Fatalf("it ended:\n%s", b.String())
		return ""
	}
	has := func(got string, want, not []string) {
		t.Helper()
		for _, x := range want {
			if !strings.Contains(got, x) {
				t.Errorf("%q is not said:\n%s", x, got)
			}
		}
		for _, x := range not {
			if strings.Contains(got, x) {
				t.Errorf("%q is said:\n%s", x, got)
			}
		}
	}

	has(next(), []string{"ok    ta", "ok    tb", "2 tests passed."}, []string{"others", "\x1b"})

	put("b.wf.hcl", workflow("b", "length([1, 2])"))
	has(next(), []string{"FAIL  tb", "Of the others, which the change does not affect: 1 test passed."}, []string{"ta ("})

	put("text.txt", "two")
	has(next(), []string{"FAIL  ta", "Of the others, which the change does not affect: 1 test: 0 passed, 1 failed.\nFAIL  tb"}, nil)

	put("text.txt", "one")
	has(next(), []string{"ok    ta"}, nil)

	put("flows/c.wf.hcl", workflow("c", "length([])"))
	put("flows/c.wftest.hcl", test("tc", "c", "0"))
	for got := next(); ; got = next() { // the folder may be seen before the test is
		if strings.Contains(got, "ok    tc") {
			break
		}
	}

	cancel()
	for lines.Scan() {
	}
	var e *exit
	if err := <-ended; !errors.As(err, &e) || e.code != exitInterrupted {
		t.Errorf("it ended with %v", err)
	}
}
