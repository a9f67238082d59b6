package rpc

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/service"
)

// api implements the methods over the host: it turns parameters into calls, and what
// these return into results.
type api struct{ server *Server }

func (a *api) host() *service.Host { return a.server.options.Host }

// bindAll gives all methods their implementation.
func (s *Server) bindAll(a *api) {
	t := s.methods
	bind(t, protocol.CapabilitiesList, a.listCapabilities)
	bind(t, protocol.CapabilitiesDescribe, a.describeCapability)
	bind(t, protocol.CapabilitiesCall, a.callCapability)
	bind(t, protocol.ResourcesRead, a.readResource)
	bind(t, protocol.PromptsRender, a.renderPrompt)
	bind(t, protocol.SourcesList, a.listSources)
	bind(t, protocol.SourcesRefresh, a.refreshSource)
	bind(t, protocol.SourcesCheck, a.checkSource)
	bind(t, protocol.SourcesInvoke, a.invokeSource)
	bind(t, protocol.SourcesNotify, a.notifySource)
	s.bindDrafts(a)
	s.bindDeployments(a)
	s.bindRuns(a)
	bind(t, protocol.Discover, func(context.Context, protocol.None) (any, error) { return protocol.OpenRPC(s.options.Version), nil })
}

// changed tells who wants to know that deployments may have changed.
func (a *api) changed(ctx context.Context) {
	if a.server.options.Changed != nil {
		a.server.options.Changed(context.WithoutCancel(ctx))
	}
}

// defaultPage is how many entries of a list are sent if the client does not say.
const defaultPage = 100

// pageLimit returns how many entries of a list are sent.
func pageLimit(p protocol.Page) (int, error) {
	const most = 1000
	switch {
	case p.Limit == 0:
		return defaultPage, nil
	case p.Limit < 0 || p.Limit > most:
		return 0, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "The parameter limit must be from 1 to %d, and is %d.", most, p.Limit)
	}
	return p.Limit, nil
}

// duration reads a parameter that is a duration; 0 where it is left out.
func duration(name, text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := syntax.ParseDuration(text)
	switch {
	case err != nil:
		return 0, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "The parameter %s is no duration: %v.", name, err)
	case d <= 0:
		return 0, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "The parameter %s must be more than nothing.", name)
	}
	return d, nil
}

// nonNil is a list that is [] in JSON where it is empty.
func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func (a *api) listCapabilities(ctx context.Context, p protocol.CapabilitiesListParams) (out protocol.CapabilitiesListResult, err error) {
	f := service.CapabilityFilter{Connection: p.Connection, Kind: service.CapabilityKind(p.Kind), Effect: p.Effect, Text: p.Query, After: p.After}
	if f.Limit, err = pageLimit(p.Page); err != nil {
		return out, err
	}
	found, more, err := a.host().Capabilities(ctx, f)
	if err != nil {
		return out, err
	}
	out.Capabilities = make([]protocol.Capability, len(found))
	for i := range found {
		out.Capabilities[i] = capability(&found[i])
	}
	if more {
		out.Next = found[len(found)-1].Name
	}
	return out, nil
}

func capability(c *service.Capability) protocol.Capability {
	return protocol.Capability{
		Capability: c.Name, Kind: string(c.Kind), Connection: c.Connection, Name: c.Local, Title: c.Title,
		Description: c.Description, URI: c.URI, Effect: c.Effect, Problem: c.Problem,
	}
}

func (a *api) describeCapability(ctx context.Context, p protocol.CapabilityParams) (out protocol.CapabilityDetails, err error) {
	c, err := a.host().Capability(ctx, p.Capability)
	if err != nil {
		return out, err
	}
	return protocol.CapabilityDetails{
		Capability: capability(c), Arguments: c.Arguments, Returns: c.Result, InputSchema: c.InputSchema, OutputSchema: c.OutputSchema,
	}, nil
}

// direct is how an operation is made, with the remarks on it so far.
func direct(o protocol.Operation) (d service.Direct, remarks func() []string, err error) {
	d.OneShot = o.OneShot
	d.Timeout, err = duration("timeout", o.Timeout)
	var mu sync.Mutex
	var texts []string
	d.Remark = func(text string) {
		mu.Lock()
		defer mu.Unlock()
		texts = append(texts, text)
	}
	return d, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return texts
	}, err
}

// operate does an operation and says what came of it.
func operate(ctx context.Context, o protocol.Operation, do func(service.Direct) (*service.Reply, error)) (out protocol.Result, err error) {
	d, remarks, err := direct(o)
	if err != nil {
		return out, err
	}
	if err := waits(ctx); err != nil {
		return out, err
	}
	reply, err := do(d)
	if err != nil {
		return out, err
	}
	result := reply.Result(true).AsObject()
	out.Output, _ = result.Get("output")
	content, _ := result.Get("content")
	out.Outcome, out.Text, out.Content, out.Remarks = "ok", reply.Text, nonNil(content.AsList()), remarks()
	if f := reply.Failure; f != nil {
		out.Outcome = "error"
		out.Error = &protocol.CallFailure{Kind: string(f.Kind), Message: f.Message, Code: f.Code, InDoubt: f.InDoubt}
	}
	return out, nil
}

