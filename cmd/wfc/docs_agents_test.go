package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/compiler/foreign"
)

// clientFiles are the files in which the clients of agents.md look for servers.
var clientFiles = map[string]string{
	"claude code": ".mcp.json", "claude desktop": "claude_desktop_config.json", "vs code": ".vscode/mcp.json", "cursor": ".cursor/mcp.json",
}

// TestAgentsAreConfiguredAsDocumented: what agents.md has for the files of clients is
// read without a remark as those clients' servers, and what it starts offers the tools
// of the project.
func TestAgentsAreConfiguredAsDocumented(t *testing.T) {
	project := &session{t: t, at: "agents.md"}
	page := readPage(t, "../../docs/agents.md")
	shown := map[string]int{}
	for _, b := range page.blocks {
		if b.marks["project"] != "" {
			project.begin(b.marks["project"])
			project.write(b.marks["file"], b.text)
		}
		client, ok := b.marks["client"]
		if !ok {
			continue
		}
		name := clientFiles[client]
		if name == "" {
			t.Fatalf("agents.md:%d: who is %q?", b.line, client)
		}
		shown[client]++
		imported := foreign.Read([]foreign.File{{Name: name, Path: filepath.Join(project.root, name), Bytes: []byte(b.text)}},
			foreign.World{Root: project.root, Exists: func(string) bool { return true }, Read: os.ReadFile})
		if len(imported.Servers) != 1 || len(imported.Problems) > 0 {
			t.Errorf("agents.md:%d: as a file of %s it is read as %+v", b.line, client, imported)
		}
		var file struct{ McpServers, Servers map[string]clientServer }
		if err := json.Unmarshal([]byte(b.text), &file); err != nil {
			t.Fatal(err)
		}
		server, ok := file.McpServers["wfc"]
		if client == "vs code" {
			server, ok = file.Servers["wfc"]
		}
		switch {
		case !ok:
			t.Errorf("agents.md:%d: there is no server wfc", b.line)
		case server.URL != "":
			if server.URL != "http://"+defaultListen+"/mcp" || !strings.HasPrefix(server.Headers["Authorization"], "Bearer ${") {
				t.Errorf("agents.md:%d: it is %+v", b.line, server)
			}
		default:
			server.offers(t, project.root, "greet")
		}
	}
	for client := range clientFiles {
		if shown[client] == 0 {
			t.Errorf("agents.md has nothing for %s", client)
		}
	}
}

// clientServer is a server as the files of clients have it.
type clientServer struct {
	Command string
	Args    []string
	URL     string
	Headers map[string]string
}

// offers starts the server as a client in the folder root does, and looks for a tool.
func (s clientServer) offers(t *testing.T, root, tool string) {
	program, err := exec.LookPath(s.Command)
	if err != nil {
		t.Fatal(err)
	}
	where := strings.NewReplacer("${workspaceFolder}", root, "/home/ada/work", root)
	cmd := exec.Command(program)
	for _, a := range s.Args {
		cmd.Args = append(cmd.Args, where.Replace(a))
	}
	if len(s.Args) == 1 { // it is started in the project
		cmd.Dir = root
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 1 || list.Tools[0].Name != tool {
		t.Errorf("%v offers %+v, %v", cmd.Args, list, err)
	}
}
