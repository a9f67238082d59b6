package feature

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// indentAt is the white space that the line of an offset begins with.
func (t *target) indentAt(at int) string {
	start := lineStart(t.src, at)
	end := start
	for end < len(t.src) && (t.src[end] == ' ' || t.src[end] == '\t') {
		end++
	}
	return string(t.src[start:end])
}

// missing offers to write the arguments or attributes that an object lacks.
func (a *actor) missing(d *diag.Diagnostic) {
	view := check.Look(a.project, a.Name, d.Range.Start.Byte, d.Range.End.Byte)
	for _, s := range view.Sights {
		x, ok := s.Node.(*hclsyntax.ObjectConsExpr)
		if !ok || s.Range.Start.Byte != d.Range.Start.Byte || s.Range.End.Byte != d.Range.End.Byte {
			continue
		}
		want := objectIn(s.Want)
		if want == nil {
			continue
		}
		have := map[string]bool{}
		for _, it := range x.Items {
			have[keyOf(a.src, it.KeyExpr)] = true
		}
		if lacks := required(want, have); len(lacks) > 0 {
			a.add(action{title: "Add what is missing: " + names(lacks), kind: protocol.QuickFix, of: d, edits: a.one(a.addItems(x, lacks))})
		}
		return
	}
	for _, c := range view.Callees {
		if c.Args != nil || c.Ref.Start.Byte != d.Range.Start.Byte {
			continue
		}
		lacks := required(objectIn(c.Offer.Args), nil)
		if len(lacks) == 0 {
			continue
		}
		end := lineEnd(a.src, c.Ref.End.Byte)
		indent := a.indentAt(c.Ref.Start.Byte)
		var s strings.Builder
		s.WriteString("\n" + indent + "args = {\n")
		for _, x := range lacks {
			fmt.Fprintf(&s, "%s  %s = %s\n", indent, keyText(x.Name), sample(x.Type))
		}
		s.WriteString(indent + "}")
		a.add(action{title: "Add the arguments: " + names(lacks), kind: protocol.QuickFix, of: d, edits: a.one(a.at(end, end, s.String()))})
	}
}

func required(t *types.Type, have map[string]bool) []types.Attr {
	if t == nil {
		return nil
	}
	var out []types.Attr
	for _, x := range t.Attrs() {
		if !x.Optional && !have[x.Name] {
			out = append(out, x)
		}
	}
	return out
}

func names(attrs []types.Attr) string {
	var out []string
	for _, x := range attrs {
		out = append(out, x.Name)
	}
	return strings.Join(out, ", ")
}

// addItems is an edit that adds attributes to an object literal as it is laid out.
func (a *actor) addItems(x *hclsyntax.ObjectConsExpr, attrs []types.Attr) diag.Edit {
	open, end := x.SrcRange.Start.Byte, x.SrcRange.End.Byte-1
	inner := a.src[open+1 : end]
	var items []string
	for _, at := range attrs {
		items = append(items, keyText(at.Name)+" = "+sample(at.Type))
	}
	if bytes.IndexByte(inner, '\n') < 0 {
		text := strings.Join(items, ", ")
		last := len(bytes.TrimRight(inner, " \t,"))
		if len(bytes.TrimSpace(inner)) > 0 {
			return a.at(open+1+last, end, ", "+text+" ")
		}
		return a.at(open+1, end, " "+text+" ")
	}
	indent := a.indentAt(end)
	at := open + 1 + len(bytes.TrimRight(inner, " \t\r\n"))
	if n := bytes.LastIndexByte(a.src[open:at], '\n'); n >= 0 { // behind a comment on the last line
		at = max(at, lineEnd(a.src, at))
	}
	return a.at(at, at, "\n"+indent+"  "+strings.Join(items, "\n"+indent+"  "))
}

