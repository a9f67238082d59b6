// Package testserver is an MCP server over stdio for tests: by default a
// well-behaved one with session-local state, by its flags one of those that a
// client must survive. It speaks the wire by hand, since it has to say what no
// library would.
package testserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// How the server misbehaves.
var (
	flags      = flag.NewFlagSet("testserver", flag.ExitOnError)
	starts     = flags.String("starts", os.Getenv("TESTSERVER_STARTS"), "append a line with the process id to this `file` at each start")
	logFile    = flags.String("log", os.Getenv("TESTSERVER_LOG"), "append a line to this `file` for each message received")
	waiting    = flags.String("waiting", "", "write a line to this `file`, such as a FIFO, when the tool wait begins to wait")
	told       = flags.String("told", "", "write a line to this `file`, such as a FIFO, when a call is cancelled")
	exitCode   = flags.Int("exit", -1, "complain on stderr and exit at once with this `status`")
	silent     = flags.Bool("silent", false, "read, and never answer")
	probe      = flags.String("probe", "refuse", "what server/discover gets: `refuse`, exit, ignore, silent (nothing more is answered), answer, or late (by the first process with initialize, which it refuses)")
	install    = flags.String("install", "", "before anything is read, wait until this `file`, a FIFO, is opened for writing")
	strict     = flags.Bool("strict", false, "refuse requests without a progress token")
	greet      = flags.Bool("greet", false, "say hello on stderr before anything is read")
	speaks     = flags.String("speaks", "", "answer initialize with this `revision`, whatever was asked for")
	noise      = flags.Bool("noise", false, "print lines on stdout that are no messages, before and between them")
	bom        = flags.Bool("bom", false, "begin stdout with a byte order mark")
	indent     = flags.Bool("indent", false, "write each message on several lines")
	twice      = flags.Bool("twice", false, "write a notification and an answer on one line")
	stringIDs  = flags.Bool("string-ids", false, "answer the id 7 with \"7\"")
	crashAfter = flags.Int("crash-after", 0, "crash at the `n`-th tool call")
	dieAt      = flags.String("die-at", "", "exit with status 3 at the first request of this `method`")
	paged      = flags.Bool("paged", false, "list one tool a page")
	repeat     = flags.Bool("repeat", false, "give the same cursor with every page")
	endless    = flags.Bool("endless", false, "give a new cursor with every page, for ever")
	listChange = flags.Bool("list-changed", false, "say in server/discover, too, that the list of tools may change")
	picky      = flags.Bool("picky", false, "list more tools to clients that offer sampling, roots, or both")
	oddEntries = flags.Bool("odd-entries", false, "list entries that are no objects, or have no proper name, beside the others")
	listed     = flags.String("list", "", "list the tools of this `file`, JSON objects one a line, and no others")
	failLists  = flags.String("fail-lists", "", "comma-separated `lists` that fail: tools, resources, templates, prompts")
	offered    = flags.String("offered", "", "write the capabilities that the client offers to this `file`")
	logs       = flags.Bool("logs", false, "say that there are log messages")
	stubborn   = flags.Bool("stubborn", false, "live on after the end of the input and SIGTERM")
	ignoreTerm = flags.Bool("ignore-term", false, "live on after SIGTERM until the end of the input, so that how it ends depends on no time")
	badResult  = flags.Bool("bad-handshake", false, "answer initialize with an error")
	hold       = flags.Bool("hold", false, "be the child that holds the output open and does nothing")
)

