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
	asked := asking{}
	for _, s := range c.f.stepList {
		if deny != nil {
			c.deniedUndos(s, deny)
		}
		if s.syn.Call == nil || s.tool == nil && s.does.declared == nil || s.syn.When != nil || s.effect < catalog.Destructive || s.unsure || asked.waits(node{step: s}) {
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
			c.report(diag.New(codeUnguardedCall, s.syn.Call.Range, "%s is destructive, and nothing guards the call. Say when it may run with `when`; or, where the tool destroys nothing, say so in %s. An `ask` step that this one refers to and a deployment's policy { destructive = \"ask\" } are guards, too.", what, mend))
		}
	}
}

// deniedUndos reports the calls that cannot take back what a step did, because a
// policy denies them: it would come to light when the effect is there.
func (c *checker) deniedUndos(s *step, deny *syntax.Deployment) {
	if s.syn.When != nil {
		return
	}
	for i, u := range s.syn.Undo {
		k := s.undo[i]
		if u.Call == nil || k.wrong || len(k.of) == 0 && k.declared == nil || s.undoEffects[i] < catalog.Destructive {
			continue
		}
		why := "is destructive"
		if s.undoEffects[i] == catalog.Unknown {
			why = "does not say what effect it has, which counts as destructive"
		}
		c.report(diag.New(codeDeniedCall, u.Call.Range, "What takes back the step %s %s, and deployment %s denies destructive calls, so that what the step did stays when the run fails. Change the policy to \"allow\"; or, where the tool destroys nothing, say so in its connection: tool \"NAME\" { effect = \"write\" }.", s.syn.Name.Text, why, deny.Name.Text).
			With(deny.Policy.Header, "The policy that denies it."))
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

// asking says of steps and locals whether they wait for the answer to a question.
type asking map[node]bool

// waits reports whether n waits for an answer, directly or through what it refers to.
func (a asking) waits(n node) bool {
	if known, ok := a[n]; ok {
		return known
	}
	a[n] = false // of a cycle, which has its diagnostic
	for _, need := range n.needs() {
		if need.step != nil && need.step.syn.Ask != nil || a.waits(node{need.local, need.step}) {
			a[n] = true
			return true
		}
	}
	return false
}
