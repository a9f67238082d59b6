package feature

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/check/lint"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// body offers what may begin in a block: attributes and blocks.
func (c *completer) body() {
	if c.schema == nil || len(c.place.Words) > 0 || !c.startsLine() {
		return
	}
	b := c.place.Block
	set := map[string]bool{}
	for _, a := range b.Attributes {
		if a.Name.Start > c.start || a.Name.End < c.start {
			set[a.Name.Text] = true
		}
	}
	has := map[string]bool{}
	for _, x := range b.Blocks {
		if x.Type.Start > c.start || x.Type.End < c.start {
			has[x.Type.Text] = true
		}
	}
	rest := bytes.TrimSpace(c.src[c.end:lineEnd(c.src, c.end)])
	nameOnly := len(rest) > 0 && rest[0] != '#' && rest[0] != '/'
	if c.schema.Type == "lint" {
		c.rules(set, nameOnly)
	}
	for _, a := range c.schema.Attributes {
		if set[a.Name] || !c.applies(a.Name, set, has) {
			continue
		}
		i := item{label: a.Name, detail: formText(a), doc: a.Doc, kind: protocol.CompletionProperty, rank: leads}
		if a.Required {
			i.rank, i.detail = fits, i.detail+", required"
		} else if c.isAction(a.Name) && !c.hasAction(set, has) {
			i.rank = fits
		}
		if !nameOnly {
			i.insert, i.snippet = c.attributeText(a)
			i.again = !i.snippet || strings.Contains(i.insert, "$0")
		}
		c.add(i)
	}
	for _, n := range c.schema.Blocks {
		if has[n.Type] && !n.Repeat {
			continue
		}
		if !c.applies(n.Type, set, has) {
			continue
		}
		i := item{label: n.Type, detail: "block", doc: n.Doc, kind: protocol.CompletionStruct, rank: leads}
		if c.isAction(n.Type) && !c.hasAction(set, has) {
			i.rank = fits
		}
		if !nameOnly && c.snippets() {
			i.insert, i.snippet = blockText(n.BlockSchema), true
		}
		c.add(i)
	}
}

// rules offers the rules that a lint block does not name.
func (c *completer) rules(set map[string]bool, nameOnly bool) {
	for _, name := range keys(lint.Rules) {
		if set[name] {
			continue
		}
		i := item{label: name, detail: string(lint.Rules[name]), kind: protocol.CompletionProperty, rank: fits}
		if e, ok := diag.Lookup(i.detail); ok {
			i.doc = e.Summary
		}
		if !nameOnly {
			i.insert = name + " = false"
		}
		c.add(i)
	}
}

// startsLine reports whether nothing but white space, or a brace, stands before the
// name in hand in its line.
func (c *completer) startsLine() bool {
	line := bytes.TrimSpace(c.src[lineStart(c.src, c.start):c.start])
	return len(line) == 0 || line[len(line)-1] == '{'
}

func lineStart(src []byte, at int) int { return bytes.LastIndexByte(src[:at], '\n') + 1 }

func lineEnd(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(src)
}

// actionNames are what a step can do.
var actionNames = []string{"call", "read", "prompt", "run", "value", "ask", "sleep"}

func (c *completer) inStep() bool { return c.schema.Type == "step" || c.schema.Type == "finally" }

func (c *completer) isAction(name string) bool {
	return c.inStep() && slices.Contains(actionNames, name)
}

func (c *completer) hasAction(set, has map[string]bool) bool {
	return slices.ContainsFunc(actionNames, func(n string) bool { return set[n] || has[n] })
}

// needs are the attributes that only go with others of the block.
var needs = map[string][]string{
	"args": {"call", "read", "prompt", "run"}, "uri": {"read"}, "bind": {"run"}, "key": {"for_each"}, "max_parallel": {"for_each"},
	"decode": {"call", "read", "prompt", "value"}, "undo": {"call", "run"},
}

// applies reports whether an attribute or block goes with what the block has.
func (c *completer) applies(name string, set, has map[string]bool) bool {
	switch c.schema.Type {
	case "step", "finally":
		if slices.Contains(actionNames, name) {
			return !c.hasAction(set, has)
		}
		with, ok := needs[name]
		if !ok || !c.hasAction(set, has) && !slices.Contains(with, "for_each") {
			return true
		}
		return slices.ContainsFunc(with, func(n string) bool { return set[n] })
	case "connection", "provider":
		transports := []string{"stdio", "http", "sse"}
		if slices.Contains(transports, name) {
			return !slices.ContainsFunc(transports, func(n string) bool { return has[n] })
		}
		return name != "auth" || !has["stdio"]
	case "secret":
		return len(set) == 0
	case "source":
		return name != "bind" && name != "family" || !set["bind"] && !set["family"]
	case "auth":
		if l := c.place.Block.Labels; len(l) > 0 {
			return slices.Contains(syntax.AuthAttributes(l[0].Text), name)
		}
	}
	return true
}

