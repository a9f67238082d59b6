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
}

// Template is the typed view of a resource template.
type Template struct {
	Name        string
	Title       string
	Description string
	URI         string      // with its variables, as in "demo://tasks/{id}"
	Args        *types.Type // an object of strings: its variables
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
	var list []struct {
		Name     string `json:"name"`
		Required bool   `json:"required"`
	}
	if err := json.Unmarshal(field(raw, "arguments"), &list); err != nil {
		// Missing, or no list of arguments: any text may be given by any name.
		if field(raw, "arguments") != nil {
			p.Args = types.ObjectOf(nil, types.StringType)
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
	return &Template{
		Name: name, Title: stringField(raw, "title"), Description: stringField(raw, "description"),
		URI: uri, Args: types.ObjectOf(variables(uri), nil),
	}
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

// named returns the first object of a name, nil for none.
func named(objects []Object, name string) json.RawMessage {
	for _, o := range objects {
		if stringField(o.Raw, "name") == name {
			return o.Raw
		}
	}
	return nil
}
