package diag

// The codes of compiler/check/follow about the labels of connections (LANGUAGE 7).
func init() {
	register(
		Entry{
			Code: "WFC3201", Severity: Warning, Summary: "Private data reaches an external argument",
			Explanation: "What a connection with `data = \"private\"` answers goes to a tool of another connection, which has `reach = \"external\"`. Constants, truth values and lengths are no data. " +
				"`declassify(x, \"reason\")` says where it may leave. Nothing is said where connections have no such labels.",
			Failing: `-- main.wf.hcl --
connection "notes" "team" {
  stdio {
    command = "notes-mcp"
  }
  data = "private"
}

connection "web" "search" {
  stdio {
    command = "search-mcp"
  }
  reach = "external"
}

workflow "research" {
  source "notes" {
    bind = connection.notes.team
  }
  source "web" {
    bind = connection.web.search
  }

  step "note" {
    call = notes.read_note
    args = { name = "plan" }
  }
  step "search" {
    call = web.search
    args = { query = "news about ${step.note.output.title}" }
  }
  output "found" {
    value = step.search.output
  }
}
` + notesAndWeb,
			Mended: `-- main.wf.hcl --
connection "notes" "team" {
  stdio {
    command = "notes-mcp"
  }
  data = "private"
}

connection "web" "search" {
  stdio {
    command = "search-mcp"
  }
  reach = "external"
}

workflow "research" {
  source "notes" {
    bind = connection.notes.team
  }
  source "web" {
    bind = connection.web.search
  }

  step "note" {
    call = notes.read_note
    args = { name = "plan" }
  }
  step "search" {
    call = web.search
    args = { query = "news about ${declassify(step.note.output.title, "titles are published with the minutes")}" }
  }
  output "found" {
    value = step.search.output
  }
}
` + notesAndWeb,
		},
		Entry{
			Code: "WFC3202", Severity: Warning, Summary: "Untrusted text reaches a destructive argument",
			Explanation: "What a connection with `trust = \"untrusted\"` answers may be an attacker's, and text of it says what a destructive tool does. Numbers, truth values and enums steer nothing that was not meant. An `ask` " +
				"between the two ends it, if it waits for the one and the other waits for it, and so does a `policy` that asks, or `declassify(x, \"reason\")`. Nothing is said where connections have no such labels.",
			Failing: `-- main.wf.hcl --
connection "notes" "team" {
  stdio {
    command = "notes-mcp"
  }
}

connection "web" "search" {
  stdio {
    command = "search-mcp"
  }
  trust = "untrusted"
}

workflow "clean" {
  source "notes" {
    bind = connection.notes.team
  }
  source "web" {
    bind = connection.web.search
  }

  step "search" {
    call = web.search
    args = { query = "outdated notes" }
  }
  step "delete" {
    for_each = step.search.output.titles
    when     = each.value != "plan"
    call     = notes.delete_note
    args     = { name = each.value }
  }
}
` + notesAndWeb,
			Mended: `-- main.wf.hcl --
connection "notes" "team" {
  stdio {
    command = "notes-mcp"
  }
}

connection "web" "search" {
  stdio {
    command = "search-mcp"
  }
  trust = "untrusted"
}

workflow "clean" {
  source "notes" {
    bind = connection.notes.team
  }
  source "web" {
    bind = connection.web.search
  }

  step "search" {
    call = web.search
    args = { query = "outdated notes" }
  }
  step "confirm" {
    ask {
      message = "Delete ${join(", ", step.search.output.titles)}?"
    }
  }
  step "delete" {
    for_each   = step.search.output.titles
    call       = notes.delete_note
    args       = { name = each.value }
    depends_on = [step.confirm]
  }
}
` + notesAndWeb,
		},
	)
}

// notesAndWeb are the snapshots of the connections of these examples.
const notesAndWeb = `-- catalog/notes.team.json --
{
  "format_version": 1,
  "connection": "notes.team",
  "tools": [
    {"object": {
      "name": "delete_note",
      "annotations": {"destructiveHint": true},
      "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
      "outputSchema": {"type": "object", "properties": {}}
    }},
    {"object": {
      "name": "read_note",
      "annotations": {"readOnlyHint": true},
      "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
      "outputSchema": {"type": "object", "properties": {"title": {"type": "string"}, "stars": {"type": "integer"}}, "required": ["title", "stars"]}
    }}
  ],
  "resources": [],
  "resource_templates": [],
  "prompts": []
}
-- catalog/web.search.json --
{
  "format_version": 1,
  "connection": "web.search",
  "tools": [
    {"object": {
      "name": "search",
      "annotations": {"readOnlyHint": true},
      "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
      "outputSchema": {"type": "object", "properties": {"titles": {"type": "array", "items": {"type": "string"}}, "count": {"type": "integer"}}, "required": ["titles", "count"]}
    }}
  ],
  "resources": [],
  "resource_templates": [],
  "prompts": []
}
`
