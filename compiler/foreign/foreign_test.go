package foreign

import (
	"errors"
	"strings"
	"testing"
)

// world is one with some files.
func world(files map[string]string) World {
	return World{
		Root:   "/home/ada/shop",
		Exists: func(path string) bool { _, ok := files[path]; return ok },
		Read: func(path string) ([]byte, error) {
			if src, ok := files[path]; ok {
				return []byte(src), nil
			}
			return nil, errors.New("no such file")
		},
	}
}

// vector is a file of a client and what comes of it.
type vector struct {
	name, path, src string
	files           map[string]string
	want            []string // parts of the HCL
	not             []string // what is not in it
	problems        []string // parts of problems; without any there are none
	notes           []string // parts of notes
}

func (v vector) run(t *testing.T) {
	w := world(v.files)
	got := Read([]File{{Name: "file", Path: v.path, Bytes: []byte(v.src)}}, w)
	hcl := string(got.HCL())
	for _, want := range v.want {
		if !strings.Contains(hcl, want) {
			t.Errorf("it lacks\n%s\nin\n%s", want, hcl)
		}
	}
	for _, bad := range v.not {
		if strings.Contains(hcl, bad) {
			t.Errorf("it has\n%s\nin\n%s", bad, hcl)
		}
	}
	all := func(what string, have []Note, want []string, exact bool) {
		var lines []string
		for _, n := range have {
			lines = append(lines, n.String())
		}
		text := strings.Join(lines, "\n")
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("the %s lack %q:\n%s", what, w, text)
			}
		}
		if exact && len(want) == 0 && len(have) > 0 {
			t.Errorf("%s: %s", what, text)
		}
	}
	all("problems", got.Problems, v.problems, true)
	all("notes", got.Notes, v.notes, false)
}

