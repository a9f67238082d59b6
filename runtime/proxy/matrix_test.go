package proxy_test

//lint:file-ignore SA1019 Servers of the revisions before 2026-07-28, which are most, still use sampling, roots and logging.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runtime/proxy"
)

// row is one thing that MCP has, as a client sees it. It fails where the site does not
// have it.
type row struct {
	name string
	try  func(ctx context.Context, t *testing.T, v *visitor, s site, era string) error
}

func expect(got, want string, err error) error {
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("got %q, want %q", got, want)
	}
	return nil
}

// says is the row of a tool that answers with a text.
func says(tool string, args map[string]any, want string) func(context.Context, *testing.T, *visitor, site, string) error {
	return func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		got, err := v.call(ctx, tool, args)
		return expect(got, want, err)
	}
}

var rows = []row{
	{"lists", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		tools, err := v.ListTools(ctx, nil)
		if err != nil {
			return err
		}
		resources, err := v.ListResources(ctx, nil)
		if err != nil {
			return err
		}
		templates, err := v.ListResourceTemplates(ctx, nil)
		if err != nil {
			return err
		}
		prompts, err := v.ListPrompts(ctx, nil)
		if err != nil {
			return err
		}
		return expect(fmt.Sprint(len(tools.Tools), resources.Resources[0].URI, templates.ResourceTemplates[0].URITemplate, prompts.Prompts[0].Name),
			"19file:///afile:///t/{name}greet", nil)
	}},
	{"call", says("remember", map[string]any{"value": "x"}, "noted")},
	{"isError", says("fail", nil, "error: it failed")},
	{"unknown tool", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		_, err := v.call(ctx, "nothing_like_it", nil)
		wire := (*jsonrpc.Error)(nil)
		if !errors.As(err, &wire) || wire.Code != -32602 || !strings.Contains(err.Error(), "nothing_like_it") {
			return fmt.Errorf("got %v", err)
		}
		return nil
	}},
	{"structured content and output schema", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		tools, err := v.ListTools(ctx, nil)
		if err != nil {
			return err
		}
		for _, tool := range tools.Tools {
			if schema, _ := json.Marshal(tool.OutputSchema); tool.Name == "echo" && !strings.Contains(string(schema), "x-more") {
				return fmt.Errorf("the schema is %s", schema)
			}
		}
		r, err := v.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"value": "é\n", "n": 3}})
		if err != nil {
			return err
		}
		got, err := json.Marshal(r.StructuredContent)
		return expect(string(got), `{"n":3,"value":"é\n"}`, err)
	}},
	{"state within a session", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		if _, err := v.call(ctx, "remember", map[string]any{"value": "this"}); err != nil {
			return err
		}
		got, err := v.call(ctx, "recall", nil)
		return expect(got, "this", err)
	}},
	{"a second client has its own server", func(ctx context.Context, t *testing.T, v *visitor, s site, era string) error {
		if era == newer {
			return errors.New("the newer era has no sessions")
		}
		if _, err := v.call(ctx, "remember", map[string]any{"value": "mine"}); err != nil {
			return err
		}
		other, err := enter(t, s, era)
		if err != nil {
			return err
		}
		got, err := other.call(ctx, "recall", nil)
		return expect(got, "", err)
	}},
	{"client info and capabilities", says("whoami", nil, "visitor elicitation=true sampling=true")},
	{"instructions", func(_ context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		return expect(v.InitializeResult().Instructions, "Be kind.", nil)
	}},
	{"capabilities", func(_ context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		got, err := json.Marshal(v.InitializeResult().Capabilities)
		return expect(string(got), `{"completions":{},"logging":{},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"tools":{"listChanged":true}}`, err)
	}},
	{"progress", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		if _, err := v.call(ctx, "progress", nil); err != nil {
			return err
		}
		for i := range 3 {
			if err := v.hear(ctx, fmt.Sprint("progress part ", i+1)); err != nil {
				return err
			}
		}
		return nil
	}},
	{"logs and setLevel", func(ctx context.Context, _ *testing.T, v *visitor, _ site, era string) error {
		p := &mcp.CallToolParams{Name: "log"}
		if era == newer {
			p.Meta = mcp.Meta{mcp.MetaKeyLogLevel: "warning"}
		} else if err := v.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "warning"}); err != nil {
			return err
		}
		if _, err := v.CallTool(ctx, p); err != nil {
			return err
		}
		select {
		case got := <-v.told:
			return expect(got, `warning "just text"`, nil)
		case <-ctx.Done():
			return errors.New("no log came")
		}
	}},
	{"elicitation", says("ask", nil, "accept Ada")},
	{"elicitation by a request", says("ask_directly", nil, "accept Ada")},
	{"sampling", says("sample", nil, "hello world")},
	{"roots", says("roots", nil, "file:///root")},
	{"list_changed", func(ctx context.Context, _ *testing.T, v *visitor, _ site, era string) error {
		if err := v.listening(ctx, era); err != nil {
			return err
		}
		if _, err := v.call(ctx, "grow", nil); err != nil {
			return err
		}
		if err := v.hear(ctx, "tools changed"); err != nil {
			return err
		}
		tools, err := v.ListTools(ctx, nil)
		if err != nil {
			return err
		}
		for _, tool := range tools.Tools {
			if tool.Name == "grown" {
				got, err := v.call(ctx, "grown", nil)
				return expect(got, "new", err)
			}
		}
		return errors.New("the new tool is not listed")
	}},
	{"resources", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		for _, uri := range []string{"file:///a", "file:///t/x"} {
			r, err := v.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
			if err != nil {
				return err
			}
			if r.Contents[0].URI != uri || r.Contents[0].Text != "text of "+uri {
				return fmt.Errorf("got %v", r.Contents[0])
			}
		}
		return nil
	}},
	{"an unknown resource", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		_, err := v.ReadResource(ctx, &mcp.ReadResourceParams{URI: "file:///none"})
		if wire := (*jsonrpc.Error)(nil); !errors.As(err, &wire) {
			return fmt.Errorf("got %v", err)
		}
		return nil
	}},
	{"resource links", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		r, err := v.CallTool(ctx, &mcp.CallToolParams{Name: "link"})
		if err != nil {
			return err
		}
		uri := r.Content[0].(*mcp.ResourceLink).URI
		if other := r.Content[1].(*mcp.EmbeddedResource).Resource.URI; other != uri {
			return fmt.Errorf("%s and %s", uri, other)
		}
		read, err := v.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if err != nil {
			return err
		}
		return expect(read.Contents[0].Text, "text of file:///a", nil)
	}},
	{"subscribe and updated", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		if err := v.Subscribe(ctx, &mcp.SubscribeParams{URI: "file:///a"}); err != nil {
			return err
		}
		for { // in the newer era Subscribe does not wait until the server has heard of it
			if _, err := v.call(ctx, "touch", nil); err != nil {
				return err
			}
			short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
			err := v.hear(short, "updated file:///a")
			cancel()
			if err == nil || ctx.Err() != nil {
				return err
			}
		}
	}},
	{"prompts", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		r, err := v.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"who": "you"}})
		if err != nil {
			return err
		}
		return expect(r.Messages[0].Content.(*mcp.TextContent).Text, "Hello you", nil)
	}},
	{"completion", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		for _, ref := range []*mcp.CompleteReference{{Type: "ref/prompt", Name: "greet"}, {Type: "ref/resource", URI: "file:///t/{name}"}} {
			r, err := v.Complete(ctx, &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: "n", Value: "v"}})
			if err != nil {
				return err
			}
			if err := expect(r.Completion.Values[0], ref.Type+" "+ref.Name+ref.URI+" v", nil); err != nil {
				return err
			}
		}
		return nil
	}},
	{"cancellation, which the session survives", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		short, cancel := context.WithCancel(ctx)
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			_, err := v.call(short, "wait", nil)
			ended <- err
		}()
		if err := v.hear(ctx, "progress "); err != nil {
			return err
		}
		cancel()
		if err := <-ended; err == nil {
			return errors.New("the call was not cancelled")
		}
		for ctx.Err() == nil {
			got, err := v.call(ctx, "recall", nil)
			if err != nil || got == "cancelled" {
				return err
			}
		}
		return errors.New("the server was not told")
	}},
	{"overlapping calls", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		errs := make(chan error, 4)
		for range 4 {
			go func() {
				got, err := v.call(ctx, "meet", nil)
				errs <- expect(got, "met", err)
			}()
		}
		var all error
		for range 4 {
			all = errors.Join(all, <-errs)
		}
		return all
	}},
	{"a large result", func(ctx context.Context, _ *testing.T, v *visitor, _ site, _ string) error {
		got, err := v.call(ctx, "big", map[string]any{"n": 3 << 20})
		return expect(fmt.Sprint(len(got)), fmt.Sprint(3<<20), err)
	}},
}

