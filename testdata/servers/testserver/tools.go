package testserver

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// call performs a tool call; those that wait do so beside the reading of messages.
func (s *server) call(m message) {
	var p struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"arguments"`
		Meta struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		s.refuse(m.ID, -32602, err.Error())
		return
	}
	record(*logFile, "call %s %s", p.Name, p.Args)
	s.mu.Lock()
	s.calls[string(m.ID)] = p.Name
	s.called++
	crash := *crashAfter > 0 && s.called >= *crashAfter
	s.mu.Unlock()
	if crash {
		s.crash(7)
	}
	var args struct {
		Value   json.RawMessage   `json:"value"`   // echo
		Result  json.RawMessage   `json:"result"`  // raw: the whole result
		N       int               `json:"n"`       // how many or how much
		Code    int               `json:"code"`    // crash, error
		Message string            `json:"message"` // error, stderr, confirm, sample
		Asks    json.RawMessage   `json:"asks"`    // ask: requests to the client by names of ours
		Logs    []json.RawMessage `json:"logs"`    // chat: parameters of log messages
	}
	if err := json.Unmarshal(p.Args, &args); err != nil {
		s.refuse(m.ID, -32602, err.Error())
		return
	}
	switch p.Name {
	case "counter": // counts the calls of this session
		s.count++
		s.answer(m.ID, fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}],"structuredContent":{"count":%d}}`, s.count, s.count))
	case "echo": // passes bytes through
		s.answer(m.ID, fmt.Sprintf(`{"content":[],"structuredContent":{"value":%s}}`, args.Value))
	case "raw", "read_raw": // answers with exactly what it is told to
		s.answer(m.ID, string(args.Result))
	case "find": // whose types are what it is for
		s.answer(m.ID, `{"content":[],"structuredContent":{"items":[{"id":1,"title":"One","note":null},{"id":2,"title":"Two"}]}}`)
	case "crash":
		s.crash(args.Code)
	case "error":
		s.refuse(m.ID, args.Code, args.Message)
	case "null-error": // an error that does not say which request it is about
		s.send(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"cannot parse"}}`)
	case "wait", "wait_write": // until it is cancelled
		done := make(chan struct{})
		s.mu.Lock()
		s.cancels[string(m.ID)] = done
		s.mu.Unlock()
		record(*waiting, "wait")
	case "late": // answers when it is cancelled
		done := make(chan struct{})
		s.mu.Lock()
		s.cancels[string(m.ID)] = done
		s.mu.Unlock()
		go func() {
			<-done
			s.answer(m.ID, `{"content":[{"type":"text","text":"too late"}]}`)
		}()
	case "meet": // until n calls are here
		s.meet0(args.N)
		go func() {
			s.join(args.N)
			s.leave()
			s.answer(m.ID, `{"content":[{"type":"text","text":"met"}]}`)
		}()
	case "peak": // how many met at once
		s.mu.Lock()
		peak := s.peak
		s.mu.Unlock()
		s.answer(m.ID, fmt.Sprintf(`{"content":[],"structuredContent":{"peak":%d}}`, peak))
	case "progress": // n messages and the answer at once
		for i := range args.N {
			s.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":%d,"message":"part %d"}}`,
				p.Meta.ProgressToken, i+1, args.N, i+1))
		}
		s.answer(m.ID, `{"content":[]}`)
	case "report": // progress, and never an answer
		s.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`, p.Meta.ProgressToken))
	case "change": // says n times that it has other tools, and lists one more
		s.mu.Lock()
		s.tools++
		s.mu.Unlock()
		for range args.N {
			s.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		s.answer(m.ID, `{"content":[]}`)
	case "big": // n bytes of text
		s.answer(m.ID, fmt.Sprintf(`{"content":[{"type":"text","text":"%s"}]}`, strings.Repeat("x", args.N)))
	case "env":
		text, _ := json.Marshal(os.Environ())
		s.answer(m.ID, fmt.Sprintf(`{"content":[],"structuredContent":{"env":%s}}`, text))
	case "stderr":
		for i := range args.N {
			fmt.Fprintf(os.Stderr, "line %d %s\n", i+1, args.Message)
		}
		s.answer(m.ID, `{"content":[]}`)
	case "deaf": // answers and never reads again
		s.answer(m.ID, `{"content":[]}`)
		forever()
	case "orphan": // leaves a child that holds the output, and exits
		child := holder()
		child.Stdout, child.Stderr = os.Stdout, os.Stderr
		if err := child.Start(); err != nil {
			fail(err)
		}
		record(*logFile, "child %d", child.Process.Pid)
		exit(3)
	case "child": // starts a child in the same group and answers with its id
		child := holder()
		if err := child.Start(); err != nil {
			fail(err)
		}
		s.answer(m.ID, fmt.Sprintf(`{"content":[],"structuredContent":{"pid":%d}}`, child.Process.Pid))
	case "ask": // asks the client and answers with its answers as they came
		s.ask(m, args.Asks, func(answers json.RawMessage) {
			s.answer(m.ID, fmt.Sprintf(`{"content":[],"structuredContent":%s}`, answers))
		})
	case "confirm": // asks a person first
		s.confirm(m, args.Message)
	case "sample": // asks a model
		s.sample(m, args.Message)
	case "gate": // wants a person to go to a URL first
		s.gate(m)
	case "chat": // logs
		s.chat(m, p.Meta.ProgressToken, args.Logs)
	case "mumble": // prints the message in place of an answer
		s.line(args.Message)
	case "mute": // closes its output and lives on
		os.Stdout.Close()
	default:
		s.refuse(m.ID, -32602, fmt.Sprintf("there is no tool %q", p.Name))
	}
}

// holder is a process that does nothing.
func holder() *exec.Cmd {
	path, err := os.Executable()
	if err != nil {
		fail(err)
	}
	return exec.Command(path, "-hold")
}

// crash ends the server with the last words of a bad day.
func (s *server) crash(code int) {
	for i := range 30 {
		fmt.Fprintf(os.Stderr, "at frame %d\n", i+1)
	}
	fmt.Fprintf(os.Stderr, "panic: out of cheese")
	exit(code)
}

// meet0 counts a call that has come to the meeting.
func (s *server) meet0(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.meet == nil {
		s.meet = make(chan struct{})
	}
	s.inside++
	s.peak = max(s.peak, s.inside)
	if s.meeting++; s.meeting == n {
		close(s.meet)
	}
}

// leave counts a call that gets its answer now.
func (s *server) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inside--
}

// join waits for the others; a meeting that does not come about is a failed test.
func (s *server) join(n int) {
	select {
	case <-s.meet:
	case <-time.After(time.Minute):
		fail(fmt.Errorf("the meeting of %d did not come about", n))
	}
}
