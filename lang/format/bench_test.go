package format

import (
	"testing"

	"github.com/lda-wf/wfc/testdata/genproject"
)

// BenchmarkSource formats a hundred files of 165 lines.
func BenchmarkSource(b *testing.B) {
	files := genproject.Files(100)
	size := 0
	for _, src := range files {
		size += len(src)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		for name, src := range files {
			if _, found := Source(name, src); found != nil {
				b.Fatal(found)
			}
		}
	}
}