// Main serves one session on stdin and stdout, as the arguments of the process say.
func Main() {
	_ = flags.Parse(os.Args[1:]) // a wrong flag exits
	if *hold {
		signal.Ignore(syscall.SIGTERM)
		forever()
	}
	record(*starts, "%d", os.Getpid())
	if *stubborn || *ignoreTerm {
		signal.Ignore(syscall.SIGTERM)
	}
	if *exitCode >= 0 {
		fmt.Fprintln(os.Stderr, "testserver: cannot open database")
		fmt.Fprintln(os.Stderr, "testserver: giving up")
		exit(*exitCode)
	}
	s := &server{out: bufio.NewWriter(os.Stdout), cancels: map[string]chan struct{}{}, calls: map[string]string{}, replies: map[string]chan message{}}
	if *bom {
		s.out.WriteString("\ufeff")
	}
	if *noise {
		s.line("Starting the server ...")
		s.line(`{"level":"info","msg":"a log line in JSON"}`)
		s.line("{ not JSON")
	}
	if *greet {
		fmt.Fprintln(os.Stderr, "testserver: installing")
	}
	if *install != "" {
		if f, err := os.Open(*install); err != nil {
			fail(err)
		} else if err := f.Close(); err != nil {
			fail(err)
		}
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 && !*silent {
			s.take(line)
		}
		if err != nil {
			if *stubborn {
				forever()
			}
			return
		}
	}
}

// record appends a line to file; an empty name is none.
func record(file, format string, args ...any) {
	if file == "" {
		return
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		fail(err)
	}
	if _, err := fmt.Fprintf(f, format+"\n", args...); err != nil {
		fail(err)
	}
	if err := f.Close(); err != nil {
		fail(err)
	}
}

// forever does nothing. Listening for a signal tells Go that this is no deadlock.
func forever() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	select {}
}

// exit ends the process at once, also where it is built with the race detector,
// whose os.Exit sleeps for a second.
func exit(code int) { syscall.Exit(code) }

func fail(err error) {
	fmt.Fprintln(os.Stderr, "testserver:", err)
	exit(99)
}

// server is one session.
type server struct {
	mu           sync.Mutex
	out          *bufio.Writer
	count        int                      // of the counter tool
	capabilities json.RawMessage          // of the client
	tools        int                      // more tools than at first
	called       int                      // tool calls
	cancels      map[string]chan struct{} // by request id
	calls        map[string]string        // tool names by request id
	meeting      int
	meet         chan struct{}
	inside       int                     // calls at the meeting that have no answer yet
	peak         int                     // the most that were inside at once
	modern       bool                    // of 2026-07-28: it makes no requests
	asks         int                     // requests of ours
	replies      map[string]chan message // by their ids
	gated        bool                    // the tool gate has refused once
	late         json.RawMessage         // the id of a server/discover that is answered later
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"` // of an answer to a request of ours
	Error  json.RawMessage `json:"error"`  // likewise
}

// line writes one line at once.
func (s *server) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.out.WriteString(text)
	s.out.WriteByte('\n')
	s.out.Flush()
}

func (s *server) send(text string) {
	if *indent {
		var b bytes.Buffer
		if json.Indent(&b, []byte(text), "", "  ") == nil {
			text = b.String()
		}
	}
	if *noise {
		text = "debug: about to write\n" + text
	}
	s.line(text)
}

