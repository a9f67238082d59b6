package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/iface"
	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/runner/service"
)

func newCatalog(std streams, g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "catalog",
		Short: "The snapshots of what connections offer",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newCatalogRefresh(std, g), newCatalogImport(std, g), newCatalogShow(std, g), newCatalogDiff(std, g))
	return cmd
}

func newCatalogImport(std streams, g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "import CONNECTION FILE",
		Short: "Make a snapshot from a saved answer",
		Long: `Make a snapshot from a file that holds raw objects under "tools", "resources",
"resourceTemplates" and "prompts", as servers answer to the list requests.`,
		Example: "  wfc catalog import github.work tools.json",
		Args:    arguments(2, "give a connection and a file"),
		RunE: func(_ *cobra.Command, args []string) (err error) {
			p, err := g.load()
			if err != nil {
				return failed(err)
			}
			id := args[0]
			if p.Connections[id] == nil {
				return failed(unknownConnection(p, id))
			}
			src, err := os.ReadFile(args[1])
			if err != nil {
				return failed(fmt.Errorf("the saved answer cannot be read: %w", err))
			}
			snap, err := catalog.Import(id, src)
			if err != nil {
				return failed(fmt.Errorf("%s: %w", args[1], err))
			}
			svc, err := newService(p, std, nil)
			if err != nil {
				return failed(err)
			}
			defer closeAfter(svc, &err)
			r, err := svc.Compare(id, snap)
			if err != nil {
				return failed(err)
			}
			if r.Change != service.Unchanged {
				if err := svc.WriteSnapshot(id, snap); err != nil {
					return failed(err)
				}
			}
			showRefreshed(std, r, false)
			return nil
		},
	}
}

// The formats of catalog show.
const (
	formatInterface = "interface"
	formatTable     = "table"
)

func newCatalogShow(std streams, g *globals) *cobra.Command {
	var o catalog.ListingOptions
	var form string
	cmd := &cobra.Command{
		Use:   "show [CONNECTION…]",
		Short: "Show what the snapshots hold, offline",
		Long: `Show what the snapshots of connections hold: of one connection that is named as an
interface, in the language of *.wfi files, so that a change of its server reads as
a small diff; of several, or all, as a table.`,
		Example: "  wfc catalog show github.work\n  wfc catalog show github.work --types",
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case form != "" && form != formatInterface && form != formatTable:
				return usage("there is no format %q; there are %s and %s", form, formatInterface, formatTable)
			case form == formatInterface && (o.Types || o.Coverage):
				return usage("--types and --coverage are of the table; leave out --format, or write --format table")
			case form == "" && len(args) == 1 && !o.Types && !o.Coverage:
				form = formatInterface
			}
			p, err := g.load()
			if err != nil {
				return failed(err)
			}
			ids, err := connections(std, p, args)
			if err != nil {
				return err
			}
			bad := false
			for i, id := range ids {
				snap, err := p.Snapshot(id)
				if err != nil {
					fmt.Fprintf(std.err, "wfc: %v\n", snapshotError(id, err))
					bad = true
					continue
				}
				if i > 0 {
					fmt.Fprintln(std.out)
				}
				if form == formatInterface {
					_, err = io.WriteString(std.out, iface.Print(iface.FromSnapshot(snap)))
				} else {
					err = snap.WriteListing(std.out, o)
				}
				if err != nil {
					return failed(err)
				}
			}
			if bad {
				return &exit{code: exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&form, "format", "", "interface or table; by default interface for one connection")
	cmd.Flags().BoolVar(&o.Types, "types", false, "as a table with full types, and what of the schemas they do not say")
	cmd.Flags().BoolVar(&o.Coverage, "coverage", false, "as a table, and count the arguments and results whose type is any")
	return cmd
}

// connections returns the ids that were asked for, or all of the project. Errors
// of the project's syntax are shown: a connection may be missing for one.
func connections(std streams, p *project.Project, args []string) ([]string, error) {
	if len(args) == 0 {
		args = p.ConnectionIDs()
		if len(args) == 0 {
			if p.Diagnostics.HasErrors() {
				if err := writeDiagnostics(std.err, p, errorsOf(p.Diagnostics)); err != nil {
					return nil, failed(err)
				}
			}
			return nil, failed(fmt.Errorf("there are no connections in the project %s", p.Root))
		}
	}
	for _, id := range args {
		if p.Connections[id] == nil {
			return nil, failed(unknownConnection(p, id))
		}
	}
	return args, nil
}

func unknownConnection(p *project.Project, id string) error {
	if near, ok := nearest.Name(id, p.ConnectionIDs()); ok {
		return fmt.Errorf("there is no connection %q. Did you mean %q?", id, near)
	}
	if len(p.ConnectionIDs()) == 0 {
		return fmt.Errorf("there is no connection %q: the project %s has none", id, p.Root)
	}
	return fmt.Errorf("there is no connection %q; there are: %s", id, strings.Join(p.ConnectionIDs(), ", "))
}

func snapshotError(id string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the connection %s has no snapshot yet. Connect to it once:\n\n  wfc catalog refresh %s", id, id)
	}
	return fmt.Errorf("the snapshot of the connection %s cannot be used: %w. Make it anew:\n\n  wfc catalog refresh %s", id, err, id)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
