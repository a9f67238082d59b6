package feature

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// attributeValue offers what may stand in the value of an attribute.
func (c *completer) attributeValue() {
	if c.schema == nil {
		return
	}
	a := c.schema.Attribute(c.place.Attribute.Text)
	if a == nil {
		if c.schema.Free {
			c.freeValue()
		}
		return
	}
	switch a.Form {
	case syntax.Computed:
		c.expression()
	case syntax.TypeForm:
		c.typeExpression()
	case syntax.ToolRef:
		c.capability(check.OfferTool)
	case syntax.ReadRef:
		c.capability(check.OfferTemplate)
	case syntax.PromptRef:
		c.capability(check.OfferPrompt)
	case syntax.WorkflowRef:
		c.references("workflow", c.project.WorkflowNames(), protocol.CompletionFunction)
	case syntax.DeploymentRef:
		c.references("deployment", slices.Sorted(maps.Keys(c.project.Deployments)), protocol.CompletionFunction)
	case syntax.ConnectionRef:
		c.connections()
	case syntax.InterfaceRef:
		c.references("interface", c.project.Interfaces.Names(), protocol.CompletionInterface)
	case syntax.StepRefs:
		c.references("step", c.stepNames(), protocol.CompletionEvent)
	case syntax.FamilyForm:
		if c.inObjectValue() {
			c.connections()
		}
	case syntax.BindForm:
		c.deploymentBind()
	case syntax.HandedForm:
		c.handedOn()
	case syntax.InputName:
		if wf := c.deployed(); wf != nil {
			var names []string
			for _, in := range wf.Inputs {
				names = append(names, in.Name.Text)
			}
			c.constants(names)
		}
	case syntax.Choice:
		c.constants(a.Choices)
	case syntax.Choices:
		c.constants(a.Choices)
	case syntax.OnErrorForm:
		if c.place.In(outline.Brackets) || len(c.place.Frames) > 1 {
			c.constants(syntax.Kinds)
		} else {
			c.constants(a.Choices)
		}
	case syntax.BoolForm:
		for _, v := range []string{"true", "false"} {
			c.add(item{label: v, kind: protocol.CompletionKeyword, rank: fits})
		}
	case syntax.TextList:
		if b := c.place.Block; a.Name != "command" && len(b.Labels) == 2 {
			if snap, err := c.project.Snapshot(b.Labels[0].Text + "." + b.Labels[1].Text); err == nil {
				c.constants(snap.ToolNames())
			}
		}
	}
}

// freeValue offers what may stand in a block that takes any name: a local, which is
// an expression, or whether a rule is on.
func (c *completer) freeValue() {
	if c.schema.Type == "locals" {
		c.expression()
		return
	}
	for _, v := range []string{"false", "true"} {
		c.add(item{label: v, kind: protocol.CompletionKeyword, rank: fits})
	}
}

// constants offers texts: in quotes, unless the place stands in such.
func (c *completer) constants(list []string) {
	for _, v := range list {
		i := item{label: v, kind: protocol.CompletionEnumMember, rank: fits}
		if c.place.In(outline.Quotes) {
			i.start = c.place.Frames[len(c.place.Frames)-1].Start + 1
			c.end = max(c.end, c.closing(i.start))
		} else {
			i.label = strconv.Quote(v)
		}
		c.add(i)
	}
}

// closing returns where the text in quotes ends that begins at start.
func (c *completer) closing(start int) int {
	end := lineEnd(c.src, c.offset)
	if n := bytes.IndexByte(c.src[c.offset:end], '"'); n >= 0 {
		return c.offset + n
	}
	return c.offset
}