func (s *server) answer(id json.RawMessage, result string) {
	if *stringIDs {
		id = json.RawMessage(`"` + string(id) + `"`)
	}
	text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
	if *twice {
		text = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}} ` + text
	}
	s.send(text)
}

func (s *server) refuse(id json.RawMessage, code int, text string) {
	quoted, _ := json.Marshal(text)
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quoted))
}

func (s *server) take(line []byte) {
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		fail(err)
	}
	if *strict && m.ID != nil && m.Method != "initialize" && !bytes.Contains(m.Params, []byte(`"progressToken":`)) {
		s.refuse(m.ID, -32602, "there is no progress token")
		return
	}
	if *dieAt != "" && m.Method == *dieAt {
		exit(3)
	}
	switch m.Method {
	case "server/discover":
		record(*logFile, "%s", m.Method)
		switch *probe {
		case "exit":
			fmt.Fprintln(os.Stderr, "testserver: expected initialize")
			exit(1)
		case "silent":
			*silent = true
		case "ignore":
		case "late":
			if seen, _ := os.ReadFile(*starts); bytes.Count(seen, []byte("\n")) > 1 {
				s.discovered(m.ID)
			} else {
				s.late = m.ID
			}
		case "answer":
			s.discovered(m.ID)
		default:
			s.refuse(m.ID, -32601, "no such method")
		}
	case "initialize":
		record(*logFile, "%s", m.Method)
		if s.late != nil {
			s.discovered(s.late)
			s.late = nil
			s.refuse(m.ID, -32601, "no such method")
			return
		}
		if *badResult {
			s.refuse(m.ID, -32000, "licence expired")
			return
		}
		var p struct {
			Version      string          `json:"protocolVersion"`
			Capabilities json.RawMessage `json:"capabilities"`
		}
		_ = json.Unmarshal(m.Params, &p)
		if *speaks != "" {
			p.Version = *speaks
		}
		logging := ""
		if *logs {
			logging = `,"logging":{}`
		}
		record(*offered, "%s", p.Capabilities)
		s.capabilities = p.Capabilities
		s.answer(m.ID, fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true},"resources":{},"prompts":{}%s},"serverInfo":{"name":"testserver","version":"1","vendor":[1.0]},"instructions":"Be kind."}`, p.Version, logging))
	case "ping":
		record(*logFile, "%s", m.Method)
		s.answer(m.ID, "{}")
	case "resources/read":
		s.answer(m.ID, `{"contents":[{"uri":"test://a","text":"{\"n\":1.50}","x":9007199254740993}]}`)
	case "prompts/get":
		var p struct {
			Args map[string]json.RawMessage `json:"arguments"`
		}
		_ = json.Unmarshal(m.Params, &p)
		s.answer(m.ID, fmt.Sprintf(`{"messages":[{"role":"user","content":{"type":"text","text":%s}}]}`, p.Args["q"]))
	case "completion/complete":
		s.complete(m)
	case "x/mirror":
		s.answer(m.ID, string(m.Params))
	case "notifications/cancelled":
		s.cancelled(m.Params)
	case "tools/call":
		s.call(m)
	case "tools/list", "resources/list", "resources/templates/list", "prompts/list":
		record(*logFile, "%s", m.Method)
		s.list(m)
	case "":
		s.replied(m)
	case "logging/setLevel":
		record(*logFile, "%s %s", m.Method, m.Params)
		s.answer(m.ID, "{}")
	default:
		record(*logFile, "%s", m.Method)
		if m.ID != nil {
			s.refuse(m.ID, -32601, "no such method")
		}
	}
}

// complete proposes the value with a digit behind it; for the prompt odd it answers
// what is no completion.
func (s *server) complete(m message) {
	var p struct {
		Ref, Argument, Context json.RawMessage
	}
	var ref, argument struct{ Name, Value string }
	_ = json.Unmarshal(m.Params, &p)
	_ = json.Unmarshal(p.Ref, &ref)
	_ = json.Unmarshal(p.Argument, &argument)
	if p.Context == nil {
		p.Context = json.RawMessage("null")
	}
	record(*logFile, "%s %s %s %s", m.Method, p.Ref, p.Argument, p.Context)
	if ref.Name == "odd" {
		s.answer(m.ID, `{"values":[]}`)
		return
	}
	s.answer(m.ID, fmt.Sprintf(`{"completion":{"values":["%s1","%s2"],"total":7,"hasMore":true}}`, argument.Value, argument.Value))
}

// discovered answers server/discover.
func (s *server) discovered(id json.RawMessage) {
	s.modern = true
	changes := ""
	if *listChange {
		changes = `"listChanged":true`
	}
	s.answer(id, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{`+changes+`},"logging":{}},"instructions":"Modern.","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"testserver","version":"2"}}}`)
}

