package check_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/testdata/genproject"
)

// lookAt writes a project that uses the demo server, and looks at the place in
// main.wf.hcl that ‸ marks; without one at all of it.
func lookAt(t *testing.T, src string) (*check.View, int) {
	t.Helper()
	at := strings.Index(src, "‸")
	src = strings.Replace(src, "‸", "", 1)
	root := projectFolder(t, map[string][]byte{"main.wf.hcl": []byte(src), "connection.wf.hcl": []byte(demoConnection)})
	p, err := project.Load(root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if at < 0 {
		return check.Look(p, "main.wf.hcl", 0, len(src)), at
	}
	return check.Look(p, "main.wf.hcl", at-around, at+around), at
}

// around is how much beside the mark is looked at.
const around = 60

const demoConnection = `connection "demo" "main" {
  stdio {
    command = "demo"
  }
}
`

func TestLookKnowsTheTypeOfEachPartOfAReading(t *testing.T) {
	view, at := lookAt(t, `workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
  step "list" {
    call = demo.list_tasks
  }
  output "titles" {
    value = [for t in step.list.output.tasks : t.ti‸tle]
  }
}
`)
	if sights := view.At(at); len(sights) == 0 || types.Print(sights[len(sights)-1].Type) != "string" {
		t.Errorf("the innermost expression: %+v", sights)
	}
	got := map[string]string{}
	for _, r := range view.Readings {
		got[r.Name] = types.Describe(r.Type)
	}
	for name, want := range map[string]string{"list": "an object", "output": "an object", "tasks": "a list", "t": "an object", "title": "a string"} {
		if got[name] != want {
			t.Errorf("%s is %q, not %q", name, got[name], want)
		}
	}
}

func TestLookKnowsWhatCanBeUsedAtAPlace(t *testing.T) {
	view, at := lookAt(t, `workflow "w" {
  input "title" {
    type = string
  }
  input "count" {
    type = integer
  }
  source "demo" {
    bind = connection.demo.main
  }
  step "make" {
    for_each = ["a", "b"]
    call     = demo.add_label
    args     = { label = ‸nothing }
  }
}
`)
	sights := view.At(at)
	if len(sights) == 0 {
		t.Fatal("nothing is seen")
	}
	s := sights[len(sights)-1]
	if s.Want == nil || types.Print(s.Want) != "string" {
		t.Errorf("what is wanted: %v", s.Want)
	}
	fits := map[string]bool{}
	for _, n := range s.Members("input") {
		fits[n.Text] = n.Fits
	}
	if !fits["title"] || fits["count"] {
		t.Errorf("which inputs fit: %v", fits)
	}
	var begin []string
	for _, n := range s.Begin() {
		begin = append(begin, n.Text)
	}
	if got := strings.Join(begin, " "); got != "each input local run secret step" {
		t.Errorf("an expression begins with %s", got)
	}
	if len(view.Callees) != 1 || view.Callees[0].Offer.Name != "add_label" || view.Callees[0].Offer.Args.Attr("label") == nil {
		t.Errorf("what is called: %+v", view.Callees)
	}
}

func TestLookSeesEveryExpressionOfTheCorpus(t *testing.T) {
	root := filepath.Join("..", "..", "testdata", "projects", "corpus")
	p, err := project.Load(root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// A workflow of it has a source that is bound by who runs it only.
	const handed = "events.wf.hcl"
	for _, f := range p.Files {
		view := check.Look(p, f.Name, 0, len(f.Source))
		for _, r := range view.Readings {
			if r.Type.IsError() && f.Name != handed {
				t.Errorf("%s:%d: the type of %s is not known", f.Name, r.Range.Start.Line, r.Name)
			}
			if got := string(r.Range.SliceBytes(f.Source)); got != r.Name {
				t.Errorf("%s:%d: the range of %s is that of %q", f.Name, r.Range.Start.Line, r.Name, got)
			}
		}
	}
}

// BenchmarkLook looks at one step, and at all, of a file of 1,000 lines.
func BenchmarkLook(b *testing.B) {
	files := genproject.Steps(100)
	root := projectFolder(b, files)
	var name string
	for n := range files {
		if strings.HasSuffix(n, ".wf.hcl") && len(files[n]) > len(files[name]) {
			name = n
		}
	}
	src, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		b.Fatal(err)
	}
	p, err := project.Load(root, project.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("step", func(b *testing.B) {
		for b.Loop() {
			check.Look(p, name, len(src)/2, len(src)/2)
		}
	})
	b.Run("file", func(b *testing.B) {
		for b.Loop() {
			check.Look(p, name, 0, len(src))
		}
	})
}
