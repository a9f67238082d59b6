package proxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/proxy"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Of several connections clients see all tools, prompts and resources, under names and
// URIs that say whose they are where that is needed.
func TestSeveralConnectionsAreOneServer(t *testing.T) {
	for _, era := range []string{older, newer} {
		for _, down := range []string{"stdio", "http"} {
			t.Run(era+" "+down, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				at := behind(t, down, proxy.Options{Sources: []proxy.Source{
					{Connection: upstreamOf(t, "one.a", "stdio", false)},
					{Connection: upstreamOf(t, "two.b_c", "http", era == newer)},
				}})
				v, err := enter(t, at, era)
				if err != nil {
					t.Fatal(err)
				}
				if err := v.listening(ctx, era); err != nil {
					t.Fatal(err)
				}
				if got := v.InitializeResult().Instructions; got != "one.a:\nBe kind.\n\ntwo.b_c:\nBe kind." {
					t.Errorf("the instructions are %q", got)
				}
				tools, err := v.ListTools(ctx, nil)
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, tool := range tools.Tools {
					names = append(names, tool.Name)
				}
				if len(names) != 38 || !slices.Contains(names, "one_a_recall") || !slices.Contains(names, "two_b_c_recall") {
					t.Errorf("the tools are %v", names)
				}
				for _, name := range names {
					if len(name) > 64 || strings.Contains(name, ".") {
						t.Errorf("not every client takes the name %q", name)
					}
				}
				// State is each server's.
				for _, name := range []string{"one_a", "two_b_c"} {
					if _, err := v.call(ctx, name+"_remember", map[string]any{"value": name}); err != nil {
						t.Fatal(err)
					}
				}
				for _, name := range []string{"one_a", "two_b_c"} {
					if got, err := v.call(ctx, name+"_recall", nil); err != nil || got != name {
						t.Errorf("%s recalls %q, %v", name, got, err)
					}
				}
				// URIs.
				resources, err := v.ListResources(ctx, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := resources.Resources[0].URI + " " + resources.Resources[1].URI; got != "one.a+file:///a two.b-c+file:///a" {
					t.Errorf("the resources are %s", got)
				}
				for _, prefix := range []string{"one.a+", "two.b-c+"} {
					r, err := v.ReadResource(ctx, &mcp.ReadResourceParams{URI: prefix + "file:///t/x"})
					if err != nil || r.Contents[0].URI != prefix+"file:///t/x" || r.Contents[0].Text != "text of file:///t/x" {
						t.Errorf("%v, %v", r, err)
					}
				}
				link, err := v.CallTool(ctx, &mcp.CallToolParams{Name: "two_b_c_link"})
				if err != nil || link.Content[0].(*mcp.ResourceLink).URI != "two.b-c+file:///a" || link.Content[1].(*mcp.EmbeddedResource).Resource.URI != "two.b-c+file:///a" {
					t.Errorf("%v, %v", link, err)
				}
				prompt, err := v.GetPrompt(ctx, &mcp.GetPromptParams{Name: "one_a_greet"})
				if err != nil || prompt.Messages[1].Content.(*mcp.ResourceLink).URI != "one.a+file:///a" {
					t.Errorf("%v, %v", prompt, err)
				}
				complete, err := v.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "two_b_c_greet"}, Argument: mcp.CompleteParamsArgument{Name: "n", Value: "v"}})
				if err != nil || complete.Completion.Values[0] != "ref/prompt greet v" {
					t.Errorf("%v, %v", complete, err)
				}
				// Changes.
				if err := v.Subscribe(ctx, &mcp.SubscribeParams{URI: "two.b-c+file:///a"}); err != nil {
					t.Fatal(err)
				}
				for {
					if _, err := v.call(ctx, "two_b_c_touch", nil); err != nil {
						t.Fatal(err)
					}
					short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
					err := v.hear(short, "updated two.b-c+file:///a")
					cancel()
					if err == nil {
						break
					}
					if ctx.Err() != nil {
						t.Fatal(err)
					}
				}
				if _, err := v.call(ctx, "one_a_grow", nil); err != nil {
					t.Fatal(err)
				}
				if err := v.hear(ctx, "tools changed"); err != nil {
					t.Fatal(err)
				}
				if got, err := v.call(ctx, "grown", nil); err != nil || got != "new" { // only one has it
					t.Errorf("%q, %v", got, err)
				}
				if got, err := v.call(ctx, "two_b_c_ask", nil); err != nil || got != "accept Ada" {
					t.Errorf("%q, %v", got, err)
				}
			})
		}
	}
}

