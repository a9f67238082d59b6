package iface

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/types"
)

// FromSnapshot returns what a connection offers as an interface, so that a
// snapshot reads as one, and its changes as a diff of one. Tools, resources and
// prompts are in the order of their names. What the language cannot say, such
// as that the server fails to give a list, is in the notes.
func FromSnapshot(s *catalog.Snapshot) *Interface {
	i := &Interface{Name: Label{Text: identifier(s.Connection)}}
	i.Notes = append(i.Notes, about(s))
	for _, e := range s.Errors {
		i.Notes = append(i.Notes, fmt.Sprintf("The server failed to list its %s: %s", strings.ReplaceAll(e.List, "_", " "), e.Message))
	}
	for _, w := range s.Withheld {
		i.Notes = append(i.Notes, fmt.Sprintf("The tool %s is there only for clients that offer %s.", w.Tool, strings.Join(w.Needs, " and ")))
	}
	for _, name := range s.ToolNames() {
		i.Tools = append(i.Tools, toolOf(s.Tool(name)))
	}
	for _, p := range s.Problems() {
		if p.List != "tools" || p.Name == "" { // those of tools stand at the tools
			i.Notes = append(i.Notes, "Of "+p.String())
		}
	}
	i.resources(s)
	i.prompts(s)
	return i
}

// about says whose snapshot it is, on one line.
func about(s *catalog.Snapshot) string {
	server := struct{ Name, Version string }{}
	_ = json.Unmarshal(s.ServerInfo, &server) // a server that says something else of itself has no name
	text := strings.TrimSpace(server.Name + " " + server.Version)
	if s.ProtocolVersion != "" {
		text = strings.TrimPrefix(text+", MCP "+s.ProtocolVersion, ", ")
	}
	if text != "" {
		text = ": " + text
	}
	return s.Connection + text
}

// identifier makes a name of a connection id: github.work is github_work.
func identifier(id string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, id)
	if name == "" || !(name[0] == '_' || unicode.IsLetter([]rune(name)[0])) {
		name = "_" + name
	}
	return strings.TrimRight(name, "-")
}

func toolOf(t *catalog.Tool) *Tool {
	out := &Tool{Name: Label{Text: t.Name}, Doc: docOf(t.Description, t.Title), Effect: t.Effect, Params: requiredFirst(t.Args), Result: t.Output}
	if t.Output == nil {
		out.Result = types.AnyType
	}
	out.Idempotent = t.Idempotent != nil && *t.Idempotent && t.Effect != catalog.Read
	if t.Problem != "" {
		out.Notes = append(out.Notes, t.Problem)
	}
	if t.TaskRequired {
		out.Notes = append(out.Notes, "It can be called as a task only, which wfc does not support.")
	}
	// What is nested deeper than a file may be, no file can say.
	if deep(out.Params) {
		out.Params = types.ObjectOf(nil, types.AnyType)
		out.Notes = append(out.Notes, "Its arguments are nested too deeply to be written here.")
	}
	if deep(out.Result) {
		out.Result = types.AnyType
		out.Notes = append(out.Notes, "Its result is nested too deeply to be written here.")
	}
	return out
}

// requiredFirst orders parameters as people read them: a snapshot has them by name.
func requiredFirst(t *types.Type) *types.Type {
	attrs := slices.Clone(t.Attrs())
	slices.SortStableFunc(attrs, func(a, b types.Attr) int {
		switch {
		case a.Optional == b.Optional:
			return 0
		case b.Optional:
			return -1
		}
		return 1
	})
	return types.ObjectOf(attrs, t.Rest())
}

// deep reports whether a type cannot be written in a file: its brackets, and
// those around it, are too many or too long.
func deep(t *types.Type) bool {
	const around = 8
	depth, most, n := 0, 0, 0
	tokens, _ := lex(newSource("", []byte(types.Print(t))))
	for _, x := range tokens {
		n++
		switch {
		case x.opens():
			depth++
			most = max(most, depth)
		case x.closes():
			depth--
		}
	}
	return most > maxNesting-around || n > maxDeclaration/2
}

// raw is what is read of tools, resources and templates.
type raw struct {
	Name        string
	Title       string
	Description string
	URI         string
	URITemplate string
	MimeType    string
}

// object reads a raw object; what is not as it should be is left empty.
func object(src json.RawMessage) raw {
	var fields map[string]json.RawMessage
	var r raw
	if json.Unmarshal(src, &fields) != nil {
		return r
	}
	for name, into := range map[string]any{
		"name": &r.Name, "title": &r.Title, "description": &r.Description, "uri": &r.URI, "uriTemplate": &r.URITemplate,
		"mimeType": &r.MimeType,
	} {
		_ = json.Unmarshal(fields[name], into)
	}
	return r
}

// docOf returns a description as documentation, the title where there is none.
func docOf(description, title string) string {
	return cmp.Or(strings.TrimSpace(strings.ReplaceAll(description, "\r\n", "\n")), title)
}

// resources adds resources and templates. Names come twice where a server gives
// them twice: an interface needs one for each, and the URI says which it is.
func (i *Interface) resources(s *catalog.Snapshot) {
	var all []*Resource
	for _, o := range slices.Concat(s.Resources, s.ResourceTemplates) {
		r := object(o.Raw)
		uri := cmp.Or(r.URI, r.URITemplate)
		if _, problem := uriVariables(uri); problem != "" {
			if uri == "" {
				continue // which is among the problems
			}
			i.Notes = append(i.Notes, fmt.Sprintf("The resource %q has no URI that can be used: %s", cmp.Or(r.Name, uri), problem))
			continue
		}
		all = append(all, &Resource{Name: Label{Text: cmp.Or(r.Name, uri)}, Doc: docOf(r.Description, r.Title), URI: uri, Type: contentOf(r.MimeType)})
	}
	slices.SortStableFunc(all, func(a, b *Resource) int {
		return cmp.Or(strings.Compare(a.Name.Text, b.Name.Text), strings.Compare(a.URI, b.URI))
	})
	taken := map[string]bool{}
	for _, r := range all {
		r.Name.Text = unique(r.Name.Text, taken)
		i.Resources = append(i.Resources, r)
	}
}

// unique returns a name that is not taken, and takes it.
func unique(name string, taken map[string]bool) string {
	out := name
	for n := 2; taken[out]; n++ {
		out = fmt.Sprintf("%s_%d", name, n)
	}
	taken[out] = true
	return out
}

// contentOf returns what a resource of a media type holds.
func contentOf(mime string) *types.Type {
	kind, sub, _ := strings.Cut(strings.ToLower(mime), "/")
	sub, _, _ = strings.Cut(sub, ";")
	switch {
	case kind == "image" && !strings.HasPrefix(sub, "svg"), kind == "audio", kind == "video", kind == "font",
		kind == "application" && slices.Contains([]string{"octet-stream", "pdf", "zip", "gzip"}, sub):
		return types.BlobType
	}
	return types.StringType
}

func (i *Interface) prompts(s *catalog.Snapshot) {
	for _, name := range s.PromptNames() {
		p := s.Prompt(name)
		i.Prompts = append(i.Prompts, &Prompt{Name: Label{Text: name}, Doc: docOf(p.Description, p.Title), Params: p.Args})
	}
}
