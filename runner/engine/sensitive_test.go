package engine

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/plan"
	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

func sensitive(n *plan.NodeSpec) { n.Sensitive = true }

// What is computed of something sensitive is kept as that is.
func TestWhatIsSensitive(t *testing.T) {
	p := planOf(
		call("tool", "t", ``, sensitive),
		call("plain", "t", `{ x = input.plain }`),
		val("of_tool", `{ n = step.tool.output.n }`),
		val("of_that", `step.of_tool.output.n + 1`),
		val("of_input", `length(input.token)`),
		val("of_local", `local.outer`),
		val("of_function", `upper(sensitive("x"))`),
		val("when", `1`, when(`step.tool.outcome == "ok"`)),
		val("elements", `each.value`, forEach(`[for e in step.tool.output.list : e]`)),
		val("of_any_step", `step[input.plain]`),
		val("of_plain", `local.plain`),
	)
	p.Inputs = []plan.Input{{Name: "token", Type: "string", Sensitive: true}, {Name: "plain", Type: "string"}}
	p.Locals = []plan.Local{{Name: "inner", Value: `{ t = input.token }`}, {Name: "outer", Value: `local.inner`}, {Name: "plain", Value: `step.plain.output`}}
	prog := program(t, outputs(p, "o", "1"))
	var got []string
	for i := range prog.nodes {
		if prog.nodes[i].sensitive {
			got = append(got, prog.nodes[i].spec.ID)
		}
	}
	if want := []string{"tool", "of_tool", "of_that", "of_input", "of_local", "of_function", "when", "elements", "of_any_step"}; !slices.Equal(got, want) {
		t.Errorf("sensitive are %v, want %v", got, want)
	}
	if !prog.sensitiveInputs || prog.sensitiveOutputs || !prog.holdsSensitive {
		t.Error("the program is not marked as it is")
	}
}

// confidential answers with something that must be in no file.
type confidential struct{ fail bool }

const theSecretPart = "the salary of Ada"

func (c confidential) Call(_ context.Context, call Call) (*Answer, error) {
	if err := call.BeforeSend(1); err != nil {
		return nil, err
	}
	if call.Tool == "t" {
		v, err := value.ParseJSON([]byte(`{"n":"` + theSecretPart + `"}`))
		if err != nil {
			return nil, err
		}
		return &Answer{Structured: &v, Text: theSecretPart, Content: []value.Value{textPart(theSecretPart)}}, nil
	}
	return &Answer{IsError: c.fail, Text: "not for " + string(call.Args)}, nil
}

