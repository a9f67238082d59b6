// Command cmd puts a server under load and prints what came of it:
//
//	go run ./testdata/load/cmd -clients 64 -for 60s
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/lda-wf/wfc/testdata/load"
)

func main() {
	clients := flag.Int("clients", 64, "how many clients start runs, one after the other each")
	d := flag.Duration("for", time.Minute, "for how long")
	flag.Parse()
	if err := run(*clients, *d); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(clients int, d time.Duration) error {
	dir, err := os.MkdirTemp("", "wfc-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	report, err := load.Run(context.Background(), dir, clients, d)
	if report != nil {
		report.Write(os.Stdout)
	}
	return err
}
