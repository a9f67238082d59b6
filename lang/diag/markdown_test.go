package diag

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/diagnostics.md")

func TestDocumentationIsWrittenFromTheRegistry(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "diagnostics.md")
	want := Markdown()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the registry says; rewrite it by: go test ./lang/diag -update", file)
	}
}
