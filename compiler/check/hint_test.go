package check_test

import (
	"strings"
	"testing"
)

// TestHints: what beginners write, and what the finding tells them to write instead.
func TestHints(t *testing.T) {
	const greet = `
  step "greet" {
    for_each = ["a", "b"]
    key      = each.value
    call     = demo.greet
    args     = { name = each.value }
  }
`
	runRules(t, []rule{
		{"each for each.value", `
  step "s" {
    for_each = ["a"]
    call     = demo.greet
    args     = { name = each }
  }`, []string{"WFC2201 `each` ~ Do you mean each.value?"}},
		{"an object for its only text", `
  step "s" {
    call   = demo.greet
    args   = { name = "a" }
    result = upper(self.output)
  }`, []string{"WFC2201 `self.output` ~ Do you mean self.output.greeting?"}},
		{"a result for its output", `
  step "s" {
    value = "a"
  }
  output "o" {
    value = upper(step.s)
  }`, []string{"WFC2201 `step.s` ~ The output of the step is step.s.output."}},
		{"the result of another language", `
  step "s" {
    call   = demo.greet
    args   = { name = "a" }
    result = output.greeting
  }`, []string{"WFC2010 `output` ~ write self.output."}},
		{"a bind that is none", "workflow \"w\" {\n  source \"demo\" {\n    bind = connection.demo\n  }\n  output \"o\" {\n    value = 1\n  }\n}\n",
			[]string{"WFC1035 `connection.demo` ~ connection.PROVIDER.ACCOUNT"}},
		{"nothing fits", tasks + `
  output "o" {
    value = upper(step.tasks)
  }`, []string{"WFC2201 `step.tasks` ~ must be a string, and this is an object."}},
		{"what may be null as a condition", tasks + `
  step "s" {
    for_each = step.tasks.output.tasks
    when     = each.value.assignee
    value    = 1
  }`, []string{"WFC2201 `each.value.assignee` ~ Write each.value.assignee != null"}},
		{"a pattern as a condition", `
  input "x" {
    type = string
    validation {
      condition     = regex("a", input.x)
      error_message = "no"
    }
  }
  output "o" {
    value = input.x
  }`, []string{"WFC2201 `regex(\"a\", input.x)` ~ Write can(regex(\"a\", input.x))"}},
		{"+ for texts", `
  output "o" {
    value = "a" + 1
  }`, []string{"WFC2201 `\"a\"` ~ texts are joined in a template"}},
		{"- of texts", `
  output "o" {
    value = "a" - 1
  }`, []string{"WFC2201 `\"a\"` ~ and this is the string \"a\"."}},
		{"an element that may not be there is not null", tasks + `
  locals {
    first = step.tasks.output.tasks[0]
  }
  output "o" {
    value = local.first == null
  }
  output "p" {
    value = step.tasks.output.tasks[0] != null
  }`, []string{
			"WFC2205 `local.first == null` ~ write try(…, null)",
			"WFC2205 `step.tasks.output.tasks[0] != null` ~ write try(…, null)",
		}},
		{"[*] through a map", greet + `
  output "o" {
    value = step.greet[*].output
  }`, []string{"WFC2203 `output` ~ step.greet is a map, and [*] goes through lists. Write values(step.greet)[*].output"}},
		{"a map of results for its elements", greet + `
  output "o" {
    value = step.greet.output
  }`, []string{"WFC2203 `output` ~ Write step.greet[KEY].output for one, values(step.greet)[*].output for the attribute of all"}},
		{"for_each over a result", tasks + `
  step "s" {
    for_each = step.tasks
    value    = each.value.title
  }
  step "texts" {
    call   = demo.greet
    args   = { name = "a" }
    result = self.output.greeting
  }
  step "parts" {
    for_each = step.texts
    value    = each.key
  }`, []string{"WFC2208 `step.tasks` ~ Write step.tasks.output"}},
		{"[*] through a list of maps", `
  locals {
    maps = [for x in ["a"] : { for y in ["b"] : y => x }]
  }
  output "o" {
    value = local.maps[*].b
  }`, []string{"WFC2203 `b` ~ write local.maps[*][\"b\"]"}},
		{"[*] through results that may have failed", `
  step "s" {
    for_each = ["a"]
    on_error = "continue"
    call     = demo.greet
    args     = { name = each.value }
  }
  output "o" {
    value = step.s[*].output.greeting
  }`, []string{"WFC2302 `[*].output.greeting` ~ [for r in step.s : r.output if r.outcome == \"ok\"]"}},
		{"an attribute that no element has", tasks + `
  output "o" {
    value = step.tasks.output.tasks[*].titel
  }`, []string{"WFC2202 `titel` ~ step.tasks.output.tasks[*] has no attribute"}},
		{"an attribute of the wrong member of a union", forms + `
  output "o" {
    value = input.who.login
  }`, []string{"WFC2202 `login` ~ only where its kind is \"user\". Read it where that holds, as in input.who.kind == \"user\" ? … : …."}},
		{"an attribute of the right member of a union", forms + `
  output "o" {
    value = input.who.kind == "user" ? input.who.login : input.who.slug
  }`, nil},
		{"a duration without a unit", `
  step "s" {
    call    = demo.echo
    args    = { text = "a" }
    timeout = 30
    retry {
      attempts = 2
      delay    = 0.5
    }
  }`, []string{"WFC2212 `30` ~ write \"30s\" for seconds", "WFC2212 `0.5` ~ write \"0.5s\""}},
		{"what can have no value", `
  input "x" {
    type    = object({ a = optional(never) })
    default = { a = 1 }
  }`, []string{"WFC2201 `1` ~ must be left out: no value is allowed for it."}},
		{"a variable of the environment, as other tools write it", strings.Replace(block("", ""), "command = \"lab-server\"", "command = \"${WAIT}\"", 1), []string{"WFC2010 `WAIT` ~ read with env(\"WAIT\"); a secret has a block, secret \"wait\" { env = \"WAIT\" }"}},
		{"self in the arguments", `
  step "s" {
    call = demo.echo
    args = { text = self.text }
  }`, []string{"WFC2011 `self` ~ cannot be used in the args of a step. It can"}},
		{"a name in another normal form of Unicode", `
  input "café" {
    type = string
  }
  output "o" {
    value = input.café
  }`, []string{"WFC2003 `café` ~ They look alike"}},
	})
}

