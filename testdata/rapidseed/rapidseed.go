// Package rapidseed makes the property tests of a package that imports it draw the same
// values each time, so that a test run says something of the commit and not of chance.
// New values are tried with WFC_E2E=full, which has its own time for what they find, or
// with -rapid.seed or RAPID_SEED, whose seed counts.
package rapidseed

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // which has the flag
)

func init() {
	if os.Getenv("WFC_E2E") == "full" || os.Getenv("RAPID_SEED") != "" {
		return
	}
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic("rapidseed: " + err.Error()) // the version of rapid has no such flag
	}
}
