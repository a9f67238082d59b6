// Command lspbench measures the language server as an editor sees it: a process on
// standard input and output, timed from the request to what comes of it.
//
//	go run ./testdata/lspbench [-wfc BINARY] [-n TIMES]
//
// It builds wfc unless it is given one, and prints for each operation the median and the
// 95th percentile, and for a project of 1,000 files what happens from the start.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/testdata/genproject"
	"github.com/lda-wf/wfc/testdata/lspclient"
)

func main() {
	wfc := flag.String("wfc", "", "the wfc `BINARY`; built where none is named")
	n := flag.Int("n", 60, "how many `TIMES` each operation is done")
	only := flag.String("only", "", "the `OPERATION` to measure; all where none is named")
	flag.Parse()
	if err := measure(*wfc, *n, *only); err != nil {
		fmt.Fprintln(os.Stderr, "lspbench:", err)
		os.Exit(1)
	}
}

func measure(wfc string, n int, only string) error {
	temp, err := os.MkdirTemp("", "lspbench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if wfc == "" {
		wfc = filepath.Join(temp, "wfc")
		build := exec.Command("go", "build", "-o", wfc, "./cmd/wfc")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("building wfc: %w", err)
		}
	}
	for _, steps := range []int{200, 2000} {
		if err := typing(wfc, filepath.Join(temp, fmt.Sprint(steps)), steps, n, only); err != nil {
			return err
		}
	}
	if only == "" || only == "start" {
		return starting(wfc, filepath.Join(temp, "many"), n)
	}
	return nil
}

// session is a server in a project, with a file of it open.
type session struct {
	*lspclient.Client
	ctx     context.Context
	uri     protocol.DocumentURI
	text    string
	version int32
}

// operation is something that an editor does. It returns when what it waits for
// has come.
type operation struct {
	name string
	do   func(s *session, i int) error
}

// operations are what is measured while somebody types in a file of [genproject.Steps].
var operations = []operation{
	{"didChange → diagnostics (a mistake appears)", func(s *session, i int) error { return s.mistake(i, true) }},
	{"didChange → diagnostics (it clears)", func(s *session, i int) error { return s.mistake(i, false) }},
	{"textDocument/diagnostic", func(s *session, i int) error {
		return s.Call(s.ctx, "textDocument/diagnostic", protocol.DocumentDiagnosticParams{TextDocument: s.document()}, nil)
	}},
}

func (s *session) document() protocol.TextDocumentIdentifier {
	return protocol.TextDocumentIdentifier{URI: s.uri}
}

// at returns the place of the nth occurrence of a text, counted over and over.
func (s *session) at(text string, n int) protocol.Position {
	offset := 0
	for range n % max(1, strings.Count(s.text, text)) {
		offset += strings.Index(s.text[offset:], text) + len(text)
	}
	offset += strings.Index(s.text[offset:], text)
	line := strings.Count(s.text[:offset], "\n")
	return protocol.Position{Line: uint32(line), Character: uint32(offset - strings.LastIndexByte(s.text[:offset], '\n') - 1)}
}

// mistake makes a mistake in a name, or mends it, and waits for that to show.
func (s *session) mistake(i int, made bool) error {
	at := s.at("input.limit", i)
	at.Character += uint32(len("input.limi"))
	r := protocol.Range{Start: at, End: protocol.Position{Line: at.Line, Character: at.Character + 1}}
	c := protocol.ContentChange{Range: &r, Text: "x"}
	if !made {
		c.Text = "t"
	}
	s.version++
	if err := s.Change(s.uri, s.version, c); err != nil {
		return err
	}
	found, err := s.Diagnostics(s.ctx, s.uri, s.version)
	if err == nil && (len(found) > 0) != made {
		return fmt.Errorf("%d findings after a mistake was made: %v", len(found), made)
	}
	return err
}