func TestASensitiveRunLeavesNothingInTheClear(t *testing.T) {
	for name, fail := range map[string]bool{"completed": false, "failed": true} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			opts := journal.Options{Keys: journal.KeyFile(filepath.Join(root, "key"))}
			s, err := journal.Open(t.Context(), filepath.Join(root, ".wfc"), opts)
			if err != nil {
				t.Fatal(err)
			}
			p := planOf(call("a", "t", ``, sensitive), val("b", `step.a.output.n`, after("a")), call("c", "u", `{ x = step.b.output, y = input.name }`, after("b")))
			p.Inputs = []plan.Input{{Name: "name", Type: "string", Sensitive: true}}
			outputs(p, "o", "step.c.text")
			p.Outputs[0].Sensitive = true
			p.Seal()
			inputs := value.NewObject(1)
			inputs.Set("name", value.OfString(theSecretPart+" and Grace"))
			outcome, err := Run(t.Context(), Options{Program: program(t, p), Inputs: value.OfObject(inputs), Caller: confidential{fail}, Journal: s})
			if err != nil {
				t.Fatal(err)
			}
			said := outcome.Outputs.JSON()
			if outcome.Err != nil {
				said = outcome.Err.Message
			}
			if !strings.Contains(said, theSecretPart) {
				t.Fatalf("nothing sensitive came: %s", said)
			}
			if _, err := Restore(program(t, p), CoreOptions{}, journal.RunID(outcome.Run), s.Events(t.Context(), journal.RunID(outcome.Run))); err != nil {
				t.Errorf("its history: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				data, err := os.ReadFile(path)
				if bytes.Contains(data, []byte(theSecretPart)) {
					t.Errorf("it is in %s", path)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Where sensitive content cannot be kept, nothing is done.
func TestWithoutAKeyNothingBegins(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "key"), []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := journal.Open(t.Context(), filepath.Join(root, ".wfc"), journal.Options{Keys: journal.KeyFile(filepath.Join(root, "key"))})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	p := outputs(planOf(call("a", "t", ``, sensitive)), "o", "1")
	p.Seal()
	_, err = Run(t.Context(), Options{Program: program(t, p), Caller: confidential{}, Journal: s})
	if err == nil || !strings.Contains(err.Error(), "does not hold a key") {
		t.Errorf("got %v", err)
	}
	if runs, err := s.Runs(t.Context(), journal.Filter{}); err != nil || len(runs) > 0 {
		t.Errorf("there are runs: %v, %v", runs, err)
	}
}

// A tool that is declared sensitive may give a secret to other steps; nobody is
// shown what it says.
func TestWhatIsDeclaredSensitiveIsNotRedacted(t *testing.T) {
	token := "s3cret-token-of-ada"
	var sent []string
	caller := tools(world{
		"login": func(value.Value) (*Answer, *CallError) {
			return &Answer{Text: token, Content: []value.Value{textPart(token)}}, nil
		},
		"use": func(args value.Value) (*Answer, *CallError) {
			sent = append(sent, args.JSON())
			return &Answer{Text: "used " + token}, nil
		},
		"refuse": func(value.Value) (*Answer, *CallError) {
			return &Answer{IsError: true, Text: "not " + token}, nil
		},
	})
	p := planOf(
		call("login", "login", ``, sensitive),
		call("use", "use", `{ t = step.login.text }`, after("login")),
		call("refuse", "refuse", ``, sensitive, after("use"), tolerate("*")),
	)
	p.Secrets = []plan.Secret{{Name: "token", Env: "TOKEN"}}
	outputs(p, "used", "step.use.text", "refused", "step.refuse.error.message")
	d := newDriver(Options{Program: program(t, p), Caller: caller}, &memoryLog{}, map[string]string{"token": token})
	outcome, err := d.run(t.Context(), RunCreated{Run: "r", StartedAt: testTime, Inputs: value.OfObject(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"t":"` + token + `"}`; !slices.Equal(sent, []string{want}) {
		t.Errorf("sent was %v, want %s", sent, want)
	}
	want := `{"used":"used (secret token)","refused":"The tool demo.main.refuse answered with an error. What it says is sensitive and is not shown."}`
	if got := outcome.Outputs.JSON(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// Who watches a run, and what keeps the lines, is told no more than what is kept in
// the clear.
func TestWhoWatchesIsToldNothingSensitive(t *testing.T) {
	p := outputs(planOf(
		val("computed", "tonumber(input.token)", tolerate("*")),
		call("told", "t", `{ x = input.token }`, tolerate("*")),
		call("answered", "no", `{ x = input.token }`, tolerate("*")),
		call("tried", "no", `{ x = input.token }`, retry("2", on(`["tool"]`), every(`"1ms"`, `"1ms"`)), after("answered")),
	), "o", "1")
	p.Inputs = []plan.Input{{Name: "token", Type: "string", Sensitive: true}}
	var events []Event
	caller := callerFunc(func(_ context.Context, c Call) (*Answer, error) {
		c.Progress(Progress{Message: "at " + string(c.Args), Progress: 1})
		if c.Tool == "no" {
			return &Answer{IsError: true, Text: "not for " + string(c.Args)}, nil
		}
		return &Answer{Text: "x", Remarks: []string{"it said " + string(c.Args)}}, nil
	})
	inputs := value.NewObject(1)
	inputs.Set("token", value.OfString(theSecretPart))
	p.Seal()
	_, err := Run(t.Context(), Options{
		Program: program(t, p), Journal: openJournal(t), Inputs: value.OfObject(inputs), Caller: caller, Watch: func(e Event) { events = append(events, e) },
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Join(told(events), "\n")
	if strings.Contains(lines, theSecretPart) {
		t.Errorf("it is told\n%s", lines)
	}
	for _, want := range []string{
		`"error":{"kind":"expression","message":"In ` + "`value`" + `: What it says is sensitive and is not shown."}`,
		`"error":{"kind":"tool","message":"What it says is sensitive and is not shown."}`,
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("there is no %s in\n%s", want, lines)
		}
	}
}
