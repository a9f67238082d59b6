package service

// The tools of the crash tests, as the test server lists them.
const crashTools = `{"name":"find","inputSchema":{"type":"object","properties":{"of":{"type":"string"}}},"annotations":{"readOnlyHint":true}}
{"name":"big","inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"of":{"type":"string"}}},"annotations":{"readOnlyHint":true}}
{"name":"error","inputSchema":{"type":"object","properties":{"code":{"type":"integer"},"message":{"type":"string"},"of":{"type":"string"}}},"annotations":{"readOnlyHint":true}}
{"name":"echo","inputSchema":{"type":"object","properties":{"value":{"type":"string"}}},"annotations":{"readOnlyHint":false,"destructiveHint":false}}
{"name":"raw","inputSchema":{"type":"object","properties":{"result":true,"of":{"type":"string"}}},"annotations":{"readOnlyHint":false,"destructiveHint":false}}
`

// Every call's arguments name what it is for, so that the server's log can be
// compared with the journal: "echo" with the value X is the effect X, which may
// happen once only.
const crashProject = `
connection "test" "main" {
  stdio {
    command = env("TESTSERVER")
    args    = ["-log", env("SERVER_LOG"), "-starts", env("SERVER_STARTS"), "-list", env("SERVER_TOOLS")]
  }
  tool "raw" {
    idempotent = true
  }
  tool "find" {
    sensitive = true
  }
}

workflow "completes" {
  source "s" {
    bind = connection.test.main
  }
  step "find" {
    call = s.find
    args = { of = "find" }
  }
  step "big" {
    call = s.big
    args = { n = 100000, of = "big" }
  }
  step "first" {
    call = s.echo
    args = { value = "first" }
  }
  step "image" {
    call = s.raw
    args = { of = "image", result = { content = [{ type = "image", mimeType = "image/png", data = "iVBORw==" }] } }
  }
  step "flaky" {
    call     = s.error
    args     = { of = "flaky", code = -32000, message = "not today" }
    on_error = "continue"
    retry {
      attempts = 2
      delay    = "1ms"
      on       = ["protocol"]
    }
  }
  step "pause" {
    sleep      = "1ms"
    depends_on = [step.first]
  }
  step "each" {
    for_each     = ["x", "y", "z"]
    call         = s.echo
    args         = { value = "each ${each.value} ${length(step.big.text)}" }
    depends_on   = [step.pause]
    max_parallel = 2
  }
  step "child" {
    run  = workflow.child
    args = { of = "child" }
  }
  step "agree" {
    depends_on = [step.pause]
    ask {
      message = "Go on?"
      answer  = object({ ok = bool })
    }
  }
  step "last" {
    when = step.agree.output.ok
    call = s.echo
    args = { value = "last ${step.flaky.outcome}" }
  }
  finally "end" {
    call = s.echo
    args = { value = "end ${run.outcome}" }
  }
  output "said" {
    value = [for e in step.each : e.output.value]
  }
  output "image" {
    value = try(step.image.content[0].blob.sha256, "none")
  }
  output "child" {
    value = step.child.output.said
  }
}

workflow "child" {
  source "s" {
    bind = connection.test.main
  }
  input "of" {
    type = string
  }
  step "in_child" {
    call = s.echo
    args = { value = "in_child ${input.of}" }
  }
  output "said" {
    value = step.in_child.output.value
  }
}

workflow "fails" {
  source "s" {
    bind = connection.test.main
  }
  step "first" {
    call = s.echo
    args = { value = "first" }
    undo {
      call = s.echo
      args = { value = "undo first" }
    }
  }
  step "each" {
    for_each = ["x", "y"]
    call     = s.echo
    args     = { value = "each ${each.value}" }
    undo {
      call = s.echo
      args = { value = "undo each ${each.value}" }
    }
  }
  step "breaks" {
    call       = s.error
    args       = { of = "breaks", code = -32000, message = "broken" }
    depends_on = [step.each]
  }
  finally "end" {
    call = s.echo
    args = { value = "end ${run.outcome}" }
  }
}

workflow "queued" {
  source "s" {
    bind = connection.test.main
  }
  concurrency {
    on_conflict = "queue"
  }
  step "first" {
    call = s.echo
    args = { value = "first" }
  }
}
`