// The vectors of which each is a kind of mistake that importers have made.
func TestVectors(t *testing.T) {
	const codePath, vsPath = "/home/ada/shop/.mcp.json", "/home/ada/shop/.vscode/mcp.json"
	for _, v := range []vector{
		{name: "1 no servers", path: codePath, src: `{"mcpServers":{}}`, notes: []string{"no server in it"}},
		{name: "1 an empty file", path: codePath, src: " \n", notes: []string{"It is empty"}},
		{name: "2 BOM, comments, trailing commas", path: vsPath, src: "\ufeff{ // mine\n \"servers\": {\"a\": {\"command\": \"x\",},},}", want: []string{`connection "a" "main"`, `command = "x"`}},
		{name: "2 broken", path: vsPath, src: `{"servers": {`, problems: []string{"It cannot be read"}},
		{name: "3 servers in .mcp.json", path: codePath, src: `{"servers":{"a":{"command":"x"}}}`, want: []string{`connection "a"`}, notes: []string{"as VS Code writes it"}},
		{name: "4 a URL", path: codePath, src: `{"mcpServers":{"a":{"url":"https://a.example/mcp"}}}`, want: []string{"  http {\n    url = \"https://a.example/mcp\""}},
		{name: "4 Gemini's url is SSE", path: "/home/me/.gemini/settings.json", src: `{"mcpServers":{"a":{"url":"https://a.example/sse"},"b":{"httpUrl":"https://b.example/mcp"}}}`, want: []string{"sse {\n    url = \"https://a.example/sse\"", "http {\n    url = \"https://b.example/mcp\""}},
		{name: "4 both", path: codePath, src: `{"mcpServers":{"a":{"command":"x","url":"https://a.example"}}}`, problems: []string{`file: server "a": It has both`}},
		{name: "4 neither", path: codePath, src: `{"mcpServers":{"a":{}}}`, problems: []string{"neither a command nor a URL"}},
		{name: "5 spellings", path: codePath, src: `{"mcpServers":{"a":{"type":"streamableHttp","url":"https://a.example"},"b":{"type":"streamable_http","url":"https://b.example"},"c":{"type":"sse","url":"https://c.example"},"d":{"type":"remote","url":"https://d.example"}}}`, want: []string{"sse {\n    url = \"https://c.example\"", "http {\n    url = \"https://b.example\""}},
		{name: "5 unknown", path: codePath, src: `{"mcpServers":{"a":{"type":"pigeon","url":"https://a.example"},"b":{"type":"ws","url":"wss://a.example"}}}`, problems: []string{`no transport "pigeon"; there are stdio, http and sse`, "WebSockets"}},
		{name: "6 a command that is a list", path: "/home/ada/shop/opencode.json", src: `{"mcp":{"a":{"type":"local","command":["npx","-y","x"],"environment":{"A":"{env:B}"}}}}`, want: []string{`command = "npx"`, `args = ["-y", "x"]`, `env = { A = env("B") }`}},
		{name: "6 a command with spaces", path: codePath, src: `{"mcpServers":{"a":{"command":"npx -y x"}}}`, want: []string{`command = "npx -y x"`}, notes: []string{"has spaces"}},
		{name: "6 a program with a space in its name", path: codePath, src: `{"mcpServers":{"a":{"command":"/opt/my server"}}}`, files: map[string]string{"/opt/my server": ""}, want: []string{`command = "/opt/my server"`}},
		{name: "6 mcporter splits", path: "/home/ada/shop/config/mcporter.json", src: `{"mcpServers":{"a":{"command":"npx -y x"}}}`, want: []string{`command = "npx"`, `args = ["-y", "x"]`}},
		{name: "7 values of env", path: codePath, src: `{"mcpServers":{"a":{"command":"x","env":{"PORT":8080,"DEBUG":true,"EMPTY":"","NIL":null}}}}`, want: []string{`PORT = "8080"`, `DEBUG = "true"`, `EMPTY = ""`}, not: []string{"NIL"}},
		{name: "8 off, in both spellings", path: codePath, src: `{"mcpServers":{"a":{"command":"x","disabled":true},"b":{"command":"y","enabled":false},"c":{"command":"z","disabled":false,"enabled":true}}}`, want: []string{"connection \"a\" \"main\" {\n  enabled = false", "connection \"b\" \"main\" {\n  enabled = false", "connection \"c\" \"main\" {\n  stdio"}},
		{name: "9 consent", path: codePath, src: `{"mcpServers":{"a":{"command":"x","autoApprove":["drop"]},"b":{"command":"y","trust":true},"c":{"command":"z","alwaysAllow":[]}}}`, not: []string{"trust", "drop"}, notes: []string{`server "a": autoApprove: What its client may do`, `server "b": trust`}},
		{name: "10 tools", path: codePath, src: `{"mcpServers":{"a":{"command":"x","includeTools":["b","a"],"excludeTools":["a"]},"b":{"command":"y","tools":["*"],"disabledTools":["z"]}}}`, want: []string{`allow = ["a", "b"]`, `deny = ["a"]`, `deny = ["z"]`}, not: []string{`"*"`}},
		{name: "11 seconds", path: "/x/cline_mcp_settings.json", src: `{"mcpServers":{"a":{"command":"x","timeout":60}}}`, want: []string{`idle_timeout = "60s"`}},
		{name: "11 milliseconds", path: "/home/me/.gemini/settings.json", src: `{"mcpServers":{"a":{"command":"x","timeout":60000}}}`, want: []string{`idle_timeout = "60s"`}},
		{name: "11 Codex", path: "/home/me/.codex/config.toml", src: "", notes: []string{"empty"}},
		{name: "12 names", path: codePath, src: `{"mcpServers":{"My Server/v1.2":{"command":"x"},"数据":{"command":"y"},"1st":{"command":"z"}}}`, want: []string{"# My Server/v1.2 in file\nconnection \"My_Server_v1_2\" \"main\"", `connection "数据" "main"`, `connection "mcp_1st" "main"`}},
		{name: "12 names that clash", path: codePath, src: `{"mcpServers":{"a.b":{"command":"x"},"A b":{"command":"y"}}}`, problems: []string{`server "A b": Its connection would have the same name, A_b.main, as that of the server "a.b"`}},
		{name: "13 the shell of Windows", path: codePath, src: `{"mcpServers":{"a":{"command":"cmd","args":["/c","npx","-y","x","C:\\Users\\me"]}}}`, want: []string{`command = "npx"`, `args = ["-y", "x", "C:\\Users\\me"]`}, notes: []string{"only Windows has"}},
		{name: "14 the user's folder", path: codePath, src: `{"mcpServers":{"a":{"command":"~/bin/x","args":["~/y"],"cwd":"~"}}}`, want: []string{`command = "${env("HOME")}/bin/x"`, `args = ["~/y"]`, `cwd = env("HOME")`}},
		{name: "14 relative paths", path: "/home/ada/shop/sub/.mcp.json", src: `{"mcpServers":{"a":{"command":"./x"},"b":{"command":"y","cwd":"data"}}}`, want: []string{`cwd = "${project.root}/sub"`, `cwd = "${project.root}/sub/data"`}},
		{name: "15 no envFile", path: vsPath, src: `{"servers":{"a":{"command":"x","envFile":"${workspaceFolder}/.env"}}}`, problems: []string{`server "a": envFile: The file "${workspaceFolder}/.env" cannot be read`}},
		{name: "15 an envFile", path: vsPath, src: `{"servers":{"a":{"command":"x","envFile":"${workspaceFolder}/.env","env":{"B":"mine"}}}}`, files: map[string]string{"/home/ada/shop/.env": "# c\nexport A=\"quoted secret\"\nB=theirs\nDEBUG=true\n"}, want: []string{"A = secret.a", `B = "mine"`, `DEBUG = "true"`, "secret \"a\" {\n  env = \"A\""}, not: []string{"quoted", "theirs"}},
		{name: "16 a header", path: codePath, src: `{"mcpServers":{"a":{"url":"https://a.example","headers":{"Authorization":"Bearer ${TOKEN}","X-Team":"${TEAM:-core}"}}}}`, want: []string{"auth \"bearer\" {\n    token = secret.token", "env = \"TOKEN\"", `headers = { X-Team = env("TEAM", "core") }`}, not: []string{"Authorization"}},
		{name: "16 headers in a list", path: "/home/me/.mcphost.yml", src: "mcpServers:\n  a:\n    type: remote\n    url: https://a.example\n    headers:\n      - \"X-Api-Key: ${env://KEY}\"\n", want: []string{`headers = { X-Api-Key = secret.key }`, `env = "KEY"`}},
		{name: "17 a project of a person's file", path: "/home/me/.claude.json", src: `{"mcpServers":{"a":{"command":"all"}},"projects":{"/home/ada/shop":{"mcpServers":{"a":{"command":"own"}}},"/work":{"mcpServers":{"b":{"command":"no"}}}}}`, want: []string{`command = "own"`}, not: []string{`"all"`, `"no"`}},
		{name: "18 a key twice", path: codePath, src: "{\"mcpServers\":{\n\"a\":{\"command\":\"x\"},\n\"a\":{\"command\":\"y\"}}}", problems: []string{`line 3: the key "a" comes twice`}},
		{name: "19 OAuth", path: codePath, src: `{"mcpServers":{"a":{"url":"https://a.example","oauth":{"clientId":"x"}}}}`, want: []string{"https://a.example"}, notes: []string{"signs in by OAuth"}},
		{name: "20 docker passes on", path: codePath, src: `{"mcpServers":{"a":{"command":"docker","args":["run","-i","--rm","-e","GITHUB_TOKEN","-e","REGION","-e","X=1","img"]}}}`, want: []string{`GITHUB_TOKEN = secret.github_token`, `REGION = env("REGION")`}, not: []string{"X = "}},
	} {
		t.Run(v.name, v.run)
	}
}

