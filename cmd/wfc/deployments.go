package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/lang/nearest"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/runner/schedule"
)

func newDeployments(std streams, g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "deployments",
		Short: "The deployments of this project, and when they run",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDeploymentsList(std, g), newDeploymentsNext(std, g))
	return cmd
}

// deployment is one as `deployments list --json` prints it.
type deployment struct {
	Name        string            `json:"deployment"`
	Workflow    string            `json:"workflow"`
	Description string            `json:"description,omitempty"`
	Bind        map[string]string `json:"bind"`
	Cron        string            `json:"cron,omitempty"`
	Timezone    string            `json:"timezone,omitempty"`
	Webhook     string            `json:"webhook,omitempty"` // its path
	Next        *time.Time        `json:"next,omitempty"`    // nil: it does not run by itself
	File        string            `json:"file"`
	Line        int               `json:"line"`

	times schedule.Times
}

func newDeploymentsList(std streams, g *globals) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the deployments, offline",
		Example: "  wfc deployments list --json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			list, err := deploymentsOf(std, g, time.Now())
			if err != nil {
				return err
			}
			if asJSON {
				return failed(printJSON(std.out, list))
			}
			if len(list) == 0 {
				fmt.Fprintln(std.err, "No deployments.")
				return nil
			}
			t := table{rows: [][]string{{"DEPLOYMENT", "WORKFLOW", "SCHEDULE", "NEXT", "WEBHOOK"}}}
			for _, d := range list {
				when := d.Cron
				if when != "" {
					when += " " + d.Timezone
				}
				t.add(printable(d.Name), d.Workflow, when, fireTime(d.Next), d.Webhook)
			}
			return failed(t.write(std.out))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// fire is one time at which a deployment runs.
type fire struct {
	Deployment string    `json:"deployment"`
	Workflow   string    `json:"workflow"`
	At         time.Time `json:"at"`
}

func newDeploymentsNext(std streams, g *globals) *cobra.Command {
	var (
		asJSON bool
		limit  int
		from   string
	)
	cmd := &cobra.Command{
		Use:   "next [DEPLOYMENT…]",
		Short: "When deployments run next by their schedules, offline",
		Long: `When all deployments, or these, run next by their schedules. Times are those of each
schedule's time zone. Where clocks are put forward, a time that is left out comes at
the moment when they are; where they are put back, one that comes twice counts once,
unless the schedule means every hour.`,
		Example: "  wfc deployments next triage-prod --limit 5",
		RunE: func(_ *cobra.Command, args []string) error {
			now := time.Now()
			if from != "" {
				var err error
				if now, err = time.Parse(time.RFC3339, from); err != nil {
					return usage("--from %q: write a time such as 2026-11-30T09:00:00Z", from)
				}
			}
			if limit < 1 || limit > 10_000 {
				return usage("--limit %d: it must be 1 to 10000", limit)
			}
			list, err := deploymentsOf(std, g, now)
			if err != nil {
				return err
			}
			if list, err = chosen(list, args); err != nil {
				return failed(err)
			}
			fires := firesOf(list, now, limit)
			if asJSON {
				return failed(printJSON(std.out, fires))
			}
			if len(fires) == 0 {
				fmt.Fprintln(std.err, "No deployment has a schedule.")
				return nil
			}
			t := table{rows: [][]string{{"AT", "DEPLOYMENT", "WORKFLOW"}}}
			for _, f := range fires {
				t.add(fireTime(&f.At), printable(f.Deployment), f.Workflow)
			}
			return failed(t.write(std.out))
		},
	}
	cmd.Flags().IntVar(&limit, "limit", 10, "at most `N` times")
	cmd.Flags().StringVar(&from, "from", "", "the times after this `TIME` (default: now)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

// fireTime prints a time of a schedule, in its own zone.
func fireTime(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.Format("Mon 2006-01-02 15:04 -07:00")
}

// deploymentsOf returns the deployments of the project by name, with what comes next
// after a time. What a schedule has wrong is shown as wfc check does.
func deploymentsOf(std streams, g *globals, now time.Time) ([]*deployment, error) {
	p, err := g.load()
	if err != nil {
		return nil, failed(err)
	}
	if p.Diagnostics.HasErrors() {
		if err := writeDiagnostics(std.err, p, errorsOf(p.Diagnostics)); err != nil {
			return nil, failed(err)
		}
		return nil, &exit{code: exitFailed}
	}
	out := []*deployment{}
	for _, name := range p.DeploymentNames() {
		d, err := deploymentOf(p.Deployments[name], now)
		if err != nil {
			return nil, failed(fmt.Errorf("the schedule of the deployment %s is wrong: %w. Look at it with\n\n    wfc check", name, err))
		}
		out = append(out, d)
	}
	return out, nil
}

func deploymentOf(y *syntax.Deployment, now time.Time) (*deployment, error) {
	d := &deployment{Name: y.Name.Text, Bind: map[string]string{}, File: y.Header.Filename, Line: y.Header.Start.Line}
	if y.Workflow != nil && len(y.Workflow.Path) > 0 {
		d.Workflow = y.Workflow.Path[len(y.Workflow.Path)-1].Text
	}
	for _, b := range y.Bind {
		if path := b.Connection.Path; len(path) == 3 {
			d.Bind[b.Source.Text] = path[1].Text + "." + path[2].Text
		}
	}
	if y.Description != nil {
		d.Description = y.Description.S
	}
	if y.Webhook != nil && y.Webhook.Path != nil {
		d.Webhook = y.Webhook.Path.S
	}
	if s := y.Schedule; s != nil && s.Cron != nil {
		d.Cron, d.Timezone = s.Cron.S, "UTC"
		if s.Timezone != nil {
			d.Timezone = s.Timezone.S
		}
		var err error
		if d.times, err = schedule.Parse(d.Cron, d.Timezone); err != nil {
			return nil, err
		}
		if at := d.times.Next(now); !at.IsZero() {
			d.Next = &at
		}
	}
	return d, nil
}

// chosen are the deployments that are named; none named: all.
func chosen(list []*deployment, names []string) ([]*deployment, error) {
	if len(names) == 0 {
		return list, nil
	}
	var out []*deployment
	for _, name := range names {
		i := slices.IndexFunc(list, func(d *deployment) bool { return d.Name == name })
		if i < 0 {
			all := make([]string, len(list))
			for j, d := range list {
				all[j] = d.Name
			}
			if near, ok := nearest.Name(name, all); ok {
				return nil, fmt.Errorf("there is no deployment %q. Did you mean %q?", name, near)
			}
			return nil, fmt.Errorf("there is no deployment %q; see those that there are with\n\n    wfc deployments list", name)
		}
		out = append(out, list[i])
	}
	return out, nil
}

// firesOf are the next times of deployments, the earliest first.
func firesOf(list []*deployment, now time.Time, limit int) []fire {
	out := []fire{}
	for _, d := range list {
		at := now
		for range limit {
			if at = d.times.Next(at); at.IsZero() {
				break
			}
			out = append(out, fire{d.Name, d.Workflow, at})
		}
	}
	slices.SortStableFunc(out, func(a, b fire) int { return a.At.Compare(b.At) })
	return out[:min(limit, len(out))]
}
