package foreign

import (
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// understood are the fields of a server that are taken over, or of which something is
// said; what else there is belongs to its client.
var understood = []string{
	"type", "transport", "transportType", "transport_type", "command", "cmd", "args", "env", "envs", "environment", "env_vars", "env_keys", "envFile", "cwd",
	"url", "uri", "httpUrl", "serverUrl", "server_url", "baseUrl", "base_url", "headers", "http_headers", "env_http_headers", "bearerToken", "bearerTokenEnv", "bearer_token_env_var",
	"disabled", "enabled", "timeout", "tool_timeout_sec", "startup_timeout_sec", "autoApprove", "alwaysAllow", "trust", "oauth", "auth", "headersHelper", "authProviderType", "scopes",
	"includeTools", "enabled_tools", "available_tools", "tools", "allowed", "allowedTools", "excludeTools", "disabled_tools", "disabledTools", "excludedTools",
	"name", "description", "title", "remote", "ref", "image", "container", "entrypointArgs", "volumes", "secrets", "user", "displayName",
}

// server reads a server; nil: it cannot be imported, which has been said.
func (r *reader) server(n named) *Server {
	s := &Server{Name: n.name, File: r.current.Name}
	problems := len(r.out.Problems)
	v := n.node
	if remote := v.get("remote"); remote != nil && remote.kind == object {
		v = merged(v, remote)
	}
	if v.get("type") == nil && v.str("image") != "" && v.get("command") == nil || r.client == dockerCatalog.client {
		r.gateway(s, n)
		return s
	}
	r.transport(s, v)
	s.Off = v.get("disabled").is("true") || v.get("enabled").is("false")
	r.tools(s, v)
	r.times(s, v)
	r.consent(v)
	var left []string
	for _, f := range v.fields {
		if !slices.Contains(understood, f.name) {
			left = append(left, f.name)
		}
	}
	if len(left) > 0 {
		r.note("", "What wfc has no word for was left out: %s.", strings.Join(left, ", "))
	}
	if len(r.out.Problems) > problems {
		return nil
	}
	return s
}

// merged returns an object with the fields of both, those of b first.
func merged(a, b *node) *node {
	return &node{kind: object, fields: append(slices.Clone(b.fields), a.fields...)}
}

// is reports whether a node is a boolean, or a text, that says so.
func (n *node) is(what string) bool {
	return n != nil && (n.kind == boolean || n.kind == text) && strings.EqualFold(n.text, what)
}

// gateway is a server of Docker's catalog: clients reach it through Docker's gateway.
func (r *reader) gateway(s *Server, n named) {
	s.Command = lit("docker")
	s.Args = []Text{lit("mcp"), lit("gateway"), lit("run"), lit("--servers=" + n.name)}
	r.note("", "It is run by Docker's gateway, which has its secrets and its settings.")
}

// transports are the names that clients have for how a server is reached.
var transports = map[string]string{
	"": "", "stdio": "stdio", "local": "stdio", "http": "http", "streamable-http": "http", "streamablehttp": "http", "streamable_http": "http", "remote": "http",
	"sse": "sse", "mcp": "", "server": "",
}

func (r *reader) transport(s *Server, v *node) {
	said := v.str("type", "transportType", "transport_type", "transport")
	how, ok := transports[strings.ToLower(said)]
	if r.client == cagent.client {
		if t := v.str("transport_type"); t != "" {
			how, ok = transports[strings.ToLower(t)]
		}
	}
	if !ok {
		hint := ""
		if strings.EqualFold(said, "ws") {
			hint = " WebSockets are no transport of MCP."
		}
		r.problem("type", "There is no transport %s; there are stdio, http and sse.%s", shown(said), hint)
		return
	}
	command := v.get("command", "cmd")
	url := v.str("url", "uri", "serverUrl", "server_url", "baseUrl", "base_url")
	if r.urlIsSSE {
		if h := v.str("httpUrl"); h != "" {
			url = h
		} else if url != "" && how == "" {
			how = "sse"
		}
	}
	ref := v.str("ref")
	if image := v.str("container"); image != "" && command == nil && url == "" {
		command = &node{kind: list, items: []*node{{kind: text, text: "docker"}, {kind: text, text: "run"}, {kind: text, text: "-i"}, {kind: text, text: "--rm"}, {kind: text, text: image}}}
	}
	switch {
	case command != nil && url != "":
		r.problem("", "It has both a command and a URL, and only one of them can be meant.")
	case command == nil && url == "" && strings.HasPrefix(ref, "docker:"):
		r.gateway(s, named{strings.TrimPrefix(ref, "docker:"), v})
	case command == nil && url == "":
		r.problem("", "It has neither a command nor a URL.")
	case command != nil && (how == "http" || how == "sse"):
		r.problem("type", "It says %s and has a command, which only stdio has.", shown(said))
	case url != "" && how == "stdio":
		r.problem("type", "It says %s and has a URL, which only http and sse have.", shown(said))
	case url != "":
		r.remote(s, v, url, how == "sse")
	default:
		r.child(s, v, command)
	}
}

func (r *reader) remote(s *Server, v *node, url string, sse bool) {
	lower := strings.ToLower(url)
	if strings.HasPrefix(lower, "unix:") || strings.HasPrefix(lower, "pipe:") || strings.HasPrefix(lower, "ws:") || strings.HasPrefix(lower, "wss:") {
		r.problem("url", "Servers are reached over http and https, not over %s.", lower[:strings.IndexByte(lower, ':')])
		return
	}
	s.URL, s.SSE = r.secretInURL(s, r.text("url", url)), sse
	headers := v.get("headers", "http_headers")
	if headers != nil && headers.kind == list { // "K: V"
		as := &node{kind: object}
		for _, h := range headers.items {
			name, value, ok := strings.Cut(h.text, ":")
			if !ok {
				r.problem("headers", "%s is no header: it has no colon.", shown(h.text))
				return
			}
			as.fields = append(as.fields, field{strings.TrimSpace(name), &node{kind: text, text: strings.TrimSpace(value)}})
		}
		headers = as
	}
	for _, p := range r.pairs("headers", headers) {
		r.header(s, p)
	}
	for _, f := range fieldsOf(v.get("env_http_headers")) {
		r.header(s, pair{f.name, Text{{Env: f.node.text}}})
	}
	if name := v.str("bearerTokenEnv", "bearer_token_env_var"); name != "" {
		s.Bearer = r.secretOf(s, name, Text{{Env: name}})
	}
	if t := v.str("bearerToken"); t != "" {
		s.Bearer = r.secretOf(s, s.Name+"_TOKEN", r.text("bearerToken", t))
	}
	if v.get("headersHelper") != nil {
		r.note("headersHelper", "A program that makes headers was left out. Where it gives a token, a secret can have its command: secret \"NAME\" { command = [\"program\"] }.")
	}
	a := v.get("oauth")
	if a == nil {
		a = v.get("auth")
	}
	if a != nil && !a.is("false") || v.get("authProviderType") != nil {
		r.note("oauth", "It signs in by OAuth, which was left out: its connection needs an auth block.")
	}
}

// header takes a header over; a bearer's token has a block of its own.
func (r *reader) header(s *Server, p pair) {
	if strings.EqualFold(p.Name, "authorization") && len(p.Value) > 0 {
		first := p.Value[0].Literal
		if rest, ok := cutFold(first, "bearer "); ok {
			token := slices.Clone(p.Value)
			token[0].Literal = rest
			if rest == "" {
				token = token[1:]
			}
			s.Bearer = r.secretOf(s, s.Name+"_TOKEN", token)
			return
		}
	}
	if secretName(p.Name) || strings.EqualFold(p.Name, "authorization") || secretText(p.Value) {
		p.Value = r.secretOf(s, s.Name+"_"+p.Name, p.Value)
	}
	s.Headers = append(s.Headers, Pair(p))
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return strings.TrimLeft(s[len(prefix):], " "), true
	}
	return s, false
}

