test "a_section_for_each_version" {
  workflow = workflow.release_notes
  inputs   = { repo = "/repo/", version = "1.2.0", date = "2026-02-01" }

  mock "git" "git_tag" {
    when = args.mode == "list"
    output = {
      success = true
      mode    = "list"
      tags    = [{ name = "v1.1.0", commit = "b", timestamp = 200 }, { name = "v1.0.0", commit = "a", timestamp = 100 }]
    }
  }

  # Two pages: ten commits, and one.
  mock "git" "git_log" {
    when = args.branch == "v1.1.0..HEAD" && args.skip == 0
    output = {
      success    = true
      totalCount = 10
      commits = [for i, subject in [
        "feat(core)!: drop the old format", "feat: a new one", "fix: a bug", "fix(cli): another", "docs: words",
        "chore: dust", "merge", "fix: one more", "feat: and one", "refactor: names",
      ] : { hash = "h${i}", shortHash = "h${i}", subject = subject, body = i == 9 ? "BREAKING CHANGE: other names" : "" }]
    }
  }
  mock "git" "git_log" {
    when   = args.skip == 10
    output = { success = true, totalCount = 1, commits = [{ hash = "x", shortHash = "x", subject = "test: more" }] }
  }
  mock "files" "read_text_file" {
    when   = args.path == "/repo/CHANGELOG.md"
    output = { content = "# Changelog\n\n## 1.1.0 \u2013 2026-01-01\n\n- old\n" }
  }
  mock "files" "write_file" {
    output = { content = "Successfully wrote to ${args.path}" }
  }

  expect {
    outputs = {
      since    = "v1.1.0"
      pages    = [10, 1]
      commits  = 11
      breaking = 2
      others   = { chore = 1, docs = 1, feat = 2, fix = 3, none = 1, test = 1 }
    }
  }
  assert {
    condition     = [for c in calls : c.args.content if c.tool == "write_file"] == [file("expected/CHANGELOG.md")]
    error_message = join("", [for c in calls : c.args.content if c.tool == "write_file"])
  }
}

test "a_version_keeps_its_section" {
  workflow = workflow.release_notes
  inputs   = { repo = "/repo", version = "1.1.0", date = "2026-02-01" }

  mock "git" "git_tag" {
    output = { success = true, mode = "list" }
  }
  mock "git" "git_log" {
    output = { success = true, totalCount = 0, commits = [] }
  }
  mock "files" "read_text_file" {
    output = { content = "# Changelog\n\n## 1.1.0 \u2013 2026-01-01\n\n- old\n" }
  }

  # A repository without tags gets its whole history.
  assert {
    condition     = step.write.outcome == "skipped" && run.outputs.since == null
    error_message = "It is since ${coalesce(run.outputs.since, "nothing")}, and writing is ${step.write.outcome}."
  }
  assert {
    condition     = [for c in calls : c.args if c.step == "log"] == [{ path = "/repo", maxCount = 10, skip = 0 }]
    error_message = jsonencode(calls)
  }
}

test "a_version_is_three_numbers" {
  workflow = workflow.release_notes
  inputs   = { repo = "/repo", version = "v1", date = "today" }

  expect {
    error = "assert"
  }
  assert {
    condition     = strcontains(run.error.message, "not v1.") && strcontains(run.error.message, "not today.")
    error_message = run.error.message
  }
}