func TestDialectsOfVariables(t *testing.T) {
	for _, v := range []vector{
		{name: "Claude Code", path: "/home/ada/shop/.mcp.json", src: `{"mcpServers":{"a":{"command":"x","args":["${A}","${B:-b c}","$C","${env:D}"]}}}`, want: []string{`args = [env("A"), env("B", "b c"), "$C", "$${env:D}"]`}, notes: []string{`"${env:D}" is no variable as Claude Code writes it`}},
		{name: "Claude Desktop", path: "/x/claude_desktop_config.json", src: `{"mcpServers":{"a":{"command":"x","args":["${A}"]}}}`, want: []string{`args = ["$${A}"]`}},
		{name: "Gemini", path: "/home/me/.gemini/settings.json", src: `{"mcpServers":{"a":{"command":"x","args":["$A/${B}"]}}}`, want: []string{`args = ["${env("A")}/${env("B")}"]`}},
		{name: "VS Code", path: "/home/ada/shop/.vscode/mcp.json", src: `{"inputs":[{"type":"promptString","id":"api-token","password":true},{"type":"promptString","id":"team","default":"core"}],"servers":{"a":{"command":"x","args":["${env:A}","${input:team}","${workspaceFolder}/d","${userHome}${/}e"],"env":{"T":"${input:api-token}"}}}}`, want: []string{`args = [env("A"), env("TEAM", "core"), "${project.root}/d", "${env("HOME")}/e"]`, `T = secret.api_token`, `env = "API_TOKEN"`}, notes: []string{`VS Code asks its user for "team"`}},
		{name: "VS Code, an input that is not there", path: "/home/ada/shop/.vscode/mcp.json", src: `{"servers":{"a":{"command":"x","args":["${input:no}"]}}}`, problems: []string{`refers to the input "no"`}},
		{name: "OpenCode", path: "/home/ada/shop/opencode.jsonc", src: `{"mcp":{"a":{"type":"remote","url":"https://a.example","headers":{"Authorization":"Bearer {file:key.txt}"}}}}`, want: []string{"token = secret.key", `file = "key.txt"`}},
		{name: "mcporter", path: "/home/ada/shop/config/mcporter.json", src: `{"mcpServers":{"a":{"baseUrl":"https://a.example","bearerTokenEnv":"T","headers":{"X":"$env:Y"}}}}`, want: []string{`token = secret.t`, `headers = { X = env("Y") }`}},
		{name: "goose", path: "/home/me/.config/goose/config.yaml", src: "extensions:\n  dev:\n    type: builtin\n  a:\n    type: stdio\n    cmd: npx\n    args: [-y, x]\n    envs: {A: 1}\n    env_keys: [GITHUB_TOKEN]\n    timeout: 300\n  b:\n    type: streamable_http\n    uri: https://b.example\n", want: []string{`command = "npx"`, `A = "1"`, `GITHUB_TOKEN = secret.github_token`, `idle_timeout = "300s"`, `url = "https://b.example"`}, notes: []string{"part of goose itself"}},
		{name: "gh-aw", path: "/home/ada/shop/flow.md", src: "---\nmcp-servers:\n  a:\n    container: ghcr.io/x/y\n    env:\n      K: \"${{ secrets.API_KEY }}\"\n    allowed: [search]\n---\n# Flow\n", want: []string{`command = "docker"`, `K = env("API_KEY")`, `allow = ["search"]`}},
		{name: "cagent", path: "/home/ada/shop/agent.yaml", src: "agents:\n  root:\n    toolsets:\n      - type: think\n      - type: mcp\n        ref: docker:duckduckgo\n      - type: mcp\n        name: r\n        remote:\n          url: https://r.example/sse\n          transport_type: sse\n", want: []string{`"--servers=duckduckgo"`, "sse {\n    url = \"https://r.example/sse\""}},
	} {
		if v.name == "gh-aw" || v.name == "cagent" || v.name == "goose" {
			v := v
			t.Run(v.name, func(t *testing.T) { v.named(t) })
			continue
		}
		t.Run(v.name, v.run)
	}
	t.Run("Codex", func(t *testing.T) {
		vector{path: "/home/me/.codex/config.toml", src: `
[mcp_servers.a]
command = "npx"
args = ["-y", "x"]
env_vars = ["HOME2", "SLACK_TOKEN"]
tool_timeout_sec = 60
startup_timeout_sec = 10
enabled_tools = ["q"]
[mcp_servers.b]
url = "https://b.example"
bearer_token_env_var = "B_TOKEN"
env_http_headers = { X-Region = "REGION" }
`, want: []string{`HOME2 = env("HOME2")`, "SLACK_TOKEN = secret.slack_token", `idle_timeout = "60s"`, `connect = "10s"`, `allow = ["q"]`, "token = secret.b_token", `headers = { X-Region = env("REGION") }`}}.named(t)
	})
}

