package diag

import (
	"sort"
	"strings"
)

// Entry is what the registry knows of a code. Failing and Mended are whole
// examples that are run as tests: a file each, or a txtar archive of several
// (a "-- NAME --" line first) where one file is not enough. In an archive of
// one workflow file the project has the connection demo.main with the
// snapshot of the demo server.
type Entry struct {
	Code        Code
	Severity    Severity
	Summary     string // constant, no user names, at most 60 characters
	Explanation string // what it means and why, in Markdown
	Failing     string
	Mended      string
	// NoExample says why there can be no example that runs (the cause is outside
	// of the files). Failing and Mended are empty then, and only then.
	NoExample string
}

// registry is filled by the codes_*.go files of this package, one file a
// hundred, and never changes after initialisation.
var registry = map[Code]Entry{}

func register(entries ...Entry) {
	for _, e := range entries {
		if _, twice := registry[e.Code]; twice {
			panic("diag: " + string(e.Code) + " registered twice")
		}
		registry[e.Code] = e
	}
}

func mustLookup(code Code) Entry {
	e, ok := registry[code]
	if !ok {
		panic("diag: " + string(code) + " is not registered")
	}
	return e
}

// Lookup returns the entry of a code, in any case of letters, with or without
// "WFC" before it.
func Lookup(code string) (Entry, bool) {
	c := strings.ToUpper(code)
	if !strings.HasPrefix(c, "WFC") {
		c = "WFC" + c
	}
	e, ok := registry[Code(c)]
	return e, ok
}

// Entries returns all entries, sorted by code.
func Entries() []Entry {
	out := make([]Entry, 0, len(registry))
	for _, e := range registry {
		out = append(out, e)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Code < out[j].Code })
	return out
}