func (r *reader) child(s *Server, v, command *node) {
	words, ok := r.words(command, v.get("args") != nil || v.get("entrypointArgs") != nil)
	if !ok {
		return
	}
	for _, name := range []string{"args", "entrypointArgs"} {
		args := v.get(name)
		if args == nil {
			continue
		}
		if args.kind != list {
			r.problem(name, "It must be a list.")
			return
		}
		for _, a := range args.items {
			if a.kind == list || a.kind == object || a.kind == null {
				r.problem(name, "Each of it must be a text.")
				return
			}
			words = append(words, a.text)
		}
	}
	words = r.windows(words)
	s.Command = r.path("command", words[0])
	env := r.environment(s, v)
	for _, w := range words[1:] {
		s.Args = append(s.Args, r.secretArgument(s, r.text("args", w)))
	}
	r.passOn(s, words, &env)
	s.Env = env
	cwd := v.str("cwd")
	folder := base(r.current.Path)
	relative := strings.HasPrefix(words[0], "./") || strings.HasPrefix(words[0], "../")
	switch {
	case cwd != "" && !filepath.IsAbs(cwd) && !strings.ContainsAny(cwd[:1], "$~{"):
		s.Cwd = r.below(filepath.Join(folder, cwd))
	case cwd != "":
		s.Cwd = r.path("cwd", cwd)
	case relative && folder != r.world.Root:
		s.Cwd = r.below(folder)
	}
}

