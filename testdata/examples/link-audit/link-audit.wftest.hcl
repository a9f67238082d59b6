test "finds_what_leads_nowhere" {
  workflow = workflow.link_audit
  inputs   = { root = "/docs/" }

  mock "files" "search_files" {
    output = { content = "/docs/index.md\n/docs/api/ref.md" }
  }
  mock "files" "read_text_file" {
    when   = args.path == "/docs/index.md"
    output = { content = "[Ref](api/ref.md#calls) [Gone](old/gone.md) ![logo](img/logo.png) [Ext](https://example.com/x)" }
  }
  mock "files" "read_text_file" {
    output = { content = "[Up](../index.md) [Here](#calls) [Caf\u00e9](caf%C3%A9.md)" }
  }
  mock "files" "get_file_info" {
    when  = contains(["/docs/old/gone.md", "/docs/api/caf\u00e9.md"], args.path)
    error = "ENOENT: no such file or directory, stat '${args.path}'"
  }
  mock "files" "get_file_info" {
    output = { content = "size: 1" }
  }
  mock "files" "write_file" {
    output = { content = "Successfully wrote to ${args.path}" }
  }

  expect {
    outputs = {
      files    = 2
      links    = 5
      external = 1
      broken   = [{ file = "api/ref.md", target = "caf%C3%A9.md" }, { file = "index.md", target = "old/gone.md" }]
    }
  }
  assert {
    condition = [for c in calls : c.args.content if c.tool == "write_file"] == [
      "| File | Broken link |\n| --- | --- |\n| api/ref.md | caf%C3%A9.md |\n| index.md | old/gone.md |\n",
    ]
    error_message = "The report is another one."
  }
}

test "there_is_nothing" {
  workflow = workflow.link_audit
  inputs   = { root = "/docs" }

  mock "files" "search_files" {
    output = { content = "No matches found" }
  }
  mock "files" "write_file" {
    output = { content = "Successfully wrote to ${args.path}" }
  }

  expect {
    outputs = { files = 0, links = 0, external = 0, broken = [] }
  }
}

# A server that dies is no broken link.
test "the_server_dies" {
  workflow = workflow.link_audit
  inputs   = { root = "/docs" }

  mock "files" "search_files" {
    output = { content = "/docs/index.md" }
  }
  mock "files" "read_text_file" {
    output = { content = "[Gone](gone.md)" }
  }
  mock "files" "get_file_info" {
    error = { kind = "transport", message = "The server has ended." }
  }

  expect {
    error = "transport"
  }
  assert {
    condition     = length([for c in calls : c if c.tool == "write_file"]) == 0
    error_message = "A report was written."
  }
}
