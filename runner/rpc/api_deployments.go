package rpc

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/service"
)

func (s *Server) bindDeployments(a *api) {
	bind(s.methods, protocol.ArtifactsCreateFromDraft, a.artifactFromDraft)
	bind(s.methods, protocol.ArtifactsCreateFromFile, a.artifactFromFile)
	bind(s.methods, protocol.ArtifactsGet, a.getArtifact)
	bind(s.methods, protocol.ArtifactsList, a.listArtifacts)
	bind(s.methods, protocol.DeploymentsSave, a.saveDeployment)
	bind(s.methods, protocol.DeploymentsGet, a.getDeployment)
	bind(s.methods, protocol.DeploymentsList, a.listDeployments)
	bind(s.methods, protocol.DeploymentsDelete, a.deleteDeployment)
}

func artifactSummary(a *service.Artifact) protocol.ArtifactSummary {
	return protocol.ArtifactSummary{ArtifactID: a.ID, Version: a.Version, Title: a.Title, Digest: a.Digest, CreatedAt: a.Created}
}

func artifact(a *service.Artifact, err error) (protocol.Artifact, error) {
	if err != nil {
		return protocol.Artifact{}, err
	}
	return protocol.Artifact{
		ArtifactSummary: artifactSummary(a), Workflow: a.Workflow, Description: a.Description,
		RequiredLogicalSources: nonNil(a.Required), Outcomes: nonNil(a.Outcomes),
		InputSchema: a.InputSchema, OutputSchema: a.OutputSchema, Files: a.Files,
	}, nil
}

func (a *api) artifactFromDraft(ctx context.Context, p protocol.ArtifactFromDraftParams) (protocol.Artifact, error) {
	return artifact(a.host().CreateArtifactFromDraft(ctx, p.WorkspaceID, service.NewArtifact{ID: p.ArtifactID, Version: p.Version, Title: p.Title}))
}

func (a *api) artifactFromFile(ctx context.Context, p protocol.ArtifactFromFileParams) (protocol.Artifact, error) {
	return artifact(a.host().CreateArtifactFromFile(ctx, p.File, service.NewArtifact{ID: p.ArtifactID, Version: p.Version, Title: p.Title}))
}

func (a *api) getArtifact(ctx context.Context, p protocol.ArtifactParams) (protocol.Artifact, error) {
	return artifact(a.host().GetArtifact(ctx, p.ArtifactID, p.Version))
}

// listArtifacts lists artifacts. All versions of one id are on one page, since a
// cursor is an id.
func (a *api) listArtifacts(ctx context.Context, p protocol.ArtifactsListParams) (out protocol.ArtifactsListResult, err error) {
	limit, err := pageLimit(p.Page)
	if err != nil {
		return out, err
	}
	ask := service.Page{After: p.After, Limit: limit + 1}
	if p.ArtifactID != "" {
		ask = service.Page{}
	}
	found, err := a.host().Artifacts(ctx, p.ArtifactID, ask)
	if err != nil {
		return out, err
	}
	if p.ArtifactID == "" && len(found) > limit {
		last := found[limit].ID // of which there may be more
		cut := slices.IndexFunc(found, func(a *service.Artifact) bool { return a.ID == last })
		if found = found[:cut]; cut == 0 {
			if found, err = a.host().Artifacts(ctx, last, service.Page{}); err != nil {
				return out, err
			}
		}
		out.Next = found[len(found)-1].ID
	}
	out.Artifacts = make([]protocol.ArtifactSummary, len(found))
	for i, one := range found {
		out.Artifacts[i] = artifactSummary(one)
	}
	return out, nil
}

// bindings are bindings by their logical sources.
func bindings(list []protocol.Binding) (map[string]string, error) {
	out := make(map[string]string, len(list))
	for i, b := range list {
		if _, twice := out[b.LogicalSource]; twice {
			return nil, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "The parameter bindings[%d] binds %q a second time.", i, b.LogicalSource)
		}
		out[b.LogicalSource] = b.ConcreteSource
	}
	return out, nil
}

func (a *api) saveDeployment(ctx context.Context, p protocol.DeploymentSaveParams) (out protocol.Deployment, err error) {
	s := service.SaveDeployment{
		ID: p.ID, ArtifactID: p.ArtifactID, ArtifactVersion: p.ArtifactVersion, Input: p.Input, Revision: p.Revision,
		Policy: (*service.Policy)(p.Policy), Schedule: (*service.Schedule)(p.Schedule),
	}
	if s.Bindings, err = bindings(p.Bindings); err != nil {
		return out, err
	}
	defer a.changed(ctx)
	return deployment(a.host().SaveDeployment(ctx, s))
}

func deployment(d *service.Deployment, err error) (out protocol.Deployment, _ error) {
	if err != nil {
		return out, err
	}
	out = protocol.Deployment{
		DeploymentID: d.ID, ReadOnly: d.ReadOnly, Workflow: d.Workflow, ArtifactID: d.ArtifactID, ArtifactVersion: d.ArtifactVersion,
		Title: d.Title, Description: d.Description, Bindings: []protocol.Binding{}, Input: d.Input,
		Policy: (*protocol.Policy)(d.Policy), Schedule: (*protocol.Schedule)(d.Schedule),
		Revision: d.Revision, Status: string(d.Status), InputSchema: d.InputSchema, OutputSchema: d.OutputSchema,
		CreatedAt: known(d.Created), UpdatedAt: known(d.Updated),
	}
	for source, connection := range d.Bindings {
		out.Bindings = append(out.Bindings, protocol.Binding{LogicalSource: source, ConcreteSource: connection})
	}
	slices.SortFunc(out.Bindings, func(a, b protocol.Binding) int { return cmp.Compare(a.LogicalSource, b.LogicalSource) })
	out.Diagnostics, err = diagnostics(d.Diagnostics)
	return out, err
}

// known is a time; nil where it is not known.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (a *api) getDeployment(ctx context.Context, p protocol.DeploymentParams) (protocol.Deployment, error) {
	return deployment(a.host().Deployment(ctx, p.DeploymentID))
}

func (a *api) listDeployments(ctx context.Context, p protocol.PageParams) (out protocol.DeploymentsListResult, err error) {
	found, next, err := page(p.Page, func(p service.Page) ([]*service.Deployment, error) { return a.host().Deployments(ctx, p) },
		func(d *service.Deployment) string { return d.ID })
	if err != nil {
		return out, err
	}
	out.Deployments, out.Next = make([]protocol.Deployment, len(found)), next
	for i, d := range found {
		if out.Deployments[i], err = deployment(d, nil); err != nil {
			return out, fmt.Errorf("deployment %s: %w", d.ID, err)
		}
	}
	return out, nil
}

func (a *api) deleteDeployment(ctx context.Context, p protocol.DeploymentDeleteParams) (protocol.None, error) {
	defer a.changed(ctx)
	return protocol.None{}, a.host().DeleteDeployment(ctx, p.DeploymentID, p.Running)
}
