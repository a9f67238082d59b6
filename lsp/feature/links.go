package feature

import (
	"regexp"
	"strconv"
	"sync"

	"github.com/lda-wf/wfc/compiler/project"
)

func snapshotFile(id string) string { return project.SnapshotFile(id) }

// linked is a path in quotes.
type linked struct {
	name       string
	start, end int
}

// fileCall matches file("path").
var fileCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bfile\(\s*("(?:[^"\\\n$%]|\\.)*")\s*\)`)
})

// readFiles returns the constant paths that a text reads with file().
func readFiles(src []byte) []linked {
	var out []linked
	for _, m := range fileCall().FindAllSubmatchIndex(src, -1) {
		name, err := strconv.Unquote(string(src[m[2]:m[3]]))
		if err == nil {
			out = append(out, linked{name, m[2] + 1, m[3] - 1})
		}
	}
	return out
}
