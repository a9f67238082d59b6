package catalog

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/lda-wf/wfc/lang/types"
)

// Prompt is the typed view of a prompt.
type Prompt struct {
	Name        string
	Title       string
	Description string
	Args        *types.Type // an object of strings
	// Problem says, in full sentences, why the prompt cannot be used as it should; empty for none.
	Problem string
}

// Template is the typed view of a resource template.
type Template struct {
	Name        string
	Title       string
	Description string
	URI         string      // with its variables, as in "demo://tasks/{id}"
	Args        *types.Type // an object of strings: its variables
	// Problem says, in full sentences, why the template cannot be used as it should; empty for none.
	Problem string
}

// PromptNames returns the names of the prompts, sorted, each once.
func (s *Snapshot) PromptNames() []string { return names(s.Prompts) }

// TemplateNames returns the names of the resource templates, sorted, each once.
func (s *Snapshot) TemplateNames() []string { return names(s.ResourceTemplates) }

func names(objects []Object) []string {
	out := make([]string, 0, len(objects))
	for _, o := range objects {
		if name := stringField(o.Raw, "name"); name != "" {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Prompt returns the typed view of a prompt, nil where the snapshot has none of
// the name.
func (s *Snapshot) Prompt(name string) *Prompt {
	raw := named(s.Prompts, name)
	if raw == nil {
		return nil
	}
	p := &Prompt{Name: name, Title: stringField(raw, "title"), Description: stringField(raw, "description")}
	p.Problem = problemOf("prompts", s.Prompts, name, raw)
	var list []struct {
		Name     string `json:"name"`
		Required bool   `json:"required"`
	}
	if err := json.Unmarshal(field(raw, "arguments"), &list); err != nil {
		// Missing, or no list of arguments: any text may be given by any name.
		if field(raw, "arguments") != nil {
			p.Args = types.ObjectOf(nil, types.StringType)
			if p.Problem == "" {
				p.Problem = "Its arguments are no list of named arguments, so that any can be given: " + excerpt(field(raw, "arguments"))
			}
			return p
		}
	}
	var attrs []types.Attr
	for _, a := range list {
		if a.Name != "" && !has(attrs, a.Name) {
			attrs = append(attrs, types.Attr{Name: a.Name, Type: types.StringType, Optional: !a.Required})
		}
	}
	p.Args = types.ObjectOf(attrs, nil)
	return p
}

// Template returns the typed view of a resource template, nil where the
// snapshot has none of the name.
func (s *Snapshot) Template(name string) *Template {
	raw := named(s.ResourceTemplates, name)
	if raw == nil {
		return nil
	}
	uri := stringField(raw, "uriTemplate")
	t := &Template{
		Name: name, Title: stringField(raw, "title"), Description: stringField(raw, "description"),
		URI: uri, Args: types.ObjectOf(variables(uri), nil),
	}
	t.Problem = problemOf("resource templates", s.ResourceTemplates, name, raw)
	if uri == "" {
		t.Problem = "It has no uriTemplate, so that nothing can be read by it."
	}
	return t
}

// expansion is one expression of a URI template (RFC 6570).
var expansion = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{([+#./;?&]?)([^{}]*)\}`) })

// variables returns the variables of a URI template. Those of a query or of
// parameters may be left out, which leaves out their names, too.
func variables(template string) []types.Attr {
	var out []types.Attr
	for _, e := range expansion().FindAllStringSubmatch(template, -1) {
		for name := range strings.SplitSeq(e[2], ",") {
			name, _, _ = strings.Cut(strings.TrimSuffix(strings.TrimSpace(name), "*"), ":")
			if name != "" && !has(out, name) {
				out = append(out, types.Attr{Name: name, Type: types.StringType, Optional: e[1] != "" && strings.Contains("?&;", e[1])})
			}
		}
	}
	return out
}

func has(attrs []types.Attr, name string) bool {
	return slices.ContainsFunc(attrs, func(a types.Attr) bool { return a.Name == name })
}

// problemOf says why a prompt or template cannot be relied on; empty for none.
func problemOf(plural string, all []Object, name string, raw []byte) string {
	if err := broken(raw); err != nil {
		return notJSON(err)
	}
	if twice(all, "name", name) {
		return "The server lists two " + plural + " of this name, which differ."
	}
	return ""
}

// named returns the first object of a name, nil for none.
func named(objects []Object, name string) json.RawMessage {
	for _, o := range objects {
		if stringField(o.Raw, "name") == name {
			return o.Raw
		}
	}
	return nil
}
