package follow_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/diag"
)

// rule is a workflow's body with sources of demo.main, notes.team (private) and
// web.search (untrusted, external), and its findings, each as "CODE `source text`" with,
// after " ~ ", text that the detail holds.
type rule struct {
	name string
	body string
	want []string
}

const connections = `
secret "token" {
  env = "TOKEN"
}
connection "notes" "team" {
  stdio {
    command = "notes-mcp"
  }
  data = "private"
  tool "login" {
    sensitive = true
  }
}
connection "web" "search" {
  stdio {
    command = "search-mcp"
  }
  trust = "untrusted"
  reach = "external"
}
`

const catalogs = `
-- catalog/notes.team.json --
{"format_version": 1, "connection": "notes.team", "tools": [
  {"object": {"name": "delete", "annotations": {"destructiveHint": true}, "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}}}},
  {"object": {"name": "login", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
    "outputSchema": {"type": "object", "properties": {"user": {"type": "string"}, "token": {"type": "string"}}, "required": ["user", "token"]}}},
  {"object": {"name": "read", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
    "outputSchema": {"type": "object", "properties": {"title": {"type": "string"}, "stars": {"type": "integer"}, "done": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}}}, "required": ["title", "stars", "done", "tags"]}}}
], "resources": [], "resource_templates": [], "prompts": []}
-- catalog/web.search.json --
{"format_version": 1, "connection": "web.search", "tools": [
  {"object": {"name": "search", "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}, "safe": {"type": "boolean"}}},
    "outputSchema": {"type": "object", "properties": {"titles": {"type": "array", "items": {"type": "string"}}, "count": {"type": "integer"}}, "required": ["titles", "count"]}}},
  {"object": {"name": "post", "annotations": {"destructiveHint": false}, "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}}
], "resources": [], "resource_templates": [], "prompts": []}
`

func runRules(t *testing.T, rules []rule) {
	t.Helper()
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			p := load(t, r.body)
			var got []string
			for _, d := range check.Project(p) {
				if code := string(d.Code); strings.HasPrefix(code, "WFC31") || strings.HasPrefix(code, "WFC32") {
					got = append(got, fmt.Sprintf("%s `%s` ~ %s", code, p.Source(d.Range.File)[d.Range.Start.Byte:d.Range.End.Byte], d.Detail))
				} else if d.Severity == diag.Error {
					t.Errorf("a mistake in the test: %s at line %d: %s", d.Code, d.Range.Start.Line, d.Detail)
				}
			}
			ok := len(got) == len(r.want)
			for i := 0; ok && i < len(got); i++ {
				where, detail, _ := strings.Cut(r.want[i], " ~ ")
				at, text, _ := strings.Cut(got[i], " ~ ")
				ok = where == at && strings.Contains(text, detail)
			}
			if !ok {
				t.Errorf("found:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(r.want, "\n  "))
			}
		})
	}
}

