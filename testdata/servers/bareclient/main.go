// Command bareclient makes the same call N times on one go-sdk session over
// stdio and prints the last answer's text: what a program without wfc costs,
// for benchmarks.
//
//	bareclient [-in-flight K] N TOOL ARGS-JSON COMMAND [ARG…]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os/exec"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	log.SetFlags(0)
	inFlight := flag.Int("in-flight", 1, "calls at once")
	flag.Parse()
	args := flag.Args()
	if len(args) < 4 {
		log.Fatal("usage: bareclient [-in-flight K] N TOOL ARGS-JSON COMMAND [ARG…]")
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "bareclient", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(args[3], args[4:]...)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	var last atomic.Pointer[mcp.CallToolResult]
	var left atomic.Int64
	left.Store(int64(n))
	work := func() {
		for left.Add(-1) >= 0 {
			result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: args[1], Arguments: json.RawMessage(args[2])})
			if err != nil {
				log.Fatal(err)
			}
			last.Store(result)
		}
	}
	var workers sync.WaitGroup
	for range *inFlight - 1 {
		workers.Go(work)
	}
	work()
	workers.Wait()
	for _, c := range last.Load().Content {
		if t, ok := c.(*mcp.TextContent); ok {
			fmt.Println(t.Text)
		}
	}
	if err := session.Close(); err != nil {
		log.Fatal(err)
	}
}
