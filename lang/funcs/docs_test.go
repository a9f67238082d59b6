package funcs

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite docs/functions.md")

func TestDocumentationIsWrittenFromTheTable(t *testing.T) {
	file := filepath.Join("..", "..", "docs", "functions.md")
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
		t.Errorf("%s is not what the function table says; rewrite it by: go test ./lang/funcs -update", file)
	}
}

func TestEveryFunctionIsDescribed(t *testing.T) {
	for _, f := range All() {
		switch {
		case f.Doc == "" || !strings.HasSuffix(f.Doc, ".") && !strings.HasSuffix(f.Doc, ")"):
			t.Errorf("%s: the description is no sentence", f.Name)
		case f.Example == "" || f.Gives == "":
			t.Errorf("%s has no example", f.Name)
		case f.Result == nil:
			t.Errorf("%s has no result type", f.Name)
		case (f.Form == Strict) == (f.Call == nil && f.CallBlobs == nil):
			t.Errorf("%s: only strict functions have an implementation", f.Name)
		case f.Optional != nil && f.Variadic != nil:
			t.Errorf("%s: a function has optional or repeatable parameters, not both", f.Name)
		case f.Group == "":
			t.Errorf("%s is in no group", f.Name)
		}
		if _, known := Reserved(f.Name); known {
			t.Errorf("%s is a function and reserved as well", f.Name)
		}
	}
}

// The functions that LANGUAGE 3 names; the language promises each.
func TestEveryFunctionOfTheLanguageIsThere(t *testing.T) {
	for _, name := range strings.Fields(`
		length keys values lookup merge concat flatten distinct contains sort slice element zipmap sum min max floor ceil abs
		join split regex regexall format formatdate timeadd timecmp upper lower trim trimspace trimprefix trimsuffix
		substr startswith endswith strcontains jsonencode jsondecode yamldecode csvdecode base64encode base64decode
		sha256 urlencode dirname basename try can one alltrue anytrue tostring tonumber tolist tomap coalesce replace regexreplace
		toint urldecode section pointer jsonset sort_by flatten1 csvlines mdcell pathjoin pathnorm timediff parsetime timein
		text jsonnull sensitive declassify`) {
		if Lookup(name) == nil {
			t.Errorf("%s is missing", name)
		}
	}
	if why, known := Reserved("file"); !known || why == "" {
		t.Error("file is not reserved")
	}
}
