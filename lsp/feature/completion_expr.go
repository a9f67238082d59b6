package feature

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/lang/funcs"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// expression offers what may stand in a value that is computed.
func (c *completer) expression() {
	switch {
	case c.place.In(outline.Quotes):
		c.inText()
		return
	case c.place.In(outline.Heredoc):
		return
	case c.inObjectKey():
		c.objectKey()
		return
	}
	if n := len(c.place.Frames); n > 0 && c.place.Frames[n-1].For && c.beforeIn() {
		return // the name of a variable is anyone's
	}
	p := c.probe()
	if !p.found {
		return
	}
	if r, ok := p.reading(); ok && r.Of != nil {
		c.attributesOf(p, r.Of)
		c.elementsOf(r.Of)
		return
	}
	x, ok := p.sight.Node.(*hclsyntax.ScopeTraversalExpr)
	if !ok {
		return
	}
	if x.Traversal[0].SourceRange().Start.Byte == p.at {
		if before := bytes.TrimRight(c.src[c.place.Value:c.start], " \t"); bytes.HasSuffix(before, []byte("==")) || bytes.HasSuffix(before, []byte("!=")) {
			view := check.Look(p.project, c.Name, c.place.Value, p.at+len(here))
			for _, text := range c.comparedWith(view, p.at) {
				c.add(item{label: types.Notation(value.OfString(text)), kind: protocol.CompletionEnumMember, rank: fits})
			}
		}
		c.beginnings(p.sight)
		return
	}
	// Behind a later dot is what is not known.
	if len(x.Traversal) > 1 && x.Traversal[1].SourceRange().End.Byte == p.at+len(here) {
		c.members(p.sight, x.Traversal.RootName())
	}
}

// beforeIn reports whether the variables of a `for` are being written.
func (c *completer) beforeIn() bool {
	f := c.place.Frames[len(c.place.Frames)-1]
	text := bytes.TrimSpace(c.src[f.Start+1 : c.start])
	return bytes.HasPrefix(text, []byte("for")) && !bytes.Contains(text, []byte(" in")) && !f.Colon
}

// members offers the names that come behind input, local, step or secret.
func (c *completer) members(s check.Sight, root string) {
	for _, n := range s.Members(root) {
		if c.isOwn(n) {
			continue
		}
		i := item{label: n.Text, detail: typeText(n.Type), doc: c.docOf(root, n.Text), kind: kindOfRoot(root), rank: rankOf(s, n.Type, n.Fits)}
		if n.Cycle {
			i.rank, i.detail = other, "depends on this"
		}
		c.add(i)
	}
}

// isOwn reports whether a name is the step that the place stands in, or the local.
func (c *completer) isOwn(n check.Name) bool {
	switch n.Root {
	case "step":
		b := c.around("step", "finally")
		return b != nil && len(b.Labels) > 0 && b.Labels[0].Text == n.Text
	case "local":
		return c.schema.Type == "locals" && c.place.Attribute.Text == n.Text
	}
	return false
}

func kindOfRoot(root string) protocol.CompletionItemKind {
	switch root {
	case "step":
		return protocol.CompletionEvent
	case "secret":
		return protocol.CompletionConstant
	case "local":
		return protocol.CompletionVariable
	}
	return protocol.CompletionField
}

// docOf returns what an input says of itself.
func (c *completer) docOf(root, name string) string {
	b := c.around("workflow")
	if root != "input" || b == nil || len(b.Labels) == 0 {
		return ""
	}
	if wf := c.project.Workflows[b.Labels[0].Text]; wf != nil {
		for _, in := range wf.Inputs {
			if in.Name.Text == name && in.Description != nil {
				return in.Description.S
			}
		}
	}
	return ""
}

// rankOf ranks a reading: what is wanted, what may lead to it, the rest.
func rankOf(s check.Sight, t *types.Type, is bool) rank {
	switch {
	case is && s.Want != nil && s.Want.Underlying().Kind() != types.Any:
		return fits
	case is, leadsOn(t):
		return leads
	}
	return other
}

