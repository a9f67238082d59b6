package impact

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
)

// load makes a project of one file, with the connections a.one and a.two.
func load(t *testing.T, src string) *project.Project {
	t.Helper()
	root := t.TempDir()
	src += `
connection "a" "one" {
  stdio {
    command = "one"
  }
}
connection "a" "two" {
  stdio {
    command = "two"
  }
}
`
	if err := os.WriteFile(filepath.Join(root, "a.wf.hcl"), []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := project.Load(root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWhatWorkflowsUseOfAConnection(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"what a step calls": {`workflow "w" {
  source "s" {
    bind = connection.a.one
  }
  source "other" {
    bind = connection.a.two
  }
  step "x" {
    call = s.read
  }
  step "y" {
    call = other.write
  }
}`, "tools read"},
		"by index, in an undo and in a finally": {`workflow "w" {
  source "s" {
    bind = connection.a.one
  }
  step "x" {
    call = s["a b"]
    undo {
      call = s.take_back
    }
  }
  finally "y" {
    call = s.close
  }
}`, "tools a b, tools close, tools take_back"},
		"prompts, templates and resources": {`workflow "w" {
  source "s" {
    bind = connection.a.one
  }
  step "x" {
    prompt = s.summarise
  }
  step "y" {
    read = s.task
    args = { id = "1" }
  }
  step "z" {
    read = s
    uri  = "x://1"
  }
}`, "prompts summarise, resource_templates task, resources"},
		"through a deployment": {`workflow "w" {
  source "s" {
    bind = connection.a.two
  }
  step "x" {
    call = s.read
  }
}
deployment "d" {
  workflow = workflow.w
  bind     = { s = connection.a.one }
}`, "tools read"},
		"through a family": {`workflow "w" {
  source "s" {
    family = {
      x = connection.a.two
      y = connection.a.one
    }
  }
  step "x" {
    call = s["x"].read
  }
}`, "tools read"},
		"through the workflows that run it": {`workflow "outer" {
  source "s" {
    bind = connection.a.one
  }
  step "x" {
    run = workflow.middle
  }
}
workflow "middle" {
  source "s" {
    bind = connection.a.two
  }
  step "x" {
    run  = workflow.inner
    bind = { t = s }
  }
}
workflow "inner" {
  source "t" {
    bind = connection.a.two
  }
  step "x" {
    call = t.read
  }
}`, "tools read"},
		"nothing": {`workflow "w" {
  source "s" {
    bind = connection.a.two
  }
  step "x" {
    call = s.read
  }
}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := load(t, c.src)
			u := uses(p, "a.one")
			var got []string
			for list, names := range u.names {
				for _, n := range slices.Sorted(maps.Keys(names)) {
					got = append(got, list+" "+n)
				}
			}
			if u.uris {
				got = append(got, "resources")
			}
			slices.Sort(got)
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("got %s, want %s (%v)", s, c.want, p.Diagnostics)
			}
		})
	}
}

func TestOnlyWhatIsNewIsBroken(t *testing.T) {
	p := load(t, `workflow "w" {
  source "s" {
    bind = connection.a.one
  }
  step "x" {
    call = s.read
    args = { q = local.missing }
  }
  output "o" {
    value = step.x.output
  }
}`)
	of := func(tools string) *catalog.Snapshot {
		s, err := catalog.Import("a.one", []byte(`{"tools": [`+tools+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	old := of(`{"name": "read", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}}`)
	now := of(`{"name": "read", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}, "r": {"type": "string"}}, "required": ["r"]}}`)
	i, err := Of(p, project.Options{}, "a.one", old, now)
	if err != nil {
		t.Fatal(err)
	}
	if len(i.Broken) != 1 || i.Broken[0].Code != "WFC2101" || !i.Breaks() {
		t.Errorf("%v", i.Broken)
	}
	i, err = Of(p, project.Options{}, "a.one", now, old)
	if err != nil {
		t.Fatal(err)
	}
	if len(i.Broken) != 0 {
		t.Errorf("the other way: %v", i.Broken)
	}
	entries, err := os.ReadDir(p.Root)
	if err != nil || len(entries) != 1 {
		t.Errorf("something was written: %v %v", entries, err)
	}
}