// written returns where the reference begins that is being written, and its text up
// to the place.
func (c *completer) written() (start int, text string) {
	start = c.start
	for start > c.place.Value {
		r := c.src[start-1]
		if r != '.' && !isNameByte(r) {
			break
		}
		start--
	}
	return start, string(c.src[start:c.offset])
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// references offers ROOT.NAME as a whole.
func (c *completer) references(root string, names []string, kind protocol.CompletionItemKind) {
	if c.place.Text() {
		return
	}
	start, _ := c.written()
	for _, n := range names {
		if n != "" {
			c.add(item{label: root + "." + n, detail: root, kind: kind, rank: fits, start: start})
		}
	}
}

func (c *completer) connections() {
	if c.place.Text() {
		return
	}
	start, _ := c.written()
	for _, id := range c.project.ConnectionIDs() {
		conn := c.project.Connections[id]
		i := item{label: "connection." + id, detail: transportOf(conn), kind: protocol.CompletionModule, rank: fits, start: start}
		if conn.Enabled != nil && !conn.Enabled.B {
			i.rank, i.detail = other, i.detail+", disabled"
		}
		c.add(i)
	}
}

func transportOf(c *syntax.Connection) string {
	switch {
	case c.Stdio != nil:
		return "stdio"
	case c.HTTP != nil:
		return "http"
	case c.SSE != nil:
		return "sse"
	}
	return "connection"
}

// inObjectValue reports whether the place stands behind the key of an object.
func (c *completer) inObjectValue() bool {
	n := len(c.place.Frames)
	return n > 0 && c.place.Frames[n-1].Kind == outline.Braces && c.place.Frames[n-1].InValue
}

// inObjectKey reports whether the place stands where the key of an object begins.
func (c *completer) inObjectKey() bool {
	n := len(c.place.Frames)
	return n > 0 && c.place.Frames[n-1].Kind == outline.Braces && !c.place.Frames[n-1].InValue && !c.place.Frames[n-1].For
}

// keyed offers names as the keys of an object.
func (c *completer) keyed(names []string, detail string, kind protocol.CompletionItemKind) {
	rest := bytes.TrimLeft(c.src[c.end:lineEnd(c.src, c.end)], " \t")
	for _, n := range names {
		i := item{label: n, detail: detail, kind: kind, rank: fits, insert: keyText(n)}
		if len(rest) == 0 || rest[0] != '=' {
			i.insert += " = "
			i.again = true
		}
		c.add(i)
	}
}

// keyText writes a name as a key of an object.
func keyText(name string) string {
	if hclsyntax.ValidIdentifier(name) {
		return name
	}
	return strconv.Quote(name)
}

// flow returns what is known of the workflow around the place, or nil.
func (c *completer) flow() *check.Flow {
	b := c.around("workflow")
	if b == nil || len(b.Labels) == 0 {
		return nil
	}
	view := check.Look(c.project, c.Name, b.Start, b.Body)
	for _, f := range view.Flows {
		if f.Syntax.Name.Text == b.Labels[0].Text {
			return f
		}
	}
	return nil
}

// stepNames returns the steps of the workflow around the place but the one around it.
func (c *completer) stepNames() []string {
	f := c.flow()
	if f == nil {
		return nil
	}
	own := ""
	if b := c.around("step", "finally"); b != nil && len(b.Labels) > 0 {
		own = b.Labels[0].Text
	}
	var out []string
	for _, s := range f.Syntax.Steps {
		if s.Name.Text != own {
			out = append(out, s.Name.Text)
		}
	}
	return out
}

// deployed returns the workflow of the deployment around the place, or nil.
func (c *completer) deployed() *syntax.Workflow {
	b := c.around("deployment", "test")
	if b == nil {
		return nil
	}
	for _, a := range b.Attributes {
		root, name, _ := strings.Cut(strings.TrimSpace(string(c.src[a.Start:a.End])), ".")
		switch {
		case root != a.Name.Text:
		case root == "workflow":
			return c.project.Workflows[name]
		case root == "deployment":
			if d := c.project.Deployments[name]; d != nil && d.Workflow != nil && len(d.Workflow.Path) == 2 {
				return c.project.Workflows[d.Workflow.Path[1].Text]
			}
		}
	}
	return nil
}

func sourceNames(wf *syntax.Workflow, except map[string]bool) []string {
	var out []string
	for _, s := range wf.Sources {
		if !except[s.Name.Text] {
			out = append(out, s.Name.Text)
		}
	}
	return out
}

func (c *completer) deploymentBind() {
	if c.inObjectValue() {
		c.connections()
		return
	}
	if wf := c.deployed(); wf != nil && c.inObjectKey() {
		c.keyed(sourceNames(wf, nil), "source", protocol.CompletionModule)
	}
}

// handedOn offers the sources of a child, and ours that stand for them.
func (c *completer) handedOn() {
	f := c.flow()
	if f == nil {
		return
	}
	if c.inObjectValue() {
		for _, s := range f.Sources() {
			c.add(item{label: s.Syntax.Name.Text, detail: "source", kind: protocol.CompletionModule, rank: fits})
		}
		return
	}
	b := c.around("step", "finally")
	if b == nil || !c.inObjectKey() {
		return
	}
	for _, a := range b.Attributes {
		if a.Name.Text != "run" {
			continue
		}
		name := strings.TrimPrefix(strings.TrimSpace(string(c.src[a.Start:a.End])), "workflow.")
		if wf := c.project.Workflows[name]; wf != nil {
			c.keyed(sourceNames(wf, nil), "source of "+name, protocol.CompletionModule)
		}
	}
}

// targetText matches the beginning of SOURCE.NAME, FAMILY[KEY].NAME and SOURCE["NAME.
var targetText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([\pL_][\pL\pN_-]*)(\[[^\]]*\])?(\.|\[")`)
})

