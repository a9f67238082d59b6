package check

import (
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

const (
	codeUnguardedCall diag.Code = "WFC3001"
	codeDeniedCall    diag.Code = "WFC3002"
	codeUnsafeRetry   diag.Code = "WFC3003"
)

// unguardedCalls reports the destructive calls that nothing guards: no `when`, no
// question before, and no policy of the deployments, which are all those through
// which the workflow runs as it is bound here (LANGUAGE 7).
func (c *checker) unguardedCalls(deployments []*syntax.Deployment) {
	var deny *syntax.Deployment
	open := len(deployments) == 0
	for _, d := range deployments {
		switch policyOf(d) {
		case "deny":
			deny = d
		case "ask":
		default:
			open = true
		}
	}
	if deny == nil && !open {
		return
	}
	for _, s := range c.f.stepList {
		if s.syn.Call == nil || s.tool == nil && s.does.declared == nil || s.syn.When != nil || s.effect < catalog.Destructive || c.asked(s) {
			continue
		}
		what, mend := c.calledTool(s)
		switch {
		case deny != nil:
			why := "is destructive"
			if s.effect == catalog.Unknown {
				why = "does not say what effect it has, which counts as destructive"
			}
			c.report(diag.New(codeDeniedCall, s.syn.Call.Range, "%s %s, and deployment %s denies destructive calls, so that this step fails whenever it runs. Guard it with `when`, or change the policy to \"ask\" or \"allow\".", what, why, deny.Name.Text).
				With(deny.Policy.Header, "The policy that denies it."))
		case s.effect == catalog.Destructive:
			c.report(diag.New(codeUnguardedCall, s.syn.Call.Range, "%s is destructive, and nothing guards the call. Say when it may run with `when`, ask a person before with an `ask` step that this one refers to, or run it through a deployment with policy { destructive = \"ask\" }. Where the tool destroys nothing, say so in %s.", what, mend))
		}
	}
}

// calledTool names the tool that a step calls, and says where its effect can be
// said: in the connection, or in the interface of a source that is bound to none.
func (c *checker) calledTool(s *step) (what, mend string) {
	if s.tool != nil {
		return "The tool " + s.source.owner() + "." + s.tool.Name, "its connection: tool " + quoted(s.tool.Name) + " { effect = \"write\" }"
	}
	return "The tool " + s.source.iface.Reference() + "." + s.does.declared.Name.Text, "the interface: @write"
}

func policyOf(d *syntax.Deployment) string {
	if d.Policy == nil || d.Policy.Destructive == nil {
		return "allow"
	}
	return d.Policy.Destructive.S
}

// asked reports whether a step waits for the answer to a question, directly or
// through what it refers to.
func (c *checker) asked(s *step) bool {
	seen := map[node]bool{}
	var look func(needs []need) bool
	look = func(needs []need) bool {
		for _, n := range needs {
			k := node{n.local, n.step}
			if seen[k] {
				continue
			}
			seen[k] = true
			if n.step != nil && n.step.syn.Ask != nil || look(k.needs()) {
				return true
			}
		}
		return false
	}
	return look(s.needs)
}
