package fix

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
)

// load makes a project of these files.
func load(t *testing.T, files map[string]string) *project.Project {
	t.Helper()
	root := t.TempDir()
	for name, src := range files {
		if err := os.WriteFile(filepath.Join(root, name), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.Load(root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func everything(string) bool { return true }

func TestCertainFixesAreAppliedAndTheRestIsLeft(t *testing.T) {
	p := load(t, map[string]string{"a.wf.hcl": `workflow "w" {
  input "n" {
    type    = string
    default = 5
  }
  input "m" {
    type = integer
    default = "6"
  }
  output "o" {
    value = [input.n, input.m, local.nothing]
  }
}
`})
	r, err := Project(p, project.Options{}, everything)
	if err != nil {
		t.Fatal(err)
	}
	text := string(r.Files["a.wf.hcl"])
	if !strings.Contains(text, `default = "5"`) || !strings.Contains(text, "default = 6\n") {
		t.Errorf("it became:\n%s", text)
	}
	if len(r.Applied) != 2 || r.Applied[0].Finding.Range.Start.Line != 4 || !r.Applied[0].Fix.Certain {
		t.Errorf("applied: %v", r.Applied)
	}
	if len(r.Left) != 1 || r.Left[0].Code != "WFC2004" {
		t.Errorf("left: %v", r.Left)
	}
	if on, err := os.ReadFile(filepath.Join(p.Root, "a.wf.hcl")); err != nil || string(on) == text {
		t.Error("the file itself was changed")
	}
}

func TestWhatASyntaxErrorHidIsFixedToo(t *testing.T) {
	p := load(t, map[string]string{"a.wf.hcl": `workflow "w" {
  input "n" {
    type: string
    default = 5
  }
  output "o" {
    value = input.n
  }
}
`})
	r, err := Project(p, project.Options{}, everything)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Left) != 0 || len(r.Applied) != 2 {
		t.Errorf("applied: %v\nleft: %v", r.Applied, r.Left)
	}
	if text := string(r.Files["a.wf.hcl"]); !strings.Contains(text, `type= string`) || !strings.Contains(text, `default = "5"`) {
		t.Errorf("it became:\n%s", text)
	}
}

func TestOnlyTheFilesThatWereAskedForAreChanged(t *testing.T) {
	const src = `workflow "%s" {
  input "n" {
    type    = string
    default = 5
  }
  output "o" {
    value = input.n
  }
}
`
	p := load(t, map[string]string{"a.wf.hcl": fmt.Sprintf(src, "a"), "b.wf.hcl": fmt.Sprintf(src, "b")})
	r, err := Project(p, project.Options{}, func(file string) bool { return file == "b.wf.hcl" })
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Files) != 1 || r.Files["b.wf.hcl"] == nil || len(r.Left) != 1 || r.Left[0].Range.File != "a.wf.hcl" {
		t.Errorf("changed: %v\nleft: %v", r.Files, r.Left)
	}
}

func TestWithoutCertainFixesNothingChanges(t *testing.T) {
	p := load(t, map[string]string{"a.wf.hcl": "workflow \"w\" {\n  stp \"a\" {\n    value = 1\n  }\n}\n"})
	r, err := Project(p, project.Options{}, everything)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Files) != 0 || len(r.Applied) != 0 || r.Project != p || len(r.Left) != 1 {
		t.Errorf("%+v", r)
	}
}

// finding is one whose fix replaces parts of a.wf.hcl.
func finding(src string, replacements ...string) diag.Diagnostic {
	d := diag.New("WFC1021", hcl.Range{Filename: "a.wf.hcl"}, "x")
	var edits []diag.Edit
	for i := 0; i < len(replacements); i += 2 {
		start := strings.Index(src, replacements[i])
		edits = append(edits, diag.Edit{Range: diag.Range{File: "a.wf.hcl", Start: diag.Pos{Byte: start}, End: diag.Pos{Byte: start + len(replacements[i])}}, Text: replacements[i+1]})
	}
	return d.Fix("mend it", true, edits...)
}

func TestSelection(t *testing.T) {
	const src = "a = 1\nb = 2\nc = 3\n"
	for name, c := range map[string]struct {
		found diag.List
		want  string
	}{
		"several fixes":                        {diag.List{finding(src, "1", "10"), finding(src, "3", "30")}, "a = 10\nb = 2\nc = 30\n"},
		"all edits of a fix or none":           {diag.List{finding(src, "1", "10", "2", "20"), finding(src, "2", "29", "3", "39")}, "a = 10\nb = 20\nc = 3\n"},
		"one inside of another":                {diag.List{finding(src, "b = 2", "b = 22"), finding(src, "2", "20")}, "a = 1\nb = 22\nc = 3\n"},
		"two insertions at one place":          {diag.List{finding(src, "b", "bx"), finding(src, "b", "by")}, "a = 1\nbx = 2\nc = 3\n"},
		"the same fix of two findings":         {diag.List{finding(src, "b", "bx"), finding(src, "b", "bx")}, "a = 1\nbx = 2\nc = 3\n"},
		"neighbours":                           {diag.List{finding(src, "a ", "ax "), finding(src, "= 1", "= 19")}, "ax = 19\nb = 2\nc = 3\n"},
		"one that breaks the file is left out": {diag.List{finding(src, "1", "10"), finding(src, "2", "[2"), finding(src, "3", "30")}, "a = 10\nb = 2\nc = 30\n"},
		"one that changes nothing":             {diag.List{finding(src, "2", "2")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := selection{wanted: everything, source: func(string) []byte { return []byte(src) }}
			if got := string(s.apply(c.found)["a.wf.hcl"]); got != c.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
		})
	}
}

func TestASnapshotIsNotMended(t *testing.T) {
	s := selection{wanted: everything, source: func(string) []byte { return []byte("{}") }}
	d := diag.New("WFC1021", hcl.Range{}, "x").Fix("mend it", true, diag.Edit{Range: diag.Range{File: "catalog/a.b.json"}, Text: "x"})
	if texts := s.apply(diag.List{d}); len(texts) != 0 {
		t.Errorf("%v", texts)
	}
}