// formText says what is written as an attribute's value.
func formText(a syntax.AttributeSchema) string {
	switch a.Form {
	case syntax.TypeForm:
		return "a type"
	case syntax.ToolRef:
		return "SOURCE.TOOL"
	case syntax.ReadRef:
		return "SOURCE or SOURCE.TEMPLATE"
	case syntax.PromptRef:
		return "SOURCE.PROMPT"
	case syntax.WorkflowRef:
		return "workflow.NAME"
	case syntax.ConnectionRef:
		return "connection.PROVIDER.ACCOUNT"
	case syntax.InterfaceRef:
		return "interface.NAME"
	case syntax.StepRefs:
		return "[step.NAME]"
	case syntax.Choice, syntax.OnErrorForm:
		return `"` + strings.Join(a.Choices, `" | "`) + `"`
	case syntax.BoolForm:
		return "true | false"
	case syntax.NumberForm:
		return "a number"
	case syntax.DurationForm:
		return "a duration"
	case syntax.SizeForm:
		return "a size"
	case syntax.TextForm, syntax.InputName:
		return "a text"
	case syntax.TextList, syntax.Choices:
		return "a list of texts"
	case syntax.FamilyForm, syntax.BindForm, syntax.HandedForm:
		return "an object"
	}
	return "an expression"
}

// attributeText is what is inserted for an attribute.
func (c *completer) attributeText(a syntax.AttributeSchema) (text string, snippet bool) {
	if !c.snippets() {
		return a.Name + " = ", false
	}
	value := "$0"
	switch a.Form {
	case syntax.TextForm, syntax.InputName, syntax.DurationForm, syntax.SizeForm, syntax.Choice:
		value = `"$0"`
	case syntax.StepRefs:
		value = "[$0]"
	case syntax.TextList, syntax.Choices:
		value = `["$0"]`
	case syntax.FamilyForm, syntax.BindForm, syntax.HandedForm:
		value = "{ $0 }"
	case syntax.Computed:
		switch a.Name {
		case "args", "inputs", "outputs", "headers", "env", "choices":
			value = "{ $0 }"
		case "timeout", "deadline", "delay", "max_delay", "sleep", "idle_timeout", "uri", "message", "error_message", "command", "url":
			value = `"$0"`
		}
	}
	return a.Name + " = " + value, true
}

// blockText is what is inserted for a block: its labels and what it must have.
func blockText(b *syntax.BlockSchema) string {
	var s strings.Builder
	s.WriteString(b.Type)
	n := 1
	for _, l := range b.Labels {
		fmt.Fprintf(&s, ` "${%d:%s}"`, n, escape(l))
		n++
	}
	s.WriteString(" {\n")
	for _, a := range b.Attributes {
		if a.Required {
			fmt.Fprintf(&s, "  %s = ${%d}\n", a.Name, n)
			n++
		}
	}
	if n == 1 || !strings.Contains(s.String(), " = ") {
		s.WriteString("  $0\n}")
	} else {
		s.WriteString("}$0")
	}
	return s.String()
}

// label offers names for the labels of a block.
func (c *completer) label() {
	if len(c.place.Words) == 0 {
		return
	}
	start := c.place.Frames[len(c.place.Frames)-1].Start + 1
	offer := func(names []string, detail string, kind protocol.CompletionItemKind) {
		for _, n := range names {
			c.add(item{label: n, detail: detail, kind: kind, rank: fits, start: start})
		}
	}
	which := len(c.place.Words) - 1 // of the labels
	c.end = max(c.end, c.offset)
	switch kind := c.place.Words[0].Text; {
	case kind == "auth":
		offer(syntax.AuthKinds(), "kind of authorisation", protocol.CompletionEnumMember)
	case kind == "connection" && which == 0:
		offer(keys(c.project.Providers), "provider", protocol.CompletionModule)
	case kind == "tool":
		if l := c.place.Block.Labels; len(l) == 2 {
			if snap, err := c.project.Snapshot(l[0].Text + "." + l[1].Text); err == nil {
				offer(snap.ToolNames(), "tool", protocol.CompletionMethod)
			}
		}
	case kind == "mock":
		flow := c.flowOfTest()
		if flow == nil {
			return
		}
		if which == 0 {
			for _, s := range flow.Sources() {
				offer([]string{s.Syntax.Name.Text}, "source", protocol.CompletionModule)
			}
			return
		}
		if s, ok := flow.Source(c.place.Words[1].Text); ok {
			for _, k := range []check.OfferKind{check.OfferTool, check.OfferPrompt, check.OfferTemplate} {
				offer(s.Names(k), string(k), protocol.CompletionMethod)
			}
		}
	case kind == "answer":
		if flow := c.flowOfTest(); flow != nil {
			for _, s := range flow.Syntax.Steps {
				if s.Ask != nil {
					offer([]string{s.Name.Text}, "question", protocol.CompletionEvent)
				}
			}
		}
	}
}

// flowOfTest returns the workflow that the test around the place runs, or nil.
func (c *completer) flowOfTest() *check.Flow {
	b := c.place.Block
	for b.Up != nil && b.Up.Up != nil {
		b = b.Up
	}
	view := check.Look(c.project, c.Name, b.Start, b.Body)
	if len(view.Flows) == 0 {
		return nil
	}
	return view.Flows[0]
}

func keys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// around returns the block of a type that the place stands in, or nil.
func (c *completer) around(kinds ...string) *outline.Block {
	for b := c.place.Block; b != nil; b = b.Up {
		if slices.Contains(kinds, b.Type.Text) {
			return b
		}
	}
	return nil
}
