package catalog

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/lda-wf/wfc/lang/types"
)

// Tool is the typed view of a tool. It is not to be changed.
type Tool struct {
	Name        string
	Title       string
	Description string
	Digest      string // of the raw object

	Args         *types.Type // an object type
	ArgsReport   types.Report
	Output       *types.Type // of structured content; nil: the tool has no output schema
	OutputReport types.Report
	InputSchema  json.RawMessage // nil: the server gave none
	OutputSchema json.RawMessage // nil: none

	Effect       Effect // by the annotations (LANGUAGE 7); a connection's tool block may say otherwise
	Idempotent   *bool  // nil: the server does not say
	TaskRequired bool   // the tool can be called as a task only
	// Problem says, in full sentences, why the tool cannot be used as it should; empty for none.
	Problem string
}

// view is a tool that is converted at the first use.
type view struct {
	raw   json.RawMessage
	twice bool // the server lists another one of the name
	tool  func() *Tool
}

// index has the tools of a snapshot by name.
type index struct {
	once  sync.Once
	names []string
	views map[string]*view
}

func (s *Snapshot) index() *index {
	s.tools.once.Do(func() {
		x := &s.tools
		x.views = make(map[string]*view, len(s.Tools))
		for _, o := range s.Tools {
			name := stringField(o.Raw, "name")
			if name == "" {
				continue // it cannot be called
			}
			if v := x.views[name]; v != nil {
				v.twice = v.twice || digestOf(v.raw) != digestOf(o.Raw)
				continue
			}
			v := &view{raw: o.Raw}
			v.tool = sync.OnceValue(func() *Tool { return newTool(name, v.raw, v.twice) })
			x.views[name] = v
			x.names = append(x.names, name)
		}
		slices.Sort(x.names)
	})
	return &s.tools
}

// ToolNames returns the names of the tools, sorted, each once; not to be changed.
func (s *Snapshot) ToolNames() []string { return s.index().names }

// Tool returns the typed view of a tool, converted at its first use, or nil
// where the snapshot has none of the name. It is safe for concurrent use; the
// snapshot must not be changed after the first call.
func (s *Snapshot) Tool(name string) *Tool {
	if v := s.index().views[name]; v != nil {
		return v.tool()
	}
	return nil
}

func newTool(name string, raw []byte, twice bool) *Tool {
	t := &Tool{Name: name, Digest: digestOf(raw), Effect: Unknown}
	var problems []string
	if err := broken(raw); err != nil {
		problems = append(problems, notJSON(err))
	}
	if twice {
		problems = append(problems, "The server lists two tools of this name, which differ.")
	}
	t.Title = stringField(raw, "title")
	t.Description = stringField(raw, "description")
	t.InputSchema = field(raw, "inputSchema")
	t.OutputSchema = field(raw, "outputSchema")
	if string(t.OutputSchema) == "null" {
		t.OutputSchema = nil
	}
	if annotations := field(raw, "annotations"); annotations != nil {
		t.annotations(annotations)
	}
	t.TaskRequired = stringField(field(raw, "execution"), "taskSupport") == "required"

	t.Args = types.ObjectOf(nil, types.AnyType)
	if t.InputSchema != nil {
		var args *types.Type
		args, t.ArgsReport = types.FromSchema(t.InputSchema)
		if t.ArgsReport.Problem != "" {
			problems = append(problems, "Of its arguments: "+t.ArgsReport.Problem)
		} else if args = argsOf(args, &t.ArgsReport); args == nil {
			problems = append(problems, "Its input schema is not one of an object, so that nothing can be passed.")
		} else {
			t.Args = args
		}
	}
	if t.OutputSchema != nil {
		t.Output, t.OutputReport = types.FromSchema(t.OutputSchema)
		if t.OutputReport.Problem != "" {
			problems = append(problems, "Of its result: "+t.OutputReport.Problem)
		}
	}
	t.Problem = strings.Join(problems, " ")
	return t
}

// annotations reads the effect. Absent is not false here, hence the raw JSON.
func (t *Tool) annotations(raw []byte) {
	is := func(name, value string) bool { return string(field(raw, name)) == value }
	switch {
	case is("readOnlyHint", "true"):
		t.Effect = Read
	case is("destructiveHint", "false"):
		t.Effect = Write
	case is("destructiveHint", "true"):
		t.Effect = Destructive
	}
	if yes := is("idempotentHint", "true"); yes || is("idempotentHint", "false") {
		t.Idempotent = &yes
	}
}

// argsOf returns the object type of a tool's arguments; nil where none is possible.
func argsOf(t *types.Type, report *types.Report) *types.Type {
	u := t.Underlying()
	switch u.Kind() {
	case types.Object:
		return u
	case types.Any:
		return types.ObjectOf(nil, types.AnyType)
	case types.Map:
		return types.ObjectOf(nil, u.Elem())
	case types.Union:
		return alternatives(u, report)
	}
	return nil
}

// alternatives puts the objects of a union into one: what all of them require is
// required, and each attribute may be what it is in any of them. Which go
// together is left to the schema.
func alternatives(u *types.Type, report *types.Report) *types.Type {
	var objects []*types.Type
	for _, m := range u.Items() {
		if o := argsOf(m, report); o != nil {
			objects = append(objects, o)
		}
	}
	if len(objects) == 0 {
		return nil
	}
	var attrs []types.Attr
	var rest *types.Type
	at := map[string]int{}
	for _, o := range objects {
		for _, a := range o.Attrs() {
			i, ok := at[a.Name]
			if !ok {
				i = len(attrs)
				at[a.Name] = i
				attrs = append(attrs, types.Attr{Name: a.Name, Type: types.NeverType, Default: a.Default, Description: a.Description})
			}
			attrs[i].Type = types.UnionOf(attrs[i].Type, a.Type)
			attrs[i].Optional = attrs[i].Optional || a.Optional
		}
		if o.Rest() != nil {
			if rest == nil {
				rest = types.NeverType
			}
			rest = types.UnionOf(rest, o.Rest())
		}
	}
	for i := range attrs {
		for _, o := range objects {
			if o.Attr(attrs[i].Name) == nil {
				attrs[i].Optional = true
			}
		}
		if !attrs[i].Optional {
			attrs[i].Default = nil
		}
	}
	if len(objects) > 1 {
		report.Guarded = append(report.Guarded, "#: which arguments go together")
	}
	return types.ObjectOf(attrs, rest)
}
