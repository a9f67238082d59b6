package service

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// CapabilityKind is what a capability is.
type CapabilityKind string

// The kinds of capabilities.
const (
	ToolCapability     CapabilityKind = "tool"
	ResourceCapability CapabilityKind = "resource"
	TemplateCapability CapabilityKind = "resource_template"
	PromptCapability   CapabilityKind = "prompt"
)

// Capability is something that a connection offers, by its snapshot.
type Capability struct {
	Name        string // demo.personal.echo; of a resource demo.personal and its URI after a space
	Kind        CapabilityKind
	Connection  string // demo.personal
	Local       string // as the server names it: echo; of a resource its URI
	Title       string
	Description string
	URI         string // of a resource or a template
	Effect      string // of a tool: read, write, destructive or unknown, with the connection's tool block counted
	// Arguments and Result are types in the notation; "": there are none, or nothing is said.
	Arguments, Result string
	// InputSchema and OutputSchema are JSON Schemas as the server gave them; nil: none.
	InputSchema, OutputSchema json.RawMessage
	Problem                   string // why it cannot be used as it should, in full sentences; "": it can
}

// CapabilityFilter chooses capabilities. The zero filter is all of them.
type CapabilityFilter struct {
	Connection string         // "": all
	Kind       CapabilityKind // "": all
	Effect     string         // "": all; of tools
	Text       string         // in the name, title or description, in any case of letters; "": all
	After      string         // the name of the last one of the page before; "": the first page
	Limit      int            // 0: all
}

// Capabilities returns what the connections of the project offer, in the order of
// their names, and whether there are more. It reads snapshots and starts nothing.
func (h *Host) Capabilities(_ context.Context, f CapabilityFilter) (found []Capability, more bool, err error) {
	w := h.now()
	if f.Connection != "" && w.project.Connections[f.Connection] == nil {
		return nil, false, unknownName("connection", f.Connection, w.project.ConnectionIDs())
	}
	all, err := w.capabilities()
	if err != nil {
		return nil, false, err
	}
	found = []Capability{}
	text := strings.ToLower(f.Text)
	for _, c := range all {
		switch {
		case f.Connection != "" && c.Connection != f.Connection, f.Kind != "" && c.Kind != f.Kind, f.Effect != "" && c.Effect != f.Effect, c.Name <= f.After:
			continue
		case text != "" && !strings.Contains(strings.ToLower(c.Name+"\n"+c.Title+"\n"+c.Description), text):
			continue
		}
		if f.Limit > 0 && len(found) == f.Limit {
			return found, true, nil
		}
		found = append(found, c)
	}
	return found, false, nil
}

// Capability returns one capability by its name.
func (h *Host) Capability(_ context.Context, name string) (*Capability, error) {
	all, err := h.now().capabilities()
	if err != nil {
		return nil, err
	}
	i, ok := slices.BinarySearchFunc(all, name, func(c Capability, name string) int { return strings.Compare(c.Name, name) })
	if !ok {
		names := make([]string, len(all))
		for i := range all {
			names[i] = all[i].Name
		}
		return nil, unknownName("capability", name, names)
	}
	c := all[i]
	return &c, nil
}

// capabilities returns all capabilities, sorted by name.
func (w *world) capabilities() ([]Capability, error) {
	return w.offering.get(func() ([]Capability, error) {
		out := []Capability{}
		for _, id := range w.project.ConnectionIDs() {
			snap, err := w.project.Snapshot(id)
			if err != nil {
				continue // its source says so (see Sources)
			}
			out = w.offered(out, id, snap)
		}
		slices.SortFunc(out, func(a, b Capability) int { return strings.Compare(a.Name, b.Name) })
		return out, nil
	})
}

