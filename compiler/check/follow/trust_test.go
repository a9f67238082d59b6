package follow_test

import "testing"

func TestPrivateData(t *testing.T) {
	const note = `
  step "note" {
    call = notes.read
  }`
	runRules(t, []rule{
		{"of another member of a family there is none", `
  source "any" {
    family = {
      team = connection.notes.team
      open = connection.notes.other
    }
  }
  step "note" {
    call = any["open"].read
  }
  step "s" {
    call = web.search
    args = { query = step.note.output.title }
  }
-- more --
connection "notes" "other" {
  stdio {
    command = "notes-mcp"
  }
}
`, nil},
		{"text to an argument of another connection", note + `
  locals {
    title = "About ${step.note.output.title}"
  }
  step "s" {
    call = web.search
    args = { query = upper(local.title), limit = 3 }
  }`, []string{"WFC3201 `local.title` ~ step.note → local.title."}},
		{"numbers are data, truth values and counts are none", note + `
  step "s" {
    call = web.search
    args = { query = "x", limit = step.note.output.stars, safe = step.note.output.done }
  }
  step "t" {
    call = web.search
    args = { limit = length(step.note.output.tags) }
  }`, []string{"WFC3201 `step.note.output.stars`"}},
		{"it may go back to where it came from, and inside", note + `
  step "s" {
    call = notes.read
    args = { name = step.note.output.title }
  }
  step "t" {
    call = demo.echo
    args = { text = step.note.output.title }
  }`, nil},
		{"declassified", note + `
  step "s" {
    call = web.search
    args = { query = declassify(step.note.output.title, "published with the minutes") }
  }`, nil},
		{"of any member of a family", `
  source "any" {
    family = {
      team = connection.notes.team
      demo = connection.notes.other
    }
  }
  step "note" {
    for_each = ["team", "demo"]
    call     = any[each.value].read
  }
  step "s" {
    call = web.search
    args = { query = step.note[0].output.title }
  }
-- more --
connection "notes" "other" {
  stdio {
    command = "notes-mcp"
  }
}
`, []string{"WFC3201 `step.note[0].output.title` ~ step.note."}},
		{"in a fan-out over it", note + `
  step "s" {
    for_each = step.note.output.tags
    call     = web.post
    args     = { text = each.value }
  }`, []string{"WFC3201 `each.value` ~ step.note → each."}},
	})
}

func TestUntrustedText(t *testing.T) {
	const search = `
  step "search" {
    call = web.search
  }`
	runRules(t, []rule{
		{"to a destructive argument", search + `
  step "delete" {
    for_each = step.search.output.titles
    call     = notes.delete
    args     = { name = each.value }
  }`, []string{"WFC3202 `each.value` ~ step.search → each."}},
		{"numbers steer nothing", search + `
  step "delete" {
    call = notes.delete
    args = { n = step.search.output.count, name = "x" }
  }`, nil},
		{"to tools that destroy nothing", search + `
  step "s" {
    for_each = step.search.output.titles
    call     = notes.read
    args     = { name = each.value }
  }`, nil},
		{"a person is asked between", search + `
  step "ask" {
    ask {
      message = "Delete ${join(", ", step.search.output.titles)}?"
    }
  }
  step "delete" {
    for_each   = step.search.output.titles
    call       = notes.delete
    args       = { name = each.value }
    depends_on = [step.ask]
  }`, nil},
		{"or before it came, which is too early", search + `
  step "ask" {
    ask {
      message = "Go on?"
    }
  }
  step "delete" {
    for_each   = step.search.output.titles
    call       = notes.delete
    args       = { name = each.value }
    depends_on = [step.ask]
  }`, []string{"WFC3202 `each.value`"}},
		{"a policy asks", search + `
  step "delete" {
    for_each = step.search.output.titles
    call     = notes.delete
    args     = { name = each.value }
  }
-- more --
deployment "d" {
  workflow = workflow.w
  policy {
    destructive = "ask"
  }
}
`, nil},
	})
}
