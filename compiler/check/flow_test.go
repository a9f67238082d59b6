package check_test

import (
	"fmt"
	"strings"
	"testing"
)

// rule is one rule of the language: a body of a workflow with the source
// "demo" (or whole files), and the findings it must give, each as "CODE `source text`" with, after
// " ~ ", text that the detail holds. None: it is accepted.
type rule struct {
	name string
	body string
	want []string
}

func runRules(t *testing.T, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			src := r.body
			if !strings.Contains(src, "workflow \"") && !strings.Contains(src, ".hcl --") {
				src = "workflow \"w\" {\n  source \"demo\" {\n    bind = connection.demo.main\n  }\n" + r.body + "\n}\n"
			}
			p := load(t, src)
			found := findings(p)
			ok := len(found) == len(r.want)
			for i := 0; ok && i < len(found); i++ {
				where, detail, _ := strings.Cut(r.want[i], " ~ ")
				d := found[i]
				text := string(p.Source(d.Range.File)[d.Range.Start.Byte:d.Range.End.Byte])
				ok = fmt.Sprintf("%s `%s`", d.Code, text) == where && strings.Contains(d.Detail, detail)
			}
			if !ok {
				t.Errorf("want:\n  %s\ngot:\n%s", strings.Join(r.want, "\n  "), show(p, found))
			}
		})
	}
}

// tasks is a step whose output is tasks, some of which have an assignee.
const tasks = `
  step "tasks" {
    call = demo.list_tasks
  }
`

func TestNames(t *testing.T) {
	runRules(t, []rule{
		{"a variable of a for is known inside of it only", `
  output "o" {
    value = [[for x in [1] : x], x]
  }`, []string{"WFC2010 `x`"}},
		{"a name of another language in a heredoc", `
  output "o" {
    value = <<-EOT
      echo ${HOME} ${files[0]} "${local.nothing}"
    EOT
  }`, []string{"WFC2010 `HOME` ~ write $${HOME}.", "WFC2010 `files[0]` ~ write $${files[0]}.", "WFC2004 `nothing`"}},
		{"a name of another language in quotes", `
  input "name" {
    type = string
  }
  output "o" {
    value = "${HOME}/x ${!ref} ${x+set} ${env.HOME} ${name} ${a + b}"
  }`, []string{"WFC2010 `HOME` ~ write $${HOME}.", "WFC2010 `ref` ~ write $${!ref}.", "WFC2010 `x+set` ~ write $${x+set}.",
			"WFC2010 `env.HOME` ~ gets such a value as an input", "WFC2010 `name` ~ input.name", "WFC2010 `a`", "WFC2010 `b`"}},
		{"branches that are members of what is wanted", `
  input "b" {
    type = bool
  }
  output "o" {
    type  = list(union(object({ k = enum("p"), a = integer }), object({ k = enum("q"), b = bool })))
    value = [input.b ? { k = "p", a = 1 } : { k = "q", b = true }]
  }`, nil},
		{"a for hides names outside of it", `
  output "o" {
    value = [for input in ["a"] : upper(input)]
  }`, nil},
		{"the nearest tool", `
  step "s" {
    call = demo.list_task
  }`, []string{"WFC2002 `list_task` ~ Did you mean \"list_tasks\"?"}},
		{"no tool is near", `
  step "s" {
    call = demo.nothing_like_it
  }`, []string{"WFC2002 `nothing_like_it` ~ It has \"add_label\", \"counter\""}},
		{"an input without its root", `
  input "name" {
    type = string
  }
  output "o" {
    value = name
  }`, []string{"WFC2010 `name` ~ Did you mean the input input.name?"}},
		{"a source is no value", `
  output "o" {
    value = demo.greet
  }`, []string{"WFC2010 `demo` ~ is a source"}},
		{"text without quotes", `
  step "s" {
    call = demo.list_tasks
    args = { state = open }
  }`, []string{"WFC2010 `open` ~ Text stands in quotes"}},
		{"secrets go to calls only", `
secret "token" {
  env = "TOKEN"
}
workflow "w" {
  output "o" {
    value = secret.token
  }
}`, []string{"WFC2011 `secret` ~ and in a step's args"}},
		{"a validation sees inputs only", `
  locals {
    a = 1
  }
  input "n" {
    type = integer
    validation {
      condition     = input.n > local.a
      error_message = "n is too small."
    }
  }`, []string{"WFC2011 `local`"}},
		{"an index is a name, too", `
  input "n" {
    type = integer
  }
  output "o" {
    value = input["n"] + input["m"]
  }`, []string{"WFC2003 `m`"}},
		{"functions that other tools have say what to do", `
  output "o" {
    value = timestamp()
  }`, []string{"WFC2009 `timestamp` ~ Use run.started_at"}},
		{"depends_on names steps", `
  step "a" {
    value      = 1
    depends_on = [step.b]
  }`, []string{"WFC2005 `b`"}},
	})
}

