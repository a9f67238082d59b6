package check_test

import (
	"slices"
	"testing"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/lang/types"
)

// with is a project of a workflow with a source that needs an interface, and of
// declarations of that; connections are added to it.
func with(step, declarations string, more ...string) string {
	src := "-- w.wf.hcl --\nworkflow \"w\" {\n  source \"demo\" {\n    interface = interface.x\n    bind      = connection.demo.main\n  }\n" + step + "\n}\n-- x.wfi --\ninterface x {\n" + declarations + "\n}\n"
	for _, m := range more {
		src += m
	}
	return src
}

const greetStep = `
  step "greet" {
    call = demo.greet
    args = { name = "world" }
  }
`

const greetTool = "  @read\n  tool greet(name: string) -> object({ greeting = string })\n"

func TestOnlyWhatAnInterfaceDeclaresCanBeUsed(t *testing.T) {
	runRules(t, []rule{
		{"what it declares", with(greetStep, greetTool), nil},
		{"not a tool that the connection has and the interface has not", with(`
  step "count" {
    call = demo.counter
  }
`, greetTool), []string{"WFC2002 `counter` ~ though the connection demo.main has"}},
		{"nor one that neither has", with(`
  step "greet" {
    call = demo.gret
    args = { name = "world" }
  }
`, greetTool), []string{"WFC2002 `gret` ~ The interface x has no tool \"gret\". Did you mean \"greet\"?"}},
		{"nor an argument that only the connection takes", with(`
  step "greet" {
    call = demo.greet
    args = { name = "world", language = "de" }
  }
`, greetTool), []string{"WFC2103 `language` ~ interface.x.greet has no argument"}},
		{"nor an attribute that only the connection gives", with(`
  step "add" {
    call = demo.add_label
    args = { task = 1, label = "a" }
  }
  output "task" {
    value = step.add.output.task
  }
`, "  @write\n  tool add_label(task: integer, label: string) -> object({ labels = list(string) })\n"), []string{"WFC2202 `task` ~ "}},
		{"its types count: what the connection leaves open is known", with(`
  step "echo" {
    call = demo.echo
    args = { text = "a" }
  }
  output "shout" {
    value = upper(step.echo.output) + 1
  }
`, "  @read\n  tool echo(text: string) -> string\n"), []string{"WFC2201 `upper(step.echo.output)` ~ "}},
		{"a prompt", with(`
  step "ask" {
    prompt = demo.summarise
    args   = { topics = "a" }
  }
`, "  prompt summarise(topic: string)\n"), []string{"WFC2103 `topics` ~ Did you mean \"topic\"?"}},
		{"a resource, by its variables", with(`
  step "read" {
    read = demo.one_task
    args = { number = "1" }
  }
`, "  resource one_task \"demo://tasks/{id}\" -> string\n"), []string{"WFC2103 `number` ~ The resource interface.x.one_task has no argument \"number\". It needs \"id\""}},
		{"what cannot be read of the interface is not unknown, too", with(greetStep, "  tool greet(name string) -> any\n"), []string{"WFC1501 `string` ~ "}},
		{"an interface that does not exist", `-- w.wf.hcl --
workflow "w" {
  source "demo" {
    interface = interface.tracker
    bind      = connection.demo.main
  }
  step "greet" {
    call = demo.anything
    args = { at = "all" }
  }
}
`, []string{"WFC1510 `tracker` ~ end in .wfi"}},
		{"an interface whose file cannot be read", `-- w.wf.hcl --
workflow "w" {
  source "demo" {
    interface = interface.tracker
    bind      = connection.demo.main
  }
  step "greet" {
    call = demo.anything
  }
}
-- x.wfi --
interface "tracker" {
}
`, []string{"WFC1501 `\"tracker\"` ~ without quotes"}},
	})
}

func TestTypesOfInterfacesAreTypesEverywhere(t *testing.T) {
	const tree = "-- x.wfi --\ninterface x {\n  type node = object({ name = string, children = list(node) })\n}\n"
	runRules(t, []rule{
		{"of inputs, outputs and returns", `-- w.wf.hcl --
workflow "w" {
  input "root" {
    type    = interface.x.node
    default = { name = "a", children = [{ name = "b", children = [] }] }
  }
  step "first" {
    value   = input.root.children[0]
    returns = interface.x.node
  }
  output "name" {
    type  = string
    value = step.first.output.children[0].name
  }
  output "all" {
    type  = list(interface.x.node)
    value = input.root.children
  }
}
` + tree, nil},
		{"with their attributes", `-- w.wf.hcl --
workflow "w" {
  input "root" {
    type    = interface.x.node
    default = { name = "a", children = [{ nam = "b", children = [] }] }
  }
  output "title" {
    value = input.root.title
  }
}
` + tree, []string{"WFC2202 `nam` ~ Did you mean \"name\"?", "WFC2202 `title` ~ "}},
		{"by a name that exists", `-- w.wf.hcl --
workflow "w" {
  input "root" {
    type = interface.x.nod
  }
  output "root" {
    value = input.root
  }
}
` + tree, []string{"WFC1301 `interface.x.nod` ~ Did you mean interface.x.node?"}},
		{"of an interface that exists", `-- w.wf.hcl --
workflow "w" {
  input "root" {
    type = list(interface.y.node)
  }
  output "root" {
    value = input.root
  }
}
` + tree, []string{"WFC1301 `interface.y.node` ~ There is no interface \"y\"."}},
	})
}

