package wftest_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/runner/wftest"
)

const flow = `workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
  input "names" {
    type    = list(string)
    default = ["a", "b"]
  }
  step "list" {
    call = demo.list_tasks
    retry {
      attempts = 3
    }
  }
  step "confirm" {
    ask {
      message = "Go on with ${length(step.list.output.tasks)}?"
      answer  = object({ ok = bool })
    }
    on_error = "continue"
    deadline = "2h"
  }
  step "greet" {
    for_each = input.names
    call     = demo.greet
    args     = { name = each.value }
    on_error = ["tool", "timeout"]
  }
  step "poll" {
    call = demo.counter
    loop {
      while = self.output.count < 3
      max   = 5
      delay = "1m"
    }
  }
  step "read" {
    read = demo.task
    args = { id = "1" }
  }
  output "greetings" {
    value = [for g in step.greet : g.outcome == "ok" ? g.output.greeting : g.error.kind]
  }
}
`

const flowTest = `test "all" {
  workflow = workflow.w
  inputs   = { names = ["x", "y"] }
  mock "demo" "list_tasks" {
    times = 1
    error = { kind = "rate_limit", message = "No.", code = 429 }
  }
  mock "demo" "list_tasks" {
    delay  = "10s"
    output = { tasks = [{ id = 1, title = "T", done = false }] }
  }
  answer "confirm" {
    when = question.message == "Go on with 1?"
    data = { ok = true }
  }
  mock "demo" "greet" {
    when  = args.name == "x" && call.key == 0
    error = "Who?"
  }
  mock "demo" "greet" {
    delay  = "59s"
    output = { greeting = "Hi ${args.name}" }
  }
  mock "demo" "counter" {
    times  = 2
    output = { count = 1 }
  }
  mock "demo" "counter" {
    output = { count = 3 }
  }
  mock "demo" "demo://tasks/{id}" {
    content = [{ type = "text", text = "{}" }, { type = "image", blob = "AAAA" }]
  }
  expect {
    outcome = "ok"
    outputs = { greetings = ["tool", "Hi y"] }
  }
  assert {
    condition     = length([for c in calls : c if c.step == "poll"]) == 3
    error_message = "Polled ${length(calls)} times."
  }
}
`

func TestTheFlowPasses(t *testing.T) {
	if r := run(t, flow, flowTest); !r.OK() {
		t.Error(text(t, r))
	}
}

// Whatever stands in a test file, it is reported, and nothing panics or hangs.
func TestAnyTestFileIsReported(t *testing.T) {
	p := tests(t, map[string]string{"a.wf.hcl": flow})
	words := regexp.MustCompile(`"[^"\n]*"|[A-Za-z_]+|[0-9]+|[^\sA-Za-z0-9_]`)
	parts := words.FindAllStringIndex(flowTest, -1)
	rapid.Check(t, func(rt *rapid.T) {
		src := flowTest
		for range rapid.IntRange(1, 3).Draw(rt, "changes") {
			at := parts[rapid.IntRange(0, len(parts)-1).Draw(rt, "at")]
			from := parts[rapid.IntRange(0, len(parts)-1).Draw(rt, "from")]
			if at[1] > len(src) {
				continue
			}
			put := flowTest[from[0]:from[1]]
			if rapid.Bool().Draw(rt, "drop") {
				put = ""
			}
			src = src[:at[0]] + put + src[at[1]:]
		}
		q, err := project.Load(p.Root, project.Options{Overlay: map[string][]byte{filepath.Join(p.Root, "a.wftest.hcl"): []byte(src)}})
		if err != nil {
			rt.Fatal(err)
		}
		r := wftest.RunProject(context.Background(), q, everything)
		var b bytes.Buffer
		if err := r.WriteJUnit(&b); err != nil {
			rt.Fatal(err)
		}
		if got := text(t, r); strings.Contains(got, "bug in wfc") {
			rt.Fatalf("%s\n%s", src, got)
		}
		if len(r.Results) == 0 && len(r.Unreadable) == 0 {
			rt.Fatalf("nothing is said of\n%s", src)
		}
	})
}

// The same tests come out in the same way, however they are shared out.
func TestResultsAreTheSameEachTime(t *testing.T) {
	var file strings.Builder
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		file.WriteString(strings.Replace(flowTest, `"all"`, `"`+name+`"`, 1))
		file.WriteString(strings.Replace(strings.Replace(flowTest, `"all"`, `"`+name+`_bad"`, 1), "Hi y", "Ho y", 1))
	}
	p := tests(t, map[string]string{"a.wf.hcl": flow, "a.wftest.hcl": file.String()})
	first := text(t, wftest.RunProject(context.Background(), p, everything))
	for range 5 {
		if again := text(t, wftest.RunProject(context.Background(), p, everything)); again != first {
			t.Fatalf("first\n%s\nthen\n%s", first, again)
		}
	}
}

func TestFamiliesAreMockedByConnection(t *testing.T) {
	demo, err := os.ReadFile("../../testdata/projects/demo/catalog/demo.main.json")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"b.wf.hcl": `connection "demo" "other" {
  stdio {
    command = "x"
  }
}
workflow "w" {
  source "env" {
    family = {
      dev  = connection.demo.main
      prod = connection.demo.other
    }
  }
  step "greet" {
    for_each = ["dev", "prod"]
    call     = env[each.value].greet
    args     = { name = "Ada" }
  }
  output "all" {
    value = [for g in step.greet : g.output.greeting]
  }
}
`,
		"catalog/demo.other.json": strings.ReplaceAll(string(demo), `"demo.main"`, `"demo.other"`),
		"b.wftest.hcl": `test "t" {
  workflow = workflow.w
  mock "env" "greet" {
    when   = call.connection == "demo.other"
    output = { greeting = "prod" }
  }
  mock "env" "greet" {
    output = { greeting = "dev" }
  }
  expect {
    outputs = { all = ["dev", "prod"] }
  }
}
`}
	r := wftest.RunProject(context.Background(), tests(t, files), everything)
	if !r.OK() {
		t.Error(text(t, r))
	}
}
