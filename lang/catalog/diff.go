package catalog

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// ChangeKind says what sort of change it is. The texts are the ones in JSON.
type ChangeKind string

// The kinds of changes.
const (
	ItemAdded   ChangeKind = "added"   // a tool, prompt, resource or template
	ItemRemoved ChangeKind = "removed" //

	ArgumentAdded    ChangeKind = "argument_added"
	ArgumentRemoved  ChangeKind = "argument_removed"
	AttributeAdded   ChangeKind = "attribute_added" // of a result, or of an object that is passed
	AttributeRemoved ChangeKind = "attribute_removed"
	BecameRequired   ChangeKind = "became_required"
	BecameOptional   ChangeKind = "became_optional"
	BecameOpen       ChangeKind = "became_open" // to attributes that are not declared
	BecameClosed     ChangeKind = "became_closed"

	TypeWidened    ChangeKind = "type_widened"
	TypeNarrowed   ChangeKind = "type_narrowed"
	TypeChanged    ChangeKind = "type_changed"
	EnumWidened    ChangeKind = "enum_widened"
	EnumNarrowed   ChangeKind = "enum_narrowed"
	NullAllowed    ChangeKind = "null_allowed"
	NullRefused    ChangeKind = "null_refused"
	RuleTightened  ChangeKind = "rule_tightened" // a pattern, a minimum …
	RuleLoosened   ChangeKind = "rule_loosened"
	DefaultChanged ChangeKind = "default_changed"

	ResultDeclared   ChangeKind = "result_declared" // an output schema where there was none
	ResultUndeclared ChangeKind = "result_undeclared"

	EffectChanged      ChangeKind = "effect_changed"
	IdempotenceChanged ChangeKind = "idempotence_changed"
	TaskChanged        ChangeKind = "task_changed"    // whether it can be called as a task only
	ProblemChanged     ChangeKind = "problem_changed" // whether its schemas can be relied on
	DescriptionChanged ChangeKind = "description_changed"
	AddressChanged     ChangeKind = "address_changed" // the URI of a resource template
	OtherChanged       ChangeKind = "other_changed"   // titles, icons, examples: nothing that a workflow depends on

	ServerChanged ChangeKind = "server_changed" // its name, version, instructions, capabilities
	ListFailed    ChangeKind = "list_failed"    // the server failed to give a list
)

// Change is one difference between two snapshots of a connection.
type Change struct {
	Kind ChangeKind `json:"kind"`
	// Breaking says that a workflow which was accepted before may be refused or
	// fail now. Other changes are compatible.
	Breaking bool `json:"breaking"`
	// List is what the thing is in: "tools", "resources", "resource_templates",
	// "prompts"; empty where it is about the server.
	List string `json:"list,omitempty"`
	// Name is the name of the tool, prompt or template, or the URI of the resource.
	Name string `json:"name,omitempty"`
	// Path is the place in it: "args.limit", "output.items[*].state"; empty for the whole.
	Path string `json:"path,omitempty"`
	// Detail says in full sentences what has changed.
	Detail string `json:"detail"`
}

// Diff returns how now differs from old, both of one connection, sorted by list,
// name and place. What an author may pass to the server must accept at least
// what it did, and what the server gives must be at most what it was; an effect
// that is another one is always breaking, because it is what was reviewed.
// The order in which a server lists things says nothing.
func Diff(old, now *Snapshot) []Change {
	d := differ{}
	d.server(old, now)
	d.tools(old, now)
	d.resources(old, now)
	d.templates(old, now)
	d.prompts(old, now)
	lists := []string{"", "tools", "prompts", "resources", "resource_templates"}
	slices.SortStableFunc(d.changes, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(slices.Index(lists, a.List), slices.Index(lists, b.List)),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Kind, b.Kind),
		)
	})
	return d.changes
}

// differ collects changes.
type differ struct {
	changes    []Change
	list, name string // what is being compared
}

func (d *differ) add(kind ChangeKind, breaking bool, path, detail string, args ...any) {
	if len(args) > 0 {
		detail = fmt.Sprintf(detail, args...)
	}
	d.changes = append(d.changes, Change{Kind: kind, Breaking: breaking, List: d.list, Name: d.name, Path: path, Detail: detail})
}

