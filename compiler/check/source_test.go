package check_test

import (
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/check"
)

// envs is a project with a family of three connections with the tools of the
// demo server, of which prod has one less.
const envs = `
-- envs.wf.hcl --
provider "env" {
  stdio {
    command = project.wfc
    args    = ["demo-server"]
  }
}
connection "env" "dev" {
}
connection "env" "staging" {
}
connection "env" "prod" {
  deny = ["echo"]
}
-- catalog/env.dev.json --
SNAPSHOT env.dev
-- catalog/env.staging.json --
SNAPSHOT env.staging
-- catalog/env.prod.json --
SNAPSHOT env.prod
`

// family is the project envs with the body of a workflow that has the source env.
func family(t *testing.T, body string) string {
	t.Helper()
	src := envs
	for _, id := range []string{"env.dev", "env.staging", "env.prod"} {
		src = strings.Replace(src, "SNAPSHOT "+id, strings.Replace(snapshotOfDemo(t), `"demo.main"`, `"`+id+`"`, 1), 1)
	}
	return "-- main.wf.hcl --\n" + `workflow "w" {
  source "env" {
    family = {
      dev     = connection.env.dev
      staging = connection.env.staging
      prod    = connection.env.prod
    }
  }
` + body + "\n}\n" + src
}

func TestFamilies(t *testing.T) {
	var rules []rule
	for _, r := range []rule{
		{"each member by its key", `
  input "envs" {
    type    = list(enum("dev", "staging", "prod"))
    default = ["dev", "prod"]
  }
  step "tasks" {
    for_each = input.envs
    key      = each.value
    call     = env[each.value].list_tasks
  }
  output "o" {
    value = { for k, r in step.tasks : k => length(r.output.tasks) }
  }`, nil},
		{"keys of an object", `
  step "tasks" {
    for_each = { dev = 1, prod = 2 }
    call     = env[each.key].list_tasks
    args     = { limit = each.value }
  }`, nil},
		{"a member that does not exist", `
  step "tasks" {
    call = env["prd"].list_tasks
  }`, []string{"WFC2014 `\"prd\"` ~ \"dev\" (env.dev), \"staging\" (env.staging) and \"prod\" (env.prod)"}},
		{"an element that is none", `
  step "tasks" {
    for_each = ["dev", "test"]
    call     = env[each.value].list_tasks
  }`, []string{"WFC2014 `each.value` ~ has no member \"test\". Its members are \"dev\" (env.dev)"}},
		{"any text may be none", `
  input "envs" {
    type = list(string)
  }
  step "tasks" {
    for_each = input.envs
    call     = env[each.value].list_tasks
  }`, []string{"WFC2014 `each.value` ~ give that the type enum(\"dev\", \"staging\", \"prod\")"}},
		{"a key is wanted", `
  step "tasks" {
    call = env.list_tasks
  }`, []string{"WFC2014 `env` ~ Write env[KEY].list_tasks"}},
		{"what a member does not have", `
  step "tasks" {
    for_each = { dev = 1 }
    call     = env[each.key].echo
    args     = { text = "x" }
  }
  step "one" {
    call = env["dev"].echo
    args = { text = "x" }
  }`, []string{"WFC2109 `echo` ~ env.prod denies"}},
		{"what no member has", `
  step "tasks" {
    for_each = { dev = 1 }
    call     = env[each.key].list_task
  }`, []string{"WFC2002 `list_task` ~ of the family env (env.dev) has no tool \"list_task\". Did you mean \"list_tasks\"?"}},
		{"resources and prompts of a member", `
  step "readme" {
    read = env["dev"]
    uri  = "demo://readme"
  }
  step "task" {
    for_each = { dev = "1", prod = "2" }
    read     = env[each.key].task
    args     = { id = each.value }
  }
  step "p" {
    prompt = env["dev"].summarise
    args   = { topic = step.readme.output }
  }`, nil},
		{"arguments are checked against all", `
  step "tasks" {
    for_each = { dev = 1 }
    call     = env[each.key].list_tasks
    args     = { limt = 1 }
  }`, []string{"WFC2103 `limt` ~ env[…].list_tasks"}},
	} {
		rules = append(rules, rule{r.name, family(t, r.body), r.want})
	}
	runRules(t, rules)
	runRules(t, []rule{
		{"one connection has no key", `
  step "tasks" {
    call = demo["dev"].list_tasks
  }`, []string{"WFC2014 `\"dev\"` ~ is one connection"}},
		{"a family is not bound as well", `
workflow "w" {
  source "demo" {
    bind = connection.demo.main
    family = {
      a = connection.demo.main
      b = connection.demo.mian
    }
  }
}`, []string{"WFC1032 `bind`", "WFC2007 `demo.mian`"}},
		{"a key stands for one connection", `
workflow "w" {
  source "demo" {
    family = {
      a = connection.demo.main
      a = connection.demo.main
    }
  }
}`, []string{"WFC1018 `a`"}},
	})
}

