# Cuts a release of a Git repository on a branch of its own, once somebody has approved
# it: VERSION, a commit, a tag. Where a step fails, what was done is taken back.
#
#   REPO=/path/to/repo wfc run cut_release --input repo=/path/to/repo --input version=1.2.0 --input 'approvers=["ann"]'
#
# Without a terminal the run stops at the question; it goes on with
#
#   wfc runs answer RUN approve --data '{}' --as ann
#
# The servers come from npm:
#
#   npm install --global @cyanheads/git-mcp-server@2.15.3 @modelcontextprotocol/server-filesystem@2026.8.31

connection "git" "local" {
  stdio {
    command = "git-mcp-server"
    env     = { MCP_TRANSPORT_TYPE = "stdio" }
  }

  # One tool lists tags, and makes and deletes them; this workflow deletes none.
  tool "git_tag" {
    effect = args.mode == "list" ? "read" : "write"
  }
  # Another one switches to a branch that it may have made.
  tool "git_checkout" {
    effect = "write"
  }
}

connection "files" "repo" {
  stdio {
    command = "mcp-server-filesystem"
    args    = [env("REPO", project.root)]
  }

  # The server calls it destructive, since it replaces files. The commit keeps the old one.
  tool "write_file" {
    effect = "write"
  }
}

workflow "cut_release" {
  description = "Tags a release on a branch of its own, after approval; taken back where a step fails."

  source "git" {
    bind = connection.git.local
  }
  source "files" {
    bind = connection.files.repo
  }

  input "repo" {
    type        = string
    description = "The repository's folder; the file server must be allowed to write it (REPO)."
  }
  input "version" {
    type = string
    validation {
      condition     = can(regex("^\\d+\\.\\d+\\.\\d+$", input.version))
      error_message = "version must be MAJOR.MINOR.PATCH, not ${input.version}."
    }
  }
  input "approvers" {
    type        = list(string)
    description = "Who may approve."
    validation {
      condition     = length(input.approvers) > 0
      error_message = "approvers must name somebody, or nobody could approve."
    }
  }
  input "deadline" {
    type        = string
    description = "How long approval is waited for."
    default     = "1h"
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

  step "commits" {
    call = git.git_log
    args = { path = input.repo, maxCount = 100 }
  }

  step "approve" {
    depends_on = [step.status]
    deadline   = input.deadline
    ask {
      message   = "Release ${input.version} with ${length(step.commits.output.commits)} commits?"
      answer    = object({ note = optional(string, "") })
      approvers = input.approvers
    }
  }

  step "checkout" {
    depends_on = [step.approve]
    call       = git.git_checkout
    args       = { path = input.repo, target = local.branch, createBranch = true }
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
    depends_on = [step.checkout]
    call       = files.write_file
    args       = { path = pathjoin(input.repo, "VERSION"), content = "${input.version}\n" }
  }

  step "add" {
    depends_on = [step.version]
    call       = git.git_add
    args       = { path = input.repo, paths = ["VERSION"] }
  }

  step "commit" {
    depends_on = [step.add]
    call       = git.git_commit
    args       = { path = input.repo, message = "chore(release): ${input.version}" }
  }

  step "tag" {
    depends_on = [step.commit]
    call       = git.git_tag
    args = {
      path      = input.repo
      mode      = "create"
      tagName   = "v${input.version}"
      annotated = true
      message   = join("\n", compact(["Release ${input.version}", step.approve.output.note]))
    }
  }

  # What a release that was taken back has left behind.
  finally "left" {
    when = run.outcome == "error" && step.checkout.outcome == "ok"
    call = git.git_status
    args = { path = input.repo }
    assert {
      condition     = self.output.isClean && self.output.currentBranch == "main"
      error_message = "${input.repo} is not as it was before: it is on ${coalesce(self.output.currentBranch, "no branch")}."
    }
  }

  output "branch" {
    value = local.branch
  }
  output "commit" {
    value = step.commit.output.commitHash
  }
  output "tag" {
    value = "v${input.version}"
  }
}