func (d *differ) server(old, now *Snapshot) {
	d.list, d.name = "", ""
	name := func(s *Snapshot) string {
		return strings.TrimSpace(stringField(s.ServerInfo, "name") + " " + stringField(s.ServerInfo, "version"))
	}
	switch a, b := name(old), name(now); {
	case a != b:
		d.add(ServerChanged, false, "server_info", "The server is %q now; it was %q.", b, a)
	case digestOf(old.ServerInfo) != digestOf(now.ServerInfo):
		d.add(ServerChanged, false, "server_info", "What the server says of itself has changed.")
	}
	if old.ProtocolVersion != now.ProtocolVersion {
		d.add(ServerChanged, false, "protocol_version", "It speaks MCP %s now; it spoke %s.", orNone(now.ProtocolVersion), orNone(old.ProtocolVersion))
	}
	if old.Instructions != now.Instructions {
		d.add(DescriptionChanged, false, "instructions", "The server's instructions have changed.")
	}
	if digestOf(old.Capabilities) != digestOf(now.Capabilities) {
		d.add(ServerChanged, false, "capabilities", "What the server can do has changed.")
	}
	if digestOf(old.ClientCapabilities) != digestOf(now.ClientCapabilities) {
		d.add(ServerChanged, false, "client_capabilities", "What wfc offers to the server has changed, on which its lists may depend.")
	}
	for _, e := range now.Errors {
		if !fails(old, e.List) {
			d.add(ListFailed, true, e.List, "The server failed to list its %s: %s", strings.ReplaceAll(e.List, "_", " "), oneLine(e.Message))
		}
	}
}

func orNone(s string) string {
	if s == "" {
		return "an unknown version"
	}
	return s
}

// fails reports whether a snapshot lacks a list because the server failed to give it.
func fails(s *Snapshot, list string) bool {
	return slices.ContainsFunc(s.Errors, func(e ListError) bool { return e.List == list })
}

// presence reports what is in one of two sorted lists of names only, unless the
// list is not known on the other side, and calls both for the others.
func (d *differ) presence(list, what string, old, now *Snapshot, before, after []string, both func(name string)) {
	d.list = list
	for _, name := range before {
		d.name = name
		switch {
		case slices.Contains(after, name):
			both(name)
		case fails(now, list):
			// That the list could not be read is said; what is in it is not known.
		case list == "tools" && now.Needs(name) != nil:
			d.add(ItemRemoved, true, "", "The %s is listed for clients that offer %s only, and the connection does not.", what, strings.Join(now.Needs(name), " and "))
		default:
			d.add(ItemRemoved, true, "", "The %s is gone.", what)
		}
	}
	for _, name := range after {
		if !slices.Contains(before, name) && !fails(old, list) {
			d.name = name
			d.add(ItemAdded, false, "", "The %s is new.", what)
		}
	}
}

func (d *differ) tools(old, now *Snapshot) {
	d.presence("tools", "tool", old, now, old.ToolNames(), now.ToolNames(), func(name string) {
		a, b := old.index().views[name], now.index().views[name]
		if a.twice == b.twice && bytes.Equal(a.raw, b.raw) {
			return // without converting the schemas
		}
		if x, y := a.tool(), b.tool(); x.Problem != y.Problem || !sameButForOrder(a.raw, b.raw) {
			d.tool(x, y)
		}
	})
}

