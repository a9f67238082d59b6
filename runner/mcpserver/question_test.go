package mcpserver_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runner/mcpserver"
	"github.com/lda-wf/wfc/runner/service"
)

const asking = `
workflow "release" {
  source "s" {
    bind = connection.test.main
  }
  step "confirm" {
    ask {
      message = "Release it?"
      answer  = object({ ok = bool, why = optional(string) })
    }
  }
  step "name" {
    ask {
      message = "How shall it be called?"
      answer  = list(string)
    }
  }
  step "count" {
    when = step.confirm.output.ok
    call = s.counter
  }
  output "said" {
    value = "${coalesce(step.confirm.output.why, "nothing")} ${join("-", step.name.output)} ${step.count.outcome}"
  }
}
deployment "release" {
  workflow = workflow.release
}
`

// asked is a client whose person gives these answers, by what they are asked.
func asked(t *testing.T, answers map[string]*mcp.ElicitResult) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			answer := answers[req.Params.Message]
			if answer == nil {
				t.Errorf("it was asked %q", req.Params.Message)
				return &mcp.ElicitResult{Action: "cancel"}, nil
			}
			return answer, nil
		},
	})
}

func TestQuestionsAreTheClients(t *testing.T) {
	eachWay(t, func(t *testing.T, connect func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession) {
		_, s, err := open(t, mcpserver.Options{}, asking)
		if err != nil {
			t.Fatal(err)
		}
		client := asked(t, map[string]*mcp.ElicitResult{
			"Release it?":             {Action: "accept", Content: map[string]any{"ok": true, "why": "it is time"}},
			"How shall it be called?": {Action: "accept", Content: map[string]any{"answer": `["a", "b"]`}},
		})
		r, err := connect(t, s, client).CallTool(t.Context(), &mcp.CallToolParams{Name: "release"})
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"said":"it is time a-b ok"}`; text(r) != want {
			t.Errorf("it gave %q", text(r))
		}
	})
}

func TestAWrongAnswerIsAskedForAgain(t *testing.T) {
	eachWay(t, func(t *testing.T, connect func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession) {
		_, s, err := open(t, mcpserver.Options{}, asking)
		if err != nil {
			t.Fatal(err)
		}
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
			ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				why, again := strings.CutSuffix(req.Params.Message, "\n\nHow shall it be called?")
				switch {
				case again && strings.HasPrefix(why, "The answer "):
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": `["a"]`}}, nil
				case strings.HasPrefix(req.Params.Message, "How"):
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "a"}}, nil
				}
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"ok": true}}, nil
			},
		})
		r, err := connect(t, s, client).CallTool(t.Context(), &mcp.CallToolParams{Name: "release"})
		if err != nil || text(r) != `{"said":"nothing a ok"}` {
			t.Errorf("it gave %q, %v", text(r), err)
		}
	})
}

func TestAnAnswerThatIsWrongForEverLeavesTheRunWaiting(t *testing.T) {
	_, s, err := open(t, mcpserver.Options{}, asking)
	if err != nil {
		t.Fatal(err)
	}
	asks := 0
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if !strings.HasSuffix(req.Params.Message, "How shall it be called?") {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"ok": true}}, nil
			}
			asks++
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"answer": "a"}}, nil
		},
	})
	r, err := overHTTP("2025-11-25")(t, s, client).CallTool(t.Context(), &mcp.CallToolParams{Name: "release"})
	if err != nil || !r.IsError || !strings.Contains(text(r), "waits for a person") || asks != 3 {
		t.Errorf("it gave %q, %v after %d answers", text(r), err, asks)
	}
}

func TestADeclinedQuestionFailsTheRun(t *testing.T) {
	eachWay(t, func(t *testing.T, connect func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession) {
		_, s, err := open(t, mcpserver.Options{}, asking)
		if err != nil {
			t.Fatal(err)
		}
		decline := &mcp.ElicitResult{Action: "decline"}
		client := asked(t, map[string]*mcp.ElicitResult{"Release it?": decline, "How shall it be called?": decline})
		r, err := connect(t, s, client).CallTool(t.Context(), &mcp.CallToolParams{Name: "release"})
		if err != nil || !r.IsError || !strings.Contains(text(r), "declined") {
			t.Errorf("it gave %q, %v", text(r), err)
		}
	})
}

func TestWhoCannotBeAskedLeavesTheRunWaiting(t *testing.T) {
	eachWay(t, func(t *testing.T, connect func(*testing.T, *mcpserver.Server, *mcp.Client) *mcp.ClientSession) {
		h, s, err := open(t, mcpserver.Options{}, asking)
		if err != nil {
			t.Fatal(err)
		}
		r, err := connect(t, s, plainClient()).CallTool(t.Context(), &mcp.CallToolParams{Name: "release"})
		if err != nil || !r.IsError || !strings.Contains(text(r), "Release it?") {
			t.Errorf("it gave %q, %v", text(r), err)
		}
		runs, err := h.Runs(t.Context(), service.RunFilter{})
		if err != nil || len(runs) != 1 || runs[0].Status != "waiting" {
			t.Errorf("the runs are %+v, %v", runs, err)
		}
	})
}