func TestHowConnectionsAreReached(t *testing.T) {
	const snapshot = `
-- catalog/lab.main.json --
{"format_version": 1, "connection": "lab.main", "tools": [], "resources": [], "resource_templates": [], "prompts": []}
`
	const withTools = `
-- catalog/lab.main.json --
{"format_version": 1, "connection": "lab.main", "tools": [
  {"digest": "", "object": {"name": "measure", "inputSchema": {"type": "object"}}},
  {"digest": "", "object": {"name": "weigh", "inputSchema": {"type": "object"}}}
], "resources": [], "resource_templates": [], "prompts": []}
`
	runRules(t, []rule{
		{"a provider gives what the connections share", `
-- lab.wf.hcl --
secret "token" {
  command = ["pass", "show", "lab"]
}
provider "lab" {
  http {
    url     = "https://lab.example.com/mcp"
    headers = { "X-Team" = "docs" }
  }
  auth "bearer" {
    token = secret.token
  }
  timeouts {
    connect = "10s"
  }
  rate_limit {
    requests = 100
    per      = "1m"
  }
  idle_timeout = "2m"
  session      = "run"
  protocol     = "2025-11-25"
  trust        = "untrusted"
  data         = "private"
  reach        = "external"
}
connection "lab" "main" {
  enabled = true
}
` + snapshot, nil},
		{"nothing says how the server is reached", `
-- lab.wf.hcl --
provider "lab" {
  max_in_flight = 1
}
connection "lab" "main" {
}
` + snapshot, []string{"WFC1039 `connection \"lab\" \"main\"`"}},
		{"what a transport lacks with its provider", `
-- lab.wf.hcl --
provider "lab" {
  http {
    headers = {}
  }
  auth "basic" {
    username = "ann"
  }
}
connection "lab" "main" {
}
` + snapshot, []string{"WFC1026 `http` ~ \"url\"", "WFC1026 `auth \"basic\"` ~ \"password\""}},
		{"mistakes in a provider are said once", `
-- lab.wf.hcl --
provider "lab" {
  stdio {
    command = secret.tken
    args    = "x"
  }
}
connection "lab" "main" {
}
connection "lab" "other" {
}
` + snapshot + strings.ReplaceAll(snapshot, "lab.main", "lab.other"), []string{"WFC2006 `tken`", "WFC2201 `\"x\"` ~ The args of provider lab"}},
		{"mistakes in its tool blocks, too", `
-- lab.wf.hcl --
provider "lab" {
  stdio {
    command = "lab-server"
  }
  tool "measure" {
    effect = "reed"
    result = self.output +
  }
  tool "weigh" {
    result = slf.output
  }
}
connection "lab" "main" {
}
connection "lab" "other" {
}
` + withTools + strings.ReplaceAll(withTools, "lab.main", "lab.other"), []string{"WFC1037 `\"reed\"`", "WFC1009 `+`", "WFC2010 `slf` ~ Did you mean \"self\"?"}},
		{"an address is whole", `
-- lab.wf.hcl --
connection "lab" "main" {
  http {
    url = "lab.example.com/mcp"
  }
}
` + snapshot, []string{"WFC2206 `\"lab.example.com/mcp\"`"}},
		{"choices", `
-- lab.wf.hcl --
connection "lab" "main" {
  http {
    url = env("LAB_URL", "https://lab.example.com/mcp")
  }
  auth "berer" {
  }
  protocol = "2025"
  offers   = ["roots", "root"]
  trust    = "none"
}
` + snapshot, []string{"WFC1037 `berer`", "WFC1037 `\"2025\"`", "WFC1037 `\"root\"`", "WFC1037 `\"none\"`"}},
		{"allow and deny name tools", `
-- main.wf.hcl --
connection "demo" "other" {
  stdio {
    command = project.wfc
  }
  allow = ["list_tasks", "gret"]
  deny  = ["list_tasks"]
}
workflow "w" {
  source "demo" {
    bind = connection.demo.other
  }
  step "a" {
    call = demo.list_tasks
  }
  step "b" {
    call = demo.counter
  }
}
-- catalog/demo.other.json --
` + strings.Replace(snapshotOfDemo(t), `"demo.main"`, `"demo.other"`, 1), []string{"WFC2002 `\"gret\"` ~ Did you mean \"greet\"?", "WFC2109 `list_tasks` ~ denies", "WFC2109 `counter` ~ allows some tools only"}},
		{"a secret comes from one place", `
-- s.wf.hcl --
secret "a" {
  file = "token.txt"
}
secret "b" {
  keyring = "github"
}
secret "c" {
  command = "pass show x"
}
secret "d" {
  command = []
}`, []string{"WFC1034 `\"github\"`", "WFC1034 `\"pass show x\"`", "WFC1034 `[]`"}},
	})
}

// What opens a connection alone, as to refresh its snapshot, is told what keeps it from that.
func TestConnectionsThatCannotBeOpened(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"whole", `
connection "lab" "main" {
  stdio {
    command = "lab-server"
  }
}`, ""},
		{"of a provider that lacks something", `
provider "lab" {
  stdio {
    args = ["x"]
  }
}
connection "lab" "main" {
}`, "WFC1026"},
		{"over HTTP", `
connection "lab" "main" {
  http {
    url = "https://lab.example.com/mcp"
  }
}`, ""},
		{"over HTTP, with a login", `
connection "lab" "main" {
  http {
    url = "https://lab.example.com/mcp"
  }
  auth "oauth" {
  }
}`, "WFC1091"},
		{"with a secret of the keyring", `
secret "s" {
  keyring = "lab/main"
}
connection "lab" "main" {
  stdio {
    command = "lab-server"
    env     = { S = secret.s }
  }
}`, "WFC1091"},
		{"without an end", `
connection "lab" "main" {
  stdio {
    command = secret.none
  }
}`, "WFC2006"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := load(t, c.src)
			found := check.Connection(p, p.Connections["lab.main"])
			got := ""
			if len(found) > 0 {
				got = string(found[0].Code)
			}
			if got != c.want || len(found) > 1 {
				t.Errorf("want %q, got:\n%s", c.want, show(p, found))
			}
		})
	}
}