// typing measures the operations in a file of so many steps.
func typing(wfc, root string, steps, n int, only string) error {
	files := genproject.Steps(steps)
	if err := write(root, files); err != nil {
		return err
	}
	text := string(files["long.wf.hcl"])
	fmt.Printf("A file of %d lines\n", strings.Count(text, "\n"))
	s, p, err := start(wfc, root)
	if err != nil {
		return err
	}
	defer p.end()
	s.uri, s.text = fileURI(filepath.Join(root, "long.wf.hcl")), text
	if err := s.Open(s.uri, 0, text); err != nil {
		return err
	}
	if _, err := s.Diagnostics(s.ctx, s.uri, 0); err != nil {
		return err
	}
	operations := append(slices.Clone(operations), features...)
	times := make([][]time.Duration, len(operations))
	for i := range n {
		for k, o := range operations { // in turn, as one types
			if only != "" && !strings.Contains(o.name, only) {
				continue
			}
			begun := time.Now()
			if err := o.do(s, i); err != nil {
				return fmt.Errorf("%s: %w", o.name, err)
			}
			times[k] = append(times[k], time.Since(begun))
		}
	}
	for k, o := range operations {
		if len(times[k]) > 0 {
			show(o.name, times[k])
		}
	}
	fmt.Printf("  %-52s %s\n\n", "memory of the process", p.memory())
	return nil
}

// starting measures what happens in a project of 1,000 files from the start of the
// process.
func starting(wfc, root string, n int) error {
	const many = 1000
	files := genproject.Files(many)
	if err := write(root, files); err != nil {
		return err
	}
	name := "flows/07/flow_00507.wf.hcl"
	fmt.Printf("A project of %d files\n", many)
	var first, all, memory []time.Duration
	var last string
	for range max(3, n/10) {
		begun := time.Now()
		s, p, err := start(wfc, root)
		if err != nil {
			return err
		}
		s.uri, s.text = fileURI(filepath.Join(root, filepath.FromSlash(name))), string(files[name])
		err = s.Open(s.uri, 0, strings.Replace(s.text, "demo.list_tasks", "demo.list_task", 1))
		if err == nil {
			_, err = s.Diagnostics(s.ctx, s.uri, 0)
		}
		first = append(first, time.Since(begun))
		if err == nil {
			err = s.Call(s.ctx, "workspace/diagnostic", protocol.WorkspaceDiagnosticParams{}, nil)
		}
		all = append(all, time.Since(begun))
		last = p.memory()
		p.end()
		if err != nil {
			return err
		}
	}
	show("start → first diagnostics of an opened file", first)
	show("start → everything is checked", all)
	_ = memory
	fmt.Printf("  %-52s %s\n\n", "memory of the process", last)
	return nil
}

// show prints a line of figures.
func show(name string, times []time.Duration) {
	slices.Sort(times)
	at := func(percent int) time.Duration { return times[min(len(times)-1, len(times)*percent/100)] }
	fmt.Printf("  %-52s p50 %7.1f ms   p95 %7.1f ms\n", name, milliseconds(at(50)), milliseconds(at(95)))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// process is a running server.
type process struct {
	cmd *exec.Cmd
	s   *session
}

// start starts a server in a folder and begins a session.
func start(wfc, root string) (*session, *process, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	cmd := exec.CommandContext(ctx, wfc, "lsp")
	cmd.Cancel = func() error { cancel(); return cmd.Process.Kill() }
	cmd.Dir, cmd.Stderr = root, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		cancel()
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		cancel()
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, nil, err
	}
	s := &session{Client: lspclient.New(out, in), ctx: ctx}
	params := protocol.InitializeParams{WorkspaceFolders: []protocol.WorkspaceFolder{{URI: fileURI(root), Name: "bench"}}}
	params.Capabilities.TextDocument.Completion.CompletionItem.SnippetSupport = true
	if _, err := s.Initialize(ctx, params); err != nil {
		cancel()
		return nil, nil, err
	}
	return s, &process{cmd, s}, nil
}

// end ends the server.
func (p *process) end() {
	_ = p.s.Notify("exit", nil)
	p.s.Wait()
	_ = p.cmd.Wait() // exit without shutdown has exit code 1
}

// memory is the most that the server had in memory so far.
func (p *process) memory() string {
	if runtime.GOOS != "linux" {
		return "only known on Linux"
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return "unknown: " + err.Error()
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "unknown"
}

func fileURI(path string) protocol.DocumentURI {
	return protocol.DocumentURI("file://" + filepath.ToSlash(path))
}

// write writes a project that uses the demo server.
func write(root string, files map[string][]byte) error {
	snapshot, err := os.ReadFile(filepath.Join("testdata", "projects", "demo", "catalog", "demo.main.json"))
	if err != nil {
		return fmt.Errorf("lspbench runs in the root of the checkout: %w", err)
	}
	files["catalog/demo.main.json"] = snapshot
	for name, src := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, src, 0o644); err != nil {
			return err
		}
	}
	return nil
}
