package wftest

import (
	"fmt"
	"strings"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/format"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// unmocked notes that no mock answers a call, with one that would.
func (s *simulation) unmocked(c *call) {
	var others int
	for i := range s.mocks {
		if _, ok := s.mocks[i].names(c); ok {
			others++
		}
	}
	does := map[plan.NodeKind]string{plan.Call: "calls", plan.Read: "reads", plan.Prompt: "asks for the prompt"}[c.Do]
	message := fmt.Sprintf("Step %s %s %s, and no mock of this test answers that.", c.step, does, c.name())
	if others > 0 {
		message += " It has mocks of it, whose `when` does not hold or whose `times` are over."
	}
	if c.Sensitive {
		message += " The arguments are sensitive."
	} else {
		message += fmt.Sprintf(" The arguments are %s.", c.args.Summary(mostShown))
	}
	b := &block{source: c.source, tool: c.Tool}
	if others > 0 && !c.Sensitive && c.args.AsObject().Len() > 0 && c.Do != plan.Read {
		b.when = "args == " + expression(c.args, 2)
	}
	if output := s.exampleOf(c); output != nil {
		b.add("output", expression(*output, 2))
	} else {
		b.add("text", `""`)
	}
	s.problems = append(s.problems, Failure{At: s.placeOf(c), Message: message, Mock: b.text()})
}

// placeOf is where the step of a call is written.
func (s *simulation) placeOf(c *call) diag.Range {
	p := s.core.PlanOf(c.At)
	for i := range p.Nodes {
		if p.Nodes[i].ID != c.spec.ID {
			continue
		}
		if r, ok := p.Ranges[nodePointer(i)]; ok {
			at := diag.Pos{Line: r.Line, Column: r.Column}
			return diag.Range{File: r.File, Start: at, End: at}
		}
	}
	return s.header()
}

// exampleOf is what a mock of a call may answer; nil where it answers with text.
func (s *simulation) exampleOf(c *call) *value.Value {
	var t *types.Type
	switch schema := s.test.Plan.Schemas[c.spec.OutputSchema]; {
	case c.Do != plan.Call:
		return nil
	case len(schema) > 0:
		t, _ = types.FromSchema(schema)
	case c.spec.ResultType != "" && c.spec.Result == "" && c.spec.Decode == "":
		var problems diag.List
		if t, problems = types.Parse(c.spec.ResultType, "", nil); problems.HasErrors() {
			return nil
		}
	}
	if t == nil || t.Underlying().Kind() == types.String || t.Underlying().Kind() == types.Any {
		return nil
	}
	v := types.Example(t)
	return &v
}

// block is a mock block as text.
type block struct {
	source, tool string
	comment      string // without the sign; "": none
	when         string // "": none
	lines        []string
}

func (b *block) add(name, expression string) { b.lines = append(b.lines, name+" = "+expression) }

// text is the block, laid out as in a test, with a line end.
func (b *block) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "  mock %s %s {\n", literal(b.source), literal(b.tool))
	if b.comment != "" {
		fmt.Fprintf(&out, "    # %s\n", b.comment)
	}
	if b.when != "" {
		fmt.Fprintf(&out, "    when = %s\n", b.when)
	}
	for _, l := range b.lines {
		fmt.Fprintf(&out, "    %s\n", l)
	}
	out.WriteString("  }\n")
	// A file is text; what is none in an answer becomes the sign for that.
	return laidOut(strings.ToValidUTF8(out.String(), "\ufffd"))
}

// laidOut lays blocks of a test out as `wfc fmt` does.
func laidOut(blocks string) string {
	const before, after = "test \"t\" {\n", "}\n"
	src, problems := format.Source("x"+syntax.TestSuffix, []byte(before+blocks+after))
	if problems.HasErrors() {
		return blocks
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(src), before), after)
}

// place is where something is, for messages.
func place(at diag.Range) string {
	return fmt.Sprintf("%s:%d:%d", at.File, at.Start.Line, at.Start.Column)
}
