workflow "release_notes" {
  description = "Puts a section with the commits since the newest tag into CHANGELOG.md."

  source "git" {
    bind = connection.git.repo
  }
  source "files" {
    bind = connection.files.docs
  }

  input "repo" {
    type = string
  }
  input "version" {
    type = string
    validation {
      condition     = can(regex("^\\d+\\.\\d+\\.\\d+$", input.version))
      error_message = "version must be MAJOR.MINOR.PATCH, not ${input.version}."
    }
  }
  input "date" {
    type = string
  }

  locals {
    page      = 10
    dated     = [for t in coalesce(step.tags.output.tags, []) : { name = t.name, at = coalesce(t.timestamp, 0) }]
    tag       = length(local.dated) == 0 ? null : sort_by(local.dated, "-at")[0].name
    changelog = pathjoin(input.repo, "CHANGELOG.md")

    commits = [for c in flatten1([for page in step.log : page.output.commits]) : {
      subject  = c.subject
      kind     = try(regex("^([a-z]+)(?:\\([^)]*\\))?!?:", c.subject)[0], "")
      breaking = can(regex("^[a-z]+(?:\\([^)]*\\))?!:", c.subject)) || strcontains(coalesce(c.body, ""), "BREAKING CHANGE")
    }]
    groups = [
      { title = "Breaking", subjects = [for c in local.commits : c.subject if c.breaking] },
      { title = "Features", subjects = [for c in local.commits : c.subject if c.kind == "feat" && !c.breaking] },
      { title = "Fixes", subjects = [for c in local.commits : c.subject if c.kind == "fix" && !c.breaking] },
      { title = "Other", subjects = [for c in local.commits : c.subject if !contains(["feat", "fix"], c.kind) && !c.breaking] },
    ]
    section = <<-EOT
      ## ${input.version} – ${input.date}

      %{ for g in local.groups }
      %{ if length(g.subjects) > 0 }
      ### ${g.title}

      %{ for s in g.subjects }
      - ${s}
      %{ endfor }

      %{ endif }
      %{ endfor }
    EOT
    lines   = split("\n", step.old.output.content)
  }

  step "tags" {
    call = git.git_tag
    args = { path = input.repo, mode = "list" }
  }

  step "log" {
    call = git.git_log
    args = {
      path     = input.repo
      branch   = local.tag == null ? null : "${local.tag}..HEAD"
      maxCount = local.page
      skip     = loop.index * local.page
    }
    loop {
      while = length(self.output.commits) == local.page
      max   = 200
    }
  }

  step "old" {
    call = files.read_text_file
    args = { path = local.changelog }
  }

  # A second run for the same version leaves the file alone.
  step "write" {
    when = !strcontains(step.old.output.content, "## ${input.version} ")
    call = files.write_file
    args = {
      path    = local.changelog
      content = join("\n", concat(slice(local.lines, 0, 1), [""], split("\n", local.section), slice(local.lines, 1, length(local.lines))))
    }
  }

  output "tag" {
    type  = nullable(string)
    value = local.tag
  }
  output "pages" {
    value = [for p in step.log : length(p.output.commits)]
  }
  output "counts" {
    value = { for g in local.groups : g.title => length(g.subjects) }
  }
  output "written" {
    value = step.write.outcome == "ok"
  }
}
