workflow "cut_release" {
  description = "Tags a release on a branch of its own, after approval; undone where a step fails."
  deadline    = "2h"

  source "git" {
    bind    = connection.git.repo
    session = "run"
  }
  source "files" {
    bind = connection.files.docs
  }

  input "repo" {
    type = string
  }
  input "version" {
    type = string
  }
  input "approvers" {
    type    = list(string)
    default = []
  }
  input "deadline" {
    type    = string
    default = "1h"
  }

  locals {
    branch = "release/${input.version}"
  }

  step "status" {
    call = git.git_status
    args = { path = input.repo }
    assert {
      condition     = self.output.isClean
      error_message = "The working tree of ${input.repo} is not clean: commit or stash first."
    }
  }

  step "tags" {
    call = git.git_tag
    args = { path = input.repo, mode = "list" }
  }

  step "commits" {
    call = git.git_log
    args = { path = input.repo, maxCount = 100 }
  }

  step "approve" {
    depends_on = [step.status]
    deadline   = input.deadline
    ask {
      message   = "Release ${input.version} with ${length(step.commits.output.commits)} commits (${length(coalesce(step.tags.output.tags, []))} tags so far)?"
      answer    = object({ approve = bool, note = optional(string) })
      approvers = input.approvers
    }
    fail_if = !self.output.approve
  }

  step "checkout" {
    when = step.approve.output.approve
    call = git.git_checkout
    args = { path = input.repo, target = local.branch, createBranch = true }
    undo {
      call = git.git_checkout
      args = { path = args.path, target = "main" }
    }
    undo {
      call = git.git_branch
      args = { path = args.path, mode = "delete", branchName = args.target, force = true }
    }
  }

  step "version" {
    when = step.checkout.outcome == "ok"
    call = files.write_file
    args = { path = pathjoin(input.repo, "VERSION"), content = "${input.version}\n" }
  }

  step "add" {
    when = step.version.outcome == "ok"
    call = git.git_add
    args = { path = input.repo, paths = ["VERSION"] }
  }

  step "commit" {
    when = step.add.outcome == "ok"
    call = git.git_commit
    args = { path = input.repo, message = "chore(release): ${input.version}" }
  }

  step "tag" {
    when = step.commit.outcome == "ok"
    call = git.git_tag
    args = {
      path      = input.repo
      mode      = "create"
      tagName   = "v${input.version}"
      annotated = true
      message   = "Release ${input.version}"
    }
  }

  # What the undo left behind. It only reads: a release that was declined or taken
  # back changes nothing, and the tree is clean.
  finally "left" {
    when = run.outcome == "error" && step.approve.outcome == "ok"
    call = git.git_status
    args = { path = input.repo }
    assert {
      condition     = self.output.isClean && self.output.currentBranch != local.branch
      error_message = "${input.repo} is not as it was before: ${join("; ", [for e in run.errors : "${e.step}: ${e.message}"])}"
    }
  }

  output "branch" {
    value = local.branch
  }
  output "commit" {
    value = step.commit.outcome == "ok" ? step.commit.output.commitHash : null
  }
  output "tag" {
    value = step.tag.outcome == "ok" ? step.tag.output.created : null
  }
}
