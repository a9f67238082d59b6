// Command bareclient makes the same call N times on one go-sdk session over
// stdio and prints the last answer's text: what a program without wfc costs,
// for benchmarks.
//
//	bareclient N TOOL ARGS-JSON COMMAND [ARG…]
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 5 {
		log.Fatal("usage: bareclient N TOOL ARGS-JSON COMMAND [ARG…]")
	}
	n, err := strconv.Atoi(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "bareclient", Version: "1"}, &mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: exec.Command(os.Args[4], os.Args[5:]...)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	var last *mcp.CallToolResult
	for range n {
		last, err = session.CallTool(ctx, &mcp.CallToolParams{Name: os.Args[2], Arguments: json.RawMessage(os.Args[3])})
		if err != nil {
			log.Fatal(err)
		}
	}
	for _, c := range last.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			fmt.Println(t.Text)
		}
	}
	if err := session.Close(); err != nil {
		log.Fatal(err)
	}
}