// named runs a vector with its own file name, whose ending says how it is written.
func (v vector) named(t *testing.T) {
	got := Read([]File{{Name: v.path, Path: v.path, Bytes: []byte(v.src)}}, world(v.files))
	hcl := string(got.HCL())
	for _, want := range v.want {
		if !strings.Contains(hcl, want) {
			t.Errorf("it lacks\n%s\nin\n%s", want, hcl)
		}
	}
	if len(got.Problems) > 0 {
		t.Errorf("problems: %v", got.Problems)
	}
	for _, want := range v.notes {
		if !strings.Contains(got.Notes[0].String(), want) {
			t.Errorf("notes: %v", got.Notes)
		}
	}
}

func TestRegistry(t *testing.T) {
	for _, v := range []vector{
		{name: "npm", path: "/x/server.json", src: `{"name":"io.example/tracker","packages":[{"registryType":"npm","identifier":"@acme/tracker","version":"1.2.0","transport":{"type":"stdio"},"packageArguments":[{"type":"named","name":"--org","value":"{org}","isRequired":true},{"type":"positional","valueHint":"dir","isRequired":true}],"environmentVariables":[{"name":"API_KEY","isRequired":true,"isSecret":true},{"name":"MODE","default":"fast"},{"name":"OPTIONAL"}]}]}`, want: []string{`connection "tracker" "main"`, `args = ["-y", "@acme/tracker@1.2.0", "--org", env("ORG"), env("DIR")]`, "API_KEY = secret.api_key", `MODE = "fast"`}, not: []string{"OPTIONAL"}},
		{name: "pypi, of old", path: "/x/server.json", src: `{"name":"io.example/t","packages":[{"registry_type":"pypi","identifier":"t","version":"2.0"}]}`, want: []string{`command = "uvx"`, `args = ["t==2.0"]`}, notes: []string{"before 2025-09-16"}},
		{name: "oci", path: "/x/server.json", src: `{"name":"io.example/t","packages":[{"registryType":"oci","identifier":"ghcr.io/x/t","version":"2.0","environmentVariables":[{"name":"TOKEN","isSecret":true}]}]}`, want: []string{`args = ["run", "-i", "--rm", "-e", "TOKEN", "ghcr.io/x/t:2.0"]`, "TOKEN = secret.token"}},
		{name: "mcpb", path: "/x/server.json", src: `{"name":"io.example/t","packages":[{"registryType":"mcpb","identifier":"https://x/t.mcpb"}]}`, problems: []string{"comes as a bundle"}},
		{name: "remote", path: "/x/server.json", src: `{"name":"io.example/t","remotes":[{"type":"streamable-http","url":"https://{tenant}.example/mcp","headers":[{"name":"X-Key","isSecret":true,"isRequired":true}]}]}`, want: []string{`url = "https://${env("TENANT")}.example/mcp"`, "X-Key = secret.x_key"}},
	} {
		t.Run(v.name, v.run)
	}
}