func TestAConnectionThatDoesNotSatisfyAnInterfaceIsOneErrorWhereItIsBound(t *testing.T) {
	const bad = "  @read\n  tool greet(name: string) -> object({ greeting = integer })\n  @read\n  tool gret(nam: string) -> any\n"
	runRules(t, []rule{
		{"by the source itself, and nothing follows", with(greetStep+`
  step "again" {
    call = demo.gret
    args = { nam = "a" }
  }
  output "next" {
    value = step.greet.output.greeting + 1
  }
`, bad), []string{"WFC1511 `connection.demo.main` ~ greeting: a string where an integer is wanted.\n    - There is no tool \"gret\", but \"greet\"."}},
		{"by a deployment", `-- w.wf.hcl --
workflow "w" {
  source "demo" {
    interface = interface.x
  }
` + greetStep + `}
deployment "d" {
  workflow = workflow.w
  bind     = { demo = connection.demo.main }
}
-- x.wfi --
interface x {
` + bad + "}\n", []string{"WFC1511 `connection.demo.main` ~ needs"}},
		{"by a step that runs the workflow", `-- w.wf.hcl --
workflow "w" {
  source "demo" {
    interface = interface.x
  }
` + greetStep + `}
workflow "outer" {
  source "demo" {
    bind = connection.demo.main
  }
  step "inner" {
    run = workflow.w
  }
}
-- x.wfi --
interface x {
` + bad + "}\n", []string{"WFC1511 `interface.x` ~ demo.main does not satisfy"}},
		{"a tool block says what the server does not", with(`
  step "echo" {
    call    = demo.echo
    args    = { text = "a", style = "loud" }
    fail_if = self.text == "b"
  }
  step "count" {
    call = demo.counter
  }
  output "next" {
    value = step.count.output + step.echo.output.size
  }
`, "  @write\n  tool echo(text: string, ...) -> object({ size = integer })\n  @read @idempotent\n  tool counter() -> integer\n", `-- demo.wf.hcl --
connection "demo" "main" {
  stdio {
    command = project.wfc
    args    = ["demo-server"]
  }
  tool "echo" {
    open    = true
    effect  = args.text == "" ? "read" : "write"
    decode  = "json"
    returns = object({ size = integer })
  }
  tool "counter" {
    effect     = "read"
    idempotent = true
    result     = self.output.count
  }
}
`), nil},
		{"and may say more than the interface allows", with(greetStep, greetTool, `-- demo.wf.hcl --
connection "demo" "main" {
  stdio {
    command = project.wfc
    args    = ["demo-server"]
  }
  deny = ["counter", "greet"]
}
`), []string{"WFC1511 `connection.demo.main` ~ denies the tool greet"}},
		{"a stronger effect", with(`
  step "delete" {
    when = run.deployment == null
    call = demo.delete_task
    args = { task = 1 }
  }
`, "  @write\n  tool delete_task(task: integer) -> any\n"), []string{"WFC1511 `connection.demo.main` ~ The tool delete_task destroys, and the interface declares @write."}},
		{"a source without a binding is checked through its interface", `-- w.wf.hcl --
workflow "w" {
  source "demo" {
    interface = interface.x
  }
  step "greet" {
    call = demo.greet
    args = { nam = "world" }
  }
}
-- x.wfi --
interface x {
` + greetTool + "}\n", []string{"WFC2103 `nam` ~ Did you mean \"name\"?"}},
		{"a destructive tool of it needs a guard, too", `-- w.wf.hcl --
workflow "w" {
  source "demo" {
    interface = interface.x
  }
  step "delete" {
    call = demo.delete_task
    args = { task = 1 }
  }
}
-- x.wfi --
interface x {
  @destructive
  tool delete_task(task: integer) -> any
}
`, []string{"WFC3001 `demo.delete_task` ~ The tool interface.x.delete_task is destructive"}},
		{"nothing uses it", "-- w.wf.hcl --\n-- x.wfi --\ninterface x {\n" + greetTool + "}\n\ninterface y {\n  type t = string\n}\n\ninterface z {\n  type u = interface.y.t\n}\n", []string{"WFC1512 `interface x` ~ Nothing uses", "WFC1512 `interface z`"}},
		{"a comment says that it is meant so", "-- w.wf.hcl --\n-- x.wfi --\n\"For others.\"\n# wfc:ignore WFC1512 other projects copy it\ninterface x {\n  @read tool \"a # b\"() -> any\n}\n", nil},
		{"two of one name", "-- w.wf.hcl --\nworkflow \"w\" {\n  source \"demo\" {\n    interface = interface.x\n  }\n" + greetStep + "}\n-- a.wfi --\ninterface x {\n" + greetTool + "}\n-- b.wfi --\ninterface x {\n}\n", []string{"WFC1103 `x` ~ defined in a.wfi, line 1, too"}},
	})
}