// What a client can do with a server directly it can do through the proxy: over both
// transports on both sides, in both eras.
func TestAllThatMCPHasPassesThroughTheProxy(t *testing.T) {
	for _, era := range []string{older, newer} {
		for _, up := range []string{"stdio", "http"} {
			has := map[string]bool{}
			at := direct(t, up, era)
			for _, r := range rows {
				err := try(t, at, era, r)
				if has[r.name] = err == nil; err != nil {
					t.Logf("%s, %s: %s: not there: %v", era, at.name, r.name, err)
				}
			}
			for _, down := range []string{"stdio", "http"} {
				t.Run(fmt.Sprintf("%s/%s from %s", era, down, up), func(t *testing.T) {
					for _, r := range rows {
						if !has[r.name] {
							continue
						}
						t.Run(r.name, func(t *testing.T) {
							at := behind(t, down, proxy.Options{Sources: []proxy.Source{{Connection: upstreamOf(t, "a.b", up, era == newer)}}})
							if err := try(t, at, era, r); err != nil {
								t.Error(err)
							}
						})
					}
				})
			}
		}
	}
}

func try(t *testing.T, at site, era string, r row) error {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	v, err := enter(t, at, era)
	if err != nil {
		return err
	}
	if got := v.InitializeResult().ProtocolVersion; got != era {
		return fmt.Errorf("the revision is %s", got)
	}
	return r.try(ctx, t, v, at, era)
}
