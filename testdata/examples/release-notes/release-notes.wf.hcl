# Writes the release notes of a Git repository: the commits since the newest tag, in
# groups, as a new section of its CHANGELOG.md. A version that has its section keeps it.
#
#   REPO=/path/to/repo wfc run release-notes --input repo=/path/to/repo --input version=1.2.0 --input date=2026-02-01
#
# The servers come from npm:
#
#   npm install --global @cyanheads/git-mcp-server@2.15.3 @modelcontextprotocol/server-filesystem@2026.8.31

connection "git" "local" {
  stdio {
    command = "git-mcp-server"
    env     = { MCP_TRANSPORT_TYPE = "stdio" }
  }

  # One tool lists tags and deletes them; listing them is no write.
  tool "git_tag" {
    effect = args.mode == "list" ? "read" : "destructive"
  }
}

connection "files" "repo" {
  stdio {
    command = "mcp-server-filesystem"
    args    = [env("REPO", project.root)]
  }

  # The server calls it destructive, since it replaces files. Here it replaces the
  # changelog by what it was and a section more.
  tool "write_file" {
    effect = "write"
  }
}

workflow "release_notes" {
  description = "Puts a section with the commits since the newest tag into CHANGELOG.md."

  source "git" {
    bind = connection.git.local
  }
  source "files" {
    bind = connection.files.repo
  }

  input "repo" {
    type        = string
    description = "The repository's folder; the file server must be allowed to read and write it (REPO)."
  }
  input "version" {
    type = string
    validation {
      condition     = can(regex("^\\d+\\.\\d+\\.\\d+$", input.version))
      error_message = "version must be MAJOR.MINOR.PATCH, not ${input.version}."
    }
  }
  input "date" {
    type        = string
    description = "The day of the release, as 2026-02-01."
    validation {
      condition     = can(regex("^\\d{4}-\\d\\d-\\d\\d$", input.date))
      error_message = "date must be a day such as 2026-02-01, not ${input.date}."
    }
  }

  locals {
    changelog = "${trimsuffix(input.repo, "/")}/CHANGELOG.md"
    page      = 10

    # A repository without tags gets its whole history.
    tags   = [for tag in coalesce(step.tags.output.tags, []) : { name = tag.name, at = coalesce(tag.timestamp, 0) }]
    newest = length(local.tags) == 0 ? null : sort_by(local.tags, "-at")[0].name

    # "feat(core)!: subject" is of the type feat, and breaks something.
    commits = [for commit in flatten1([for page in step.log : page.output.commits]) : {
      subject  = commit.subject
      type     = try(regex("^([a-z]+)(?:\\([^)]*\\))?!?:", commit.subject)[0], "none")
      breaking = can(regex("^[a-z]+(?:\\([^)]*\\))?!:", commit.subject)) || strcontains(coalesce(commit.body, ""), "BREAKING CHANGE")
    }]
    breaking = [for commit in local.commits : commit if commit.breaking]
    others   = [for commit in local.commits : commit if !commit.breaking]

    groups = [
      { title = "Breaking", commits = local.breaking },
      { title = "Features", commits = [for commit in local.others : commit if commit.type == "feat"] },
      { title = "Fixes", commits = [for commit in local.others : commit if commit.type == "fix"] },
      { title = "Other", commits = [for commit in local.others : commit if commit.type != "feat" && commit.type != "fix"] },
    ]

    heading = "## ${input.version} – ${input.date}"
    section = <<-EOT
      ${local.heading}
      %{ for group in local.groups }
      %{ if length(group.commits) > 0 }

      ### ${group.title}

      %{ for commit in group.commits }
      - ${commit.subject}
      %{ endfor }
      %{ endif }
      %{ endfor }
    EOT

    # The first line of a changelog is its title.
    old = split("\n", step.changelog.output.content)
  }

  step "tags" {
    call = git.git_tag
    args = { path = input.repo, mode = "list" }
  }

  # Page by page, until one is not full.
  step "log" {
    call = git.git_log
    args = {
      path     = input.repo
      branch   = local.newest == null ? null : "${local.newest}..HEAD"
      maxCount = local.page
      skip     = loop.index * local.page
    }
    loop {
      while = length(self.output.commits) == local.page
      max   = 1000
    }
  }

  step "changelog" {
    call = files.read_text_file
    args = { path = local.changelog }
  }

  step "write" {
    when = !strcontains(step.changelog.output.content, "\n## ${input.version} ")
    call = files.write_file
    args = {
      path    = local.changelog
      content = "${local.old[0]}\n\n${local.section}${join("\n", slice(local.old, 1, length(local.old)))}"
    }
  }

  output "since" {
    type  = nullable(string)
    value = local.newest
  }
  output "pages" {
    value = [for page in step.log : length(page.output.commits)]
  }
  output "commits" {
    value = length(local.commits)
  }
  output "breaking" {
    value = length(local.breaking)
  }
  output "others" {
    description = "How many commits there are of each type, without those that break something."
    value = { for type in sort(distinct([for commit in local.others : commit.type])) :
      type => length([for commit in local.others : commit if commit.type == type])
    }
  }
}
