# Git, whose server keeps a working directory for a session.

workflow "repository_report" {
  description = "State of a repository: who changed what lately."

  source "git" {
    bind    = connection.git.repo
    session = "run"
  }

  input "repo" {
    type = string
  }
  input "file" {
    type    = string
    default = "README.md"
  }

  step "log" {
    call = git.git_log
    args = { path = input.repo, maxCount = 50, since = timeadd(run.started_at, "-720h") }
  }

  step "blame" {
    call     = git.git_blame
    args     = { path = input.repo, filePath = input.file }
    on_error = ["tool"]
  }

  step "working_directory" {
    read = git
    uri  = "git://working-directory"
  }

  locals {
    authors = [for c in step.log.output.commits : coalesce(c.author, "unknown")]
  }

  output "commits_by_author" {
    value = { for a in distinct(local.authors) : a => length([for b in local.authors : b if b == a]) }
  }
  output "owners" {
    value = step.blame.outcome == "ok" ? distinct([for l in step.blame.output.lines : l.author]) : []
  }
  output "working_directory" {
    value = step.working_directory.output
  }
}

workflow "clean_branches" {
  description = "Deletes merged branches that match a pattern, after approval of the list."

  source "git" {
    bind = connection.git.repo
  }

  input "repo" {
    type = string
  }
  input "pattern" {
    type    = string
    default = "^(feature|fix)/"
    validation {
      condition     = can(regex(input.pattern, ""))
      error_message = "pattern must be a regular expression."
    }
  }

  step "branches" {
    call = git.git_branch
    args = { path = input.repo, mode = "list", merged = true }
  }

  locals {
    merged = [for b in coalesce(step.branches.output.branches, []) : b.name if !b.current && can(regex(input.pattern, b.name))]
  }

  step "approve" {
    when     = length(local.merged) > 0
    on_error = ["declined"]
    ask {
      message   = "Delete these branches?\n\n- ${join("\n- ", local.merged)}"
      answer    = object({ keep = optional(list(string), []) })
      choices   = { keep = local.merged }
      approvers = ["maintainers"]
    }
  }

  step "delete" {
    for_each = step.approve.outcome == "ok" ? [for b in local.merged : b if !contains(step.approve.output.keep, b)] : []
    key      = each.value
    call     = git.git_branch
    args     = { path = input.repo, mode = "delete", branchName = each.value }
    on_error = "continue"
    undo {
      call = git.git_branch
      args = { path = args.path, mode = "create", branchName = each.key }
    }
  }

  output "deleted" {
    value = [for b, r in step.delete : b if r.outcome == "ok"]
  }
  output "errors" {
    value = { for b, r in step.delete : b => r.error.message if r.outcome == "error" }
  }
}

workflow "nightly_commit" {
  description = "Commits what changed, if anything did, and says how long that took to notice."

  source "git" {
    bind = connection.git.repo
  }

  input "repo" {
    type = string
  }

  step "status" {
    call = git.git_status
    args = { path = input.repo }
  }

  locals {
    changed = concat(step.status.output.untrackedFiles, coalesce(step.status.output.unstagedChanges.modified, []), coalesce(step.status.output.unstagedChanges.deleted, []))
  }

  step "add" {
    when = !step.status.output.isClean
    call = git.git_add
    args = { path = input.repo, all = true }
  }

  step "commit" {
    when = step.add.outcome == "ok"
    call = git.git_commit
    args = {
      path    = input.repo
      message = length(local.changed) == 1 ? "Update ${local.changed[0]}" : "Update ${length(local.changed)} files"
      author  = { name = "Night Shift", email = "night@example.com" }
    }
    fail_if = !self.output.success
  }

  output "commit" {
    type  = nullable(string)
    value = step.commit.outcome == "ok" ? step.commit.output.commitHash : null
  }
  output "previous" {
    value = run.previous == null ? null : run.previous.outputs.commit
  }
}

deployment "nightly" {
  workflow = workflow.nightly_commit
  inputs   = { repo = "/srv/notes" }
  policy {
    destructive = "deny"
    drift       = "fail"
    in_doubt    = "ask"
  }
  schedule {
    cron     = "30 2 * * *"
    timezone = "UTC"
  }
}
