package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// What a package prepares before main is paid by every process, also by each
// server that is a wfc: patterns and parsers are made at their first use.
func TestStartingPreparesLittle(t *testing.T) {
	const most = 600 // allocations; the function table, which all need, takes 360
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// init github.com/lda-wf/wfc/lang/funcs @6.0 ms, 0.13 ms clock, 39256 bytes, 356 allocs
	lines := regexp.MustCompile(`(?m)^init (github\.com/lda-wf/wfc/\S+) .* (\d+) allocs$`).FindAllStringSubmatch(string(out), -1)
	if len(lines) < 3 {
		t.Fatalf("no packages of ours in\n%s", out)
	}
	for _, l := range lines {
		if n, err := strconv.Atoi(l[2]); err != nil || n > most {
			t.Errorf("%s allocates %s times before main, want at most %d", l[1], l[2], most)
		}
	}
}