// No form of a secret comes into what is written.
func TestSecretsAreNotWritten(t *testing.T) {
	const token = "ghp_0123456789abcdefghijklmnop"
	src := `{"mcpServers":{
		"env": {"command": "x", "env": {"GITHUB_TOKEN": "` + token + `", "DB_PASSWORD": "hunter2hunter2", "PLAIN": "xoxb-1234567890-abcdef"}},
		"flag": {"command": "x", "args": ["--token", "hunter2hunter2", "--api-key=hunter2hunter2", "` + token + `", "KEY=hunter2hunter2"]},
		"header": {"url": "https://a.example", "headers": {"Authorization": "Bearer hunter2hunter2", "X-Api-Key": "hunter2hunter2"}},
		"basic": {"url": "https://a.example", "headers": {"Authorization": "Basic aHVudGVyMmh1bnRlcjI="}},
		"query": {"url": "https://a.example/mcp?region=eu&api_key=hunter2hunter2"},
		"login": {"url": "https://me:hunter2hunter2@a.example/mcp"},
		"dsn": {"command": "x", "args": ["postgres://me:hunter2hunter2@db/x"]},
		"mixed": {"url": "https://a.example", "headers": {"X-Auth": "${USER_ID}:hunter2hunter2-ghp_0123456789abcdefghijklmnop"}},
		"default": {"command": "x", "env": {"API_TOKEN": "${API_TOKEN:-` + token + `}"}}
	}}`
	got := Read([]File{{Name: "file", Path: "/home/ada/shop/.mcp.json", Bytes: []byte(src)}}, world(nil))
	if len(got.Problems) > 0 {
		t.Fatal(got.Problems)
	}
	hcl := string(got.HCL())
	for _, secret := range []string{"hunter2", token, "xoxb-", "aHVudGVy"} {
		if strings.Contains(hcl, secret) {
			t.Errorf("%s is in\n%s", secret, hcl)
		}
		for _, n := range got.Notes {
			if strings.Contains(n.String(), secret) {
				t.Errorf("%s is in the note %s", secret, n)
			}
		}
	}
	if !strings.Contains(hcl, `url = "https://a.example/mcp?region=eu&api_key=${secret.query_api_key}"`) {
		t.Errorf("the query lost what is no secret:\n%s", hcl)
	}
}