// A connection whose server does not start is left out; who uses it is told which it is.
func TestTheOthersGoOnWithoutAServerThatDoesNotStart(t *testing.T) {
	broken := raws(t, "bad.one", "-exit", "3")
	broken.Tools = []string{"echo", "known"}
	for name, o := range map[string]proxy.Options{
		"known":           {Sources: []proxy.Source{raws(t, "good.one"), broken}},
		"bad_one_counter": {Sources: []proxy.Source{raws(t, "good.one"), broken}, Prefix: proxy.Always},
	} {
		c := greeted(t, o)
		c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		if got := c.has(`"id":1`, "counter"); strings.Contains(got, "bad_one") {
			t.Errorf("listed: %s", got)
		}
		c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + name + `","arguments":{}}}`)
		c.has(`"id":2`, "bad.one", "cannot be used", "giving up")
		good := "counter"
		if o.Prefix == proxy.Always {
			good = "good_one_counter"
		}
		c.say(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"` + good + `","arguments":{}}}`)
		c.has(`"id":3`, `"count":1`)
	}
}

// A tool that allow, deny or a policy hides is not listed, and calling it is as calling
// one that there is none of, however the name is written.
func TestHiddenToolsDoNotExist(t *testing.T) {
	s := raws(t, "a.b")
	s.Hidden = func(tool string) string {
		if tool == "echo" {
			return "deny"
		}
		return ""
	}
	c := greeted(t, proxy.Options{Sources: []proxy.Source{s}})
	c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if got := c.has(`"id":1`); strings.Contains(got, `"echo"`) {
		t.Errorf("listed: %s", got)
	}
	for _, params := range []string{
		`{"name":"echo"}`, `{"name":"\u0065cho"}`, `{"name":"counter","name":"echo"}`, `{"name":"echo","name":"counter"}`,
		`{"name":"counter","Name":"echo"}`, `{"n\u0061me":"echo"}`, `{"name":["echo"]}`, `{}`,
	} {
		c.say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":` + params + `}`)
		if got := c.has(`"id":2`, `"code":-32602`); strings.Contains(got, "result") {
			t.Errorf("%s: %s", params, got)
		}
	}
}

func TestNames(t *testing.T) {
	source := func(id string, tools ...string) proxy.Source {
		return proxy.Source{Connection: connection.Connection{ID: id, Stdio: &connection.Stdio{Command: "x"}}, Tools: tools}
	}
	for _, c := range []struct {
		name    string
		prefix  proxy.Prefix
		sources []proxy.Source
		err     []string
	}{
		{"the same name twice without prefixes", proxy.Never, []proxy.Source{source("a.b", "t"), source("c.d", "t")}, []string{"a.b.t", "c.d.t", "--prefix conflict"}},
		{"with prefixes where needed", proxy.Conflict, []proxy.Source{source("a.b", "t"), source("c.d", "t")}, nil},
		{"a prefix that makes another's name", proxy.Always, []proxy.Source{source("a.b", "c_t"), source("a.b_c", "t")}, []string{"a.b.c_t", "a.b_c.t", `"a_b_c_t"`}},
		{"a name like a prefixed one", proxy.Conflict, []proxy.Source{source("a.b", "t", "u"), source("c.d", "t", "a_b_t")}, []string{"a.b.t", "c.d.a_b_t"}},
		{"names that differ in odd characters", proxy.Conflict, []proxy.Source{source("a.b", "t.u", "t/u", "t_u")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := proxy.New(proxy.Options{Prefix: c.prefix, Sources: c.sources})
			if (err != nil) != (c.err != nil) {
				t.Fatalf("the error is %v", err)
			}
			for _, part := range c.err {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v, without %s", err, part)
				}
			}
		})
	}
}

// A name that not every client takes is shortened, to the same one in every session,
// and leads to its tool.
func TestLongAndOddNamesAreShortened(t *testing.T) {
	ctx := t.Context()
	at := behind(t, "http", proxy.Options{Prefix: proxy.Always, Sources: []proxy.Source{{Connection: upstreamOf(t, "a.b", "stdio", false)}}})
	var before []string
	for range 2 {
		v, err := enter(t, at, older)
		if err != nil {
			t.Fatal(err)
		}
		// Without a list, too: the name is found by asking.
		tools, err := v.ListTools(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range tools.Tools {
			names = append(names, tool.Name)
			if strings.HasPrefix(tool.Name, "a_b_a_tool_whose") || strings.HasPrefix(tool.Name, "a_b_dotted") {
				want := "long"
				if strings.Contains(tool.Name, "dotted") {
					want = "dotted"
				}
				if got, err := v.call(ctx, tool.Name, nil); err != nil || got != want || len(tool.Name) > 64 {
					t.Errorf("%s: %q, %v", tool.Name, got, err)
				}
			}
		}
		if before != nil && !slices.Equal(before, names) {
			t.Errorf("%v\n%v", before, names)
		}
		before = names
	}
}

// Everything that passes is recorded, without secrets.
func TestRecord(t *testing.T) {
	s := raws(t, "a.b")
	s.Connection.Redact = []string{"hunter2hunter2"}
	var out strings.Builder
	c := greeted(t, proxy.Options{Sources: []proxy.Source{s}, Record: &out})
	c.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"value":"hunter2hunter2"}}}`)
	c.has("hunter2")
	c.in.Close()
	if err := <-c.ended; err != nil {
		t.Fatal(err)
	}
	var seen []string
	for line := range strings.Lines(out.String()) {
		var l struct {
			To      string
			Message json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		seen = append(seen, fmt.Sprint(l.To, " ", string(l.Message)))
	}
	if len(seen) != 5 || !strings.Contains(seen[3], `proxy {"jsonrpc":"2.0","id":1`) || !strings.Contains(seen[4], `client {"jsonrpc":"2.0","id":1`) || strings.Contains(out.String(), "hunter2") {
		t.Errorf("recorded:\n%s", strings.Join(seen, "\n"))
	}
}
