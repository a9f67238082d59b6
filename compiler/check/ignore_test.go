package check_test

import (
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/check"
)

// TestIgnoreComments shows what a comment above an unbound source, which is a
// warning, silences, and what is said of the comment.
func TestIgnoreComments(t *testing.T) {
	const rest = `
  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }
  output "greeting" {
    value = step.greet.output
  }
}
`
	const found = "WFC2402 main.wf.hcl:3 "
	for name, c := range map[string]struct {
		source string
		want   []string // what the findings begin with
	}{
		"without a comment":              {"\n  source \"demo\" {}", []string{found}},
		"silenced":                       {"  # wfc:ignore WFC2402 deployed elsewhere\n  source \"demo\" {}", nil},
		"with slashes, without spaces":   {"  //wfc:ignore WFC2402 deployed elsewhere\n  source \"demo\" {}", nil},
		"another code is not silenced":   {"  # wfc:ignore WFC3301 x\n  source \"demo\" {}", []string{"WFC1603 main.wf.hcl:2 `# wfc:ignore WFC3301 x`", found}},
		"several comments for one line":  {"  # wfc:ignore WFC2402 x\n  # not about it\n  source \"demo\" {}", nil},
		"a blank line between":           {"  # wfc:ignore WFC2402 x\n\n  source \"demo\" {}", []string{"WFC1603 main.wf.hcl:2", "WFC2402 main.wf.hcl:4"}},
		"the line after the next":        {"  # wfc:ignore WFC2402 x\n  description = \"x\"\n  source \"demo\" {}", []string{"WFC1603 main.wf.hcl:2", "WFC2402 main.wf.hcl:4"}},
		"behind the line":                {"\n  source \"demo\" {} # wfc:ignore WFC2402 x", []string{found, "WFC1601 main.wf.hcl:3"}},
		"between slashes and stars":      {"  /* wfc:ignore WFC2402 x */\n  source \"demo\" {}", []string{"WFC1601 main.wf.hcl:2", found}},
		"without a reason":               {"  # wfc:ignore WFC2402\n  source \"demo\" {}", []string{"WFC1602 main.wf.hcl:2"}},
		"two codes":                      {"  # wfc:ignore WFC2402 WFC3301 x\n  source \"demo\" {}", []string{"WFC1601 main.wf.hcl:2"}},
		"no code":                        {"  # wfc:ignore\n  source \"demo\" {}", []string{"WFC1601 main.wf.hcl:2", found}},
		"no such code":                   {"  # wfc:ignore WFC0001 x\n  source \"demo\" {}", []string{"WFC1601 main.wf.hcl:2 `WFC0001`", found}},
		"a code in other letters":        {"  # wfc:ignore wfc2402 x\n  source \"demo\" {}", []string{"WFC1601 main.wf.hcl:2 `wfc2402`"}},
		"an error":                       {"  # wfc:ignore WFC2103 x\n  source \"demo\" {}", []string{"WFC1604 main.wf.hcl:2 `WFC2103`", found}},
		"a misspelt word":                {"  # wfc:ignor WFC2402 x\n  source \"demo\" {}", []string{"WFC1601 main.wf.hcl:2 `# wfc:ignor WFC2402 x`", found}},
		"what only mentions it":          {"  # see wfc:ignore WFC2402\n  source \"demo\" {}", []string{found}},
		"in a text":                      {"  description = \"# wfc:ignore WFC2402 x\"\n  source \"demo\" {}", []string{found}},
		"in a heredoc":                   {"  description = <<EOT\n# wfc:ignore WFC2402 x\nEOT\n  source \"demo\" {}", []string{"WFC2402 main.wf.hcl:5"}},
		"with Windows line breaks":       {"  # wfc:ignore WFC2402 x\r\n  source \"demo\" {}\r", nil},
		"of a project with other errors": {"  # wfc:ignore WFC3301 x\n  title = 5\n  source \"demo\" {}", []string{"WFC1034 main.wf.hcl:3", "WFC2402 main.wf.hcl:4"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := load(t, "workflow \"w\" {\n"+c.source+rest)
			got := strings.Split(strings.TrimSuffix(show(p, check.Project(p)), "\n"), "\n")
			if got[0] == "" {
				got = nil
			}
			ok := len(got) == len(c.want)
			for i := range c.want {
				ok = ok && strings.HasPrefix(got[i], c.want[i])
			}
			if !ok {
				t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func TestIgnoreCommentsInTheSettings(t *testing.T) {
	p := load(t, "-- wfc.hcl --\n# wfc:ignore WFC2402 x\nproject {\n  language = 1\n}\n")
	if got := show(p, check.Project(p)); !strings.HasPrefix(got, "WFC1603 wfc.hcl:1 ") {
		t.Errorf("got: %s", got)
	}
}

// What is silenced stays so where one workflow is compiled.
func TestIgnoredFindingsOfATarget(t *testing.T) {
	p := load(t, `workflow "w" {
  # wfc:ignore WFC3301 the next version uses it
  input "later" {
    type = string
  }
  output "x" {
    value = 1
  }
}
`)
	if _, found := check.Target(p, p.Workflows["w"], nil, nil); len(found) > 0 {
		t.Error(show(p, found))
	}
	if found := check.Project(p); len(found) > 0 {
		t.Error(show(p, found))
	}
}

// What only a strict check finds can be silenced for it.
func TestIgnoredFindingsOfAStrictCheck(t *testing.T) {
	p := load(t, `workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
  step "echo" {
    call = demo.inspect
    args = { value = "x" }
  }
  output "x" {
    # wfc:ignore WFC3010 it is what was sent
    value = upper(step.echo.output.value)
  }
}
`)
	if found := check.Project(p); len(found) > 0 {
		t.Error(show(p, found))
	}
	if found := check.Strict(p); len(found) > 0 {
		t.Errorf("strict: %s", show(p, found))
	}
}
