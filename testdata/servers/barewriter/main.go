// Command barewriter is bareclient with a row that it commits to a database before
// each call, as who must not lose what was done has to: what a program without wfc
// costs, for benchmarks.
//
//	barewriter DATABASE N TOOL ARGS-JSON COMMAND [ARG…]
package main

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"log"
	"os"
	"os/exec"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"modernc.org/sqlite"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 6 {
		log.Fatal("usage: barewriter DATABASE N TOOL ARGS-JSON COMMAND [ARG…]")
	}
	n, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "barewriter", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(os.Args[5], os.Args[6:]...)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	insert := open(ctx, os.Args[1])
	for i := range n {
		if _, err := insert.ExecContext(ctx, []driver.NamedValue{{Ordinal: 1, Value: int64(i)}, {Ordinal: 2, Value: os.Args[4]}}); err != nil {
			log.Fatal(err)
		}
		if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: os.Args[3], Arguments: json.RawMessage(os.Args[4])}); err != nil {
			log.Fatal(err)
		}
	}
	if err := session.Close(); err != nil {
		log.Fatal(err)
	}
}

// open opens a database whose commits are on the disk when they return, and returns
// the statement that inserts one row.
func open(ctx context.Context, path string) driver.StmtExecContext {
	_, _ = sqlite.Fdatasync(true) // as the journal has it; where that does not exist it stays as it is
	conn, err := new(sqlite.Driver).Open("file:" + path)
	if err != nil {
		log.Fatal(err)
	}
	const tables = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS calls (n INTEGER, args TEXT)`
	if _, err := conn.(driver.ExecerContext).ExecContext(ctx, tables, nil); err != nil {
		log.Fatal(err)
	}
	stmt, err := conn.Prepare(`INSERT INTO calls VALUES (?, ?)`)
	if err != nil {
		log.Fatal(err)
	}
	return stmt.(driver.StmtExecContext)
}
