test "binaries_become_artifacts" {
  workflow = workflow.evidence
  inputs   = { case_id = "C-17", root = "/case/" }

  mock "ev" "get-tiny-image" {
    content = [
      { type = "text", text = "Here's the image you requested:" },
      { type = "image", mime_type = "image/png", blob = base64encode("\u0089PNG tiny") },
    ]
  }
  mock "ev" "get-resource-reference" {
    content = [{ type = "resource", uri = "demo://resource/1", mime_type = "text/plain", blob = base64encode("Resource 1") }]
  }
  mock "ev" "gzip-file-as-resource" {
    content = [{ type = "resource", uri = "demo://hello", mime_type = "application/gzip", blob = "H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==" }]
  }
  mock "files" "read_media_file" {
    when    = args.path == "/case/docs/img/logo.png"
    content = [{ type = "image", mime_type = "image/png", blob = base64encode("logo") }]
  }
  mock "files" "write_file" {
    output = { content = "Successfully wrote to ${args.path}" }
  }

  assert {
    condition     = [for item in run.outputs.items : "${item.name} ${item.mime} ${item.bytes}"] == ["tiny.png image/png 10", "reference.bin text/plain 10", "hello.txt.gz application/gzip 25", "logo.png image/png 4"]
    error_message = "There are ${join(", ", [for item in run.outputs.items : "${item.name} ${item.mime} ${item.bytes}"])}."
  }
  assert {
    condition     = calls[4].tool == "write_file" && startswith(calls[4].args.content, "# Case C-17\n")
    error_message = "case.md is ${calls[4].args.content}"
  }
}

test "a_logo_must_be_an_image" {
  workflow = workflow.evidence
  inputs   = { case_id = "C-17", root = "/case" }

  mock "ev" "get-tiny-image" {
    content = [{ type = "image", mime_type = "image/png", blob = "AA==" }]
  }
  mock "ev" "get-resource-reference" {
    content = [{ type = "resource", uri = "demo://resource/1", blob = "AA==" }]
  }
  mock "ev" "gzip-file-as-resource" {
    content = [{ type = "resource", uri = "demo://hello", blob = "AA==" }]
  }
  mock "files" "read_media_file" {
    content = [{ type = "resource", uri = "file:///case/docs/img/logo.png", mime_type = "text/html", blob = "AA==" }]
  }

  expect {
    error = "assert"
  }
  assert {
    condition     = strcontains(run.error.message, "/case/docs/img/logo.png is text/html, and an image is wanted.")
    error_message = run.error.message
  }
}