func (a *api) callCapability(ctx context.Context, p protocol.CallParams) (protocol.Result, error) {
	return operate(ctx, p.Operation, func(d service.Direct) (*service.Reply, error) {
		return a.host().CallCapability(ctx, p.Capability, p.Arguments, d)
	})
}

func (a *api) readResource(ctx context.Context, p protocol.ReadParams) (protocol.Result, error) {
	return operate(ctx, p.Operation, func(d service.Direct) (*service.Reply, error) {
		return a.host().ReadResource(ctx, p.Connection, p.URI, d)
	})
}

func (a *api) renderPrompt(ctx context.Context, p protocol.PromptParams) (protocol.Result, error) {
	return operate(ctx, p.Operation, func(d service.Direct) (*service.Reply, error) {
		return a.host().RenderPrompt(ctx, p.Prompt, p.Arguments, d)
	})
}

func (a *api) listSources(ctx context.Context, _ protocol.None) (out protocol.SourcesListResult, err error) {
	all, err := a.host().Sources(ctx)
	out.Sources = make([]protocol.Source, len(all))
	for i, s := range all {
		out.Sources[i] = protocol.Source{
			Source: s.Connection, Transport: s.Transport, Enabled: s.Enabled, Snapshot: s.Snapshot, Server: s.Server,
			Tools: s.Tools, Resources: s.Resources, Templates: s.Templates, Prompts: s.Prompts, Problem: s.Problem,
		}
	}
	return out, err
}

// changeNames are what results call how a live catalog differs from the snapshot.
var changeNames = map[service.SnapshotChange]string{service.Unchanged: "unchanged", service.Created: "created", service.Updated: "updated"}

func (a *api) refreshSource(ctx context.Context, p protocol.RefreshParams) (out protocol.RefreshResult, err error) {
	if err := waits(ctx); err != nil {
		return out, err
	}
	r, err := a.host().RefreshSource(ctx, p.Source, service.RefreshOptions{Only: p.Check, OneShot: p.OneShot})
	if err != nil {
		return out, err
	}
	if !p.Check {
		a.changed(ctx)
	}
	return protocol.RefreshResult{
		Source: r.Connection, Change: changeNames[r.Change], File: r.File,
		Added: nonNil(r.Added), Removed: nonNil(r.Removed), Changed: nonNil(r.Changed),
	}, nil
}

func (a *api) checkSource(ctx context.Context, p protocol.SourceParams) (out protocol.CheckResult, err error) {
	if err := waits(ctx); err != nil {
		return out, err
	}
	d, err := a.host().CheckSource(ctx, p.Source)
	if err != nil {
		return out, err
	}
	out = protocol.CheckResult{
		Source: d.Connection, OK: d.Err == nil && !d.Disabled, Disabled: d.Disabled, Transport: d.Transport, Server: d.Server,
		Capabilities: nonNil(d.Capabilities()), Breaking: d.Breaking, Findings: []protocol.Finding{},
	}
	if d.Err != nil {
		out.Error = d.Err.Error()
	}
	if d.Refreshed != nil {
		out.Change = changeNames[d.Refreshed.Change]
	}
	for _, f := range d.Findings {
		out.Findings = append(out.Findings, protocol.Finding(f))
	}
	return out, nil
}

// optionalObject is a parameter that is an object, or left out.
func optionalObject(name string, v value.Value) (json.RawMessage, error) {
	switch v.Kind() {
	case value.Null:
		return nil, nil
	case value.Object:
		return value.AppendJSON(nil, v), nil
	}
	return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "The parameter %s must be an object, and is a %s.", name, v.Kind())
}

func (a *api) invokeSource(ctx context.Context, p protocol.InvokeParams) (out protocol.InvokeResult, err error) {
	params, err := optionalObject("params", p.Params)
	if err != nil {
		return out, err
	}
	d, _, err := direct(protocol.Operation{Timeout: p.Timeout})
	if err != nil {
		return out, err
	}
	if err := waits(ctx); err != nil {
		return out, err
	}
	out.Result, err = a.host().InvokeSource(ctx, p.Source, p.Method, params, d)
	return out, err
}

func (a *api) notifySource(ctx context.Context, p protocol.NotifyParams) (protocol.None, error) {
	params, err := optionalObject("params", p.Params)
	if err != nil {
		return protocol.None{}, err
	}
	if err := waits(ctx); err != nil {
		return protocol.None{}, err
	}
	return protocol.None{}, a.host().NotifySource(ctx, p.Source, p.Method, params)
}
