package check_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/testdata/genproject"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

// states are projects that are edited: what depends on what differs between them.
func states(t *testing.T) map[string]map[string][]byte {
	t.Helper()
	family := map[string][]byte{
		"wfc.hcl":            []byte("project {\n  language = 1\n}\n"),
		"connections.wf.hcl": []byte("connection \"demo\" \"main\" {\n  stdio {\n    command = project.wfc\n    args    = [\"demo-server\"]\n  }\n}\n"),
		"greet.wf.hcl":       []byte("workflow \"greet\" {\n  source \"demo\" {\n    interface = interface.greeter\n  }\n  input \"name\" {\n    type = string\n  }\n  step \"hello\" {\n    call = demo.greet\n    args = { name = input.name }\n  }\n  output \"text\" {\n    value = step.hello.output.greeting\n  }\n}\n"),
		"all.wf.hcl":         []byte("workflow \"all\" {\n  source \"demo\" {\n    bind = connection.demo.main\n  }\n  step \"greet\" {\n    run  = workflow.greet\n    args = { name = file(\"name.txt\") }\n  }\n  step \"twice\" {\n    run  = workflow.twice\n    args = { name = step.greet.output.text }\n  }\n}\n"),
		"twice.wf.hcl":       []byte("workflow \"twice\" {\n  source \"demo\" {\n    bind = connection.demo.main\n  }\n  input \"name\" {\n    type = string\n  }\n  # wfc:ignore WFC3305 it is an example\n  step \"one\" {\n    run  = workflow.greet\n    args = { name = input.name }\n  }\n}\n\ndeployment \"daily\" {\n  workflow = workflow.all\n}\n"),
		"greeter.wfi":        []byte("interface greeter {\n  @read\n  tool greet(name: string) -> object({ greeting = string }, any)\n}\n"),
		"name.txt":           []byte("you"),
	}
	out := map[string]map[string][]byte{"family": family, "many": genproject.Files(2)}
	corpus := map[string][]byte{}
	root := filepath.Join("..", "..", "testdata", "projects", "corpus")
	for _, name := range []string{"wfc.hcl", "connections.wf.hcl", "issues.wf.hcl", "trackers.wfi"} {
		src, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		corpus[name] = src
	}
	out["corpus"] = corpus
	return out
}

// What a cache finds in the states of a project that is edited is what checking
// each of them anew finds, and it changes nothing of what it gave before.
func TestACacheFindsWhatCheckingAnewFinds(t *testing.T) {
	for name, files := range states(t) {
		t.Run(name, func(t *testing.T) {
			root := projectFolder(t, files)
			names := make([]string, 0, len(files))
			for name := range files {
				if !strings.HasPrefix(name, "catalog/") {
					names = append(names, name)
				}
			}
			slices.Sort(names)
			rapid.Check(t, func(t *rapid.T) {
				loader, cache := project.NewLoader(root, ""), check.NewCache()
				texts := map[string][]byte{}
				for _, n := range names {
					texts[n] = files[n]
				}
				for range rapid.IntRange(1, 3).Draw(t, "states") {
					n := rapid.SampledFrom(names).Draw(t, "file")
					texts[n] = edited(t, texts[n], files, n)
					overlay := map[string][]byte{}
					for name, src := range texts {
						if !bytes.Equal(src, files[name]) {
							overlay[filepath.Join(root, filepath.FromSlash(name))] = src
						}
					}
					p, err := loader.Load(context.Background(), overlay)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := cache.Files(context.Background(), p, []string{n}); err != nil {
						t.Fatal(err)
					}
					got, err := cache.Project(context.Background(), p)
					if err != nil {
						t.Fatal(err)
					}
					fresh, err := project.Load(root, project.Options{Root: root, Overlay: overlay})
					if err != nil {
						t.Fatal(err)
					}
					if want := check.Project(fresh); !slices.EqualFunc(got, want, func(a, b diag.Diagnostic) bool { return reflect.DeepEqual(plain(a), plain(b)) }) {
						t.Fatalf("after an edit of %s:\n%s\ngot  %s\nwant %s", n, texts[n], listed(got), listed(want))
					}
				}
			})
		})
	}
}

// plain is a finding without what is nil or empty alike.
func plain(d diag.Diagnostic) diag.Diagnostic {
	if len(d.Related) == 0 {
		d.Related = nil
	}
	if len(d.Fixes) == 0 {
		d.Fixes = nil
	}
	return d
}

func listed(l diag.List) string {
	var b strings.Builder
	for _, d := range l {
		fmt.Fprintf(&b, "\n  %s %s:%d:%d %s (%d related, %d fixes)", d.Code, d.Range.File, d.Range.Start.Line, d.Range.Start.Column, d.Detail, len(d.Related), len(d.Fixes))
	}
	return b.String()
}

// edited returns a text as somebody may leave it: a line less, a line twice, a word
// of another file, cut off in the middle, or as it was.
func edited(t *rapid.T, src []byte, files map[string][]byte, name string) []byte {
	lines := bytes.SplitAfter(src, []byte("\n"))
	at := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
	switch rapid.SampledFrom([]string{"cut", "twice", "end", "word", "as it was", "other"}).Draw(t, "edit") {
	case "cut":
		return bytes.Join(slices.Delete(slices.Clone(lines), at, at+1), nil)
	case "twice":
		return bytes.Join(slices.Insert(slices.Clone(lines), at, lines[at]), nil)
	case "end":
		return bytes.Join(lines[:at], nil)
	case "word":
		words := bytes.Fields(src)
		if len(words) < 2 {
			return src
		}
		from, to := rapid.SampledFrom(words).Draw(t, "from"), rapid.SampledFrom(words).Draw(t, "to")
		return bytes.Replace(src, from, to, 1)
	case "other":
		return slices.Concat(src, files[rapid.SampledFrom(sortedNames(files)).Draw(t, "of")])
	}
	return files[name]
}

func sortedNames(files map[string][]byte) []string {
	var out []string
	for name := range files {
		if !strings.HasPrefix(name, "catalog/") {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