func TestCycles(t *testing.T) {
	runRules(t, []rule{
		{"steps through a local", `
  locals {
    x = step.b.output
  }
  step "a" {
    value = local.x
  }
  step "b" {
    value = step.a.output
  }`, []string{"WFC2303 `local.x` ~ local.x → step.b → step.a → local.x"}},
		{"a step of itself", `
  step "a" {
    value = step.a.output
  }`, []string{"WFC2303 `step.a.output` ~ The step \"a\" refers to itself."}},
		{"by depends_on", `
  step "a" {
    value      = 1
    depends_on = [step.b]
  }
  step "b" {
    value = step.a.output
  }`, []string{"WFC2303 `step.a.output` ~ step.a → step.b → step.a"}},
		{"nothing follows from a cycle", `
  locals {
    a = local.b
    b = local.a
  }
  output "o" {
    value = upper(local.a.x)
  }`, []string{"WFC2303 `local.a` ~ local.a → local.b → local.a"}},
	})
}

func TestCalls(t *testing.T) {
	runRules(t, []rule{
		{"a required argument is missing, without args", `
  step "s" {
    call = demo.greet
  }`, []string{"WFC2101 `demo.greet` ~ needs the argument \"name\""}},
		{"a misspelt required argument is one mistake", `
  step "s" {
    call = demo.greet
    args = { nme = "x" }
  }`, []string{"WFC2103 `nme` ~ Did you mean \"name\"?"}},
		{"an enum lists its members", `
  step "s" {
    call = demo.list_tasks
    args = { state = "opn" }
  }`, []string{"WFC2201 `\"opn\"` ~ one of \"open\", \"done\""}},
		{"the innermost expression with its path", `
  input "s" {
    type = string
  }
  step "s" {
    call = demo.list_tasks
    args = { limit = length(input.s) > 3 ? input.s : 5 }
  }`, []string{"WFC2201 `input.s` ~ The argument limit of the tool demo.main.list_tasks must be"}},
		{"constants obey the schema's rules", `
  step "s" {
    call = demo.list_tasks
    args = { limit = 0 }
  }
  step "t" {
    call = demo.add_label
    args = { task = 1, label = "" }
  }`, []string{"WFC2206 `0`", "WFC2206 `\"\"`"}},
		{"null leaves an optional argument out", `
  input "n" {
    type = nullable(integer)
  }
  step "s" {
    call = demo.list_tasks
    args = { limit = input.n, state = null }
  }`, nil},
		{"null for a required argument", `
  input "n" {
    type = nullable(string)
  }
  step "s" {
    call = demo.greet
    args = { name = input.n }
  }`, []string{"WFC2301 `input.n` ~ must not be null"}},
		{"arguments that are computed", `
  step "s" {
    call = demo.greet
    args = merge({ name = "x" }, { langauge = "de" })
  }`, []string{"WFC2103 `merge({ name = \"x\" }, { langauge = \"de\" })` ~ Did you mean \"language\"?"}},
		{"any argument may be anything", `
  step "s" {
    call = demo.inspect
    args = { value = { a = [1, null, "x"] } }
  }`, nil},
		{"a tool without an output schema gives anything", `
  step "s" {
    call = demo.echo
    args = { text = "x" }
  }
  output "o" {
    value = upper(step.s.output)
  }`, nil},
		{"a number where text is wanted", `
  step "s" {
    call = demo.greet
    args = { name = 5 }
  }`, []string{"WFC2201 `5` ~ Nothing is converted silently"}},
	})
}