// below names a folder from the project's root.
func (r *reader) below(folder string) Text {
	rel, err := filepath.Rel(r.world.Root, folder)
	if err != nil {
		return lit(folder)
	}
	if rel == "." {
		return Text{{Root: true}}
	}
	return Text{{Root: true}, {Literal: "/" + filepath.ToSlash(rel)}}
}

// words are a command and what stands behind it in the same field.
func (r *reader) words(command *node, hasArgs bool) ([]string, bool) {
	if command.kind == list {
		var words []string
		for _, w := range command.items {
			words = append(words, w.text)
		}
		if len(words) == 0 || words[0] == "" {
			r.problem("command", "It is empty.")
			return nil, false
		}
		return words, true
	}
	text := command.text
	if text == "" {
		r.problem("command", "It is empty.")
		return nil, false
	}
	if !strings.ContainsAny(text, " \t") || hasArgs || r.world.Exists(text) {
		return []string{text}, true
	}
	if r.splits {
		return strings.Fields(text), true
	}
	r.note("command", "%s has spaces, and was kept as one program's name, as clients take it. If it is a program with arguments, write these into args.", shown(text))
	return []string{text}, true
}

// windows takes the shell of Windows away, which other systems have not.
func (r *reader) windows(words []string) []string {
	if r.world.Windows || len(words) < 3 {
		return words
	}
	name := strings.ToLower(words[0])
	if name == "cmd" || name == "cmd.exe" || strings.HasSuffix(name, `\cmd.exe`) {
		if strings.EqualFold(words[1], "/c") {
			r.note("command", "%s %s, which only Windows has, was taken away.", words[0], words[1])
			return words[2:]
		}
	}
	return words
}

// environment reads what a child process gets, in the order of the file.
func (r *reader) environment(s *Server, v *node) []Pair {
	var out []Pair
	set := func(p Pair) {
		if i := slices.IndexFunc(out, func(o Pair) bool { return o.Name == p.Name }); i >= 0 {
			out[i] = p
			return
		}
		out = append(out, p)
	}
	if file := v.str("envFile"); file != "" {
		for _, p := range r.envFile(s, file) {
			set(p)
		}
	}
	for _, p := range r.pairs("env", v.get("env", "envs", "environment")) {
		if secretName(p.Name) && !harmless(p.Value) || secretText(p.Value) {
			p.Value = r.secretOf(s, p.Name, p.Value)
		}
		set(Pair(p))
	}
	for _, from := range []*node{v.get("env_vars"), v.get("env_keys"), v.get("secrets")} {
		if from == nil || from.kind != list {
			continue
		}
		for _, n := range from.items {
			name := n.text
			if n.kind == object {
				name = n.str("env", "name")
			}
			if name != "" {
				set(r.passed(s, name))
			}
		}
	}
	return out
}

// passed is a variable that a child gets from outside.
func (r *reader) passed(s *Server, name string) Pair {
	if secretName(name) {
		return Pair{name, r.secretOf(s, name, Text{{Env: name}})}
	}
	return Pair{name, Text{{Env: name}}}
}

