package foreign

import (
	"path/filepath"
	"strings"
)

// dialect is how a client writes its file.
type dialect struct {
	client string
	// variables are the forms in which it writes them.
	variables variables
	seconds   bool // a timeout is in seconds, else in milliseconds
	urlIsSSE  bool // `url` is legacy SSE, and `httpUrl` streamable HTTP
	// splits: a command in one text is split at its spaces.
	splits bool
}

// variables are forms of a variable in a text.
type variables uint16

const (
	braces   variables = 1 << iota // ${VAR}, ${VAR:-default}
	dollar                         // $VAR
	envColon                       // ${env:VAR}, ${input:id}, ${workspaceFolder} …
	curly                          // {env:VAR}, {file:path}
	envPath                        // $env:VAR
	envURL                         // ${env://VAR:-default}
	secrets                        // ${{ secrets.X }}
	template                       // {{server.property}}
	single                         // {name}
)

// dialects by what they are told from; see [dialectOf].
var (
	claudeDesktop = dialect{client: "Claude Desktop"}
	claudeCode    = dialect{client: "Claude Code", variables: braces}
	vsCode        = dialect{client: "VS Code", variables: envColon}
	cursor        = dialect{client: "Cursor", variables: envColon}
	windsurf      = dialect{client: "Windsurf", variables: envColon}
	cline         = dialect{client: "Cline", variables: envColon, seconds: true}
	kiro          = dialect{client: "Kiro", variables: envColon | braces}
	gemini        = dialect{client: "Gemini CLI", variables: dollar | braces, urlIsSSE: true}
	codex         = dialect{client: "Codex", seconds: true}
	opencode      = dialect{client: "OpenCode", variables: curly}
	mcporter      = dialect{client: "mcporter", variables: envPath | braces, splits: true}
	goose         = dialect{client: "goose", variables: braces, seconds: true}
	ghAW          = dialect{client: "gh-aw", variables: secrets}
	cagent        = dialect{client: "docker cagent", variables: braces}
	dockerCatalog = dialect{client: "Docker MCP catalog", variables: template}
	mcphost       = dialect{client: "mcphost", variables: envURL}
	registry      = dialect{client: "MCP registry", variables: single}
)

// dialectOf tells which client's file it is, by its name and place, else by its shape.
func dialectOf(path string, root *node) dialect {
	slash := strings.ToLower(filepath.ToSlash(path))
	name := slash[strings.LastIndexByte(slash, '/')+1:]
	has := func(names ...string) bool { return root.get(names...) != nil }
	switch {
	case has("packages", "remotes") && has("name") && !has("mcpServers", "servers"):
		return registry
	case name == "claude_desktop_config.json":
		return claudeDesktop
	case strings.Contains(slash, "/.cursor/"):
		return cursor
	case strings.Contains(slash, "/windsurf/"):
		return windsurf
	case strings.Contains(slash, "/.gemini/"):
		return gemini
	case strings.Contains(slash, "/.kiro/"), strings.Contains(slash, "amazonq"):
		return kiro
	case name == "cline_mcp_settings.json", strings.Contains(slash, "/.roo/"), strings.Contains(slash, "kilo"):
		return cline
	case strings.HasPrefix(name, "mcporter."):
		return mcporter
	case strings.HasPrefix(name, "opencode."), has("mcp") && !has("mcpServers") && root.get("mcp").get("servers") == nil:
		return opencode
	case has("mcp_servers"):
		return codex
	case has("mcp-servers"):
		return ghAW
	case has("extensions"):
		return goose
	case has("registry"):
		return dockerCatalog
	case has("agents", "toolsets", "mcps"):
		return cagent
	case strings.HasSuffix(name, ".yml"), strings.HasSuffix(name, ".yaml"):
		return mcphost
	case has("servers"), strings.Contains(slash, "/.vscode/"), root.get("mcp").get("servers") != nil:
		return vsCode
	}
	return claudeCode
}

// servers finds the servers of a file. Nil: there is no place for any in it, which has
// been said.
func (r *reader) servers(root *node) []named {
	out := []named{}
	add := func(container *node) {
		for _, f := range container.fields {
			out = append(out, named(f))
		}
	}
	switch r.client {
	case registry.client:
		return r.registry(root)
	case goose.client:
		return r.goose(root.get("extensions"))
	case cagent.client:
		return r.cagent(root)
	case dockerCatalog.client:
		add(root.get("registry"))
		return out
	}
	if input := root.get("inputs"); input != nil && input.kind == list {
		r.inputs = map[string]*node{}
		for _, i := range input.items {
			r.inputs[i.str("id")] = i
		}
	}
	// The servers of one project in a person's file come before those of all.
	if own := root.get("projects").get(r.world.Root).get("mcpServers"); own != nil && own.kind == object {
		add(own)
	}
	container := root.get("mcpServers", "servers", "mcp_servers", "mcp-servers")
	if container == nil {
		container = root.get("mcp")
		if inner := container.get("servers"); inner != nil {
			container = inner
		}
	}
	if container == nil && len(out) == 0 {
		r.problem("", "It has no servers: none of mcpServers, servers, mcp, mcp_servers, mcp-servers or extensions is in it.")
		return nil
	}
	if container == nil {
		return out
	}
	if container.kind != object {
		r.problem("", "What has the servers in it is no object.")
		return nil
	}
	if root.get("servers") == container && strings.HasSuffix(r.current.Path, ".mcp.json") {
		r.note("", "Its servers stand in `servers`, as VS Code writes it.")
	}
	for _, f := range container.fields {
		// One of the project that the person's file has for itself wins.
		dup := false
		for _, o := range out {
			dup = dup || o.name == f.name
		}
		if !dup {
			out = append(out, named(f))
		}
	}
	return out
}

// goose has its servers in a list with names, or in a map.
func (r *reader) goose(extensions *node) []named {
	out := []named{}
	take := func(name string, n *node) {
		if t := n.str("type"); t == "builtin" || t == "platform" || t == "frontend" {
			r.at.Server = name
			r.note("type", "It is part of goose itself (%s), and was left out.", t)
			r.at.Server = ""
			return
		}
		out = append(out, named{name, n})
	}
	switch extensions.kind {
	case list:
		for _, n := range extensions.items {
			take(n.str("name"), n)
		}
	case object:
		for _, f := range extensions.fields {
			take(f.name, f.node)
		}
	}
	return out
}

// cagent has its servers among the tool sets of agents.
func (r *reader) cagent(root *node) []named {
	out := []named{}
	if m := root.get("mcps"); m != nil && m.kind == object {
		for _, f := range m.fields {
			out = append(out, named(f))
		}
	}
	sets := func(owner string, n *node) {
		if n == nil || n.kind != list {
			return
		}
		for _, s := range n.items {
			if s.str("type") != "mcp" {
				continue
			}
			name := s.str("name", "ref", "command")
			name = strings.TrimPrefix(name, "docker:")
			if name == "" {
				name = owner
			}
			out = append(out, named{name, s})
		}
	}
	sets("tools", root.get("toolsets"))
	if a := root.get("agents"); a != nil && a.kind == object {
		for _, f := range a.fields {
			sets(f.name, f.node.get("toolsets"))
		}
	}
	return out
}
