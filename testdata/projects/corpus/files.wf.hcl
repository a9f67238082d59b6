# Files, in all formats that people keep.

workflow "folder_index" {
  description = "An index of a folder's Markdown files by their first heading."

  source "files" {
    bind = connection.files.docs
  }

  input "root" {
    type = string
  }

  step "list" {
    call   = files.search_files
    args   = { path = input.root, pattern = "**/*.md" }
    result = [for line in split("\n", self.output.content) : line if endswith(line, ".md")]
  }

  step "head" {
    for_each     = step.list.output
    call         = files.read_text_file
    args         = { path = each.value, head = 20 }
    max_parallel = 8
    result       = try(trimspace(regex("(?m)^#\\s+(.+)$", self.output.content)[0]), basename(args.path))
  }

  locals {
    entries = sort_by([for r in step.head : { title = r.output, path = trimprefix(r.each.value, "${input.root}/") }], "title")
  }

  step "write" {
    call = files.write_file
    args = {
      path    = pathjoin(input.root, "INDEX.md")
      content = <<-EOT
        # Index

        %{ for e in local.entries }
        - [${e.title}](${urlencode(e.path)})
        %{ endfor }
      EOT
    }
  }

  output "entries" {
    value = length(local.entries)
  }
  output "answer" {
    value = step.write.output.content
  }
}

workflow "settings_audit" {
  description = "Compares YAML settings with what they must have."

  source "files" {
    bind = connection.files.docs
  }

  input "paths" {
    type = map(string)
  }
  input "required" {
    type    = list(string)
    default = ["name", "owner"]
  }

  step "read" {
    for_each = input.paths
    call     = files.read_text_file
    args     = { path = each.value }
    decode   = "yaml"
    returns  = object({ name = optional(string), owner = optional(string), tags = optional(list(string)) }, any)
    on_error = ["tool", "decode"]
  }

  output "missing" {
    value = { for service, r in step.read : service => (
      r.outcome == "ok" ? [for key in input.required : key if !can(r.output[key])] : ["the file: ${r.error.kind}"]
    ) }
  }
  output "tags" {
    value = distinct(flatten([for r in step.read : r.outcome == "ok" ? coalesce(r.output.tags, []) : []]))
  }
}

workflow "csv_to_json" {
  description = "A CSV file as JSON lines, with what was wrong in it."

  source "files" {
    bind = connection.files.docs
  }

  input "path" {
    type = string
  }
  input "number_columns" {
    type    = list(string)
    default = ["amount"]
  }

  step "rows" {
    call   = files.read_text_file
    args   = { path = input.path }
    decode = "csv"
  }

  locals {
    typed = [for row in step.rows.output : { for column, cell in row : column => (
      contains(input.number_columns, column) ? try(jsonencode(tonumber(cell)), "null") : jsonencode(cell)
    ) }]
    bad = [for i, row in step.rows.output : i + 2 if anytrue([for c in input.number_columns : !can(tonumber(lookup(row, c, "")))])]
  }

  step "write" {
    call = files.write_file
    args = {
      path    = "${trimsuffix(input.path, ".csv")}.jsonl"
      content = join("", [for row in local.typed : "{${join(", ", [for k, v in row : "${jsonencode(k)}: ${v}"])}}\n"])
    }
  }

  output "rows" {
    value = length(local.typed)
  }
  output "bad_lines" {
    value = local.bad
  }
  output "written" {
    value = step.write.text
  }
}

workflow "bump_version" {
  description = "Sets the version in a JSON file without touching anything else of it."

  source "files" {
    interface = interface.text_store
    bind      = connection.files.docs
  }

  input "path" {
    type    = string
    default = "package.json"
  }
  input "part" {
    type    = enum("major", "minor", "patch")
    default = "patch"
  }

  step "old" {
    call = files.read_text_file
    args = { path = input.path }
  }

  locals {
    version = jsondecode(step.old.output.content).version
    numbers = [for n in split(".", local.version) : toint(n)]
    next = {
      major = "${local.numbers[0] + 1}.0.0"
      minor = "${local.numbers[0]}.${local.numbers[1] + 1}.0"
      patch = "${local.numbers[0]}.${local.numbers[1]}.${local.numbers[2] + 1}"
    }
  }

  step "write" {
    call = files.write_file
    args = { path = input.path, content = jsonset(step.old.output.content, "/version", local.next[input.part]) }
    undo {
      call = files.write_file
      args = { path = args.path, content = step.old.output.content }
    }
  }

  step "check" {
    depends_on = [step.write]
    call       = files.read_text_file
    args       = { path = input.path }
    assert {
      condition     = jsondecode(self.output.content).version == local.next[input.part]
      error_message = "${args.path} has the version ${jsondecode(self.output.content).version}."
    }
  }

  output "versions" {
    value = { old = local.version, new = local.next[input.part] }
  }
  output "bytes" {
    value = length(step.check.output.content)
  }
}

workflow "pick_backup" {
  description = "Asks which backup is to be put back, and puts it back."

  source "files" {
    bind = connection.files.out
  }

  step "list" {
    call    = files.list_directory
    args    = { path = "backups" }
    decode  = "lines"
    result  = sort([for line in self.output : trimprefix(line, "[FILE] ") if startswith(line, "[FILE] ")])
    returns = list(string)
    assert {
      condition     = length(self.output) > 0
      error_message = "There is no backup."
    }
  }

  step "which" {
    deadline = "24h"
    ask {
      message   = "Which backup?"
      answer    = object({ file = string, keep = optional(bool, true) })
      choices   = { file = step.list.output }
      approvers = ["ops@example.com"]
    }
  }

  step "current" {
    call     = files.read_text_file
    args     = { path = "current.txt" }
    on_error = ["tool"]
  }

  step "keep" {
    when = step.which.output.keep && step.current.outcome == "ok"
    call = files.write_file
    args = {
      path    = "backups/${formatdate("YYYYMMDD-hhmmss", run.started_at)}.txt"
      content = coalesce(step.current.output, { content = "" }).content
    }
  }

  step "chosen" {
    call = files.read_text_file
    args = { path = "backups/${step.which.output.file}" }
  }

  step "restore" {
    depends_on = [step.keep]
    call       = files.write_file
    args       = { path = "current.txt", content = step.chosen.output.content }
  }

  output "restored" {
    value = step.which.output.file
  }
  output "kept" {
    value = step.keep.outcome == "ok"
  }
  output "text" {
    value = step.restore.text
  }
}

workflow "log_tail" {
  description = "The last lines of a log, with the times in two zones."

  source "files" {
    bind = connection.desktop.main
  }

  input "path" {
    type = string
  }

  step "read" {
    call   = files.read_file
    args   = { path = input.path, offset = -100 }
    decode = "lines"
    result = [for line in self.output : regex("^(\\S+) (\\w+) (.*)$", line) if can(regex("^(\\S+) (\\w+) (.*)$", line))]
  }

  output "errors" {
    value = [for m in step.read.output : {
      utc     = m[0]
      berlin  = try(formatdate("DD.MM. hh:mm:ss", timein(m[0], "Europe/Berlin")), "?")
      message = m[2]
    } if m[1] == "ERROR"]
  }
  output "span_seconds" {
    value = length(step.read.output) < 2 ? 0 : timediff(step.read.output[0][0], reverse(step.read.output)[0][0])
  }
}