// sample is a value of a type, for people to change.
func sample(t *types.Type) string {
	u := types.WithoutNull(t).Underlying()
	switch u.Kind() {
	case types.Literal:
		return types.Notation(u.Lit())
	case types.String:
		for _, s := range []string{"", "a", "2000-01-01T00:00:00Z", "https://example.com", "2000-01-01", "a@example.com"} {
			if types.Conforms(t, value.OfString(s)) == nil {
				return types.Notation(value.OfString(s))
			}
		}
		return `""`
	case types.Number, types.Integer:
		for n := range int64(3) {
			d := value.OfNumber(value.DecimalOf(n))
			if types.Conforms(t, d) == nil {
				return types.Notation(d)
			}
		}
		return "0"
	case types.Bool:
		return "false"
	case types.List:
		return "[]"
	case types.Tuple:
		var items []string
		for _, x := range u.Items() {
			items = append(items, sample(x))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case types.Map:
		return "{}"
	case types.Object:
		var items []string
		for _, x := range required(u, nil) {
			items = append(items, keyText(x.Name)+" = "+sample(x.Type))
		}
		if len(items) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(items, ", ") + " }"
	case types.Union:
		return sample(u.Items()[0])
	case types.Blob:
		return `""`
	}
	return "null"
}

// newInput offers to declare an input that is read and does not exist.
func (a *actor) newInput(d *diag.Diagnostic) {
	name := string(a.src[d.Range.Start.Byte:d.Range.End.Byte])
	_, place := outline.Scan(a.src, d.Range.Start.Byte, nests)
	wf := place.Block
	for wf != nil && wf.Type.Text != "workflow" {
		wf = wf.Up
	}
	if wf == nil || !hclsyntax.ValidIdentifier(name) {
		return
	}
	kind := "string"
	for _, s := range check.Look(a.project, a.Name, d.Range.Start.Byte, d.Range.End.Byte).Sights {
		x, ok := s.Node.(*hclsyntax.ScopeTraversalExpr)
		if !ok || len(x.Traversal) != 2 || s.Range.Start.Byte > d.Range.Start.Byte || s.Want == nil {
			continue
		}
		if t := types.Widen(types.WithoutNull(s.Want)); t.Kind() != types.Never && t.Underlying().Kind() != types.Any {
			if text := types.Print(t); !strings.HasPrefix(text, "defs(") {
				kind = text
			}
		}
	}
	at := lineEnd(a.src, wf.Body)
	lead := ""
	for _, b := range wf.Blocks {
		if b.Type.Text == "source" || b.Type.Text == "input" {
			at, lead = lineEnd(a.src, b.End), "\n"
		}
	}
	indent := a.indentAt(wf.Start) + "  "
	text := fmt.Sprintf("%s\n%sinput \"%s\" {\n%s  type = %s\n%s}", lead, indent, name, indent, kind, indent)
	a.add(action{title: "Declare the input " + name, kind: protocol.QuickFix, of: d, edits: a.one(a.at(at, at, text))})
}

// guarded matches how a finding says where a result can be used.
var guarded = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`Use it only where (step\.[^\s]+\.outcome == "(?:ok|error)")`)
})

// guard offers to do a step only where the result that it reads is there.
func (a *actor) guard(d *diag.Diagnostic) {
	m := guarded().FindStringSubmatch(d.Detail)
	if m == nil {
		return
	}
	_, place := outline.Scan(a.src, d.Range.Start.Byte, nests)
	step := place.Block
	for step != nil && step.Type.Text != "step" {
		step = step.Up
	}
	if step == nil {
		return
	}
	cond := m[1]
	title := "Do the step only where " + cond
	for _, at := range step.Attributes {
		if at.Name.Text != "when" {
			continue
		}
		if at.Start <= d.Range.Start.Byte && d.Range.End.Byte <= at.End {
			a.add(action{title: title, kind: protocol.QuickFix, of: d, edits: a.one(a.at(at.Start, at.Start, cond+" && ("), a.at(at.End, at.End, ")"))})
			return
		}
		a.add(action{title: title, kind: protocol.QuickFix, of: d, edits: a.one(a.at(at.Start, at.Start, "("), a.at(at.End, at.End, ") && "+cond))})
		return
	}
	indent := a.indentAt(step.Start) + "  "
	at := lineEnd(a.src, step.Body)
	a.add(action{title: title, kind: protocol.QuickFix, of: d, edits: a.one(a.at(at, at, "\n"+indent+"when = "+cond))})
}

