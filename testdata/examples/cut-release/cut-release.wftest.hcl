test "approved" {
  workflow = workflow.cut_release
  inputs   = { repo = "/repo", version = "1.2.0", approvers = ["ann"] }

  mock "git" "git_status" {
    output = { success = true, currentBranch = "main", isClean = true, conflictedFiles = [], stagedChanges = {}, unstagedChanges = {}, untrackedFiles = [] }
  }
  mock "git" "git_log" {
    output = { success = true, totalCount = 2, commits = [] }
  }
  mock "git" "git_checkout" {
    output = { success = true, target = args.target, branchCreated = true, filesModified = [] }
  }
  mock "files" "write_file" {
    output = { content = "Successfully wrote to ${args.path}" }
  }
  mock "git" "git_add" {
    output = {
      success     = true
      stagedFiles = ["VERSION"]
      totalFiles  = 1
      status      = { conflicted_files = [], current_branch = "release/1.2.0", is_clean = false, staged_changes = {}, unstaged_changes = {}, untracked_files = [] }
    }
  }
  mock "git" "git_commit" {
    output = {
      success        = true
      commitHash     = "c0ffee"
      author         = "Ann"
      message        = args.message
      committedFiles = ["VERSION"]
      signed         = false
      timestamp      = 1767225600
      status         = { conflicted_files = [], current_branch = "release/1.2.0", is_clean = true, staged_changes = {}, unstaged_changes = {}, untracked_files = [] }
    }
  }
  mock "git" "git_tag" {
    output = { success = true, mode = "create", created = args.tagName }
  }
  answer "approve" {
    data = { note = "It is time." }
    as   = "ann"
  }

  expect {
    outputs = { branch = "release/1.2.0", commit = "c0ffee", tag = "v1.2.0" }
  }
}

# The tag cannot be made: the branch goes again, and what is left is looked at.
test "taken_back" {
  workflow = workflow.cut_release
  inputs   = { repo = "/repo", version = "1.2.0", approvers = ["ann", "bob"] }

  mock "git" "git_status" {
    output = { success = true, currentBranch = "main", isClean = true, conflictedFiles = [], stagedChanges = {}, unstagedChanges = {}, untrackedFiles = [] }
  }
  mock "git" "git_log" {
    output = { success = true, totalCount = 0, commits = [] }
  }
  mock "git" "git_checkout" {
    output = { success = true, target = args.target, branchCreated = args.createBranch == true, filesModified = [] }
  }
  mock "files" "write_file" {
    error = "EROFS: read-only file system"
  }
  mock "git" "git_branch" {
    output = { success = true, mode = "delete" }
  }
  answer "approve" {
    data = {}
    as   = "bob"
  }

  expect {
    error = "tool"
  }
  assert {
    condition = [for c in calls : [c.tool, try(c.args.target, c.args.branchName)] if c.undo] == [
      ["git_checkout", "main"], ["git_branch", "release/1.2.0"],
    ]
    error_message = jsonencode([for c in calls : c if c.undo])
  }
  assert {
    condition     = run.error.step == "version" && step.left.outcome == "ok"
    error_message = run.error.message
  }
}

test "declined" {
  workflow = workflow.cut_release
  inputs   = { repo = "/repo", version = "1.2.0", approvers = ["ann"] }

  mock "git" "git_status" {
    output = { success = true, currentBranch = "main", isClean = true, conflictedFiles = [], stagedChanges = {}, unstagedChanges = {}, untrackedFiles = [] }
  }
  mock "git" "git_log" {
    output = { success = true, totalCount = 0, commits = [] }
  }
  answer "approve" {
    decline = true
    as      = "ann"
  }

  expect {
    error = "declined"
  }
  assert {
    condition     = length(calls) == 2
    error_message = jsonencode(calls)
  }
}

test "nobody_answers" {
  workflow = workflow.cut_release
  inputs   = { repo = "/repo", version = "1.2.0", approvers = ["ann"], deadline = "30m" }

  mock "git" "git_status" {
    output = { success = true, currentBranch = "main", isClean = true, conflictedFiles = [], stagedChanges = {}, unstagedChanges = {}, untrackedFiles = [] }
  }
  mock "git" "git_log" {
    output = { success = true, totalCount = 0, commits = [] }
  }

  expect {
    error = "timeout"
  }
}

test "a_dirty_tree_is_not_released" {
  workflow = workflow.cut_release
  inputs   = { repo = "/repo", version = "1.2.0", approvers = ["ann"] }

  mock "git" "git_status" {
    output = { success = true, currentBranch = "main", isClean = false, conflictedFiles = [], stagedChanges = {}, unstagedChanges = {}, untrackedFiles = ["x"] }
  }
  mock "git" "git_log" {
    output = { success = true, totalCount = 0, commits = [] }
  }

  expect {
    error = "assert"
  }
  assert {
    condition     = strcontains(run.error.message, "The working tree of /repo is not clean")
    error_message = run.error.message
  }
}
