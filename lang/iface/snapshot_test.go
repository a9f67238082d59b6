package iface

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/types"
)

// catalogs are the tool lists of public servers.
func catalogs(t testing.TB) map[string]*catalog.Snapshot {
	t.Helper()
	files, err := filepath.Glob("../../testdata/catalogs/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no catalogs", err)
	}
	out := map[string]*catalog.Snapshot{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSuffix(filepath.Base(file), ".json") + ".main"
		if out[id], err = catalog.Import(id, src); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// read parses and resolves a file that has no mistakes.
func read(t testing.TB, src string) *Set {
	t.Helper()
	f, found := Parse("test.wfi", []byte(src))
	set, more := NewSet([]*File{f})
	for _, d := range append(found, more...) {
		t.Errorf("line %d: %s: %s", d.Range.Start.Line, d.Code, d.Detail)
	}
	if t.Failed() {
		t.FailNow()
	}
	return set
}

func TestCatalogsOfPublicServersReadBackAsTheyWerePrinted(t *testing.T) {
	for id, s := range catalogs(t) {
		t.Run(id, func(t *testing.T) {
			i := FromSnapshot(s)
			text := Print(i)
			back := read(t, text).Interface(i.Name.Text)
			if back == nil || len(back.Tools) != len(i.Tools) || len(back.Resources) != len(i.Resources) || len(back.Prompts) != len(i.Prompts) {
				t.Fatal("something is lost")
			}
			for n, want := range i.Tools {
				got := back.Tools[n]
				if got.Name.Text != want.Name.Text || got.Doc != want.Doc || got.Effect != want.Effect || got.Idempotent != want.Idempotent {
					t.Errorf("tool %s reads as %+v", want.Name.Text, got)
				}
				if !types.Equal(got.Params, want.Params) || !types.Equal(got.Result, want.Result) {
					t.Errorf("tool %s reads as another type", want.Name.Text)
				}
			}
			for n, want := range i.Resources {
				if got := back.Resources[n]; got.Name.Text != want.Name.Text || got.URI != want.URI || !types.Equal(got.Type, want.Type) {
					t.Errorf("resource %s reads as %+v", want.Name.Text, got)
				}
			}
			for n, want := range i.Prompts {
				if got := back.Prompts[n]; got.Name.Text != want.Name.Text || !types.Equal(got.Params, want.Params) {
					t.Errorf("prompt %s reads as %+v", want.Name.Text, got)
				}
			}
			formatted, found := Format("test.wfi", []byte(text))
			if len(found) > 0 {
				t.Fatal(found)
			}
			if string(formatted) != text {
				t.Errorf("what is printed is not as wfc fmt would have it:\n%s", firstDifference(text, string(formatted)))
			}
		})
	}
}

func firstDifference(a, b string) string {
	as, bs := strings.Split(a, "\n"), strings.Split(b, "\n")
	for n := range min(len(as), len(bs)) {
		if as[n] != bs[n] {
			return "printed   " + as[n] + "\nformatted " + bs[n]
		}
	}
	return "one has more lines"
}