// capability offers the sources of the workflow, and what one of them has.
func (c *completer) capability(kind check.OfferKind) {
	f := c.flow()
	if f == nil {
		return
	}
	text := c.src[c.place.Value:c.start]
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		text = text[i+1:]
	}
	m := targetText().FindSubmatchIndex(text)
	if m == nil {
		if n := len(c.place.Frames); n > 0 && c.place.Frames[n-1].Kind == outline.Brackets {
			c.expression() // the key of a family
			return
		}
		for _, s := range f.Sources() {
			detail := strings.Join(s.Connections, ", ")
			if s.Interface != nil {
				detail = s.Interface.Reference()
			}
			doc := ""
			if s.Syntax.Description != nil {
				doc = s.Syntax.Description.S
			}
			c.add(item{label: s.Syntax.Name.Text, detail: detail, doc: doc, kind: protocol.CompletionModule, rank: leads, dot: len(s.Keys) == 0, again: true})
		}
		return
	}
	source, ok := f.Source(string(text[m[2]:m[3]]))
	if !ok {
		return
	}
	dot := c.place.Value + (len(c.src[c.place.Value:c.start]) - len(text)) + m[6]
	quoted := c.src[dot] == '['
	if m[4] < 0 && quoted && len(source.Keys) > 0 {
		c.constants(source.Keys)
		return
	}
	for _, name := range source.Names(kind) {
		o, ok := source.Offer(kind, name)
		if !ok {
			continue
		}
		i := item{label: name, detail: signature(o), kind: protocol.CompletionMethod, rank: fits,
			data: toolData{URI: c.URI, Workflow: f.Syntax.Name.Text, Source: source.Syntax.Name.Text, Kind: kind, Name: name}}
		switch {
		case o.Unusable != "":
			i.rank = other
		case quoted:
			i.start = dot + 2
			c.end = max(c.end, c.closing(i.start))
		case !hclsyntax.ValidIdentifier(name):
			i.start, i.insert, i.filter = dot, "["+strconv.Quote(name)+"]", "."+name
		}
		c.add(i)
	}
}

// toolData is what the documentation of a capability is found by.
type toolData struct {
	URI      protocol.DocumentURI `json:"uri"`
	Workflow string               `json:"workflow"`
	Source   string               `json:"source"`
	Kind     check.OfferKind      `json:"kind"`
	Name     string               `json:"name"`
}

// signature returns an offer on one line: (q: string) -> object({ … }).
func signature(o check.Offer) string {
	var s strings.Builder
	s.WriteByte('(')
	u := o.Args.Underlying()
	for n, a := range u.Attrs() {
		if n > 0 {
			s.WriteString(", ")
		}
		s.WriteString(types.Key(a.Name))
		if a.Optional {
			s.WriteByte('?')
		}
		s.WriteString(": " + short(a.Type))
	}
	if u.Kind() == types.Object && u.Rest() != nil {
		if len(u.Attrs()) > 0 {
			s.WriteString(", ")
		}
		s.WriteString("…")
	}
	s.WriteString(") -> " + short(o.Result))
	if o.Kind == check.OfferTool {
		s.WriteString(" @" + effectText(o.Effect))
	}
	return s.String()
}

func effectText(e catalog.Effect) string { return e.String() }

// short prints a type so that it fits on a line.
func short(t *types.Type) string {
	const most = 40
	s := types.Print(t)
	if len(s) <= most {
		return s
	}
	switch u := types.WithoutNull(t).Underlying(); u.Kind() {
	case types.Object:
		return "object({ … })"
	case types.List:
		return "list(…)"
	case types.Map:
		return "map(…)"
	case types.Union:
		if slices.ContainsFunc(u.Items(), func(m *types.Type) bool { return m.Kind() != types.Literal }) {
			return "union(…)"
		}
		return "enum(…)"
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
