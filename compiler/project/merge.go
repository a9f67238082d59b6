package project

import "github.com/lda-wf/wfc/lang/syntax"

// mergeConnections puts into each connection what it does not say itself: from
// the provider block of its name, and from the defaults of wfc.hcl.
func (p *Project) mergeConnections() {
	var defaults *syntax.Defaults
	if p.Settings != nil {
		defaults = p.Settings.Defaults
	}
	for id, c := range p.Connections {
		provider := p.Providers[c.Provider.Text]
		if provider == nil && defaults == nil {
			continue
		}
		merged := *c
		if provider != nil {
			inherit(&merged.ConnectionSettings, &provider.ConnectionSettings)
		}
		if defaults != nil {
			inherit(&merged.ConnectionSettings, ofDefaults(defaults))
		}
		p.Connections[id] = &merged
	}
}

// ofDefaults is what a defaults block says of connections.
func ofDefaults(d *syntax.Defaults) *syntax.ConnectionSettings {
	return &syntax.ConnectionSettings{
		Timeouts: d.Timeouts, RateLimit: d.RateLimit, MaxInFlight: d.MaxInFlight, IdleTimeout: d.IdleTimeout,
		Session: d.Session, Protocol: d.Protocol, Offers: d.Offers,
	}
}

// inherit fills what own does not say from shared. A block that both have is
// merged attribute by attribute; a connection that names another transport, or
// another kind of auth, has nothing of the shared one. Neither of the two is
// changed below its first level: what is merged is copied.
func inherit(own, shared *syntax.ConnectionSettings) {
	if own.HTTP == nil && own.SSE == nil {
		own.Stdio = merged(own.Stdio, shared.Stdio, func(o, s *syntax.Stdio) {
			or(&o.Command, s.Command)
			or(&o.Args, s.Args)
			or(&o.Env, s.Env)
			or(&o.Cwd, s.Cwd)
		})
	}
	web := func(o, s *syntax.HTTP) {
		or(&o.URL, s.URL)
		or(&o.Headers, s.Headers)
	}
	if own.Stdio == nil && own.SSE == nil {
		own.HTTP = merged(own.HTTP, shared.HTTP, web)
	}
	if own.Stdio == nil && own.HTTP == nil {
		own.SSE = merged(own.SSE, shared.SSE, web)
	}
	if own.Auth == nil || shared.Auth == nil || own.Auth.Kind.Text == shared.Auth.Kind.Text {
		own.Auth = merged(own.Auth, shared.Auth, func(o, s *syntax.Auth) {
			or(&o.Token, s.Token)
			or(&o.Name, s.Name)
			or(&o.Value, s.Value)
			or(&o.Username, s.Username)
			or(&o.Password, s.Password)
			or(&o.ClientID, s.ClientID)
			or(&o.ClientSecret, s.ClientSecret)
			or(&o.Scopes, s.Scopes)
		})
	}
	own.Timeouts = merged(own.Timeouts, shared.Timeouts, func(o, s *syntax.Timeouts) {
		or(&o.Connect, s.Connect)
		or(&o.Idle, s.Idle)
		or(&o.Close, s.Close)
	})
	own.RateLimit = merged(own.RateLimit, shared.RateLimit, func(o, s *syntax.RateLimit) {
		or(&o.Requests, s.Requests)
		or(&o.Per, s.Per)
	})
	or(&own.MaxInFlight, shared.MaxInFlight)
	or(&own.IdleTimeout, shared.IdleTimeout)
	or(&own.Session, shared.Session)
	or(&own.Protocol, shared.Protocol)
	or(&own.Offers, shared.Offers)
	or(&own.Allow, shared.Allow)
	or(&own.Deny, shared.Deny)
	or(&own.Enabled, shared.Enabled)
	or(&own.Trust, shared.Trust)
	or(&own.Data, shared.Data)
	or(&own.Reach, shared.Reach)
	own.Tools = mergedTools(own.Tools, shared.Tools)
}

// or sets *own to shared where it is nil.
func or[T any](own **T, shared *T) {
	if *own == nil {
		*own = shared
	}
}

// merged returns a block that both may have: own with what fill takes from shared.
func merged[T any](own, shared *T, fill func(own, shared *T)) *T {
	switch {
	case own == nil:
		return shared
	case shared == nil:
		return own
	}
	out := *own
	fill(&out, shared)
	return &out
}

// mergedTools merges tool blocks by the names of their tools: own ones first.
func mergedTools(own, shared []*syntax.ToolOverride) []*syntax.ToolOverride {
	if len(shared) == 0 {
		return own
	}
	byName := make(map[string]*syntax.ToolOverride, len(shared))
	for _, t := range shared {
		byName[t.Tool.Text] = t
	}
	var out []*syntax.ToolOverride
	for _, t := range own {
		out = append(out, merged(t, byName[t.Tool.Text], inheritTool))
		delete(byName, t.Tool.Text)
	}
	for _, t := range shared {
		if byName[t.Tool.Text] == t {
			out = append(out, t)
		}
	}
	return out
}

func inheritTool(o, s *syntax.ToolOverride) {
	or(&o.Effect, s.Effect)
	or(&o.Idempotent, s.Idempotent)
	or(&o.IdempotencyArg, s.IdempotencyArg)
	or(&o.Open, s.Open)
	or(&o.Sensitive, s.Sensitive)
	or(&o.Decode, s.Decode)
	or(&o.Result, s.Result)
	or(&o.FailIf, s.FailIf)
	or(&o.IdleTimeout, s.IdleTimeout)
	if o.Returns.IsZero() {
		o.Returns = s.Returns
	}
}
