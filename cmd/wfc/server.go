package main

import (
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/runner/rpc/client"
)

// The environment that says which server commands are sent to, and with which token.
const (
	serverVariable = "WFC_SERVER"
	tokenVariable  = "WFC_TOKEN"
)

// serverFlag is --server of a command that a server can do.
func serverFlag(cmd *cobra.Command) {
	cmd.PersistentFlags().String("server", "", "have the server at this `URL` do it (default: "+serverVariable+", else this process does it); the token is "+tokenVariable)
}

// remote is a server that does what a command is to do.
type remote struct {
	*client.Client
	flag string // what further commands need to reach it; "": nothing
}

// server returns the server that a command is sent to; nil: this process does it.
func server(cmd *cobra.Command) (*remote, error) {
	flag := cmd.Flag("server")
	url, further := os.Getenv(serverVariable), ""
	if flag.Changed {
		if url = flag.Value.String(); url != "" {
			further = " --server " + quoted(url)
		}
	}
	if url == "" {
		return nil, nil
	}
	c, err := client.New(url, client.Options{Token: strings.TrimSpace(os.Getenv(tokenVariable))})
	if err != nil {
		return nil, usage("--server: %w", err)
	}
	return &remote{c, further}, nil
}

// onlyHere refuses a server for a command that reads the journal of the project itself.
func onlyHere(c *cobra.Command) *cobra.Command {
	c.PreRunE = func(cmd *cobra.Command, _ []string) error {
		at, err := server(cmd)
		if at != nil {
			return usage("%s reads the journal of the project, which a server does not offer. Run it where the project is, with --server \"\"", cmd.CommandPath())
		}
		return err
	}
	return c
}

// refusal is an error of a server as a command ends with it.
func refusal(err error) error {
	var e *client.Error
	var gone *client.UnreachableError
	switch {
	case errors.As(err, &e):
		return failed(errors.New(printable(e.Message)))
	case errors.As(err, &gone):
		return failed(errors.New(printable(gone.Error()) + ". Is it up? It is started with \"wfc serve\""))
	}
	return failed(err)
}
