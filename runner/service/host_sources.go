package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// Source is a connection of the project as a source of capabilities.
type Source struct {
	Connection  string
	Provider    string
	Account     string
	Transport   string // "stdio", "http" or "sse"
	Enabled     bool
	Snapshot    bool   // the project has one
	Server      string // "github 1.2, MCP 2025-11-25", by the snapshot; "": not known
	Tools       int
	Resources   int
	Templates   int
	Prompts     int
	Problem     string // why it cannot be used, or its snapshot cannot; "": it can
	Diagnostics Diagnostics
}

// Sources returns the connections of the project, sorted by their ids. It starts nothing.
func (h *Host) Sources(context.Context) ([]Source, error) {
	w := h.now()
	out := []Source{}
	for _, id := range w.project.ConnectionIDs() {
		out = append(out, w.source(id))
	}
	return out, nil
}

func (w *world) source(id string) Source {
	y := w.project.Connections[id]
	s := Source{Connection: id, Provider: y.Provider.Text, Account: y.Account.Text, Enabled: y.Enabled == nil || y.Enabled.B}
	switch {
	case y.Stdio != nil:
		s.Transport = "stdio"
	case y.HTTP != nil:
		s.Transport = "http"
	case y.SSE != nil:
		s.Transport = "sse"
	}
	if _, err := w.reach(id); err != nil {
		s.Problem = err.Error()
		if e := (*Error)(nil); errors.As(err, &e) {
			s.Diagnostics = e.Diagnostics
		}
	}
	snap, err := w.project.Snapshot(id)
	switch {
	case err == nil:
		s.Snapshot, s.Server = true, serverName(snap)
		s.Tools, s.Resources, s.Templates, s.Prompts = len(snap.ToolNames()), len(snap.Resources), len(snap.TemplateNames()), len(snap.PromptNames())
	case errors.Is(err, fs.ErrNotExist):
		if s.Problem == "" {
			s.Problem = fmt.Sprintf("There is no snapshot of %s: refresh the source.", id)
		}
	case s.Problem == "":
		s.Problem = fmt.Sprintf("The snapshot of %s cannot be read: %v. Refresh the source.", id, err)
	}
	return s
}

// RefreshSource lists what the server of a connection offers, over the session that is
// kept, and writes the project's snapshot where it differs; with o.Only it only
// compares. The project is loaded anew then.
func (h *Host) RefreshSource(ctx context.Context, connection string, o RefreshOptions) (*Refreshed, error) {
	r, err := h.now().reach(connection)
	if err != nil {
		return nil, err
	}
	refreshed, err := h.service.Refresh(ctx, r, o)
	if err != nil {
		return nil, &Error{Kind: Refused, Message: sentence(err), Cause: err}
	}
	if o.Only || refreshed.Change == Unchanged {
		return refreshed, nil
	}
	return refreshed, h.Reload(ctx)
}

// CheckSource looks at a connection as it is now, over a session of its own.
func (h *Host) CheckSource(ctx context.Context, connection string) (*Diagnosis, error) {
	r, err := h.now().reach(connection)
	if err != nil {
		return nil, err
	}
	return h.service.Doctor(ctx, r), nil
}

// InvokeSource sends a request of any method over a session of its own and returns the
// result as it came but for secrets. params is a JSON object, or nil.
func (h *Host) InvokeSource(ctx context.Context, connection, method string, params json.RawMessage, d Direct) (json.RawMessage, error) {
	r, err := h.now().reach(connection)
	if err != nil {
		return nil, err
	}
	if err := Answerable(method); err != nil {
		return nil, refuse(Invalid, "The method %q cannot be sent: %v.", shortName(method), err)
	}
	raw, err := h.service.Invoke(ctx, r, method, params, d)
	if f := (*Failure)(nil); err != nil && !errors.As(err, &f) {
		return nil, &Error{Kind: Refused, Message: sentence(err), Cause: err}
	}
	return raw, err
}

// NotifySource sends a notification of any kind over a session of its own. params is a
// JSON object, or nil.
func (h *Host) NotifySource(ctx context.Context, connection, method string, params json.RawMessage) error {
	r, err := h.now().reach(connection)
	if err != nil {
		return err
	}
	if err := Notifiable(method); err != nil {
		return refuse(Invalid, "The notification cannot be sent: %v.", err)
	}
	err = h.service.Notify(ctx, r, method, params)
	if f := (*Failure)(nil); err != nil && !errors.As(err, &f) {
		return &Error{Kind: Refused, Message: sentence(err), Cause: err}
	}
	return err
}
