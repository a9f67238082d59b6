package rpc

import (
	"context"
	"encoding/json"

	"github.com/lda-wf/wfc/runner/rpc/jsonrpc"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/service"
)

func (s *Server) bindDrafts(a *api) {
	bind(s.methods, protocol.DraftsCreate, a.createDraft)
	bind(s.methods, protocol.DraftsCreateFromCapability, a.createDraftFromCapability)
	bind(s.methods, protocol.DraftsGet, a.getDraft)
	bind(s.methods, protocol.DraftsUpdate, a.updateDraft)
	bind(s.methods, protocol.DraftsDelete, a.deleteDraft)
	bind(s.methods, protocol.DraftsList, a.listDrafts)
}

// page returns a page of a list: list is asked for one more than are sent, which says
// whether there are more; cursor is that of an entry.
func page[E any](p protocol.Page, list func(service.Page) ([]E, error), cursor func(E) string) (found []E, next string, err error) {
	limit, err := pageLimit(p)
	if err != nil {
		return nil, "", err
	}
	found, err = list(service.Page{After: p.After, Limit: limit + 1})
	if err == nil && len(found) > limit {
		found = found[:limit]
		next = cursor(found[limit-1])
	}
	return found, next, err
}

// diagnostics are findings as clients see them.
func diagnostics(d service.Diagnostics) (json.RawMessage, error) { return jsonrpc.Marshal(d.JSON()) }

func draftSummary(d *service.Draft) protocol.DraftSummary {
	return protocol.DraftSummary{
		WorkspaceID: d.ID, Title: d.Title, Revision: d.Revision, CreatedAt: d.Created, UpdatedAt: d.Updated,
		Status: string(d.Status), Workflow: d.Workflow,
	}
}

func draft(d *service.Draft, err error) (out protocol.Draft, _ error) {
	if err != nil {
		return out, err
	}
	out.DraftSummary, out.Source = draftSummary(d), d.Source
	out.Diagnostics, err = diagnostics(d.Diagnostics)
	return out, err
}

func (a *api) createDraft(ctx context.Context, p protocol.DraftCreateParams) (protocol.Draft, error) {
	n := service.NewDraft{ID: p.WorkspaceID, Title: p.Title, Source: p.Source}
	if p.File == "" {
		return draft(a.host().CreateDraft(ctx, n))
	}
	if p.Source != "" {
		return protocol.Draft{}, jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "A draft is made of a source or of a file, not of both.")
	}
	return draft(a.host().CreateDraftFromFile(ctx, n, p.File))
}

func (a *api) createDraftFromCapability(ctx context.Context, p protocol.DraftFromCapabilityParams) (protocol.Draft, error) {
	return draft(a.host().CreateDraftFromCapability(ctx, service.NewDraft{ID: p.WorkspaceID, Title: p.Title}, p.Capability, p.Name))
}

func (a *api) getDraft(ctx context.Context, p protocol.DraftParams) (protocol.Draft, error) {
	return draft(a.host().Draft(ctx, p.WorkspaceID))
}

func (a *api) updateDraft(ctx context.Context, p protocol.DraftUpdateParams) (protocol.Draft, error) {
	return draft(a.host().UpdateDraft(ctx, p.WorkspaceID, service.DraftChange{Title: p.Title, Source: p.Source, Revision: p.Revision}))
}

func (a *api) deleteDraft(ctx context.Context, p protocol.DraftParams) (protocol.None, error) {
	return protocol.None{}, a.host().DeleteDraft(ctx, p.WorkspaceID)
}

func (a *api) listDrafts(ctx context.Context, p protocol.PageParams) (out protocol.DraftsListResult, err error) {
	found, next, err := page(p.Page, func(p service.Page) ([]*service.Draft, error) { return a.host().Drafts(ctx, p) },
		func(d *service.Draft) string { return d.ID })
	out.Drafts, out.Next = make([]protocol.DraftSummary, len(found)), next
	for i, d := range found {
		out.Drafts[i] = draftSummary(d)
	}
	return out, err
}