// A plan is made of a workflow and its interfaces: what is wrong with others
// does not keep it from being made, and what is wrong with its own does.
func TestWhatATargetIsMadeOf(t *testing.T) {
	const good = "-- x.wfi --\ninterface x {\n" + greetTool + "}\n"
	for _, c := range []struct {
		name, files string
		binds       map[string]string
		want        []string // codes
	}{
		{"an interface", with(greetStep, greetTool), nil, nil},
		{"beside another that is broken", with(greetStep, greetTool) + "-- y.wfi --\ninterface y {\n  tool\n}\n", nil, nil},
		{"one with a mistake elsewhere in it", with(greetStep, greetTool+"  type t = strng\n"), nil, []string{"WFC1301"}},
		{"one that cannot be found because a file cannot be read", "-- w.wf.hcl --\nworkflow \"w\" {\n  source \"demo\" {\n    interface = interface.x\n    bind      = connection.demo.main\n  }\n" + greetStep + "}\n-- x.wfi --\ninterface \"x\" {\n}\n", nil, []string{"WFC1501"}},
		{"a type of one that is broken", "-- w.wf.hcl --\nworkflow \"w\" {\n  input \"a\" {\n    type = interface.x.t\n  }\n  output \"a\" {\n    value = input.a\n  }\n}\n-- x.wfi --\ninterface x {\n  type t object({})\n}\n", nil, []string{"WFC1501"}},
		{"bound by a command", "-- w.wf.hcl --\nworkflow \"w\" {\n  source \"demo\" {\n    interface = interface.x\n  }\n" + greetStep + "}\n" + good, map[string]string{"demo": "demo.main"}, nil},
		{"bound by a command to what does not satisfy it", "-- w.wf.hcl --\nworkflow \"w\" {\n  source \"demo\" {\n    interface = interface.x\n  }\n" + greetStep + "}\n-- x.wfi --\ninterface x {\n  @read\n  tool greet(name: integer) -> any\n}\n", map[string]string{"demo": "demo.main"}, []string{"WFC1511", "WFC2201"}},
		{"not bound", "-- w.wf.hcl --\nworkflow \"w\" {\n  source \"demo\" {\n    interface = interface.x\n  }\n" + greetStep + "}\n" + good, nil, []string{"WFC2404"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := load(t, c.files)
			w, found := check.Target(p, p.Workflows["w"], nil, c.binds)
			var codes []string
			for _, d := range found {
				codes = append(codes, string(d.Code))
			}
			if !slices.Equal(codes, c.want) || (w == nil) != (len(c.want) > 0) {
				t.Errorf("got\n%swant %v", show(p, found), c.want)
			}
		})
	}
}

func TestStepsThroughAnInterfaceHaveContracts(t *testing.T) {
	block := `-- demo.wf.hcl --
connection "demo" "main" {
  stdio {
    command = project.wfc
    args    = ["demo-server"]
  }
  tool "counter" {
    result = self.output.count
  }
}
`
	for _, c := range []struct {
		name, step, declares string
		want                 string // the type; "" for no contract
		after                bool
	}{
		{"of what it declares", `call = demo.echo
    args = { text = "a" }`, "  @read\n  tool echo(text: string) -> string\n", "string", false},
		{"none where it declares nothing", `call = demo.echo
    args = { text = "a" }`, "  @read\n  tool echo(text: string) -> any\n", "", false},
		{"before a result of the step", `call = demo.echo
    args = { text = "a" }
    result = upper(self.output)`, "  @read\n  tool echo(text: string) -> string\n", "string", false},
		{"none where the step decodes the text itself", `call = demo.echo
    args = { text = "1" }
    decode = "json"`, "  @read\n  tool echo(text: string) -> string\n", "", false},
		{"after the result of a tool block", `call = demo.counter`, "  @write\n  tool counter() -> integer\n", "integer", true},
		{"none where the step's result stands in its place", `call = demo.counter
    result = self.output.anything`, "  @write\n  tool counter() -> integer\n", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := load(t, with("  step \"s\" {\n    "+c.step+"\n  }\n", c.declares, block))
			w, found := check.Target(p, p.Workflows["w"], nil, nil)
			if w == nil {
				t.Fatal(show(p, found))
			}
			switch got := w.Steps[0].Contract; {
			case got == nil && c.want == "":
			case got == nil, types.Print(got.Type) != c.want, got.AfterResult != c.after, got.Interface != "interface.x":
				t.Errorf("got %+v, want %q", got, c.want)
			}
			if w.Steps[0].Calls[0].InputSchema == nil {
				t.Error("what an interface leaves open is not held against the tool's own schema")
			}
		})
	}
}
