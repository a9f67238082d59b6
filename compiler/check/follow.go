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
	if follow.Concerns(out, mentionsSensitive(c.w.project.Source(f.file()), f.wf.Range)) {
		c.diags = append(c.diags, follow.Workflow(out)...)
	}
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
	out.Destructive = y.Call != nil && s.tool != nil && s.effect == catalog.Destructive
	out.Args, out.Block = s.args, s.block
	if s.block != nil && s.block.Sensitive != nil && *s.block.Sensitive {
		out.Gives |= follow.Sensitive
	}
	t := y.Target()
	if t == nil || len(t.Path) == 0 {
		return out
	}
	conns := c.connectionsOf(t.Path[0].Text)
	for i, conn := range conns {
		if i == 0 && len(conns) == 1 {
			out.Connection = conn.syn.ID()
		}
		out.Gives |= labels(conn.syn)
		out.External = out.External || says(conn.syn.Reach, "external")
	}
	out.Tool = t.Path[0].Text
	if out.Connection != "" {
		out.Tool = out.Connection
	}
	if len(t.Path) > 1 {
		out.Tool += "." + t.Path[1].Text
	}
	return out
}

// connectionsOf returns what a source is bound to: the members of a family are several.
func (c *checker) connectionsOf(source string) []*connection {
	s := c.f.sources[source]
	if s == nil {
		return nil
	}
	if s.conn != nil {
		return []*connection{s.conn}
	}
	var out []*connection
	if fam := s.syn.Family; fam != nil {
		for _, m := range fam.Members {
			if conn := c.w.connections[connectionID(m.Connection)]; conn != nil {
				out = append(out, conn)
			}
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

