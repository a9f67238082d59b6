package discover

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runtime/connection"
	"github.com/lda-wf/wfc/runtime/pool"
	"github.com/lda-wf/wfc/runtime/session"
	"github.com/lda-wf/wfc/testdata/servers/servertest"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// snapshot lists what the test server with these flags offers.
func snapshot(t *testing.T, flags ...string) (*catalog.Snapshot, error) {
	t.Helper()
	p := pool.New(pool.Options{})
	target := pool.Target{Connection: connection.Connection{ID: "test.main", Stdio: &connection.Stdio{Command: servertest.Path(t), Args: flags, Dir: t.TempDir()}}}
	s, err := Snapshot(t.Context(), p, target)
	if err := p.Close(context.Background()); err != nil {
		t.Errorf("Close: %v", err)
	}
	servertest.CheckGoroutines(t)
	return s, err
}

func raw(objects []catalog.Object) string {
	var all []string
	for _, o := range objects {
		all = append(all, string(o.Raw))
	}
	return strings.Join(all, "\n")
}

func TestSnapshotHasTheRawObjects(t *testing.T) {
	s, err := snapshot(t)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct{ got, want string }{
		"connection":   {s.Connection, "test.main"},
		"server info":  {string(s.ServerInfo), `{"name":"testserver","version":"1","vendor":[1.0]}`},
		"revision":     {s.ProtocolVersion, "2025-11-25"},
		"instructions": {s.Instructions, "Be kind."},
		"capabilities": {string(s.Capabilities), `{"tools":{"listChanged":true},"resources":{},"prompts":{}}`},
		"our own":      {string(s.ClientCapabilities), `{}`},
		"tools": {raw(s.Tools), `{"name":"counter","description":"Counts.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}
{"name":"echo","inputSchema":{"type":"object","properties":{"value":true}},"execution":{"taskSupport":"forbidden"},"x-vendor":{"n":1.50}}
{"name":"odd","inputSchema":{"type":"array","items":true}}`},
		"resources": {raw(s.Resources), `{"uri":"test://a","name":"a","size":9007199254740993}`},
		"templates": {raw(s.ResourceTemplates), `{"uriTemplate":"test://{x}","name":"x"}`},
		"prompts":   {raw(s.Prompts), `{"name":"ask","arguments":[{"name":"q","required":true}]}`},
		"errors":    {fmt.Sprint(s.Errors), "[]"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %s\nwant %s", what, c.got, c.want)
		}
	}
}

func TestSnapshotOfTheSameServerIsTheSameFile(t *testing.T) {
	one, err := snapshot(t)
	if err != nil {
		t.Fatal(err)
	}
	pages, err := snapshot(t, "-paged", "-indent")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Encode(), pages.Encode()) {
		t.Errorf("got\n%s\nand\n%s", one.Encode(), pages.Encode())
	}
	again, err := catalog.Decode(one.Encode(), "catalog/test.main.json")
	if err != nil {
		t.Fatal(err)
	}
	if tool := again.Tool("counter"); tool == nil || tool.Digest != one.Tool("counter").Digest || again.ProtocolVersion != one.ProtocolVersion {
		t.Errorf("read again: %v", tool)
	}
}

func TestSnapshotOfANewerServer(t *testing.T) {
	s, err := snapshot(t, "-probe", "answer")
	if err != nil {
		t.Fatal(err)
	}
	if s.ProtocolVersion != "2026-07-28" || string(s.ServerInfo) != `{"name":"testserver","version":"2"}` || len(s.Tools) != 3 {
		t.Errorf("revision %s, server %s, %d tools", s.ProtocolVersion, s.ServerInfo, len(s.Tools))
	}
	if len(s.Resources)+len(s.ResourceTemplates)+len(s.Prompts)+len(s.Errors) != 0 {
		t.Errorf("lists that it does not offer were asked for: %v", s.Errors)
	}
}

func TestPages(t *testing.T) {
	for _, c := range []struct {
		flag  string
		tools int
		err   string
	}{
		{"-paged", 3, ""},
		{"-repeat", 2, `the server gave the cursor "page 1" twice, so its list has no end; what came before it was taken`},
		{"-endless", MaxPages, `the server gave 1000 pages and no end; these were taken`},
	} {
		t.Run(c.flag, func(t *testing.T) {
			s, err := snapshot(t, c.flag)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Tools) != c.tools {
				t.Errorf("%d tools, want %d", len(s.Tools), c.tools)
			}
			var got string
			if len(s.Errors) > 0 {
				got = s.Errors[0].Message
			}
			if got != c.err {
				t.Errorf("error %q, want %q", got, c.err)
			}
		})
	}
}

