package format

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/syntax"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestLayout formats each file of the archives in testdata and compares it with
// the *.want beside it, which formatting leaves as it is.
func TestLayout(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string][]byte{}
		fresh := &txtar.Archive{Comment: archive.Comment}
		for _, f := range archive.Files {
			if name, ok := strings.CutSuffix(f.Name, ".want"); ok {
				want[name] = f.Data
			}
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".want") {
				continue
			}
			t.Run(f.Name, func(t *testing.T) {
				got, found := Source(f.Name, f.Data)
				if found != nil {
					t.Errorf("it cannot be parsed: %v", found)
				}
				fresh.Files = append(fresh.Files, f, txtar.File{Name: f.Name + ".want", Data: got})
				if !*update && !bytes.Equal(got, want[f.Name]) {
					t.Errorf("got:\n%s\nwant:\n%s", got, want[f.Name])
				}
				if again, _ := Source(f.Name, got); !bytes.Equal(again, got) {
					t.Errorf("formatted again it is:\n%s", again)
				}
			})
		}
		if *update {
			if err := os.WriteFile(path, txtar.Format(fresh), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// sources are the workflow files of the repository.
func sources(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir("../../testdata", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !strings.HasSuffix(path, ".hcl") {
			return nil
		}
		out[path], err = os.ReadFile(path)
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatal("no files", err)
	}
	return out
}

// What people read first is laid out as they will be told to.
func TestTheExamplesAreFormatted(t *testing.T) {
	for name, src := range sources(t) {
		if !strings.Contains(filepath.ToSlash(name), "/examples/") {
			continue
		}
		if got, found := Source(name, src); found != nil || !bytes.Equal(got, src) {
			t.Errorf("%s: %v\n%s", name, found, got)
		}
	}
}

// Who formats HCL with other tools gets the same layout, as far as theirs goes.
func TestTheLayoutIsTheOneThatHCLUsersKnow(t *testing.T) {
	for name, src := range sources(t) {
		ours, found := Source(name, src)
		if found != nil || bytes.Contains(src, []byte("%{ ")) {
			continue // theirs changes the body of a heredoc
		}
		if theirs := hclwrite.Format(ours); !bytes.Equal(theirs, ours) {
			t.Errorf("%s: hclwrite makes of it:\n%s", name, theirs)
		}
	}
}

func TestAFileThatCannotBeParsedIsReportedAndNotFormatted(t *testing.T) {
	for name, src := range map[string]string{
		"a missing value":   "workflow \"w\" {\n  description =\n}\n",
		"an unclosed block": "workflow \"w\" {\n",
		"no UTF-8":          "workflow \"w\" {\n  description = \"\xff\"\n}\n",
		"a NUL byte":        "a = \"\x00\"\n",
		"brackets for ever": "a = " + strings.Repeat("[", 100000),
		"a number bomb":     "a = " + strings.Repeat("9", 100000) + "\n",
		"a stray bracket":   "}\n",
	} {
		t.Run(name, func(t *testing.T) {
			got, found := Source("a.wf.hcl", []byte(src))
			if got != nil || !found.HasErrors() {
				t.Errorf("got %q and %v", got, found)
			}
		})
	}
}

func TestShapeAndMeaningAreNotJudged(t *testing.T) {
	const src = "workflo \"w\" {\n  stp = nothing.at.all\n}\n"
	got, found := Source("a.wf.hcl", []byte(src))
	if string(got) != src || found != nil {
		t.Errorf("got %q and %v", got, found)
	}
}

func TestHandlesEverySourceFileAndNoOther(t *testing.T) {
	for name, want := range map[string]bool{
		"wfc.hcl": true, "sub/wfc.hcl": true, "a.wf.hcl": true, "x/y.wftest.hcl": true, "a.wfi": true,
		"main.tf": false, "a.hcl": false, "catalog/a.b.json": false, "notwfc.hcl": false,
	} {
		if got := Handles(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Whatever white space a file has, its layout is the same one.
func TestWhiteSpaceBetweenTokensDoesNotMatter(t *testing.T) {
	var texts [][]byte
	add := func(src []byte) {
		if formatted, found := Source("a.wf.hcl", src); found == nil {
			texts = append(texts, formatted)
		}
	}
	for _, src := range sources(t) {
		add(src)
	}
	a, err := txtar.ParseFile("testdata/layout.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		add(f.Data)
	}
	slices.SortFunc(texts, bytes.Compare)
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SampledFrom(texts).Draw(t, "text")
		src := disturbed(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), want)
		got, found := Source("a.wf.hcl", src)
		if found != nil {
			t.Fatalf("%v\n%s", found, src)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("of\n%s\nit made\n%s\nwanted:\n%s", src, got, want)
		}
	})
}

// disturbed returns a text with other white space between its tokens.
func disturbed(random *rand.Rand, src []byte) []byte {
	tokens, _ := hclsyntax.LexConfig(src, "", hcl.InitialPos)
	var out []byte
	depth, opened := 0, false // of templates, whose text is not to be touched; the last token opened a bracket
	for i, token := range tokens {
		blank := []string{"", "", " ", "   ", "\t"}[random.IntN(5)]
		if i > 0 && blank == "" && token.Range.Start.Byte > tokens[i-1].Range.End.Byte {
			blank = " " // without any they may be one token
		}
		switch token.Type {
		case hclsyntax.TokenCQuote, hclsyntax.TokenCHeredoc:
			depth--
			blank = ""
		}
		if depth > 0 || token.Type == hclsyntax.TokenCHeredoc || i > 0 && tokens[i-1].Type == hclsyntax.TokenCHeredoc {
			blank = string(src[tokens[i-1].Range.End.Byte:token.Range.Start.Byte])
		}
		out = append(out, blank...)
		out = append(out, token.Bytes...)
		switch token.Type {
		case hclsyntax.TokenOQuote, hclsyntax.TokenOHeredoc:
			depth++
		case hclsyntax.TokenNewline:
			// A line that follows a blank one or a bracket may have blank lines before it.
			if depth == 0 && (opened || i > 0 && tokens[i-1].Type == hclsyntax.TokenNewline) {
				out = append(out, strings.Repeat(" \n", random.IntN(3))...)
			}
		}
		opened = token.Type == hclsyntax.TokenOBrace || token.Type == hclsyntax.TokenOBrack
	}
	return out
}

// FuzzSource checks that formatting keeps the tokens, and with them the meaning,
// and that it is idempotent.
func FuzzSource(f *testing.F) {
	for _, src := range sources(f) {
		f.Add(src)
	}
	archives, _ := filepath.Glob("testdata/*.txtar")
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, x := range a.Files {
			f.Add(x.Data)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		once, found := Source("a.wf.hcl", src)
		if found != nil {
			return
		}
		twice, found := Source("a.wf.hcl", once)
		if found != nil {
			t.Fatalf("what was formatted cannot be parsed: %v\n%q", found, once)
		}
		if !bytes.Equal(once, twice) {
			t.Errorf("formatted once:  %q\nformatted twice: %q", once, twice)
		}
		before, _ := syntax.Parse("a.wf.hcl", src)
		after, _ := syntax.Parse("a.wf.hcl", once)
		if got, want := expressions(after), expressions(before); got != want {
			t.Errorf("the expressions were\n%s\nand are\n%s", want, got)
		}
	})
}
