package compiler_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// load makes a project of one workflow file beside the connection demo.main.
func load(t testing.TB, src string) *project.Project {
	t.Helper()
	const demo = "../testdata/projects/demo"
	root := t.TempDir()
	files := map[string][]byte{"main.wf.hcl": []byte(src)}
	for _, name := range []string{"wfc.hcl", "demo.wf.hcl", "catalog/demo.main.json"} {
		text, err := os.ReadFile(filepath.Join(demo, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = text
	}
	for name, text := range files {
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.Load(root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// compile compiles what a name selects and must succeed.
func compile(t testing.TB, src, name string, bind map[string]string) *plan.Plan {
	t.Helper()
	out, found := try(t, src, name, bind)
	if out == nil {
		t.Fatalf("not compiled: %v", found)
	}
	return out
}

func try(t testing.TB, src, name string, bind map[string]string) (*plan.Plan, diag.List) {
	t.Helper()
	p := load(t, src)
	target, err := p.Select(name)
	if err != nil {
		t.Fatal(err)
	}
	return compiler.Compile(p, compiler.Target{Target: target, Bind: bind})
}

// sample uses everything that a plan can hold.
const sample = `
secret "token" {
  env = "DEMO_TOKEN"
}

secret "unused" {
  env = "OTHER"
}

connection "lab" "main" {
  stdio {
    command = env("LAB", project.wfc)
    args    = ["demo-server"]
    env     = { TOKEN = secret.token }
    cwd     = project.root
  }
  timeouts {
    connect = "5s"
  }
  max_in_flight = 1

  tool "study" {
    effect          = args.mode == "list" ? "read" : "write"
    idempotency_arg = "key"
    decode          = "json"
    result          = self.output["papers"]
    returns         = list(string)
  }
}

workflow "sample" {
  description = "Everything once."

  source "demo" {
    bind = connection.demo.main
  }
  source "lab" {
    bind    = connection.lab.main
    session = "run"
  }
  source "idle" {
    bind = connection.demo.main
  }

  input "limit" {
    type        = integer
    default     = 20
    description = "How many."
    validation {
      condition     = input.limit > 0
      error_message = "limit must be positive, not ${input.limit}."
    }
  }
  input "topic" {
    type = optional(string)
  }
  input "team" {
    type = string
  }

  locals {
    titles = [for t in step.tasks.output.tasks : t.title]
    words  = join(" ", local.titles)
    unused = 1
  }

  step "tasks" {
    call    = demo.list_tasks
    args    = { limit = input.limit, state = null }
    timeout = "30s"
  }
  step "label" {
    for_each     = step.tasks.output.tasks
    key          = tostring(each.value.id)
    when         = !each.value.done
    call         = demo.add_label
    args         = { task = each.value.id, label = "new" }
    max_parallel = 2
    on_error     = ["timeout", "tool"]
  }
  step "listed" {
    call = lab.study
    args = { mode = "list", topic = input.topic }
  }
  step "studied" {
    call    = lab.study
    args    = { mode = "deep", topic = local.words, key = run.id }
    returns = list(any)
  }
  step "raw" {
    call    = demo.inspect
    args    = { value = input.team }
    fail_if = self.output.value == 0
  }
  step "done" {
    when       = length(step.label) > 0
    value      = { n = length(step.studied.output) }
    returns    = object({ n = integer })
    depends_on = [step.raw]
  }

  output "n" {
    value = step.done.outcome == "ok" ? step.done.output.n : 0
    type  = integer
  }
}

deployment "sample_prod" {
  workflow = workflow.sample
  inputs   = { team = "core", limit = 5 }
}
`

// labSnapshot is the snapshot of the connection lab.main: its schema says more than
// a type can.
const labSnapshot = `{
  "format_version": 1,
  "connection": "lab.main",
  "protocol_version": "2025-11-25",
  "tools": [
    {
      "digest": "d1",
      "object": {
        "name": "study",
        "inputSchema": {
          "type": "object",
          "properties": {
            "mode": {"enum": ["list", "deep"]},
            "topic": {"type": ["string", "null"], "not": {"const": "nothing"}},
            "key": {"type": "string"}
          },
          "required": ["mode"]
        }
      }
    }
  ],
  "resources": [],
  "resource_templates": [],
  "prompts": []
}
`

// samplePlan compiles the sample with a change of its text.
func samplePlan(t testing.TB, name string, change func(string) string) *plan.Plan {
	t.Helper()
	src := sample
	if change != nil {
		if src = change(sample); src == sample {
			t.Fatal("the change changes nothing")
		}
	}
	p := load(t, src)
	if err := os.WriteFile(filepath.Join(p.Root, "catalog", "lab.main.json"), []byte(labSnapshot), 0o644); err != nil {
		t.Fatal(err)
	}
	target, err := p.Select(name)
	if err != nil {
		t.Fatal(err)
	}
	out, found := compiler.Compile(p, compiler.Target{Target: target})
	if out == nil {
		t.Fatalf("not compiled: %v", found)
	}
	return out
}

func TestPlanOfTheSample(t *testing.T) {
	for _, name := range []string{"workflow.sample", "sample_prod"} {
		got := samplePlan(t, name, nil).Encode()
		golden := filepath.Join("testdata", strings.TrimPrefix(name, "workflow.")+".json")
		if *update {
			if err := os.WriteFile(golden, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from %s; run the test with -update and look at the difference:\n%s", name, golden, got)
		}
		if _, err := plan.Decode(got); err != nil {
			t.Errorf("%s cannot be read again: %v", name, err)
		}
	}
}

func TestDigestAndReformatting(t *testing.T) {
	base := samplePlan(t, "workflow.sample", nil).Digest
	replace := func(from, to string) func(string) string {
		return func(s string) string { return strings.ReplaceAll(s, from, to) }
	}
	for _, c := range []struct {
		name   string
		change func(string) string
		same   bool
	}{
		{"indentation", replace("\n  ", "\n      "), true},
		{"comments", replace("\n  step ", "\n  # A step.\n  step "), true},
		{"an object on several lines", replace(`{ mode = "list", topic = input.topic }`, "{\n      mode  = \"list\" // or deep\n      topic = (input.topic)\n    }"), true},
		{"quotes around keys", replace(`{ limit = input.limit,`, `{ "limit" = input.limit,`), true},
		{"CRLF", replace("\n", "\r\n"), true},
		{"a description", replace("How many.", "How many tasks."), true},
		{"an unused local", replace("unused = 1", "unused = 2"), true},
		{"the order of attributes", replace("value      = { n = length(step.studied.output) }\n    returns    = object({ n = integer })", "returns    = object({ n = integer })\n    value      = { n = length(step.studied.output) }"), true},
		{"an argument", replace(`label = "new"`, `label = "old"`), false},
		{"a timeout", replace(`"30s"`, `"31s"`), false},
		{"a tool block", replace(`effect          = args.mode == "list" ? "read" : "write"`, `effect = "write"`), false},
	} {
		if got := samplePlan(t, "workflow.sample", c.change).Digest == base; got != c.same {
			t.Errorf("%s: same digest is %v, want %v", c.name, got, c.same)
		}
	}
}

func TestPlanHoldsNoPathOfTheBinary(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if p := samplePlan(t, "workflow.sample", nil); bytes.Contains(p.Encode(), []byte(filepath.Base(exe))) || p.Connections[1].Stdio.Command != `env("LAB", project.wfc)` {
		t.Errorf("the command is %q", p.Connections[1].Stdio.Command)
	}
}

// Two steps of one source keep the order of the file, unless both only read or
// a reference says otherwise (LANGUAGE 4, "Order").
func TestOrderOfEffects(t *testing.T) {
	const (
		read  = "call = demo.list_tasks"
		write = "call = demo.counter"
		value = "value = 1"
	)
	for _, c := range []struct {
		name  string
		steps []string // "NAME: body", in file order
		want  string   // "NAME<after,after" in the plan's order
	}{
		{"reads overlap", []string{"a: " + read, "b: " + read}, "a b"},
		{"writes keep the order of the file", []string{"a: " + write, "b: " + write, "c: " + write}, "a b<a c<b"},
		{"a write waits for the reads before it", []string{"a: " + read, "b: " + read, "c: " + write, "d: " + read}, "a b c<a,b d<c"},
		{"values have no effect", []string{"a: " + write, "b: " + value, "c: " + write}, "a b c<a"},
		{"a reference goes before the order of the file",
			[]string{"a: call = demo.add_label\n args = { task = step.b.output.count, label = \"x\" }", "b: " + write}, "b a<b"},
		{"depends_on is a reference", []string{"a: " + read + "\n depends_on = [step.b]", "b: " + read}, "b a<b"},
		{"another source is independent", []string{"a: " + write, "b: call = other.counter", "c: " + write}, "a b c<a"},
		{"through a local", []string{"a: " + write, "b: value = local.x"}, "a b<a"},
		{"the first topological order in file order",
			[]string{"a: value = step.d.output", "b: " + write, "c: " + write, "d: " + write}, "b c<b d<c a<d"},
	} {
		var b strings.Builder
		b.WriteString("workflow \"w\" {\n  source \"demo\" {\n    bind = connection.demo.main\n  }\n  source \"other\" {\n    bind = connection.demo.main\n  }\n")
		b.WriteString("  locals {\n    x = step.a.outcome\n  }\n")
		for _, s := range c.steps {
			name, body, _ := strings.Cut(s, ": ")
			fmt.Fprintf(&b, "  step %q {\n    %s\n  }\n", name, body)
		}
		b.WriteString("}\n")
		var got []string
		for _, n := range compile(t, b.String(), "w", nil).Nodes {
			s := n.ID
			if len(n.After) > 0 {
				s += "<" + strings.Join(n.After, ",")
			}
			got = append(got, s)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: got %s, want %s", c.name, s, c.want)
		}
	}
}

func TestBindings(t *testing.T) {
	const src = `
connection "demo" "off" {
  enabled = false
  stdio {
    command = "demo"
  }
}
workflow "w" {
  source "tasks" {
  }
  step "s" {
    call = tasks.counter
  }
}
deployment "d" {
  workflow = workflow.w
  bind     = { tasks = connection.demo.main }
}
deployment "e" {
  workflow = workflow.w
}
`
	if p := compile(t, src, "d", nil); p.Sources[0].Connection != "demo.main" || p.Deployment != "d" {
		t.Errorf("the deployment binds %v", p.Sources)
	}
	if p := compile(t, src, "w", map[string]string{"tasks": "demo.main"}); p.Sources[0].Connection != "demo.main" {
		t.Errorf("--bind binds %v", p.Sources)
	}
	if p := compile(t, src, "e", map[string]string{"tasks": "demo.main"}); p.Sources[0].Connection != "demo.main" || p.Deployment != "e" {
		t.Errorf("--bind over a deployment binds %v", p.Sources)
	}
	if p, found := try(t, src, "e", nil); p != nil || len(found) != 1 || found[0].Code != "WFC2404" {
		t.Errorf("a deployment that leaves a source unbound: %v", found)
	}
	for _, c := range []struct {
		name string
		bind map[string]string
		want diag.Code
	}{
		{"nothing binds it", nil, "WFC2404"},
		{"a source that does not exist", map[string]string{"task": "demo.main"}, "WFC2001"},
		{"a connection that does not exist", map[string]string{"tasks": "demo.mian"}, "WFC2007"},
		{"a connection that is disabled", map[string]string{"tasks": "demo.off"}, "WFC2407"},
	} {
		p, found := try(t, src, "w", c.bind)
		if p != nil || len(found) == 0 || found[0].Code != c.want {
			t.Errorf("%s: plan %v, findings %v; want %s first", c.name, p != nil, found, c.want)
		}
	}
}

func TestAPlanNeedsOnlyWhatItIsMadeOf(t *testing.T) {
	const src = `
workflow "good" {
  output "o" {
    value = 1
  }
}
workflow "bad" {
  output "o" {
    value = local.nothing
  }
}
`
	compile(t, src, "good", nil)
	if p, found := try(t, src, "bad", nil); p != nil || len(found) != 1 {
		t.Errorf("a workflow with a mistake was compiled: %v", found)
	}
}
