package check

import (
	"github.com/hashicorp/hcl/v2"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/syntax"
)

// later reports what is checked and cannot be run yet in all that a plan is
// made of: a plan that silently leaves it out would do something else than
// what is written.
func (c *checker) later(d *syntax.Deployment, used map[*connection]bool) {
	l := laterList{c, map[hcl.Range]bool{}}
	wf := c.f.wf
	l.attribute(wf.Deadline)
	if x := wf.Concurrency; x != nil {
		l.block("concurrency", x.Header)
	}
	for _, s := range wf.Sources {
		if s.Family != nil {
			l.feature("family", s.Family.NameRange)
		}
	}
	for _, in := range wf.Inputs {
		l.sensitive(in.Sensitive, in.Header)
	}
	for _, o := range wf.Outputs {
		l.sensitive(o.Sensitive, o.Header)
	}
	for _, s := range wf.Steps {
		l.step(s)
	}
	for _, s := range wf.Finally {
		l.block("finally", s.Header)
	}
	if d != nil && d.Policy != nil {
		l.block("policy", d.Policy.Header)
	}
	for conn := range used {
		l.connection(conn.syn)
	}
	for _, x := range c.late {
		l.feature(x.what, x.at)
	}
	l.settings()
}

type laterList struct {
	*checker
	told map[hcl.Range]bool
}

func (l laterList) feature(what string, at hcl.Range) {
	if l.told[at] {
		return
	}
	l.told[at] = true
	l.report(diag.New(codeNotRunnable, at, "%q is checked, but this version of wfc cannot run it yet. Remove it for now.", what))
}

func (l laterList) block(name string, at hcl.Range) { l.feature(name, at) }

func (l laterList) attribute(a *syntax.Attribute) {
	if a != nil {
		l.feature(a.Name, a.NameRange)
	}
}

func (l laterList) sensitive(b *bool, at hcl.Range) {
	if b != nil && *b {
		l.feature("sensitive", at)
	}
}

func (l laterList) step(s *syntax.Step) {
	switch s.Action {
	case syntax.CallAction, syntax.ValueAction:
	default:
		l.feature(string(s.Action), s.ActionName)
		return // of such a step nothing runs
	}
	l.secrets(s.Args)
	l.attribute(s.IdleTimeout)
	l.attribute(s.Deadline)
	if s.Loop != nil {
		l.block("loop", s.Loop.Header)
	}
	if s.Retry != nil {
		l.block("retry", s.Retry.Header)
	}
	if len(s.Asserts) > 0 {
		l.block("assert", s.Asserts[0].Header)
	}
	if len(s.Undo) > 0 {
		l.block("undo", s.Undo[0].Header)
	}
}

// secrets reports the secrets that expressions name and that are not in the environment.
func (l laterList) secrets(in ...*syntax.Attribute) {
	for _, a := range in {
		if a == nil {
			continue
		}
		for _, r := range a.Expr.Refs() {
			y := l.w.project.Secrets[r.Name]
			if r.Root != "secret" || y == nil {
				continue
			}
			var what string
			var at hcl.Range
			switch {
			case y.File != nil:
				what, at = "file", y.File.Range
			case y.Command != nil:
				what, at = "command", y.Command.Range
			case y.Keyring != nil:
				what, at = "keyring", y.Keyring.Range
			default:
				continue
			}
			l.feature(what, at)
		}
	}
}

func (l laterList) connection(y *syntax.Connection) {
	l.opening(y)
	if y.IdleTimeout != nil {
		l.feature("idle_timeout", y.IdleTimeout.Range)
	}
	for _, t := range y.Tools {
		l.sensitive(t.Sensitive, t.Header)
		if t.IdleTimeout != nil {
			l.feature("idle_timeout", t.IdleTimeout.Range)
		}
	}
}

// opening reports what a connection cannot be opened with.
func (l laterList) opening(y *syntax.Connection) {
	switch {
	case y.HTTP != nil:
		l.block("http", y.HTTP.Header)
	case y.SSE != nil:
		l.block("sse", y.SSE.Header)
	}
	if y.Auth != nil {
		l.block("auth", y.Auth.Header)
	}
	if y.Offers != nil {
		l.feature("offers", y.Offers.Range)
	}
	if st := y.Stdio; st != nil {
		l.secrets(st.Command, st.Args, st.Env, st.Cwd)
	}
}

// settings reports what wfc.hcl says of all runs.
func (l laterList) settings() {
	s := l.w.project.Settings
	if s == nil {
		return
	}
	if d := s.Defaults; d != nil {
		if d.Retry != nil {
			l.block("retry", d.Retry.Header)
		}
		for _, x := range []struct {
			name string
			d    *syntax.Duration
		}{{"idle_timeout", d.IdleTimeout}, {"deadline", d.Deadline}} {
			if x.d != nil {
				l.feature(x.name, x.d.Range)
			}
		}
	}
	if s.Sampling != nil {
		l.block("sampling", s.Sampling.Header)
	}
	if s.Storage != nil {
		l.block("storage", s.Storage.Header)
	}
}
