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