// forms are an input that is a user or a team.
const forms = `
  input "who" {
    type = union(object({ kind = enum("user"), login = string }), object({ kind = enum("team"), slug = string }))
  }
`

// A blob goes to a server as its base64 text (LANGUAGE 5), and is a text nowhere else.
func TestBlobsAsArguments(t *testing.T) {
	const image = `
  step "image" {
    call   = demo.echo
    args   = { text = "a" }
    decode = "blob"
  }
`
	runRules(t, []rule{
		{"where a string is wanted", image + `
  step "s" {
    call = demo.echo
    args = { text = step.image.output }
  }`, nil},
		{"within a list, and where there is one", image + `
  step "s" {
    call = demo.inspect
    args = { value = [step.image.output] }
  }
  step "t" {
    for_each = [for p in step.image.content : p.blob if p.blob != null]
    call     = demo.echo
    args     = { text = each.value }
  }`, nil},
		{"that may be null", image + `
  step "s" {
    call = demo.echo
    args = { text = step.image.content[0].blob }
  }`, []string{"WFC2301 `step.image.content[0].blob`"}},
		{"where a number is wanted", image + `
  step "s" {
    call = demo.list_tasks
    args = { limit = step.image.output }
  }`, []string{"WFC2201 `step.image.output` ~ must be an integer"}},
		{"in a text", image + `
  output "o" {
    value = "image: ${step.image.output}"
  }`, []string{"WFC2201 `step.image.output` ~ this is a blob. Its content as a text is text(step.image.output)"}},
	})
}
