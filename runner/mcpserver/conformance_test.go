package mcpserver_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/runner/mcpserver"
	"github.com/lda-wf/wfc/runner/rpc"
	"github.com/lda-wf/wfc/testdata/npm"
)

// What the scenarios of the suite want of a server's tools that workflows can do.
const conformance = `
workflow "error" {
  source "s" {
    bind = connection.test.main
  }
  step "fail" {
    call = s.error
    args = { code = -32000, message = "not today" }
  }
}
workflow "steps" {
  step "one" {
    value = 1
  }
  step "two" {
    value = step.one.output + 1
  }
  step "three" {
    value = step.two.output + 1
  }
  output "sum" {
    value = step.three.output
  }
}
workflow "asks" {
  input "message" {
    type = string
  }
  step "who" {
    ask {
      message = input.message
      answer  = object({ username = string, email = string })
    }
  }
  output "who" {
    value = step.who.output.username
  }
}
workflow "picture" {
  source "s" {
    bind = connection.test.main
  }
  step "get" {
    call = s.raw
    args = { result = { content = [{ type = "image", mimeType = "image/png", data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==" }] } }
  }
  output "image" {
    value = step.get.content[0].blob
  }
}
workflow "sound" {
  source "s" {
    bind = connection.test.main
  }
  step "get" {
    call = s.raw
    args = { result = { content = [{ type = "audio", mimeType = "audio/wav", data = "UklGRg==" }] } }
  }
  output "sound" {
    value = step.get.content[0].blob
  }
}
deployment "test_image_content" {
  workflow = workflow.picture
}
deployment "test_audio_content" {
  workflow = workflow.sound
}
deployment "test_error_handling" {
  workflow = workflow.error
}
deployment "test_tool_with_progress" {
  workflow = workflow.steps
}
deployment "test_elicitation" {
  workflow = workflow.asks
}
`

// The scenarios of the MCP conformance suite that a server of workflows can pass: those
// that need resources, prompts, sampling or results of other shapes are of other servers.
func TestConformance(t *testing.T) {
	if os.Getenv("WFC_E2E") != "full" {
		t.Skip("WFC_E2E is not full")
	}
	suite := npm.Conformance(t)
	h, s, err := open(t, mcpserver.Options{}, conformance)
	if err != nil {
		t.Fatal(err)
	}
	server, err := rpc.New(rpc.Options{Host: h, MCP: s.Handler(rpc.Principal)})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	for _, c := range []struct {
		name, program string
		args          []string
		pass          []string
	}{
		{"before 2026-07-28", suite.Release, []string{"--suite", "all"}, []string{
			"server-initialize", "ping", "tools-list", "tools-call-image", "tools-call-audio", "tools-call-error", "tools-call-with-progress", "tools-call-elicitation",
			"server-sse-multiple-streams", "resources-list", "prompts-list", "dns-rebinding-protection",
		}},
		{"2026-07-28", suite.Modern, []string{"--spec-version", "2026-07-28"}, []string{
			"tools-list", "tools-call-image", "tools-call-audio", "tools-call-error", "tools-call-with-progress", "server-sse-multiple-streams", "resources-list", "prompts-list", "dns-rebinding-protection",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, _ := exec.Command(suite.Node, append([]string{c.program, "server", "--url", web.URL + "/mcp"}, c.args...)...).CombinedOutput() // its status says that something failed
			var passed []string
			for line := range strings.Lines(string(out)) {
				if name, ok := strings.CutPrefix(strings.TrimSpace(line), "✓ "); ok {
					name, _, _ = strings.Cut(name, ":")
					passed = append(passed, name)
				}
			}
			for _, name := range c.pass {
				if !slices.Contains(passed, name) {
					t.Errorf("the scenario %s did not pass", name)
				}
			}
			if t.Failed() {
				t.Log(string(out))
			}
		})
	}
}
