package compiler

import (
	"slices"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/syntax"
)

// connection writes how a connection is reached; snap may be nil.
func (l *linker) connection(y *syntax.Connection, snap *catalog.Snapshot) {
	i := len(l.plan.Connections)
	l.place(y.Header, "/connections/%d", i)
	c := plan.Connection{ID: y.ID(), ConnectMS: defaultConnectMS, IdleMS: defaultIdleMS, CloseMS: defaultCloseMS, MaxInFlight: defaultMaxInFlight}
	if st := y.Stdio; st != nil {
		c.Stdio = &plan.Stdio{
			Command: l.attribute(st.Command, "/connections/%d/stdio/command", i),
			Args:    l.attribute(st.Args, "/connections/%d/stdio/args", i),
			Env:     l.attribute(st.Env, "/connections/%d/stdio/env", i),
			Cwd:     l.attribute(st.Cwd, "/connections/%d/stdio/cwd", i),
		}
	}
	c.HTTP, c.SSE = l.web(y.HTTP, "http", i), l.web(y.SSE, "sse", i)
	if a := y.Auth; a != nil {
		e := func(a *syntax.Attribute, name string) plan.Expr {
			return l.attribute(a, "/connections/%d/auth/"+name, i)
		}
		c.Auth = &plan.Auth{
			Kind: a.Kind.Text, Token: e(a.Token, "token"), Name: e(a.Name, "name"), Value: e(a.Value, "value"),
			Username: e(a.Username, "username"), Password: e(a.Password, "password"),
		}
	}
	if t := y.Timeouts; t != nil {
		for _, d := range []struct {
			from *syntax.Duration
			to   *int64
		}{{t.Connect, &c.ConnectMS}, {t.Idle, &c.IdleMS}, {t.Close, &c.CloseMS}} {
			if d.from != nil {
				*d.to = d.from.D.Milliseconds()
			}
		}
	}
	if y.MaxInFlight != nil {
		c.MaxInFlight = y.MaxInFlight.N
	}
	c.Offers = offers(y)
	if slices.Contains(c.Offers, "sampling") {
		l.sampling()
	}
	if r := y.RateLimit; r != nil && r.Requests != nil && r.Per != nil {
		c.RateLimit = &plan.RateLimit{Requests: r.Requests.N, PerMS: r.Per.D.Milliseconds()}
	}
	if y.Protocol != nil && y.Protocol.S != "auto" {
		c.Protocol = y.Protocol.S
	} else if snap != nil {
		c.ProtocolVersion = snap.ProtocolVersion
	}
	l.plan.Connections = append(l.plan.Connections, c)
}

// standIn writes what takes the place of a connection in a plan that is run against
// mocks, and returns its id: that of a source which has an interface and is bound to nothing.
func (l *linker) standIn(s *syntax.Source) string {
	id := "interface." + s.Interface.Path[1].Text
	if !l.connections[id] {
		l.connections[id] = true
		l.plan.Connections = append(l.plan.Connections, plan.Connection{ID: id, MaxInFlight: defaultMaxInFlight})
	}
	return id
}

// web writes how a server at a URL is reached; nil if h is.
func (l *linker) web(h *syntax.HTTP, block string, i int) *plan.HTTP {
	if h == nil {
		return nil
	}
	return &plan.HTTP{
		URL:     l.attribute(h.URL, "/connections/%d/"+block+"/url", i),
		Headers: l.attribute(h.Headers, "/connections/%d/"+block+"/headers", i),
	}
}

// offers returns the client capabilities that a connection offers, sorted.
func offers(y *syntax.Connection) []string {
	if y.Offers == nil {
		return []string{"elicitation"}
	}
	out := make([]string, len(y.Offers.Items))
	for i, t := range y.Offers.Items {
		out[i] = t.S
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// sampling writes how the model is reached that answers servers.
func (l *linker) sampling() {
	s := l.project.Settings
	if s == nil || s.Sampling == nil || l.plan.Sampling != nil {
		return
	}
	l.place(s.Sampling.Header, "/sampling")
	l.plan.Sampling = &plan.Sampling{
		BaseURL: l.attribute(s.Sampling.BaseURL, "/sampling/base_url"),
		Model:   l.attribute(s.Sampling.Model, "/sampling/model"),
		APIKey:  l.attribute(s.Sampling.APIKey, "/sampling/api_key"),
	}
}

func (l *linker) usedSecrets() {
	names := make([]string, 0, len(l.secrets))
	for n := range l.secrets {
		names = append(names, n)
	}
	slices.Sort(names)
	for i, n := range names {
		s := l.project.Secrets[n]
		l.place(s.Header, "/secrets/%d", i)
		secret := plan.Secret{Name: n, Env: text(s.Env), File: text(s.File)}
		if s.Command != nil {
			for _, word := range s.Command.Items {
				secret.Command = append(secret.Command, word.S)
			}
		}
		l.plan.Secrets = append(l.plan.Secrets, secret)
	}
}
