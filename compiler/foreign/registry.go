package foreign

import (
	"strings"
)

// snakes are the fields of server.json as they were called before 2025-09-16.
var snakes = map[string]string{
	"registry_type": "registryType", "registry_name": "registryType", "transport_type": "type", "environment_variables": "environmentVariables", "is_required": "isRequired",
	"is_secret": "isSecret", "runtime_hint": "runtimeHint", "runtime_arguments": "runtimeArguments", "package_arguments": "packageArguments", "value_hint": "valueHint", "name": "name",
}

// modern writes the fields of an old server.json as they are called today; old says
// that there was one.
func modern(n *node) (old bool) {
	for i := range n.fields {
		if now, ok := snakes[n.fields[i].name]; ok && now != n.fields[i].name {
			n.fields[i].name, old = now, true
		}
		old = modern(n.fields[i].node) || old
	}
	for _, item := range n.items {
		old = modern(item) || old
	}
	return old
}

// registry reads a server.json of the MCP registry as one server: its first remote, or
// else its first package.
func (r *reader) registry(root *node) []named {
	if modern(root) {
		r.note("", "It is written as before 2025-09-16, and was read all the same.")
	}
	full := root.str("name")
	name := full[strings.LastIndexByte(full, '/')+1:]
	r.at.Server = name
	out := &node{kind: object}
	set := func(key string, n *node) { out.fields = append(out.fields, field{key, n}) }
	if remotes := root.get("remotes"); remotes != nil && len(remotes.items) > 0 {
		first := remotes.items[0]
		set("type", &node{kind: text, text: first.str("type")})
		set("url", &node{kind: text, text: first.str("url")})
		headers := &node{kind: object}
		if h := first.get("headers"); h != nil {
			for _, x := range h.items {
				headers.fields = append(headers.fields, field{x.str("name"), r.given(x, x.str("name"))})
			}
		}
		set("headers", headers)
		return []named{{name, out}}
	}
	packages := root.get("packages")
	if packages == nil || len(packages.items) == 0 {
		r.problem("", "It has neither a remote nor a package.")
		return nil
	}
	p := packages.items[0]
	id, version := p.str("identifier"), p.str("version")
	env := &node{kind: object}
	var names []string
	if vars := p.get("environmentVariables"); vars != nil {
		for _, x := range vars.items {
			key := x.str("name")
			if v := r.given(x, key); v != nil {
				env.fields = append(env.fields, field{key, v})
				names = append(names, key)
			}
		}
	}
	var words []string
	switch kind := p.str("registryType"); kind {
	case "npm":
		words = []string{"npx", "-y", at(id, "@", version)}
	case "pypi":
		words = []string{"uvx", at(id, "==", version)}
	case "nuget":
		words = []string{"dnx", at(id, "@", version), "--yes"}
	case "oci":
		words = []string{"docker", "run", "-i", "--rm"}
		for _, n := range names {
			words = append(words, "-e", n)
		}
		words = append(words, r.arguments(p.get("runtimeArguments"))...)
		if version != "" && !strings.Contains(id[strings.LastIndexByte(id, '/')+1:], ":") {
			id += ":" + version
		}
		words = append(words, id)
	case "mcpb":
		r.problem("packages", "It comes as a bundle (mcpb), which a client unpacks and starts in its own way. Unpack it, and write a connection with the command in its manifest.")
		return nil
	default:
		r.problem("packages", "There is no kind of package %s; there are npm, pypi, oci and nuget.", shown(kind))
		return nil
	}
	words = append(words, r.arguments(p.get("packageArguments"))...)
	if t := p.get("transport"); t != nil && t.str("type") != "" && t.str("type") != "stdio" {
		r.note("transport", "Its package serves %s: start it yourself, and give the connection its URL.", t.str("type"))
	}
	command := &node{kind: list}
	for _, w := range words {
		command.items = append(command.items, &node{kind: text, text: w})
	}
	set("command", command)
	set("env", env)
	return []named{{name, out}}
}

func at(id, sign, version string) string {
	if version == "" || version == "latest" {
		return id
	}
	return id + sign + version
}

// given is the value of a variable or header: what is written, else a place for it.
// Nil: it need not be set.
func (r *reader) given(x *node, name string) *node {
	for _, f := range []string{"value", "default"} {
		if v := x.get(f); v != nil && v.kind != null {
			return &node{kind: text, text: v.text}
		}
	}
	if !x.get("isRequired").is("true") && !x.get("isSecret").is("true") {
		return nil
	}
	return &node{kind: text, text: "{" + upper(name) + "}", secret: x.get("isSecret").is("true")}
}

// arguments are those of a package that are fixed or required.
func (r *reader) arguments(list *node) []string {
	if list == nil {
		return nil
	}
	var out []string
	for _, a := range list.items {
		value := ""
		for _, f := range []string{"value", "default"} {
			if v := a.get(f); v != nil && v.kind != null && value == "" {
				value = v.text
			}
		}
		if value == "" && !a.get("isRequired").is("true") {
			continue
		}
		if value == "" && a.str("type") == "positional" || value == "" && a.get("value") == nil && a.str("valueHint") != "" {
			hint := a.str("valueHint", "name")
			value = "{" + upper(hint) + "}"
		}
		if a.str("type") == "named" {
			out = append(out, a.str("name"))
		}
		if value != "" {
			out = append(out, value)
		}
	}
	return out
}