func load(t testing.TB, body string) *project.Project {
	t.Helper()
	const demo = "../../../testdata/projects/demo"
	root := t.TempDir()
	write := func(name string, src []byte) {
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"wfc.hcl", "demo.wf.hcl", "catalog/demo.main.json"} {
		src, err := os.ReadFile(filepath.Join(demo, name))
		if err != nil {
			t.Fatal(err)
		}
		write(name, src)
	}
	write("connections.wf.hcl", []byte(connections))
	for _, f := range txtar.Parse([]byte(catalogs)).Files {
		write(f.Name, f.Data)
		if f.Name == "catalog/notes.team.json" {
			write("catalog/notes.other.json", []byte(strings.Replace(string(f.Data), "notes.team", "notes.other", 1)))
		}
	}
	head := "workflow \"w\" {\n"
	for name, conn := range map[string]string{"demo": "demo.main", "notes": "notes.team", "web": "web.search"} {
		if strings.Contains(body, name) {
			head += "  source \"" + name + "\" {\n    bind = connection." + conn + "\n  }\n"
		}
	}
	main, others, _ := strings.Cut(body, "\n-- more --\n")
	write("main.wf.hcl", []byte(head+main+"\n}\n"+others))
	p, err := project.Load(root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const inputs = `
  input "token" {
    type      = string
    sensitive = true
  }
  input "login" {
    type      = object({ user = string, token = string })
    sensitive = true
  }
  input "name" {
    type = string
  }
`

func outputOf(value string) string {
	return inputs + "  output \"o\" {\n    value = " + value + "\n  }"
}

func TestSensitiveOutputs(t *testing.T) {
	var rules []rule
	for value, reads := range map[string]string{
		"input.token":                                                    "input.token",
		`"Bearer ${input.token}"`:                                        "input.token",
		"{ a = { b = [input.token] } }":                                  "input.token",
		"[for x in [input.token] : upper(x)]":                            "input.token",
		"{ for k, v in { a = input.token } : k => v }":                   "input.token",
		`input.name == "" ? input.token : "none"`:                        "input.token",
		"coalesce(input.login.token, input.name)":                        "input.login.token",
		"jsonencode(input.login)":                                        "input.login",
		"[input.login][*].user":                                          "input.login",
		"sha256(input.token)":                                            "input.token",
		`merge({ a = input.token }, { b = 1 })`:                          "input.token",
		`lookup({ a = input.token }, input.name, "")`:                    "input.token",
		`split(",", input.token)[0]`:                                     "input.token",
		`<<-EOT` + "\n%{ for x in [input.token] }${x}%{ endfor }\nEOT\n": "input.token",
		`sensitive(input.name)`:                                          "sensitive(input.name)",
		`flatten([[input.token], [input.name]])`:                         "input.token",
		`{ (input.token) = 1 }`:                                          "input.token",
		`keys({ (input.token) = 1 })`:                                    "input.token",
		`try(input.token, "")`:                                           "input.token",
		`pointer({ a = { b = input.token } }, "/a")`:                     "input.token",
		"{ a = input.name, b = input.login }[input.name]":                "input.login",
		`one([for x in [input.token] : x if x != ""])`:                   "input.token",
	} {
		rules = append(rules, rule{value, outputOf(value), []string{"WFC3101 `" + reads + "`"}})
	}
	for _, value := range []string{
		"input.name", `input.token == ""`, `input.token != "" && input.login.user == input.name`, "length(input.token)", `can(regex("^x", input.token))`,
		`startswith(input.token, "t-")`, `contains([input.token], input.name)`,
		`declassify(input.token, "a public token")`, `upper(declassify(input.login, "public").user)`,
		"{ a = input.token, b = input.name }.b", "[input.token, input.name][1]", `input.token == "" ? "none" : "some"`,
		`merge({ a = input.token }, { a = "***" })`, `pointer({ a = { b = input.token, c = 1 } }, "/a/c")`,
		"[for x in [{ t = input.token, n = input.name }] : x.n]", "[{ t = input.token, n = input.name }][*].n",
		`keys({ a = input.token })`, `lookup({ a = input.token, b = 1 }, "b", 0)`,
		"[for input in [{ token = 1 }] : input.token]", "flatten1([[{ a = input.token, b = 1 }]])[0].b",
	} {
		rules = append(rules, rule{value, outputOf(value), nil})
	}
	runRules(t, rules)
	runRules(t, []rule{
		{"an output that is sensitive itself", inputs + `
  output "o" {
    value     = input.token
    sensitive = true
  }`, nil},
		{"through locals and steps, field by field", inputs + `
  locals {
    header = { name = "auth", value = "Bearer ${input.token}" }
  }
  step "request" {
    value = { url = input.name, headers = [local.header] }
  }
  output "whole" {
    value = step.request.output
  }
  output "name" {
    value = step.request.output.headers[0].name
  }
  output "url" {
    value = step.request.output.url
  }
  output "value" {
    value = step.request.output.headers[0].value
  }`, []string{
			"WFC3101 `step.request.output` ~ input.token → local.header → step.request.",
			"WFC3101 `step.request.output.headers[0].value` ~ input.token → local.header → step.request.",
		}},
		{"a fan-out", inputs + `
  step "each" {
    for_each = [{ t = input.token, n = 1 }]
    value    = each.value.n
  }
  output "numbers" {
    value = step.each[*].output
  }
  output "tokens" {
    value = [for r in step.each : r.each.value.t]
  }`, []string{"WFC3101 `step.each` ~ input.token → each."}},
		{"what a sensitive tool gives", `
  step "login" {
    call = notes.login
  }
  output "user" {
    value = step.login.output.user
  }
  output "text" {
    value = step.login.text
  }
  output "outcome" {
    value = [step.login.outcome, step.login.attempts]
  }`, []string{"WFC3101 `step.login.output.user` ~ step.login.", "WFC3101 `step.login.text` ~ step.login."}},
		{"the result of such a tool", `
  step "login" {
    call   = notes.login
    result = { user = declassify(self.output.user, "a name"), token = self.output.token }
  }
  output "user" {
    value = step.login.output.user
  }
  output "token" {
    value = step.login.output.token
  }`, []string{"WFC3101 `step.login.output.token`"}},
		{"a family with such a tool", `
  source "any" {
    family = {
      team = connection.notes.team
      two  = connection.notes.other
    }
  }
  step "login" {
    call = any["team"].login
  }
  output "user" {
    value = step.login.output.user
  }
-- more --
connection "notes" "other" {
  stdio {
    command = "notes-mcp"
  }
}
`, []string{"WFC3101 `step.login.output.user` ~ step.login."}},
		{"what a tool gives that was given one is not followed", inputs + `
  step "echo" {
    call = demo.echo
    args = { text = input.token }
  }
  output "text" {
    value = step.echo.output
  }`, nil},
		{"an output of the last run", inputs + `
  output "token" {
    value     = input.token
    sensitive = true
  }
  output "before" {
    value = run.previous == null ? "" : run.previous.outputs.token
  }`, []string{"WFC3101 `run.previous.outputs.token`"}},
		{"a sensitive output of a workflow that is run", `
  step "child" {
    run  = workflow.child
    args = { token = "x" }
  }
  output "token" {
    value = step.child.output.token
  }
  output "name" {
    value = step.child.output.name
  }
-- more --
workflow "child" {
  input "token" {
    type      = string
    sensitive = true
  }
  output "token" {
    value     = input.token
    sensitive = true
  }
  output "name" {
    value = "n"
  }
}
`, []string{"WFC3101 `step.child.output.token` ~ step.child.output.token."}},
	})
}

func TestSensitiveMessagesAndNames(t *testing.T) {
	runRules(t, []rule{
		{"a validation's message", `
  input "token" {
    type      = string
    sensitive = true
    validation {
      condition     = length(input.token) > 3
      error_message = "${input.token} is too short."
    }
  }`, []string{"WFC3102 `input.token`"}},
		{"a question", inputs + `
  step "ask" {
    ask {
      message = "Use ${input.token}?"
      answer  = object({ pick = string })
      choices = { pick = [input.login.user, input.name] }
    }
  }
  output "o" {
    value = step.ask.output.pick
  }`, []string{"WFC3102 `input.token`", "WFC3102 `input.login.user`"}},
		{"an assert", `
  step "login" {
    call = notes.login
    assert {
      condition     = self.output.user != ""
      error_message = "No user in ${self.text}."
    }
  }`, []string{"WFC3102 `self.text` ~ step.login."}},
		{"the key of an element", inputs + `
  step "s" {
    for_each = [input.login]
    key      = each.value.user
    call     = demo.echo
    args     = { text = each.value.token }
  }`, []string{"WFC3103 `each.value.user` ~ input.login → each."}},
	})
}

func TestSensitiveArguments(t *testing.T) {
	runRules(t, []rule{
		{"an argument that is written", inputs + `
  step "s" {
    call = demo.echo
    args = { text = "Bearer ${secret.token} ${input.token}" }
  }`, nil},
		{"a whole object as one argument", inputs + `
  step "s" {
    call = demo.inspect
    args = { value = input.login }
  }`, nil},
		{"arguments that are computed", `
  input "given" {
    type      = object({ value = string })
    sensitive = true
  }
  step "s" {
    call = demo.inspect
    args = input.given
  }`, []string{"WFC3104 `input.given`"}},
		{"a uri", inputs + `
  step "s" {
    read = demo
    uri  = "demo://tasks/${input.token}"
  }`, []string{"WFC3104 `input.token`"}},
		{"an input of a workflow that is not sensitive", inputs + `
  step "s" {
    run  = workflow.child
    args = { name = input.token, token = input.token }
  }
-- more --
workflow "child" {
  input "name" {
    type = string
  }
  input "token" {
    type      = string
    sensitive = true
  }
  output "o" {
    value     = input.token
    sensitive = true
  }
}
`, []string{"WFC3105 `input.token`"}},
	})
}

// The way of a value is shown step by step.
func TestTheWayIsShown(t *testing.T) {
	p := load(t, inputs+`
  locals {
    header = "Bearer ${input.token}"
  }
  step "request" {
    for_each = [local.header]
    value    = { auth = each.value }
  }
  output "o" {
    value = step.request[0].output.auth
  }`)
	var way []string
	for _, d := range check.Project(p) {
		for _, r := range d.Related {
			way = append(way, fmt.Sprintf("%s `%s`", r.Message, p.Source(r.Range.File)[r.Range.Start.Byte:r.Range.End.Byte]))
		}
	}
	want := []string{
		"The input \"token\" is sensitive. `input \"token\"`",
		"The local \"header\" is made from it. `input.token`",
		"The step \"request\" goes through it. `local.header`",
		"The output of the step \"request\" is made from it. `each.value`",
	}
	if strings.Join(way, "\n") != strings.Join(want, "\n") {
		t.Errorf("the way is\n%s\nwant\n%s", strings.Join(way, "\n"), strings.Join(want, "\n"))
	}
}

// Of a long way the beginning and the last places are shown.
func TestALongWayIsCut(t *testing.T) {
	var body strings.Builder
	body.WriteString(inputs + "  locals {\n    l0 = input.token\n")
	for i := 1; i < 40; i++ {
		fmt.Fprintf(&body, "    l%d = local.l%d\n", i, i-1)
	}
	body.WriteString("  }\n  output \"o\" {\n    value = local.l39\n  }")
	p := load(t, body.String())
	found := check.Project(p)
	if len(found) == 0 || found[len(found)-1].Code != "WFC3101" {
		t.Fatalf("found %v", found)
	}
	d := found[len(found)-1]
	if !strings.Contains(d.Detail, "input.token → … → local.l29 → local.l30") || !strings.Contains(d.Detail, "→ local.l39.") || len(d.Related) != 12 {
		t.Errorf("%s, %d places", d.Detail, len(d.Related))
	}
}

// Following takes time in proportion to the workflow: 10,000 steps, each of which hands a
// sensitive and untrusted value on, are no worse than ten times 1,000.
func BenchmarkFollow(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var body strings.Builder
			body.WriteString(inputs + "  step \"search\" {\n    call = web.search\n  }\n  step \"s0\" {\n    value = { token = input.token, text = step.search.output.titles[0] }\n  }\n")
			for i := 1; i < n; i++ {
				fmt.Fprintf(&body, "  step \"s%d\" {\n    call = notes.delete\n    args = { name = step.s%d.text }\n    result = { token = step.s%d.output.token, text = self.text }\n  }\n", i, i-1, i-1)
			}
			p := load(b, body.String())
			b.ResetTimer()
			for b.Loop() {
				check.Project(p)
			}
		})
	}
}
