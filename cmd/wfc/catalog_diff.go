package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/compiler"
	"github.com/lda-wf/wfc/compiler/impact"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/runner/service"
)

func newCatalogDiff(std streams, g *globals) *cobra.Command {
	var exitCode, asJSON bool
	cmd := &cobra.Command{
		Use:   "diff CONNECTION [OLD [NEW]]",
		Short: "Say what changed of a server, and what of it breaks workflows",
		Long: `Compare the snapshot of a connection with what its server offers now, or the file
OLD with the snapshot, or the files OLD and NEW. A file is a snapshot or a saved
answer, as catalog import takes it. Nothing is written.

Every change is called breaking or compatible by its types. Then come the lines of
workflows that the new catalog breaks.`,
		Example: "  wfc catalog diff github.work\n  wfc catalog diff github.work old.json --exit-code",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 3 {
				return usage("name a connection, and up to two files\n\nUsage: %s", cmd.UseLine())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := g.load()
			if err != nil {
				return failed(err)
			}
			id := args[0]
			if p.Connections[id] == nil {
				return failed(unknownConnection(p, id))
			}
			old, now, err := compared(cmd, std, p, id, args[1:])
			if err != nil {
				return failed(err)
			}
			i, err := impact.Of(p, g.options(), id, old, now)
			if err != nil {
				return failed(err)
			}
			if asJSON {
				err = printImpact(std, id, i)
			} else {
				err = showImpact(std, id, i)
			}
			if err == nil && exitCode && i.Breaks() {
				return &exit{code: exitFailed}
			}
			return failed(err)
		},
	}
	cmd.Flags().BoolVar(&exitCode, "exit-code", false, "exit with 1 if a breaking change concerns what a workflow uses")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// compared returns the two snapshots that are compared.
func compared(cmd *cobra.Command, std streams, p *project.Project, id string, files []string) (old, now *catalog.Snapshot, err error) {
	if len(files) == 2 {
		a, err := readCatalog(id, files[0])
		if err != nil {
			return nil, nil, err
		}
		b, err := readCatalog(id, files[1])
		if err != nil {
			return nil, nil, err
		}
		return a.completedBy(b.Snapshot), b.completedBy(a.Snapshot), nil
	}
	own, err := p.Snapshot(id)
	if err != nil {
		return nil, nil, snapshotError(id, err)
	}
	if len(files) == 1 {
		a, err := readCatalog(id, files[0])
		if err != nil {
			return nil, nil, err
		}
		return a.completedBy(own), own, nil
	}
	now, err = liveCatalog(cmd, std, p, id)
	return own, now, err
}

// catalogFile is a catalog that was read from a file.
type catalogFile struct {
	*catalog.Snapshot
	answer bool // it is a saved answer, which may be one to tools/list alone
}

// readCatalog reads a snapshot or a saved answer.
func readCatalog(id, file string) (*catalogFile, error) {
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("the catalog cannot be read: %w", err)
	}
	f := &catalogFile{}
	if f.Snapshot, err = catalog.Decode(src, filepath.Base(file)); err != nil {
		imported, importErr := catalog.Import(id, src)
		if importErr != nil {
			return nil, fmt.Errorf("%s is neither a snapshot (%w) nor a saved answer (%w)", file, err, importErr)
		}
		f.Snapshot, f.answer = imported, true
	}
	f.Connection = id // whatever it was called when it was saved
	return f, nil
}

// completedBy returns the catalog with what a saved answer does not say taken
// from the one that it is compared with: it says nothing of that.
func (f *catalogFile) completedBy(other *catalog.Snapshot) *catalog.Snapshot {
	if !f.answer {
		return f.Snapshot
	}
	s := f.Snapshot
	for _, raw := range []struct{ own, other *json.RawMessage }{
		{&s.ServerInfo, &other.ServerInfo}, {&s.Capabilities, &other.Capabilities}, {&s.ClientCapabilities, &other.ClientCapabilities},
	} {
		if len(*raw.own) == 0 {
			*raw.own = *raw.other
		}
	}
	for _, text := range []struct{ own, other *string }{
		{&s.ProtocolVersion, &other.ProtocolVersion}, {&s.Instructions, &other.Instructions},
	} {
		if *text.own == "" {
			*text.own = *text.other
		}
	}
	for _, list := range []struct{ own, other *[]catalog.Object }{
		{&s.Tools, &other.Tools}, {&s.Resources, &other.Resources},
		{&s.ResourceTemplates, &other.ResourceTemplates}, {&s.Prompts, &other.Prompts},
	} {
		if len(*list.own) == 0 {
			*list.own = *list.other
		}
	}
	return s
}

