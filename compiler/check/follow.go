package check

import (
	"bytes"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/compiler/check/follow"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/syntax"
)

// follow reports where sensitive, private and untrusted values of the workflow in
// hand go and should not. Where the workflow has errors nothing is said: values go other
// ways once those are mended. deployments are as unguardedCalls takes them.
func (c *checker) follow(deployments []*syntax.Deployment) {
	f := c.f
	if c.diags.HasErrors() || c.w.hasError(f.file()) {
		return
	}
	out := &follow.Flow{
		Syntax:   f.wf,
		Child:    func(name string) *syntax.Workflow { return c.w.project.Workflows[name] },
		Approved: len(deployments) > 0 && !slices.ContainsFunc(deployments, func(d *syntax.Deployment) bool { return policyOf(d) == "allow" }),
	}
	out.Steps = make([]follow.Step, 0, len(f.wf.Steps)+len(f.wf.Finally))
	for _, list := range [][]*syntax.Step{f.wf.Steps, f.wf.Finally} {
		for _, y := range list {
			out.Steps = append(out.Steps, c.followed(y))
		}
	}
	if !follow.Concerns(out, mentionsSensitive(c.w.project.Source(f.file()), f.wf.Range)) {
		return
	}
	for _, n := range f.order {
		if n.local != nil {
			out.Order = append(out.Order, follow.Name{Root: "local", Name: n.local.syn.Name.Text})
		} else {
			out.Order = append(out.Order, follow.Name{Root: "step", Name: n.step.name()})
		}
	}
	c.diags = append(c.diags, follow.Workflow(out)...)
}

// mentionsSensitive reports whether a secret or the function sensitive may be in the
// text of a block. It may be in a comment: that costs time only.
func mentionsSensitive(src []byte, block hcl.Range) bool {
	src = src[min(block.Start.Byte, len(src)):min(block.End.Byte, len(src))]
	return bytes.Contains(src, []byte("secret")) || bytes.Contains(src, []byte("sensitive"))
}

// followed returns what is known of a step and what it calls.
func (c *checker) followed(y *syntax.Step) follow.Step {
	out := follow.Step{Syntax: y}
	s := c.f.steps[y.Name.Text]
	if s == nil || s.syn != y {
		return out
	}
	out.Destructive = y.Call != nil && len(s.does.of) > 0 && s.effect == catalog.Destructive
	out.Args, out.Block = s.args, s.block
	for _, o := range s.does.of {
		if b := o.block; b != nil && b.Sensitive != nil && *b.Sensitive {
			out.Gives |= follow.Sensitive
		}
	}
	t := y.Target()
	if t == nil || s.source == nil {
		return out
	}
	out.Connection = s.source.owner()
	out.Tool = out.Connection
	if len(t.Path) > 1 {
		out.Tool += "." + t.Path[1].Text
	}
	label := func(conn *connection) {
		out.Gives |= labels(conn.syn)
		out.External = out.External || says(conn.syn.Reach, "external")
	}
	for _, o := range s.does.of { // a key that is known chooses one of a family
		label(o.conn)
	}
	if len(s.does.of) == 0 {
		for _, m := range s.source.members {
			label(m.conn)
		}
	}
	return out
}

// labels returns what a connection says of its answers.
func labels(y *syntax.Connection) (k follow.Kind) {
	if says(y.Trust, "untrusted") {
		k |= follow.Untrusted
	}
	if says(y.Data, "private") {
		k |= follow.Private
	}
	return k
}

func says(t *syntax.Text, what string) bool { return t != nil && t.S == what }
