package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// Agents are clients of the MCP front end: of a process "wfc mcp" that they start, and
// of "wfc serve", over its HTTP.

// agentPatience is how long a script waits for an agent: longer than anything takes on
// a busy machine, so that only what never comes runs into it.
const agentPatience = 2 * time.Minute

// agents has those of a script, by their names.
type agents struct{ list map[string]*agent }

type agent struct {
	session *mcp.ClientSession
	asked   []string      // what its person was asked
	changed chan struct{} // holds one where the tools have changed since it was asked
	call    *agentCall    // that was begun

	process *exec.Cmd // nil: it is of a server
	stdin   io.Closer
	log     bytes.Buffer
}

type agentCall struct {
	cancel context.CancelFunc
	done   chan struct{} // closed once there is result or err
	result *mcp.CallToolResult
	err    error
}

type agentsOf struct{}

// agentCommands are the commands of scripts that are about agents.
func agentCommands() map[string]func(*testscript.TestScript, bool, []string) {
	return map[string]func(*testscript.TestScript, bool, []string){
		"agent": newAgent, "tools": agentTools, "tool": agentTool, "resource": agentResource, "begin": agentBegin, "cancel": agentCancel, "result": agentResult,
		"told": agentTold, "leave": agentLeave, "crash": agentCrash,
	}
}

// newAgent is "agent NAME [-revision R] [-answers FILE] stdio ARGS" or "… URL": a client
// of "wfc mcp ARGS", or of the server at the URL with the token $WFC_TOKEN. FILE has its
// person's answers by what is asked: {"Sure?": {"action": "accept", "content": {…}}}.
func newAgent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: agent NAME [-revision R] [-answers FILE] stdio ARGS|URL")
	}
	a := &agent{changed: make(chan struct{}, 1)}
	options := &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			select {
			case a.changed <- struct{}{}:
			default:
			}
		},
	}
	name, args := args[0], args[1:]
	session := &mcp.ClientSessionOptions{}
	for len(args) > 2 && strings.HasPrefix(args[0], "-") {
		switch args[0] {
		case "-revision":
			session.ProtocolVersion = args[1]
		case "-answers":
			var answers map[string]*mcp.ElicitResult
			ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[1])), &answers))
			options.ElicitationHandler = a.answering(answers)
		default:
			ts.Fatalf("agent: what is %s?", args[0])
		}
		args = args[2:]
	}
	over := a.over(ts, args)
	ts.Defer(a.kill)
	ctx, cancel := context.WithTimeout(context.Background(), agentPatience)
	defer cancel()
	var err error
	a.session, err = mcp.NewClient(&mcp.Implementation{Name: "script", Version: "1"}, options).Connect(ctx, over, session)
	if err != nil {
		a.kill()
		ts.Fatalf("the agent cannot connect: %v\n%s", err, a.log.String())
	}
	ts.Value(agentsOf{}).(*agents).list[name] = a
}

// over is the transport to what args name.
func (a *agent) over(ts *testscript.TestScript, args []string) mcp.Transport {
	if args[0] != "stdio" {
		client := &http.Client{Transport: bearer{ts.Getenv(tokenVariable), &http.Transport{DisableKeepAlives: true}}}
		return &mcp.StreamableClientTransport{Endpoint: args[0], MaxRetries: -1, HTTPClient: client}
	}
	a.process = exec.Command(programOf(ts), append([]string{"mcp"}, args[1:]...)...)
	a.process.Dir, a.process.Env, a.process.Stderr = ts.MkAbs("."), environmentOf(ts), &a.log
	in, err := a.process.StdinPipe()
	ts.Check(err)
	out, err := a.process.StdoutPipe()
	ts.Check(err)
	ts.Check(a.process.Start())
	a.stdin = in
	return &mcp.IOTransport{Reader: out, Writer: in}
}

// bearer shows a token with each request.
type bearer struct {
	token string // "": none
	http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.RoundTripper.RoundTrip(r)
}

func (a *agent) answering(answers map[string]*mcp.ElicitResult) func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	var mu sync.Mutex
	return func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		mu.Lock()
		defer mu.Unlock()
		a.asked = append(a.asked, req.Params.Message)
		for question, answer := range answers {
			if strings.HasPrefix(req.Params.Message, question) {
				return answer, nil
			}
		}
		return &mcp.ElicitResult{Action: "cancel"}, nil
	}
}

func agentOf(ts *testscript.TestScript, neg bool, args []string, least, most int, usage string) (*agent, []string) {
	if neg || len(args) < 1+least || len(args) > 1+most {
		ts.Fatalf("usage: %s", usage)
	}
	a := ts.Value(agentsOf{}).(*agents).list[args[0]]
	if a == nil {
		ts.Fatalf("there is no agent %s", args[0])
	}
	return a, args[1:]
}

// say prints JSON, one line a value, with what differs from run to run replaced.
func say(ts *testscript.TestScript, values ...any) {
	for _, v := range values {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		ts.Check(e.Encode(v))
		if id := volatile[0].re.FindString(b.String()); id != "" {
			ts.Setenv("RUN", id)
		}
		fmt.Fprint(ts.Stdout(), normal(b.String(), ts.Getenv("WORK")))
	}
}