// leadsOn reports whether parts of a value can be read.
func leadsOn(t *types.Type) bool {
	if t == nil {
		return true
	}
	switch types.WithoutNull(t).Underlying().Kind() {
	case types.Object, types.List, types.Map, types.Tuple, types.Union, types.Any:
		return true
	}
	return false
}

// attributesOf offers what can be read of a value.
func (c *completer) attributesOf(p probe, t *types.Type) {
	for _, a := range readable(t) {
		got, is := p.sight.Step(a.Name)
		i := item{label: a.Name, detail: typeText(a.Type), doc: a.Description, kind: protocol.CompletionField, rank: rankOf(p.sight, got, is)}
		if a.Optional {
			i.detail = "optional, " + i.detail
		}
		if !hclsyntax.ValidIdentifier(a.Name) {
			if c.start == 0 || c.src[c.start-1] != '.' {
				continue
			}
			i.start, i.insert, i.filter = c.start-1, "["+strconv.Quote(a.Name)+"]", "."+a.Name
		}
		c.add(i)
	}
}

// elementsOf offers the ways to the elements of a list, in the place of the dot behind it.
func (c *completer) elementsOf(t *types.Type) {
	u := types.WithoutNull(t).Underlying()
	if u.Kind() != types.List || c.start == 0 || c.src[c.start-1] != '.' {
		return
	}
	for _, way := range []struct{ text, detail string }{{"[*]", "of each element"}, {"[0]", "the first element"}} {
		i := item{label: way.text, detail: way.detail, kind: protocol.CompletionReference, rank: leads, start: c.start - 1, filter: "." + way.text, insert: way.text}
		if len(readable(u.Elem())) > 0 {
			i.dot, i.again = true, true
		}
		c.add(i)
	}
}

// readable returns the attributes that can be read of a value of a type.
func readable(t *types.Type) []types.Attr {
	u := types.WithoutNull(t).Underlying()
	switch u.Kind() {
	case types.Object:
		return u.Attrs()
	case types.Blob:
		return check.BlobAttributes()
	case types.Union:
		var out []types.Attr
		for _, m := range u.Items() {
			for _, a := range readable(m) {
				if !slices.ContainsFunc(out, func(b types.Attr) bool { return b.Name == a.Name }) {
					out = append(out, a)
				}
			}
		}
		return out
	}
	return nil
}

// mostPaths bounds how many readings of several names are tried.
const mostPaths = 200

// beginnings offers what an expression begins with.
func (c *completer) beginnings(s check.Sight) {
	c.literals(s.Want)
	tried := 0
	deep := func(path []string, t *types.Type, kind protocol.CompletionItemKind) {
		if s.Want == nil || s.Want.Underlying().Kind() == types.Any {
			return
		}
		c.deep(s, path, t, kind, 3, &tried)
	}
	for _, n := range s.Begin() {
		if n.Type == nil {
			c.add(item{label: n.Text, detail: rootDocs[n.Text], kind: protocol.CompletionKeyword, rank: leads, dot: true, again: true})
			for _, m := range s.Members(n.Text) {
				if c.isOwn(m) {
					continue
				}
				if n.Text == "secret" && s.Want == nil || m.Cycle {
					continue
				}
				c.add(item{label: n.Text + "." + m.Text, detail: typeText(m.Type), doc: c.docOf(n.Text, m.Text), kind: kindOfRoot(n.Text), rank: rankOf(s, m.Type, m.Fits)})
				if !m.Fits {
					deep([]string{n.Text, m.Text}, m.Type, kindOfRoot(n.Text))
				}
			}
			continue
		}
		detail := typeText(n.Type)
		c.add(item{label: n.Text, detail: detail, doc: rootDocs[n.Text], kind: protocol.CompletionVariable, rank: rankOf(s, n.Type, n.Fits)})
		if !n.Fits {
			deep([]string{n.Text}, n.Type, protocol.CompletionVariable)
		}
	}
	c.functions(s)
}