// passOn gives a docker command the variables that it passes on by their names alone.
func (r *reader) passOn(s *Server, words []string, env *[]Pair) {
	if len(words) < 2 || filepath.Base(words[0]) != "docker" {
		return
	}
	for i, w := range words {
		if w != "-e" && w != "--env" || i+1 >= len(words) {
			continue
		}
		name := words[i+1]
		if strings.ContainsRune(name, '=') || slices.ContainsFunc(*env, func(p Pair) bool { return p.Name == name }) {
			continue
		}
		*env = append(*env, r.passed(s, name))
	}
}

// tools reads which tools there are for the project.
func (r *reader) tools(s *Server, v *node) {
	names := func(fields ...string) []string {
		var out []string
		for _, f := range fields {
			n := v.get(f)
			if n == nil || n.kind != list {
				continue
			}
			for _, t := range n.items {
				if t.kind == text && t.text != "*" {
					out = append(out, t.text)
				}
			}
		}
		sort.Strings(out)
		return slices.Compact(out)
	}
	s.Allow = names("includeTools", "enabled_tools", "available_tools", "tools", "allowed", "allowedTools")
	s.Deny = names("excludeTools", "disabled_tools", "disabledTools", "excludedTools")
}

func (r *reader) times(s *Server, v *node) {
	duration := func(f string, unit time.Duration) string {
		n := v.get(f)
		if n == nil {
			return ""
		}
		x, err := strconv.ParseFloat(n.text, 64)
		if err != nil || x <= 0 || x > 1e9 {
			r.note(f, "%s is no time, and was left out.", shown(n.text))
			return ""
		}
		d := time.Duration(x * float64(unit))
		if d%time.Second == 0 {
			return strconv.FormatInt(int64(d/time.Second), 10) + "s"
		}
		return strconv.FormatInt(d.Milliseconds(), 10) + "ms"
	}
	unit := time.Millisecond
	if r.seconds {
		unit = time.Second
	}
	s.Idle = duration("timeout", unit)
	if t := duration("tool_timeout_sec", time.Second); t != "" {
		s.Idle = t
	}
	s.Connect = duration("startup_timeout_sec", time.Second)
}

// consent says what a client may do without asking its user: that is no consent here.
func (r *reader) consent(v *node) {
	for _, f := range []string{"autoApprove", "alwaysAllow", "trust"} {
		n := v.get(f)
		if n == nil || n.is("false") || n.kind == list && len(n.items) == 0 {
			continue
		}
		r.note(f, "What its client may do without asking was not taken over. Effects are of the server's tools, and a deployment's policy says what is asked.")
	}
}

func fieldsOf(n *node) []field {
	if n == nil {
		return nil
	}
	return n.fields
}

// pair is a name and a value that may have places.
type pair Pair

// pairs reads an object of texts. Null is not set; numbers and booleans are texts.
func (r *reader) pairs(what string, n *node) []pair {
	if n == nil || n.kind == null {
		return nil
	}
	var out []pair
	if n.kind == list { // [{name, value}], or "NAME=value"
		for _, i := range n.items {
			name, value := i.str("name"), i.get("value")
			if i.kind == text {
				before, after, _ := strings.Cut(i.text, "=")
				name, value = before, &node{kind: text, text: after}
			}
			if name != "" && value != nil {
				out = append(out, pair{name, r.text(what+"."+name, value.text)})
			}
		}
		return out
	}
	if n.kind != object {
		r.problem(what, "It must be an object.")
		return nil
	}
	for _, f := range n.fields {
		switch f.node.kind {
		case null:
		case list, object:
			r.problem(what+"."+f.name, "It must be a text.")
		default:
			t := r.text(what+"."+f.name, f.node.text)
			if f.node.secret && len(t) == 1 && t[0].Env != "" {
				t = Text{{Secret: r.secret(Secret{Name: identifierOf(t[0].Env), Env: t[0].Env, From: r.current.Name, Server: r.at.Server})}}
			}
			out = append(out, pair{f.name, t})
		}
	}
	return out
}
