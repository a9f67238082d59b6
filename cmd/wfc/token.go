package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/runner/rpc/protocol"
	"github.com/lda-wf/wfc/runner/rpc/token"
	"github.com/lda-wf/wfc/runner/service"
)

func newToken(std streams, g *globals) *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Tokens that clients of the server show",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	dataFlag(cmd.PersistentFlags(), &data)
	// tokens are those of the data folder of the server.
	tokens := func() (*token.Store, error) {
		folder, err := g.data(data)
		if err != nil {
			return nil, failed(err)
		}
		return token.New(folder), nil
	}
	cmd.AddCommand(
		newTokenCreate(std, tokens),
		newTokenList(std, tokens),
		newTokenRevoke(std, tokens),
	)
	return cmd
}

func dataFlag(flags *pflag.FlagSet, data *string) {
	flags.StringVar(data, "data", "", "the `DIR` with the server's data (default: "+service.StateFolder+" of the project)")
}

// data returns the data folder of the server: the one of a flag, else that of the project.
func (g *globals) data(flag string) (string, error) {
	if flag != "" {
		return filepath.Abs(flag)
	}
	p, err := g.load()
	if err != nil {
		return "", err
	}
	return filepath.Join(p.Root, service.StateFolder), nil
}

func newTokenCreate(std streams, tokens func() (*token.Store, error)) *cobra.Command {
	var scope, expires string
	cmd := &cobra.Command{
		Use:   "create NAME",
		Short: "Make a token and print it, this once",
		Long: `Make a token and print it. It is printed this once: only a hash of it is kept. A server
that is up accepts it at once.

  read   look at what is there, read resources, render prompts
  run    and call tools and run deployments
  admin  and change drafts, artifacts, deployments and snapshots`,
		Example: "  wfc token create ci --scope run --expires 720h",
		Args:    arguments(1, "name the token after who is to have it"),
		RunE: func(cmd *cobra.Command, args []string) error {
			allowed := protocol.Scope(scope)
			if !allowed.Allows(protocol.Read) {
				return usage("--scope %q: it must be read, run or admin", scope)
			}
			if err := token.CheckName(args[0]); err != nil {
				return usage("%w", err)
			}
			var until time.Time
			if expires != "" {
				d, err := syntax.ParseDuration(expires)
				if err != nil {
					return usage("--expires %q: %w", expires, err)
				}
				if d <= 0 {
					return usage("--expires %q: it must be more than nothing", expires)
				}
				until = time.Now().Add(d).UTC().Truncate(time.Second)
			}
			store, err := tokens()
			if err != nil {
				return err
			}
			text, t, err := store.Create(args[0], allowed, until)
			if err != nil {
				return failed(err)
			}
			fmt.Fprintf(std.err, "Token %s for %s, scope %s, %s. It is shown this once:\n", t.ID, printable(t.Name), t.Scope, expiry(t))
			_, err = fmt.Fprintln(std.out, text)
			return failed(err)
		},
	}
	cmd.Flags().StringVar(&scope, "scope", string(protocol.Run), "what it allows: `read`, run or admin")
	cmd.Flags().StringVar(&expires, "expires", "", "after which `DURATION` it is accepted no more, such as 720h (default: never)")
	return cmd
}

// expiry says until when a token is accepted.
func expiry(t token.Token) string {
	if t.ExpiresAt.IsZero() {
		return "for ever"
	}
	return "until " + stamp(t.ExpiresAt)
}

func newTokenList(std streams, tokens func() (*token.Store, error)) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the tokens",
		Example: "  wfc token list",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := tokens()
			if err != nil {
				return err
			}
			all, err := store.List()
			if err != nil {
				return failed(err)
			}
			if asJSON {
				return printJSON(std.out, nonNil(all))
			}
			if len(all) == 0 {
				fmt.Fprintln(std.err, "No tokens yet.")
				return nil
			}
			t := table{rows: [][]string{{"ID", "NAME", "SCOPE", "CREATED", "EXPIRES"}}}
			for _, k := range all {
				until := "never"
				if !k.ExpiresAt.IsZero() {
					until = stamp(k.ExpiresAt)
				}
				t.add(k.ID, cmp.Or(printable(k.Name), "-"), string(k.Scope), stamp(k.CreatedAt), until)
			}
			return failed(t.write(std.out))
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return cmd
}

func newTokenRevoke(std streams, tokens func() (*token.Store, error)) *cobra.Command {
	return &cobra.Command{
		Use:     "revoke TOKEN",
		Short:   "End a token, by its id or its name",
		Example: "  wfc token revoke ci",
		Args:    arguments(1, `name a token; see "wfc token list"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := tokens()
			if err != nil {
				return err
			}
			t, err := store.Revoke(args[0])
			if err != nil {
				return failed(err)
			}
			fmt.Fprintf(std.err, "The token %s of %s is revoked.\n", t.ID, cmp.Or(printable(t.Name), "-"))
			return nil
		},
	}
}