// offered appends what a snapshot has and the connection lets through.
func (w *world) offered(out []Capability, id string, snap *catalog.Snapshot) []Capability {
	effects := compiler.Effects(w.project, id)
	r, err := w.reach(id)
	for _, name := range snap.ToolNames() {
		if err == nil && r.Excluded(name) != "" {
			continue
		}
		t := snap.Tool(name)
		c := Capability{
			Name: id + "." + name, Kind: ToolCapability, Connection: id, Local: name, Title: t.Title, Description: t.Description,
			Effect: t.Effect.String(), InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Arguments: types.Print(t.Args), Problem: t.Problem,
		}
		if e, ok := effects[name]; ok {
			c.Effect = e.String()
		}
		if t.Output != nil {
			c.Result = types.Print(t.Output)
		}
		out = append(out, c)
	}
	for _, name := range snap.PromptNames() {
		p := snap.Prompt(name)
		out = append(out, Capability{
			Name: id + "." + name, Kind: PromptCapability, Connection: id, Local: name, Title: p.Title, Description: p.Description,
			Arguments: types.Print(p.Args), InputSchema: schemaOf(p.Args), Problem: p.Problem,
		})
	}
	for _, name := range snap.TemplateNames() {
		t := snap.Template(name)
		out = append(out, Capability{
			Name: id + "." + name, Kind: TemplateCapability, Connection: id, Local: name, Title: t.Title, Description: t.Description, URI: t.URI,
			Arguments: types.Print(t.Args), InputSchema: schemaOf(t.Args), Problem: t.Problem,
		})
	}
	for _, o := range snap.Resources {
		var r struct{ URI, Name, Title, Description string }
		if json.Unmarshal(o.Raw, &r) != nil || r.URI == "" {
			continue // a problem of its own
		}
		title := r.Title
		if title == "" {
			title = r.Name
		}
		out = append(out, Capability{
			Name: id + " " + r.URI, Kind: ResourceCapability, Connection: id, Local: r.URI, URI: r.URI, Title: title, Description: r.Description,
		})
	}
	return out
}

func schemaOf(t *types.Type) json.RawMessage {
	if t == nil {
		return nil
	}
	return value.AppendJSON(nil, types.ToSchema(t))
}

// CutCapability returns the connection and the local name that a capability's name
// has: github.work and repo/search.v2 of "github.work.repo/search.v2".
func CutCapability(name string) (connection, local string, ok bool) {
	provider, rest, _ := strings.Cut(name, ".")
	account, local, ok := strings.Cut(rest, ".")
	return provider + "." + account, local, ok && provider != "" && account != "" && local != ""
}

// CallCapability calls a tool by its qualified name with args, an object or null. It
// needs no snapshot. What came of the call is in the reply, failures included.
func (h *Host) CallCapability(ctx context.Context, name string, args value.Value, d Direct) (*Reply, error) {
	id, tool, ok := CutCapability(name)
	if !ok {
		return nil, refuse(Invalid, "%q is no name of a capability: write PROVIDER.ACCOUNT.TOOL, as in github.work.search_issues.", shortName(name))
	}
	args, err := object("arguments", args)
	if err != nil {
		return nil, err
	}
	r, err := h.now().reach(id)
	if err != nil {
		return nil, err
	}
	return replied(h.service.CallTool(ctx, r, tool, args, d))
}

// ReadResource reads the resource at uri from a connection.
func (h *Host) ReadResource(ctx context.Context, connection, uri string, d Direct) (*Reply, error) {
	r, err := h.now().reach(connection)
	if err != nil {
		return nil, err
	}
	if uri == "" {
		return nil, refuse(Invalid, "The URI of the resource is missing.")
	}
	return replied(h.service.ReadResource(ctx, r, uri, d))
}

// RenderPrompt gets a prompt by its qualified name with args, an object of texts or null.
func (h *Host) RenderPrompt(ctx context.Context, name string, args value.Value, d Direct) (*Reply, error) {
	id, prompt, ok := CutCapability(name)
	if !ok {
		return nil, refuse(Invalid, "%q is no name of a prompt: write PROVIDER.ACCOUNT.PROMPT, as in github.work.summarise.", shortName(name))
	}
	args, err := object("arguments", args)
	if err != nil {
		return nil, err
	}
	texts := make(map[string]string, args.AsObject().Len())
	for k, v := range args.AsObject().All() {
		if v.Kind() != value.String {
			return nil, refuse(Invalid, "The argument %q is a %s; the arguments of prompts are texts.", shortName(k), v.Kind())
		}
		texts[k] = v.AsString()
	}
	r, err := h.now().reach(id)
	if err != nil {
		return nil, err
	}
	return replied(h.service.GetPrompt(ctx, r, prompt, texts, d))
}

// object returns v, an object, or an empty one for null.
func object(what string, v value.Value) (value.Value, error) {
	switch v.Kind() {
	case value.Null:
		return value.OfObject(value.NewObject(0)), nil
	case value.Object:
		return v, nil
	}
	return v, refuse(Invalid, "The parameter %s must be an object, and is a %s.", what, v.Kind())
}

// replied is what came of a direct operation; an error says that the project, or what
// it needs, does not allow it.
func replied(r *Reply, err error) (*Reply, error) {
	if err != nil {
		return nil, &Error{Kind: Refused, Message: sentence(err), Cause: err}
	}
	return r, nil
}

// sentence is a message as a sentence: with a capital, and an end.
func sentence(err error) string {
	text := err.Error()
	first, n := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[n:]
	if !strings.ContainsAny(text[len(text)-1:], ".!?\n…") && !strings.Contains(text, "\n") {
		text += "."
	}
	return text
}