func (s *server) cancelled(params json.RawMessage) {
	var p struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(params, &p)
	id := string(p.RequestID)
	s.mu.Lock()
	defer s.mu.Unlock()
	record(*logFile, "cancelled %s", s.calls[id])
	record(*told, "cancelled")
	if c := s.cancels[id]; c != nil {
		close(c)
		delete(s.cancels, id)
	}
}

// lists by method: what they are called in flags and results, and their objects.
var lists = map[string]struct {
	flag, key string
	objects   []string
}{
	"tools/list": {"tools", "tools", []string{
		`{"name":"counter","description":"Counts.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}`,
		`{"name":"echo","inputSchema":{"type":"object","properties":{"value":true}},"execution":{"taskSupport":"forbidden"},"x-vendor":{"n":1.50}}`,
		`{"name":"odd","inputSchema":{"type":"array","items":true}}`,
	}},
	"resources/list":           {"resources", "resources", []string{`{"uri":"test://a","name":"a","size":9007199254740993}`}},
	"resources/templates/list": {"templates", "resourceTemplates", []string{`{"uriTemplate":"test://{x}","name":"x"}`}},
	"prompts/list":             {"prompts", "prompts", []string{`{"name":"ask","arguments":[{"name":"q","required":true}]}`}},
}

// oddEntriesOf are entries that no list should have.
func oddEntriesOf(list string) []string {
	odd := []string{`"text"`, `null`, `{"description":"nameless"}`, `{"name":"","uri":"","uriTemplate":""}`, `{"name":7,"uri":7,"uriTemplate":7}`}
	if list == "tools" {
		odd = append(odd, `{"name":"never","inputSchema":false}`, `{"name":"none","inputSchema":"?"}`, `{"name":"ref","inputSchema":{"$ref":"#/gone"}}`)
	}
	return odd
}

// pickyTools are those that depend on what the client offers.
func (s *server) pickyTools() (names []string) {
	if !*picky {
		return nil
	}
	sampling, roots := bytes.Contains(s.capabilities, []byte(`"sampling"`)), bytes.Contains(s.capabilities, []byte(`"roots"`))
	if sampling {
		names = append(names, "summarise")
	}
	if roots {
		names = append(names, "browse")
	}
	if sampling && roots {
		names = append(names, "digest")
	}
	return names
}

func (s *server) list(m message) {
	list := lists[m.Method]
	if list.flag == "tools" && *listed != "" {
		data, err := os.ReadFile(*listed)
		if err != nil {
			s.refuse(m.ID, -32603, err.Error())
			return
		}
		list.objects = strings.Split(strings.TrimSpace(string(data)), "\n")
	} else if list.flag == "tools" {
		s.mu.Lock()
		more := s.pickyTools()
		for i := range s.tools {
			more = append(more, fmt.Sprintf("more_%d", i+1))
		}
		s.mu.Unlock()
		for _, name := range more {
			list.objects = append(slices.Clip(list.objects), fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name))
		}
	}
	if *oddEntries {
		list.objects = append(oddEntriesOf(list.flag), list.objects...)
	}
	for name := range strings.SplitSeq(*failLists, ",") {
		if name == list.flag {
			s.refuse(m.ID, -32603, "the list of "+name+" is broken")
			return
		}
	}
	var p struct {
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(m.Params, &p)
	if !*paged && !*repeat && !*endless || m.Method != "tools/list" {
		s.answer(m.ID, fmt.Sprintf(`{%q:[%s]}`, list.key, strings.Join(list.objects, ",")))
		return
	}
	page := 0
	_, _ = fmt.Sscanf(p.Cursor, "page %d", &page)
	object := list.objects[min(page, len(list.objects)-1)]
	next := fmt.Sprintf(`,"nextCursor":"page %d"`, page+1)
	switch {
	case *repeat:
		next = `,"nextCursor":"page 1"`
	case !*endless && page == len(list.objects)-1:
		next = ""
	}
	s.answer(m.ID, fmt.Sprintf(`{"tools":[%s]%s}`, object, next))
}
