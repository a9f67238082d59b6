package protocol

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/server-methods.md")

func TestTheReferenceIsThatOfTheMethods(t *testing.T) {
	const file = "../../../docs/server-methods.md"
	want := Markdown()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s is not what the methods say; write it anew with\n\n    go test ./runner/rpc/protocol -update", file)
	}
}