// rootDocs say what the roots are.
var rootDocs = map[string]string{
	"input": "the inputs of the run", "local": "the locals of the workflow", "step": "the results of steps", "secret": "a secret",
	"each": "the element of for_each: each.key, each.value, each.index", "self": "the step's own result so far", "args": "the arguments of the call",
	"loop": "the round: loop.index, loop.previous", "run": "the run: run.id, run.started_at, run.deployment, run.previous", "project": "the project: project.root, project.wfc",
	"calls": "the calls that the run made", "call": "the call that is answered", "question": "the question that is answered",
}

// deep offers parts of a value that are what is wanted.
func (c *completer) deep(s check.Sight, path []string, t *types.Type, kind protocol.CompletionItemKind, levels int, tried *int) {
	if levels == 0 || t == nil {
		return
	}
	for _, a := range readable(t) {
		if *tried >= mostPaths {
			return
		}
		if !hclsyntax.ValidIdentifier(a.Name) {
			continue
		}
		*tried++
		p := append(slices.Clone(path), a.Name)
		got, is := s.Path(p...)
		if is {
			c.add(item{label: strings.Join(p, "."), detail: typeText(got), doc: a.Description, kind: kind, rank: fits})
			continue
		}
		if isOutput(path, a.Name) || levels < 3 {
			c.deep(s, p, got, kind, levels-1, tried)
		}
	}
}

// isOutput reports whether a part of a result, or of each, is worth looking into.
func isOutput(path []string, name string) bool {
	if path[0] != "step" && path[0] != "self" {
		return true
	}
	return name == "output"
}

// literals offers the constants that are wanted.
func (c *completer) literals(want *types.Type) {
	for _, v := range constantsOf(want) {
		text := types.Notation(v)
		c.add(item{label: text, kind: protocol.CompletionEnumMember, rank: fits})
	}
	if want == nil {
		return
	}
	if types.WithoutNull(want).Underlying().Kind() == types.Bool {
		for _, v := range []string{"true", "false"} {
			c.add(item{label: v, kind: protocol.CompletionKeyword, rank: fits})
		}
	}
	if want.Nullable() {
		c.add(item{label: "null", kind: protocol.CompletionKeyword, rank: leads})
	}
}

// constantsOf returns the constants that a type has as members.
func constantsOf(t *types.Type) []value.Value {
	if t == nil {
		return nil
	}
	u := t.Underlying()
	switch u.Kind() {
	case types.Literal:
		return []value.Value{u.Lit()}
	case types.Union:
		var out []value.Value
		for _, m := range u.Items() {
			out = append(out, constantsOf(m)...)
		}
		return out
	}
	return nil
}

// functions offers all functions, those first that give what is wanted.
func (c *completer) functions(s check.Sight) {
	if s.CanBegin("project") {
		c.add(c.functionItem("env", "env(variable, default?) -> string", "Reads a variable of the environment when the connection opens.", 1, leads))
	}
	for _, f := range funcs.All() {
		r := other
		if s.Want != nil && f.Result != nil && f.Result.Kind() != types.Any && s.Admits(f.Result) {
			r = leads
		}
		least, _ := f.Arity()
		c.add(c.functionItem(f.Name, f.Signature(), functionDoc(f), least, r))
	}
}

func functionDoc(f *funcs.Func) string {
	return fmt.Sprintf("%s\n\n```hcl\n%s # %s\n```", f.Doc, f.Example, f.Gives)
}

func (c *completer) functionItem(name, signature, doc string, least int, r rank) item {
	i := item{label: name, detail: signature, doc: doc, kind: protocol.CompletionFunction, rank: r}
	if c.end < len(c.src) && c.src[c.end] == '(' {
		return i
	}
	switch {
	case c.snippets():
		i.insert, i.snippet, i.again = name+"($0)", true, true
	default:
		i.insert = name + "("
	}
	return i
}

// typeText prints a type for one line.
func typeText(t *types.Type) string {
	if t == nil || t.IsError() {
		return ""
	}
	const most = 120
	s := types.Print(t)
	if len(s) > most {
		return short(t)
	}
	return s
}