func TestResults(t *testing.T) {
	runRules(t, []rule{
		{"a list of results over a list", tasks + `
  step "s" {
    for_each = step.tasks.output.tasks
    call     = demo.greet
    args     = { name = each.value.title }
  }
  output "o" {
    value = [for r in step.s : "${r.each.key + 1}: ${r.output.greeting}"]
  }`, nil},
		{"a map of results over a map", `
  step "s" {
    for_each = { a = "x", b = "y" }
    call     = demo.greet
    args     = { name = each.value }
  }
  output "o" {
    value = step.s["a"].output.greeting
  }`, nil},
		{"a map of results over a list with a key", tasks + `
  step "s" {
    for_each = step.tasks.output.tasks
    key      = tostring(each.value.id)
    value    = upper(each.key)
  }
  output "o" {
    value = { for k, r in step.s : k => upper(r.each.key) }
  }`, nil},
		{"the result of a list has no output", tasks + `
  step "s" {
    for_each = step.tasks.output.tasks
    value    = each.value.id
  }
  output "o" {
    value = step.s.output
  }`, []string{"WFC2203 `output` ~ Write step.s[*].output"}},
		{"an attribute of the output on the result", tasks + `
  output "o" {
    value = step.tasks.tasks
  }`, []string{"WFC2202 `tasks` ~ write step.tasks.output.tasks"}},
		{"outcomes are only those that can be", tasks + `
  output "o" {
    value = step.tasks.outcome == "error"
  }`, []string{"WFC2205 `step.tasks.outcome == \"error\"`"}},
		{"decode gives the output its type", `
  step "s" {
    call   = demo.echo
    args   = { text = "a\nb" }
    decode = "lines"
  }
  output "o" {
    value = [for l in step.s.output : l + 1]
  }`, []string{"WFC2201 `l` ~ must be a number"}},
		{"result replaces the output", tasks + `
  step "s" {
    call   = demo.list_tasks
    result = [for x in self.output.tasks : x.id if x.done == args.limit]
  }`, []string{"WFC2205 `x.done == args.limit`"}},
		{"result is the output's type", `
  step "s" {
    call   = demo.list_tasks
    result = [for x in self.output.tasks : x.id]
  }
  output "o" {
    value = sum(step.s.output)
  }`, nil},
		{"returns of another kind", `
  step "s" {
    call    = demo.counter
    returns = string
  }`, []string{"WFC2209 `string` ~ Nothing that this step gives is string"}},
		{"returns gives an untyped output its type", `
  step "s" {
    call    = demo.inspect
    args    = { value = 1 }
    result  = self.output.value
    returns = object({ a = integer })
  }
  output "o" {
    value = step.s.output.b
  }`, []string{"WFC2202 `b`"}},
		{"a value's returns flows in", `
  step "s" {
    value   = { a = "1" }
    returns = object({ a = integer })
  }`, []string{"WFC2201 `\"1\"` ~ without quotes"}},
		{"an output of which nothing is known may be null, too", `
  input "on" {
    type = bool
  }
  step "s" {
    when = input.on
    call = demo.echo
    args = { text = "x" }
  }
  output "a" {
    value = upper(step.s.output)
  }
  output "b" {
    value = step.s.output.a
  }
  output "c" {
    value = step.s.outcome == "ok" ? step.s.output.a : coalesce(step.s.output, "none")
  }
  output "d" {
    value = step.s.output
  }`, []string{"WFC2302 `step.s.output` ~ null where step \"s\" was skipped", "WFC2302 `step.s.output.a`"}},
		{"an object that is written has what its type says, also through a local", `
  locals {
    envs = { dev = "d", prod = "p" }
  }
  step "s" {
    for_each = local.envs
    value    = each.key == "prd" ? 1 : each.value + 1
  }`, []string{"WFC2205 `each.key == \"prd\"` ~ Did you mean \"prod\"?", "WFC2201 `each.value`"}},
		{"an object that arrived may have more", `
  input "o" {
    type = object({ a = string, b = string })
  }
  output "o" {
    value = [for k, v in input.o : "${k}: ${v}"]
  }`, nil},
		{"for_each over null", `
  input "xs" {
    type = nullable(list(string))
  }
  step "s" {
    for_each = input.xs
    value    = each.value
  }`, []string{"WFC2301 `input.xs`"}},
		{"when is a bool", `
  step "s" {
    when  = "yes"
    value = 1
  }`, []string{"WFC2201 `\"yes\"` ~ The condition of when must be"}},
	})
}
