package wftest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
	"github.com/lda-wf/wfc/runner/wftest"
)

// server answers calls by hand.
type server func(c engine.StartCall) (*engine.Answer, error)

func (s server) Call(_ context.Context, c engine.StartCall) (*engine.Answer, error) { return s(c) }
func (s server) Secret(string) (string, error)                                      { return "s3cr3t-s3cr3t", nil }
func (s server) Text(t string) string                                               { return strings.ReplaceAll(t, "s3cr3t-s3cr3t", "(secret)") }
func (s server) Value(v value.Value) value.Value {
	out, err := value.ParseJSON([]byte(s.Text(v.JSON())))
	if err != nil {
		return v
	}
	return out
}
func (s server) Blob(*value.BlobValue) ([]byte, error) { return nil, errors.New("there is none") }

// record records the tests of a file and returns the file as it is then.
func record(t *testing.T, workflow, test string, s server) (string, *wftest.Recording) {
	t.Helper()
	p := tests(t, map[string]string{"a.wf.hcl": workflow, "a.wftest.hcl": test})
	r, err := wftest.Record(context.Background(), p, everything, func(context.Context, *plan.Plan) (wftest.Server, error) { return s, nil })
	if err != nil {
		t.Fatal(err)
	}
	src, ok := r.Files["a.wftest.hcl"]
	if !ok {
		return test, r
	}
	write(t, p.Root, "a.wftest.hcl", string(src))
	q, err := project.Load(p.Root, project.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report := wftest.RunProject(context.Background(), q, everything); len(report.Unreadable) > 0 || report.Count(wftest.Broken) > 0 {
		t.Errorf("what was recorded cannot be read:\n%s\n%s", src, text(t, report))
	}
	return string(src), r
}

func says(text string) server {
	return func(engine.StartCall) (*engine.Answer, error) { return &engine.Answer{Text: text}, nil }
}

const echoes = `workflow "w" {
  source "demo" {
    bind = connection.demo.main
  }
  step "echo" {
    for_each     = ["a", "b", "a", "a"]
    max_parallel = 1
    call         = demo.echo
    args         = { text = each.value }
    on_error     = ["tool", "protocol"]
  }
}
`

func TestRecording(t *testing.T) {
	for _, c := range []struct {
		name, test string
		server     server
		want       string
	}{
		{"a test on one line", "test \"t\" { workflow = workflow.w }\n", says("x"),
			"test \"t\" {\n  workflow = workflow.w \n\n  mock \"demo\" \"echo\" {\n    # recorded from demo.main\n    when = args == { text = \"a\" }\n    text = \"x\"\n  }\n"},
		{"lines that end as on Windows", "test \"t\" {\r\n  workflow = workflow.w\r\n}\r\n", says("x"),
			"test \"t\" {\r\n  workflow = workflow.w\r\n\r\n  mock \"demo\" \"echo\" {\r\n    # recorded from demo.main\r\n"},
		{"a block that is no mock right below", "test \"t\" {\n  workflow = workflow.w\n  expect {\n    outcome = \"ok\"\n  }\n}\n", says("x"),
			"  workflow = workflow.w\n\n  mock \"demo\" \"echo\" {\n    # recorded from demo.main\n"},
		{"no line end behind it", "test \"t\" {\n  workflow = workflow.w\n}", says("x"), "    text = \"x\"\n  }\n}"},
		{"errors", "test \"t\" {\n  workflow = workflow.w\n}\n", func(c engine.StartCall) (*engine.Answer, error) {
			if strings.Contains(string(c.Args), "a") {
				return &engine.Answer{IsError: true, Text: "No a, s3cr3t-s3cr3t."}, nil
			}
			code := -32602
			return nil, &engine.CallError{Kind: engine.KindProtocol, Message: "Bad.", Code: &code, Answered: true}
		}, "    when  = args == { text = \"a\" }\n    error = \"No a, (secret).\"\n  }\n\n  mock \"demo\" \"echo\" {\n    # recorded from demo.main\n    when  = args == { text = \"b\" }\n    error = { kind = \"protocol\", message = \"Bad.\", code = -32602 }\n"},
		{"bytes that are no text", "test \"t\" {\n  workflow = workflow.w\n}\n", says("a\xffb"), "    text = \"a\ufffdb\"\n"},
		{"a template's signs, and more lines", "test \"t\" {\n  workflow = workflow.w\n}\n", says("${x} %{y}\n\"z\""), "    text = \"$${x} %%{y}\\n\\\"z\\\"\"\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, _ := record(t, echoes, c.test, c.server); !strings.Contains(got, c.want) {
				t.Errorf("it is\n%s\nand lacks\n%s", got, c.want)
			}
		})
	}
}

func TestAnswersThatChangeBecomeASequence(t *testing.T) {
	n := 0
	got, _ := record(t, echoes, "test \"t\" {\n  workflow = workflow.w\n}\n", func(c engine.StartCall) (*engine.Answer, error) {
		n++
		if n < 4 {
			return &engine.Answer{Text: "early"}, nil
		}
		return &engine.Answer{Text: "late"}, nil
	})
	want := `  mock "demo" "echo" {
    # recorded from demo.main
    when  = args == { text = "a" }
    times = 2
    text  = "early"
  }

  mock "demo" "echo" {
    # recorded from demo.main
    when = args == { text = "b" }
    text = "early"
  }

  mock "demo" "echo" {
    # recorded from demo.main
    when = args == { text = "a" }
    text = "late"
  }
}
`
	if !strings.HasSuffix(got, want) {
		t.Errorf("it is\n%s", got)
	}
}

func TestAServerThatIsNotReachedLeavesTheTestAsItIs(t *testing.T) {
	const test = "test \"t\" {\n  workflow = workflow.w\n}\n"
	got, r := record(t, echoes, test, func(engine.StartCall) (*engine.Answer, error) {
		return nil, &engine.CallError{Kind: engine.KindTransport, Message: "It is gone."}
	})
	if got != test || len(r.Results) != 1 || !strings.Contains(r.Results[0].Failures[0].Message, "The call of demo.main.echo by step echo[0] cannot be recorded. It is gone.") {
		t.Errorf("%s\n%+v", got, r.Results)
	}
}