// liveCatalog asks the server.
func liveCatalog(cmd *cobra.Command, std streams, p *project.Project, id string) (now *catalog.Snapshot, err error) {
	reach, found := compiler.Connection(p, id)
	if found.HasErrors() {
		if err := writeDiagnostics(std.err, p, found); err != nil {
			return nil, err
		}
		return nil, &exit{code: exitFailed}
	}
	svc, err := newService(p, std, newProgress(std.err))
	if err != nil {
		return nil, err
	}
	defer closeAfter(svc, &err)
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	r, err := svc.Refresh(ctx, reach, service.RefreshOptions{Only: true})
	switch {
	case ctx.Err() != nil:
		return nil, &exit{code: exitInterrupted}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", id, err)
	}
	return r.Snapshot, nil
}

// showImpact shows a comparison to a person: what changed, grouped by what it
// belongs to, then what breaks.
func showImpact(std streams, id string, i *impact.Impact) error {
	if len(i.Changes) == 0 {
		_, err := fmt.Fprintf(std.out, "%s: no difference\n", id)
		return err
	}
	var b strings.Builder
	breaking, used := 0, 0
	for _, c := range i.Changes {
		if c.Breaking {
			breaking++
			if c.Used {
				used++
			}
		}
	}
	fmt.Fprintf(&b, "%s: %s", id, count(breaking, "breaking change"))
	if used < breaking {
		fmt.Fprintf(&b, " (%d in use)", used)
	}
	fmt.Fprintf(&b, ", %d compatible\n", len(i.Changes)-breaking)
	style := styleOf(std.out)
	last := ""
	for _, c := range i.Changes {
		if head := heading(c); head != last {
			fmt.Fprintf(&b, "\n%s\n", printable(head))
			last = head
		}
		class := "compatible"
		if c.Breaking {
			class = style.red("breaking  ")
		}
		if c.Path != "" {
			fmt.Fprintf(&b, "  %s  %s: %s\n", class, printable(c.Path), printable(c.Detail))
		} else {
			fmt.Fprintf(&b, "  %s  %s\n", class, printable(c.Detail))
		}
	}
	if len(i.Broken) > 0 {
		b.WriteString("\nWhat it does to the workflows:\n\n")
	}
	if _, err := fmt.Fprint(std.out, b.String()); err != nil || len(i.Broken) == 0 {
		return err
	}
	return writeDiagnostics(std.out, i.Project, i.Broken)
}

// heading names what a change belongs to.
func heading(c impact.Change) string {
	if c.List == "" {
		return "The server"
	}
	noun := map[string]string{"tools": "Tool", "prompts": "Prompt", "resources": "Resource", "resource_templates": "Resource template"}[c.List]
	head := noun + " " + c.Name
	if !c.Used && c.Kind != catalog.ItemAdded {
		head += " (no workflow uses it)"
	}
	return head
}

// printImpact prints a comparison for machines.
func printImpact(std streams, id string, i *impact.Impact) error {
	type summary struct {
		Breaking     int `json:"breaking"`
		BreakingUsed int `json:"breaking_used"`
		Compatible   int `json:"compatible"`
	}
	report := struct {
		FormatVersion string          `json:"format_version"`
		Connection    string          `json:"connection"`
		Summary       summary         `json:"summary"`
		Changes       []impact.Change `json:"changes"`
		Broken        any             `json:"broken"`
	}{
		FormatVersion: diag.FormatVersion,
		Connection:    id,
		Changes:       append([]impact.Change{}, i.Changes...),
		Broken:        diag.JSON(i.Broken, i.Project.Source),
	}
	for _, c := range i.Changes {
		switch {
		case c.Breaking && c.Used:
			report.Summary.BreakingUsed++
			report.Summary.Breaking++
		case c.Breaking:
			report.Summary.Breaking++
		default:
			report.Summary.Compatible++
		}
	}
	return printJSON(std.out, report)
}
