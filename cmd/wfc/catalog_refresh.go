package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runner/service"
)

// atOnce is how many servers are started side by side: a first `npx` keeps a core
// busy for seconds, and connecting has a time limit.
const atOnce = 8

func newCatalogRefresh(std streams, g *globals) *cobra.Command {
	var o service.RefreshOptions
	cmd := &cobra.Command{
		Use:   "refresh [CONNECTION…]",
		Short: "Connect, list what the servers offer, and write catalog/CONNECTION.json",
		Long: `Connect to the connections, or to all that are enabled, list their tools, resources,
templates and prompts, and write the snapshots, to be reviewed and committed. Of
several connections, one that fails does not keep the others from being refreshed.`,
		Example: "  wfc catalog refresh github.work",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			p, err := g.load()
			if err != nil {
				return failed(err)
			}
			ids, err := connections(std, p, args)
			if err != nil {
				return err
			}
			svc, err := newService(p, std, newProgress(std.err))
			if err != nil {
				return failed(err)
			}
			defer closeAfter(svc, &err)
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			ok := inOrder(std, ids, func(std streams, id string) bool {
				if len(args) == 0 && !enabled(p, id) {
					fmt.Fprintf(std.out, "%s  disabled\n", id)
					return true
				}
				return refresh(ctx, std, p, svc, id, o)
			})
			switch {
			case ctx.Err() != nil:
				return &exit{code: exitInterrupted}
			case !ok:
				return &exit{code: exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&o.Only, "check", false, "write nothing; exit with 1 if a snapshot is missing or differs")
	cmd.Flags().BoolVar(&o.OneShot, "one-shot", false, "open a session for this alone, without the session pool")
	return cmd
}

func enabled(p *project.Project, id string) bool {
	e := p.Connections[id].Enabled
	return e == nil || e.B
}

// inOrder does something for each connection, some side by side, and shows what each
// prints in the order of ids. It reports whether all went well.
func inOrder(std streams, ids []string, do func(std streams, id string) bool) bool {
	type printed struct {
		out, err bytes.Buffer
		ok       bool
		done     chan struct{}
	}
	all := make([]printed, len(ids))
	for i := range all {
		all[i].done = make(chan struct{})
	}
	var starting sync.WaitGroup
	defer starting.Wait()
	starting.Go(func() {
		var group errgroup.Group
		group.SetLimit(atOnce)
		for i, id := range ids {
			group.Go(func() error {
				defer close(all[i].done)
				all[i].ok = do(streams{std.in, &all[i].out, &all[i].err}, id)
				return nil
			})
		}
		_ = group.Wait() // what went wrong is in all
	})
	ok := true
	for i := range all {
		<-all[i].done
		_, _ = all[i].out.WriteTo(std.out)
		_, _ = all[i].err.WriteTo(std.err)
		ok = ok && all[i].ok
	}
	return ok
}

// refresh refreshes one connection, and reports whether all is well with it.
func refresh(ctx context.Context, std streams, p *project.Project, svc *service.Service, id string, o service.RefreshOptions) bool {
	reach, found := compiler.Connection(p, id)
	if found.HasErrors() {
		if err := writeDiagnostics(std.err, p, found); err != nil {
			fmt.Fprintf(std.err, "wfc: %v\n", err)
		}
		return false
	}
	r, err := svc.Refresh(ctx, reach, o)
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		fmt.Fprintf(std.err, "wfc: %v\n", err) // it names the connection
		return false
	}
	showRefreshed(std, r, o.Only)
	return !o.Only || r.Change == service.Unchanged
}

// mostNames is how many tools that came, went or changed are named: a server may
// have hundreds, and the diff of the snapshot shows all.
const mostNames = 20

func showRefreshed(std streams, r *service.Refreshed, only bool) {
	s := r.Snapshot
	state := map[service.SnapshotChange]string{
		service.Unchanged: "unchanged",
		service.Created:   "new",
		service.Updated:   "changed",
	}[r.Change]
	if only && r.Change == service.Created {
		state = "missing"
	}
	fmt.Fprintf(std.out, "%s  %s (%s): %s\n", r.Connection, r.File, state, strings.Join([]string{
		count(len(s.Tools), "tool"), count(len(s.Resources), "resource"),
		count(len(s.ResourceTemplates), "resource template"), count(len(s.Prompts), "prompt"),
	}, ", "))
	if r.Change == service.Updated {
		for _, l := range []struct {
			mark  string
			names []string
		}{{"+", r.Added}, {"-", r.Removed}, {"~", r.Changed}, {"~", r.Others}} {
			for _, n := range l.names[:min(len(l.names), mostNames)] {
				fmt.Fprintf(std.out, "  %s %s\n", l.mark, catalog.OneLine(n))
			}
			if more := len(l.names) - mostNames; more > 0 {
				fmt.Fprintf(std.out, "  %s … and %d more\n", l.mark, more)
			}
		}
	}
	problems := s.Problems()
	for _, p := range problems[:min(len(problems), mostNames)] {
		fmt.Fprintf(std.out, "  ! %s\n", p)
	}
	if more := len(problems) - mostNames; more > 0 {
		fmt.Fprintf(std.out, "  ! … and %d more, which wfc catalog show %s names\n", more, r.Connection)
	}
	for _, e := range s.Errors {
		fmt.Fprintf(std.err, "wfc: %s: the server failed to list its %s: %s\n", r.Connection, strings.ReplaceAll(e.List, "_", " "), catalog.OneLine(e.Message))
	}
}