// suppress offers to silence a finding with a comment on the line above.
func (a *actor) suppress(d *diag.Diagnostic) {
	if d.Code == "WFC1602" || d.Code == "WFC1603" || d.Code == "WFC1601" || d.Code == "WFC1604" {
		return
	}
	start := lineStart(a.src, d.Range.Start.Byte)
	_, place := outline.Scan(a.src, start, nests)
	if slices.ContainsFunc(place.Frames, func(f outline.Frame) bool {
		return f.Kind == outline.Heredoc || f.Kind == outline.Quotes || f.Kind == outline.Template
	}) {
		return // a comment would be text there
	}
	text := fmt.Sprintf("%s# wfc:ignore %s because it is meant so\n", a.indentAt(start), d.Code)
	a.add(action{title: fmt.Sprintf("Silence %s here", d.Code), kind: protocol.QuickFix, of: d, edits: a.one(a.at(start, start, text))})
}

// extract offers to give the selected expression a name in a locals block.
func (a *actor) extract() {
	if a.start >= a.end || !a.isWorkflows() {
		return
	}
	text := a.src[a.start:a.end]
	start := a.start + len(text) - len(bytes.TrimLeft(text, " \t\r\n"))
	end := a.end - len(text) + len(bytes.TrimRight(text, " \t\r\n"))
	if start >= end {
		return
	}
	view := check.Look(a.project, a.Name, start, end)
	for _, s := range view.Sights {
		if s.Range.Start.Byte != start || s.Range.End.Byte != end || len(view.Flows) == 0 {
			continue
		}
		switch s.Node.(type) {
		case *hclsyntax.ObjectConsKeyExpr, *hclsyntax.AnonSymbolExpr:
			continue
		}
		f := view.Flows[0]
		e := expr.Expr{Node: s.Node, Source: a.src}
		t, ok := f.AsLocal(e)
		if !ok || s.Want != nil && types.Assignable(s.Want, t) != nil || !readsWorkflow(e) {
			return
		}
		a.extractTo(f, start, end)
		return
	}
}

// readsWorkflow reports whether an expression reads what a local can read alone. Names
// that a `for` around it binds are none of it.
func readsWorkflow(e expr.Expr) bool {
	for _, r := range e.Refs() {
		switch r.Root {
		case "input", "local", "step":
		case "run":
			if !slices.Contains([]string{"id", "started_at", "deployment", "previous"}, r.Name) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func (a *actor) extractTo(f *check.Flow, start, end int) {
	_, place := outline.Scan(a.src, start, nests)
	if slices.ContainsFunc(place.Frames, func(f outline.Frame) bool { return f.Kind == outline.Heredoc }) && bytes.IndexByte(a.src[start:end], '\n') >= 0 {
		return
	}
	block := place.Block
	for block != nil && block.Up != nil && block.Up.Type.Text != "workflow" {
		block = block.Up
	}
	if block == nil || block.Up == nil || block.Type.Text == "finally" || block.Type.Text == "input" {
		return
	}
	name := "extracted"
	taken := map[string]bool{}
	for _, l := range f.Syntax.Locals {
		taken[l.Name.Text] = true
	}
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("extracted%d", n)
	}
	indent := a.indentAt(block.Start)
	text := string(a.src[start:end])
	insert := a.at(lineStart(a.src, block.Start), lineStart(a.src, block.Start), fmt.Sprintf("%slocals {\n%s  %s = %s\n%s}\n\n", indent, indent, name, text, indent))
	for _, b := range block.Up.Blocks {
		if b.Type.Text == "locals" && b.Closed && bytes.IndexByte(a.src[b.Body:b.End], '\n') >= 0 {
			at := lineStart(a.src, b.End-1)
			insert = a.at(at, at, fmt.Sprintf("%s  %s = %s\n", a.indentAt(b.Start), name, text))
			break
		}
	}
	a.add(action{title: "Extract to local." + name, kind: protocol.RefactorExtract, edits: a.one(insert, a.at(start, end, "local."+name))})
}