// Two servers with other values for one variable keep both.
func TestOtherValuesOfOneVariable(t *testing.T) {
	src := `{"mcpServers":{"a":{"command":"x","env":{"TOKEN":"ghp_aaaaaaaaaaaaaaaaaaaa"}},"b":{"command":"y","env":{"TOKEN":"ghp_bbbbbbbbbbbbbbbbbbbb"}},"c":{"command":"z","env":{"TOKEN":"ghp_aaaaaaaaaaaaaaaaaaaa"}}}}`
	got := Read([]File{{Name: "file", Path: "/home/ada/shop/.mcp.json", Bytes: []byte(src)}}, world(nil))
	hcl := string(got.HCL())
	if len(got.Secrets) != 2 || strings.Count(hcl, "TOKEN = secret.token }") != 2 || !strings.Contains(hcl, "TOKEN = secret.b_token }") {
		t.Errorf("%v\n%s", got.Secrets, hcl)
	}
}

func TestTheProjectsFileWins(t *testing.T) {
	user := File{Name: "user", Path: "/home/me/.cursor/mcp.json", User: true, Bytes: []byte(`{"mcpServers":{"a":{"command":"users","env":{"A_TOKEN":"abcdefghijkl"}},"b":{"command":"b"}}}`)}
	own := File{Name: "own", Path: "/home/ada/shop/.cursor/mcp.json", Bytes: []byte(`{"mcpServers":{"a":{"command":"projects"}}}`)}
	for _, files := range [][]File{{user, own}, {own, user}} {
		got := Read(files, world(nil))
		hcl := string(got.HCL())
		if strings.Contains(hcl, "users") || !strings.Contains(hcl, `"projects"`) || !strings.Contains(hcl, `connection "b"`) || len(got.Secrets) != 0 || len(got.Notes) != 1 {
			t.Errorf("%v\n%s", got.Notes, hcl)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(".mcp.json", `{"mcpServers":{"a":{"command":"x","args":["${A:-b}"],"env":{"T":"x"}}}}`)
	f.Add(".vscode/mcp.json", `{"servers":{"a":{"url":"https://a?b=c","headers":{"Authorization":"Bearer ${input:x}"}}},"inputs":[{"id":"x","password":true}]}`)
	f.Add("config.toml", "[mcp_servers.a]\ncommand = \"x\"\n")
	f.Add("goose.yaml", "extensions:\n  - name: a\n    type: stdio\n    cmd: x\n")
	f.Add("server.json", `{"name":"a/b","packages":[{"registryType":"oci","identifier":"x"}]}`)
	f.Add("a.yaml", "a: &a [*a]\n")
	f.Fuzz(func(t *testing.T, name, src string) {
		got := Read([]File{{Name: name, Path: "/home/ada/shop/" + name, Bytes: []byte(src)}}, world(nil))
		got.HCL()
	})
}
