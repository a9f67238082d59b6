package check_test

import "testing"

func TestAnswersAndMocksOfTests(t *testing.T) {
	const asks = `
-- main.wf.hcl --
workflow "purge" {
  source "demo" {
    bind = connection.demo.main
  }
  step "confirm" {
    ask {
      message = "Go on?"
      answer  = object({ ok = bool })
    }
    on_error = ["declined"]
  }
  step "greet" {
    call = demo.greet
    args = { name = "Ada" }
  }
  step "inner" {
    run = workflow.inner
  }
}
workflow "inner" {
  source "own" {
    bind = connection.demo.main
  }
  step "sure" {
    ask {
      message = "Sure?"
    }
  }
  step "count" {
    call = own.counter
  }
}
-- main.wftest.hcl --
test "t" {
  workflow = workflow.purge
`
	runRules(t, []rule{
		{"answers, also to the questions of workflows that a step runs", asks + `
  answer "confirm" {
    when  = question.message == "Go on?" && question.step == "confirm"
    data  = { ok = true }
    as    = "ada"
    delay = "2h"
    times = 1
  }
  answer "confirm" {
    decline = true
  }
  answer "sure" {
    data = {}
  }
}`, nil},
		{"mocks of the sources of workflows that a step runs", asks + `
  mock "own" "counter" {
    when   = call.step == "inner/count" && call.attempt == 1
    output = { count = 1 }
    delay  = "1s"
    times  = 2
  }
}`, nil},
		{"mistakes in answers", asks + `
  answer "confrm" {
    data = { ok = true }
  }
  answer "greet" {
    data = { ok = true }
  }
  answer "confirm" {
    data = { ok = "yes" }
  }
  answer "confirm" {
    data    = { ok = true }
    decline = true
  }
  answer "confirm" {
    when = args.name == "x"
    as   = "ada"
  }
}`, []string{
			"WFC2005 `confrm` ~ Did you mean \"confirm\"?",
			"WFC2005 `greet` ~ asks nobody",
			"WFC2201 `\"yes\"`",
			"WFC1032 `data` ~ says both",
			"WFC1026 `answer \"confirm\"` ~ does not say what is answered",
			"WFC2011 `args`",
		}},
		{"mistakes in mocks", asks + `
  mock "demo" "greet" {
    error = { kind = "assert" }
  }
  mock "demo" "greet" {
    when   = question.message == "x"
    output = { greeting = "x" }
    times  = 0
  }
  mock "demo" "greet" {
    content = [{ type = "picture" }]
  }
  mock "own" "countr" {
    text = "x"
  }
  mock "none" "countr" {
    text = "x"
  }
}`, []string{
			"WFC2201 `\"assert\"`",
			"WFC2011 `question`",
			"WFC1034 `0`",
			"WFC2201 `\"picture\"`",
			"WFC2002 `countr` ~ Did you mean \"counter\"?",
			"WFC2001 `none`",
		}},
		{"an outcome that no failure has", asks + `
  expect {
    outcome = "ok"
    error   = "tool"
  }
}`, []string{"WFC1032 `\"tool\"` ~ this test expects \"ok\""}},
		{"outputs of a run that fails", asks + `
  expect {
    error   = "tool"
    outputs = { n = 1 }
  }
}`, []string{"WFC1032 `outputs` ~ Only a run that completes has outputs"}},
	})
}