func (d *differ) tool(old, now *Tool) {
	before := len(d.changes)
	switch {
	case old.Problem == "" && now.Problem != "":
		d.add(ProblemChanged, true, "", "What the server says of the tool cannot be relied on any more. %s", now.Problem)
	case old.Problem != "" && now.Problem == "":
		d.add(ProblemChanged, false, "", "What the server says of the tool can be relied on now.")
	}
	if old.Problem == "" && now.Problem == "" {
		args := comparison{differ: d, input: true}
		args.compare("args", old.Args, now.Args)
		args.rules("args", old.InputSchema, now.InputSchema)
		d.output(old, now)
	}
	if old.Effect != now.Effect {
		d.add(EffectChanged, true, "", "Its effect is %s now; it was %s.", now.Effect, old.Effect)
	}
	if a, b := repeats(old), repeats(now); a != b && (old.Effect != Read || now.Effect != Read) {
		if b {
			d.add(IdempotenceChanged, true, "", "The server says now that repeating a call does no harm (idempotentHint).")
		} else {
			d.add(IdempotenceChanged, true, "", "The server does not say any more that repeating a call does no harm (idempotentHint).")
		}
	}
	switch {
	case now.TaskRequired && !old.TaskRequired:
		d.add(TaskChanged, true, "", "It can be called as a task only, which wfc does not support.")
	case old.TaskRequired && !now.TaskRequired:
		d.add(TaskChanged, false, "", "It can be called in the usual way now, not as a task only.")
	}
	if old.Description != now.Description {
		d.add(DescriptionChanged, false, "", "Its description has changed.")
	}
	if len(d.changes) == before {
		d.add(OtherChanged, false, "", "Something has changed that no workflow depends on, such as a title, an icon or an example.")
	}
}

// repeats reports whether the server says that a repeated call does no harm.
func repeats(t *Tool) bool { return t.Idempotent != nil && *t.Idempotent }

func (d *differ) output(old, now *Tool) {
	switch {
	case old.Output == nil && now.Output == nil:
	case old.Output == nil:
		d.add(ResultDeclared, false, "output", "The tool declares its result now: %s.", describe(now.Output))
	case now.Output == nil:
		d.add(ResultUndeclared, true, "output", "The tool does not declare its result any more; it was %s.", describe(old.Output))
	default:
		out := comparison{differ: d}
		out.compare("output", old.Output, now.Output)
		out.rules("output", old.OutputSchema, now.OutputSchema)
	}
}

func (d *differ) resources(old, now *Snapshot) {
	uris := func(s *Snapshot) []string {
		var out []string
		for _, o := range s.Resources {
			if uri := stringField(o.Raw, "uri"); uri != "" {
				out = append(out, uri)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	find := func(s *Snapshot, uri string) []byte {
		for _, o := range s.Resources {
			if stringField(o.Raw, "uri") == uri {
				return o.Raw
			}
		}
		return nil
	}
	d.presence("resources", "resource", old, now, uris(old), uris(now), func(uri string) {
		d.other(find(old, uri), find(now, uri))
	})
}

// other compares what no workflow depends on.
func (d *differ) other(old, now []byte) {
	switch {
	case digestOf(old) == digestOf(now):
	case stringField(old, "description") != stringField(now, "description"):
		d.add(DescriptionChanged, false, "", "Its description has changed.")
	default:
		d.add(OtherChanged, false, "", "Something has changed that no workflow depends on, such as a title, a media type or a size.")
	}
}

func (d *differ) templates(old, now *Snapshot) {
	d.presence("resource_templates", "resource template", old, now, old.TemplateNames(), now.TemplateNames(), func(name string) {
		before := len(d.changes)
		a, b := old.Template(name), now.Template(name)
		args := comparison{differ: d, input: true}
		args.compare("args", a.Args, b.Args)
		if a.URI != b.URI {
			d.add(AddressChanged, false, "", "Its URI is %s now; it was %s.", b.URI, a.URI)
		}
		if len(d.changes) == before {
			d.other(named(old.ResourceTemplates, name), named(now.ResourceTemplates, name))
		}
	})
}

func (d *differ) prompts(old, now *Snapshot) {
	d.presence("prompts", "prompt", old, now, old.PromptNames(), now.PromptNames(), func(name string) {
		before := len(d.changes)
		args := comparison{differ: d, input: true}
		args.compare("args", old.Prompt(name).Args, now.Prompt(name).Args)
		if len(d.changes) == before {
			d.other(named(old.Prompts, name), named(now.Prompts, name))
		}
	})
}

// maxDescribed is the length up to which a message shows a type in full.
const maxDescribed = 60

// describe returns a type as a message shows it.
func describe(t *types.Type) string {
	if s := types.Print(t); len(s) <= maxDescribed {
		return s
	}
	return types.Describe(t)
}

// show returns a value as a message shows it.
func show(v value.Value) string {
	return cut(types.Notation(v), maxDescribed)
}
