# Collects the binaries of a case from several tools: each becomes an artifact of the
# run, and case.md lists what they are.
#
#   CASE_ROOT=/path/to/case wfc run evidence --input case_id=C-17 --input root=/path/to/case
#
# The servers come from npm:
#
#   npm install --global @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31

connection "everything" "main" {
  stdio {
    command = "mcp-server-everything"
  }
  offers = []
}

connection "files" "case" {
  stdio {
    command = "mcp-server-filesystem"
    args    = [env("CASE_ROOT", project.root)]
  }

  # The server calls it destructive, since it replaces files. Here it replaces the
  # table of the last run only.
  tool "write_file" {
    effect = "write"
  }
}

workflow "evidence" {
  description = "Collects binaries as artifacts of the run, with a table of what they are."

  source "ev" {
    bind = connection.everything.main
  }
  source "files" {
    bind = connection.files.case
  }

  input "case_id" {
    type = string
  }
  input "root" {
    type        = string
    description = "The folder of the case; the file server must be allowed to read and write it (CASE_ROOT)."
  }

  locals {
    items = [
      { name = "tiny.png", blob = step.image.output },
      { name = "reference.bin", blob = step.reference.output },
      { name = "hello.txt.gz", blob = step.gzip.output },
      { name = "logo.png", blob = step.logo.output },
    ]
    table = [for item in local.items : {
      name   = item.name
      mime   = item.blob.mime_type
      bytes  = item.blob.size
      sha256 = item.blob.sha256
    }]
  }

  step "image" {
    call   = ev.get-tiny-image
    decode = "blob"
  }

  # The server calls its bytes text/plain: that is its word, and it is kept.
  step "reference" {
    call   = ev.get-resource-reference
    args   = { resourceType = "Blob", resourceId = 1 }
    decode = "blob"
  }

  step "gzip" {
    call   = ev.gzip-file-as-resource
    args   = { name = "hello.txt.gz", data = "data:text/plain;base64,aGVsbG8=", outputType = "resource" }
    decode = "blob"
  }

  step "logo" {
    call   = files.read_media_file
    args   = { path = "${trimsuffix(input.root, "/")}/docs/img/logo.png" }
    decode = "blob"
    assert {
      condition     = startswith(self.output.mime_type, "image/")
      error_message = "${args.path} is ${self.output.mime_type}, and an image is wanted."
    }
  }

  step "report" {
    call = files.write_file
    args = {
      path    = "${trimsuffix(input.root, "/")}/case.md"
      content = <<-EOT
        # Case ${input.case_id}

        | Name | Type | Bytes | SHA-256 |
        | --- | --- | --- | --- |
        %{ for row in local.table }
        | ${mdcell(row.name)} | ${mdcell(row.mime)} | ${row.bytes} | ${row.sha256} |
        %{ endfor }
      EOT
    }
  }

  output "items" {
    value = local.table
  }
  output "artifacts" {
    value = { for item in local.items : item.name => item.blob }
  }
}
