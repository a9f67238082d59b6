package check

import (
	"slices"

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
	for _, s := range slices.Concat(wf.Steps, wf.Finally) {
		l.step(s)
	}
	for conn := range used {
		l.connection(conn.syn)
	}
	for _, x := range c.late {
		l.feature(x.what, x.at)
	}
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

func (l laterList) step(s *syntax.Step) {
	l.secrets(s.Args)
	for _, u := range s.Undo {
		l.secrets(u.Args)
	}
}

// secrets reports the secrets that expressions name and that cannot be had.
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
			if y.Keyring != nil {
				l.feature("keyring", y.Keyring.Range)
			}
		}
	}
}

func (l laterList) connection(y *syntax.Connection) {
	l.opening(y)
}

// opening reports what a connection cannot be opened with.
func (l laterList) opening(y *syntax.Connection) {
	for _, x := range []*syntax.HTTP{y.HTTP, y.SSE} {
		if x != nil {
			l.secrets(x.URL, x.Headers)
		}
	}
	if x := y.Auth; x != nil {
		if x.Kind.Text == "oauth" {
			l.block("oauth", x.Header)
		}
		l.secrets(x.Token, x.Value, x.Username, x.Password)
	}
	if st := y.Stdio; st != nil {
		l.secrets(st.Command, st.Args, st.Env, st.Cwd)
	}
}