func TestListThatFailsIsRecordedAndTheOthersAreTaken(t *testing.T) {
	s, err := snapshot(t, "-fail-lists", "resources,prompts")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tools) != 3 || len(s.Resources) != 0 || len(s.ResourceTemplates) != 1 || len(s.Prompts) != 0 {
		t.Errorf("%d tools, %d resources, %d templates, %d prompts", len(s.Tools), len(s.Resources), len(s.ResourceTemplates), len(s.Prompts))
	}
	want := "[{resources connection test.main, resources/list: The server refused it: the list of resources is broken (code -32603).}" +
		" {prompts connection test.main, prompts/list: The server refused it: the list of prompts is broken (code -32603).}]"
	if got := fmt.Sprint(s.Errors); got != want {
		t.Errorf("errors %s\nwant %s", got, want)
	}
}

// silent is a server of which one list is never answered.
type silent struct{ Lister }

func (silent) Server(context.Context) (session.Server, error) {
	return session.Server{Capabilities: []byte(`{"tools":{},"resources":{},"prompts":{}}`)}, nil
}

func (silent) ListTools(context.Context, string) (*session.Page, error) {
	return nil, &session.Error{Connection: "test.main", Operation: "tools/list", Reason: session.Quiet}
}

func (silent) ListResources(context.Context, string) (*session.Page, error) {
	return &session.Page{Items: []json.RawMessage{[]byte(`{"uri":"test://a"}`)}}, nil
}

func (silent) ListResourceTemplates(context.Context, string) (*session.Page, error) {
	return &session.Page{}, nil
}

func (silent) ListPrompts(context.Context, string) (*session.Page, error) {
	return nil, &session.Error{Connection: "test.main", Operation: "prompts/list", Reason: session.Lost}
}

func TestListThatIsNeverAnsweredIsRecordedAndTheOthersAreTaken(t *testing.T) {
	s, err := Of(t.Context(), "test.main", silent{})
	if e := (*session.Error)(nil); !errors.As(err, &e) || e.Reason != session.Lost || s != nil {
		t.Errorf("a session that is lost later: %v", err)
	}
	s, err = Of(t.Context(), "test.main", prompting{})
	if err != nil || len(s.Resources) != 1 || len(s.Errors) != 1 || s.Errors[0].List != "tools" {
		t.Errorf("got %+v, %v", s, err)
	}
}

// prompting is silent with a list of prompts.
type prompting struct{ silent }

func (prompting) ListPrompts(context.Context, string) (*session.Page, error) {
	return &session.Page{}, nil
}

func TestEntryThatIsNoneIsAProblemOfItsOwn(t *testing.T) {
	s, err := snapshot(t, "-odd-entries")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.ToolNames(), s.PromptNames(), s.TemplateNames(), s.Errors); got != "[counter echo never none odd ref] [ask] [x] []" {
		t.Errorf("got %s", got)
	}
	var got []string
	for _, p := range s.Problems() {
		if p.List == "resources" {
			got = append(got, p.Message)
		}
	}
	want := `It is no object, so that it cannot be used: "text"
Its uri is no text, or an empty one, so that it cannot be used: {"name":7,"uri":7,"uriTemplate":7}
Its uri is no text, or an empty one, so that it cannot be used: {"name":"","uri":"","uriTemplate":""}
It has no uri, so that it cannot be used: {"description":"nameless"}
It is no object, so that it cannot be used: null`
	if all := strings.Join(got, "\n"); all != want || len(s.Problems()) != 24 {
		t.Errorf("%d problems; got\n%s\nwant\n%s", len(s.Problems()), all, want)
	}
}

func TestServerThatDoesNotStartIsAnError(t *testing.T) {
	_, err := snapshot(t, "-exit", "3")
	var e *session.Error
	if !errors.As(err, &e) || e.Exit != "exit status 3" {
		t.Errorf("got %v", err)
	}
}