// agentTools is "tools NAME": the tools that there are, a line each.
func agentTools(ts *testscript.TestScript, neg bool, args []string) {
	a, _ := agentOf(ts, neg, args, 0, 0, "tools NAME")
	ctx, cancel := context.WithTimeout(context.Background(), agentPatience)
	defer cancel()
	list, err := a.session.ListTools(ctx, nil)
	ts.Check(err)
	slices.SortFunc(list.Tools, func(x, y *mcp.Tool) int { return strings.Compare(x.Name, y.Name) })
	for _, tool := range list.Tools {
		say(ts, tool)
	}
}

// agentTool is "tool NAME TOOL [ARGS]": a call, and its result; an error of the
// protocol with !. $RUN becomes the run in it. What was asked meanwhile is on stderr.
func agentTool(ts *testscript.TestScript, neg bool, args []string) {
	a, args := agentOf(ts, false, args, 1, 2, "tool NAME TOOL [ARGS]")
	a.begin(args)
	a.finish(ts, neg)
}

// agentBegin is "begin NAME TOOL [ARGS]": a call, whose result is waited for by
// "result NAME", or which "cancel NAME" cancels.
func agentBegin(ts *testscript.TestScript, neg bool, args []string) {
	a, args := agentOf(ts, neg, args, 1, 2, "begin NAME TOOL [ARGS]")
	a.begin(args)
}

func (a *agent) begin(args []string) {
	params := &mcp.CallToolParams{Name: args[0]}
	if len(args) > 1 {
		params.Arguments = json.RawMessage(args[1])
	}
	ctx, cancel := context.WithTimeout(context.Background(), agentPatience)
	c := &agentCall{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.result, c.err = a.session.CallTool(ctx, params)
	}()
	a.call = c
}

func (a *agent) finish(ts *testscript.TestScript, neg bool) {
	c := a.call
	if c == nil {
		ts.Fatalf("no call was begun")
	}
	<-c.done
	c.cancel()
	a.call = nil
	for _, question := range a.asked {
		fmt.Fprintf(ts.Stderr(), "asked: %s\n", question)
	}
	a.asked = nil
	switch {
	case neg && c.err == nil:
		ts.Fatalf("the call was answered")
	case neg:
		fmt.Fprintln(ts.Stdout(), normal(c.err.Error(), ts.Getenv("WORK")))
	case c.err != nil:
		ts.Fatalf("%v", c.err)
	default:
		say(ts, c.result)
	}
}

// agentResult is "result NAME": the end of a call that was begun, as of "tool".
func agentResult(ts *testscript.TestScript, neg bool, args []string) {
	a, _ := agentOf(ts, false, args, 0, 0, "result NAME")
	a.finish(ts, neg)
}

// agentCancel is "cancel NAME": it cancels the call that was begun.
func agentCancel(ts *testscript.TestScript, neg bool, args []string) {
	a, _ := agentOf(ts, neg, args, 0, 0, "cancel NAME")
	a.call.cancel()
	<-a.call.done
}

// agentResource is "resource NAME URI": a resource.
func agentResource(ts *testscript.TestScript, neg bool, args []string) {
	a, args := agentOf(ts, false, args, 1, 1, "resource NAME URI")
	ctx, cancel := context.WithTimeout(context.Background(), agentPatience)
	defer cancel()
	r, err := a.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: args[0]})
	if neg {
		if err == nil {
			ts.Fatalf("it was read")
		}
		fmt.Fprintln(ts.Stdout(), normal(err.Error(), ts.Getenv("WORK")))
		return
	}
	ts.Check(err)
	say(ts, r)
}

// agentTold is "told NAME": it waits until the agent was told that the tools changed.
func agentTold(ts *testscript.TestScript, neg bool, args []string) {
	a, _ := agentOf(ts, neg, args, 0, 0, "told NAME")
	select {
	case <-a.changed:
	case <-time.After(agentPatience):
		ts.Fatalf("it was not told")
	}
}

// agentLeave is "leave NAME": it goes away, also in the middle of a call. A process of
// its own has ended then, with exit code 0, and what it logged is printed.
func agentLeave(ts *testscript.TestScript, neg bool, args []string) {
	a, _ := agentOf(ts, neg, args, 0, 0, "leave NAME")
	delete(ts.Value(agentsOf{}).(*agents).list, args[0])
	if a.process == nil {
		ts.Check(a.session.Close())
		return
	}
	_ = a.stdin.Close()
	late := time.AfterFunc(agentPatience, func() { _ = a.process.Process.Signal(syscall.SIGQUIT) }) // its goroutines are in the log then
	err := a.process.Wait()
	late.Stop()
	fmt.Fprint(ts.Stdout(), normal(a.log.String(), ts.Getenv("WORK")))
	ts.Check(err)
}

// agentCrash is "crash NAME": its process is killed.
func agentCrash(ts *testscript.TestScript, neg bool, args []string) {
	a, _ := agentOf(ts, neg, args, 0, 0, "crash NAME")
	delete(ts.Value(agentsOf{}).(*agents).list, args[0])
	a.kill()
}

// kill ends the process at the end of a script, if it is there still.
func (a *agent) kill() {
	if a.call != nil {
		a.call.cancel()
	}
	if a.process != nil && a.process.ProcessState == nil {
		_ = a.process.Process.Kill()
		_ = a.process.Wait()
	}
	if a.session != nil && a.process == nil {
		_ = a.session.Close()
	}
}
