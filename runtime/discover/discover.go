// Package discover lists what a connection's server offers, as a catalog
// snapshot of raw objects.
//
// Of wfc it imports lang/catalog and runtime.
package discover

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runtime/pool"
	"github.com/lda-wf/wfc/runtime/session"
)

// MaxPages bounds a list: a server may give a new cursor for ever.
const MaxPages = 1000

// Lister is what can be asked for what a server offers: a [session.Session], or a
// target of a pool.
type Lister interface {
	Server(ctx context.Context) (session.Server, error)
	ListTools(ctx context.Context, cursor string) (*session.Page, error)
	ListResources(ctx context.Context, cursor string) (*session.Page, error)
	ListResourceTemplates(ctx context.Context, cursor string) (*session.Page, error)
	ListPrompts(ctx context.Context, cursor string) (*session.Page, error)
}

// Snapshot is [Of] for a target of a pool, which connects if need be.
func Snapshot(ctx context.Context, p *pool.Pool, t pool.Target) (*catalog.Snapshot, error) {
	return Of(ctx, t.Connection.ID, pooled{p, t})
}

// Tools is a snapshot of the tools alone. The error is that of listing them.
func Tools(ctx context.Context, p *pool.Pool, t pool.Target) (*catalog.Snapshot, error) {
	objects, err := pages(ctx, pooled{p, t}.ListTools)
	if err != nil {
		return nil, err
	}
	s := &catalog.Snapshot{FormatVersion: catalog.FormatVersion, Connection: t.Connection.ID}
	for _, raw := range objects {
		s.Tools = append(s.Tools, catalog.Object{Raw: raw})
	}
	return s, nil
}

// Of lists the tools, resources, resource templates and prompts of the connection
// id, all pages. A list that the server fails to give is recorded in
// Snapshot.Errors with what came of it, and the others are taken; only a
// session that cannot be opened, or is lost, is an error. A list that the server does
// not answer within a minute is one that it fails to give. Objects are in the
// server's order and have no digest yet: Snapshot.Encode sorts and digests.
func Of(ctx context.Context, id string, l Lister) (*catalog.Snapshot, error) {
	server, err := l.Server(ctx)
	if err != nil {
		return nil, err
	}
	var offers map[string]json.RawMessage
	if len(server.Capabilities) > 0 {
		if err := json.Unmarshal(server.Capabilities, &offers); err != nil {
			return nil, fmt.Errorf("connection %s: The server's capabilities are no object: %w", id, err)
		}
	}
	s := &catalog.Snapshot{
		FormatVersion:      catalog.FormatVersion,
		Connection:         id,
		ServerInfo:         server.Info,
		ProtocolVersion:    server.ProtocolVersion,
		Instructions:       server.Instructions,
		Capabilities:       server.Capabilities,
		ClientCapabilities: server.ClientCapabilities,
	}
	for _, list := range []struct {
		name, capability string
		next             func(context.Context, string) (*session.Page, error)
		into             *[]catalog.Object
	}{
		{"tools", "tools", l.ListTools, &s.Tools},
		{"resources", "resources", l.ListResources, &s.Resources},
		{"resource_templates", "resources", l.ListResourceTemplates, &s.ResourceTemplates},
		{"prompts", "prompts", l.ListPrompts, &s.Prompts},
	} {
		if _, offered := offers[list.capability]; !offered {
			continue
		}
		objects, err := pages(ctx, list.next)
		for _, raw := range objects {
			*list.into = append(*list.into, catalog.Object{Raw: raw})
		}
		if err != nil {
			if fatal(ctx, err) {
				return nil, err
			}
			s.Errors = append(s.Errors, catalog.ListError{List: list.name, Message: err.Error()})
		}
	}
	return s, nil
}

// fatal reports whether err ends the listing: the session is lost. A server that does
// not answer one request may answer the others.
func fatal(ctx context.Context, err error) bool {
	var e *session.Error
	return ctx.Err() != nil || errors.Is(err, pool.ErrClosed) || errors.As(err, &e) && !e.Answered() && e.Reason != session.Quiet
}

// pages lists all pages, as far as they come.
func pages(ctx context.Context, next func(context.Context, string) (*session.Page, error)) ([]json.RawMessage, error) {
	var all []json.RawMessage
	seen := map[string]bool{}
	for cursor := ""; ; {
		page, err := next(ctx, cursor)
		if err != nil {
			return all, err
		}
		all = append(all, page.Items...)
		if page.Next == "" {
			return all, nil
		}
		if seen[page.Next] {
			return all, fmt.Errorf("the server gave the cursor %q twice, so its list has no end; what came before it was taken", page.Next)
		}
		if seen[page.Next] = true; len(seen) >= MaxPages {
			return all, fmt.Errorf("the server gave %d pages and no end; these were taken", MaxPages)
		}
		cursor = page.Next
	}
}

// pooled is a target of a pool as a Lister.
type pooled struct {
	pool   *pool.Pool
	target pool.Target
}

func (p pooled) Server(ctx context.Context) (session.Server, error) {
	return p.pool.Server(ctx, p.target)
}

func (p pooled) ListTools(ctx context.Context, cursor string) (*session.Page, error) {
	return p.pool.ListTools(ctx, p.target, cursor)
}

func (p pooled) ListResources(ctx context.Context, cursor string) (*session.Page, error) {
	return p.pool.ListResources(ctx, p.target, cursor)
}

func (p pooled) ListResourceTemplates(ctx context.Context, cursor string) (*session.Page, error) {
	return p.pool.ListResourceTemplates(ctx, p.target, cursor)
}

func (p pooled) ListPrompts(ctx context.Context, cursor string) (*session.Page, error) {
	return p.pool.ListPrompts(ctx, p.target, cursor)
}
