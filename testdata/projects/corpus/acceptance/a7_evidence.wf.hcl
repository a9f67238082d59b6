workflow "evidence" {
  description = "Collects binaries of several servers as artifacts, with a table of what they are."

  source "ev" {
    bind = connection.everything.main
  }
  source "files" {
    bind = connection.files.out
  }

  input "case_id" {
    type = string
  }
  input "root" {
    type = string
  }

  locals {
    items = [
      { name = "tiny.png", blob = step.image.output },
      { name = "reference", blob = step.reference.output },
      { name = "hello.txt.gz", blob = step.gzip.output },
      { name = "logo.png", blob = step.logo.output },
    ]
    table = [for i in local.items : {
      name   = i.name
      mime   = i.blob.mime_type
      bytes  = i.blob.size
      sha256 = i.blob.sha256
    }]
  }

  step "image" {
    call   = ev["get-tiny-image"]
    decode = "blob"
  }

  step "reference" {
    call   = ev["get-resource-reference"]
    args   = { resourceType = "Blob", resourceId = 1 }
    decode = "blob"
  }

  step "gzip" {
    call   = ev["gzip-file-as-resource"]
    args   = { name = "hello.txt.gz", data = "data:text/plain;base64,aGVsbG8=", outputType = "resource" }
    decode = "blob"
  }

  step "logo" {
    call   = files.read_media_file
    args   = { path = pathjoin(input.root, "docs/img/logo.png") }
    decode = "blob"
    assert {
      condition     = startswith(self.output.mime_type, "image/")
      error_message = "An image is expected, and the answer holds ${join(", ", [for part in self.content : part.type])}."
    }
  }

  step "report" {
    call = files.write_file
    args = {
      path    = pathjoin(input.root, "case.md")
      content = <<-EOT
        # Case ${input.case_id}

        | Name | Type | Bytes | SHA-256 |
        | --- | --- | --- | --- |
        %{ for t in local.table }
        | ${mdcell(t.name)} | ${t.mime} | ${t.bytes} | ${t.sha256} |
        %{ endfor }
      EOT
    }
  }

  output "items" {
    value = local.table
  }
  output "artifacts" {
    value = { for i in local.items : i.name => i.blob }
  }
}
