# Issues: triage, labels, reminders.

workflow "triage" {
  description = "Labels new issues after a look at how many there are."

  source "tracker" {
    bind = connection.github.work
  }

  input "owner" {
    type = string
  }
  input "repo" {
    type = string
    validation {
      condition     = !strcontains(input.repo, "/")
      error_message = "repo is the name alone, without ${input.owner}/."
    }
  }
  input "limit" {
    type    = integer
    default = 20
  }

  step "search" {
    call    = tracker.search_issues
    args    = { q = "repo:${input.owner}/${input.repo} is:open no:label", per_page = input.limit }
    timeout = "30s"
    retry {
      attempts = 4
    }
  }

  step "confirm" {
    when = length(step.search.output.items) > 50
    ask {
      message = "Label ${length(step.search.output.items)} issues?"
      answer  = object({ ok = bool, why = optional(string) })
    }
  }

  step "label" {
    for_each = step.search.output.items
    when     = step.confirm.outcome == "skipped" || step.confirm.output.ok
    call     = tracker.update_issue
    args = {
      owner        = input.owner
      repo         = input.repo
      issue_number = each.value.number
      labels       = distinct(concat([for l in each.value.labels : l.name], ["triage"]))
    }
    max_parallel = 4
    on_error     = "continue"
  }

  output "labelled" {
    value = [for r in step.label : r.each.value.number if r.outcome == "ok"]
  }
  output "failed" {
    value = { for r in step.label : "#${r.each.value.number}" => r.error.message if r.outcome == "error" }
  }
}

workflow "stale_issues" {
  description = "Reminds of issues that nobody has touched for a while."

  source "tracker" {
    bind = connection.github.work
  }

  input "owner" {
    type = string
  }
  input "repo" {
    type = string
  }
  input "days" {
    type    = integer
    default = 60
  }
  input "dry_run" {
    type    = bool
    default = true
  }

  locals {
    before = timeadd(run.started_at, "-${input.days * 24}h")
    stale  = [for i in step.open.output : i if timecmp(i.updated_at, local.before) < 0 && !contains([for l in i.labels : l.name], "pinned")]
  }

  step "open" {
    call = tracker.list_issues
    args = { owner = input.owner, repo = input.repo, state = "open", sort = "updated", direction = "asc", per_page = 100 }
  }

  step "remind" {
    for_each = input.dry_run ? [] : local.stale
    key      = tostring(each.value.number)
    call     = tracker.add_issue_comment
    args = {
      owner        = input.owner
      repo         = input.repo
      issue_number = each.value.number
      body         = "Nothing has happened here since ${formatdate("DD MMM YYYY", each.value.updated_at)}. Is \"${each.value.title}\" still wanted?"
    }
  }

  output "stale" {
    value = [for i in local.stale : "#${i.number} ${i.title}"]
  }
  output "reminded" {
    value = keys(step.remind)
  }
}

deployment "stale-weekly" {
  workflow = workflow.stale_issues
  inputs   = { owner = "acme", repo = "app", dry_run = false }
  schedule {
    cron     = "0 8 * * MON"
    timezone = "Europe/Berlin"
    overlap  = "skip"
    missed   = "run_once"
  }
}

workflow "find_or_create_issue" {
  description = "One issue for each alert: found by its title, else created."

  source "tracker" {
    bind = connection.github.work
  }

  input "owner" {
    type = string
  }
  input "repo" {
    type = string
  }
  input "alert" {
    type = object({ name = string, severity = enum("info", "warning", "critical"), labels = optional(map(string), {}) })
  }

  locals {
    title  = "[${upper(input.alert.severity)}] ${input.alert.name}"
    found  = [for i in step.search.output.items : i if i.title == local.title]
    number = length(local.found) > 0 ? one([for i in slice(local.found, 0, 1) : i.number]) : (step.create.outcome == "ok" ? step.create.output.number : null)
  }

  step "search" {
    call = tracker.search_issues
    args = { q = "repo:${input.owner}/${input.repo} is:open in:title \"${input.alert.name}\"" }
  }

  step "create" {
    when = length(local.found) == 0
    call = tracker.create_issue
    args = {
      owner  = input.owner
      repo   = input.repo
      title  = local.title
      labels = input.alert.severity == "critical" ? ["alert", "urgent"] : ["alert"]
      body   = <<-EOT
        ${input.alert.name} was raised.

        | Label | Value |
        | --- | --- |
        %{ for k, v in input.alert.labels }
        | ${mdcell(k)} | ${mdcell(v)} |
        %{ endfor }
      EOT
    }
  }

  step "comment" {
    for_each = slice(local.found, 0, min(length(local.found), 1))
    call     = tracker.add_issue_comment
    args     = { owner = input.owner, repo = input.repo, issue_number = each.value.number, body = "Raised again at ${run.started_at}." }
  }

  output "number" {
    value = local.number
  }
  output "commented" {
    value = length(step.comment) > 0
  }
}

deployment "alerts" {
  workflow = workflow.find_or_create_issue
  inputs   = { owner = "acme", repo = "ops" }
  webhook {
    path   = "/hooks/alerts"
    input  = input.alert
    secret = secret.hook_key
  }
}

workflow "weekly_digest" {
  description = "What happened in a repository since the last digest, as a Markdown file."

  source "tracker" {
    bind = connection.github.work
  }
  source "files" {
    bind = connection.files.out
  }

  input "owner" {
    type = string
  }
  input "repo" {
    type = string
  }

  locals {
    since = run.previous == null ? timeadd(run.started_at, "-168h") : run.previous.started_at
    merged = [for c in step.commits.output : {
      sha     = substr(c.sha, 0, 7)
      subject = split("\n", c.commit.message)[0]
      author  = c.commit.author.name
    } if timecmp(c.commit.author.date, local.since) >= 0]
    authors = sort(distinct([for c in local.merged : c.author]))
  }

  step "commits" {
    call = tracker.list_commits
    args = { owner = input.owner, repo = input.repo, perPage = 100 }
  }

  step "pulls" {
    call = tracker.list_pull_requests
    args = { owner = input.owner, repo = input.repo, state = "open", per_page = 50 }
  }

  step "write" {
    when = length(local.merged) > 0 || length(step.pulls.output) > 0
    call = files.write_file
    args = {
      path    = "digests/${formatdate("YYYY-MM-DD", run.started_at)}.md"
      content = <<-EOT
        # ${input.repo}, since ${local.since}

        %{ for c in local.merged }
        - `${c.sha}` ${c.subject} (${c.author})
        %{ endfor }

        Waiting for review: ${join(", ", [for p in step.pulls.output : "#${p.number}" if !p.draft])}
        By ${join(", ", local.authors)}
      EOT
    }
  }

  output "written" {
    value = step.write.outcome == "ok"
  }
  output "since" {
    type  = string
    value = local.since
  }
}

workflow "pull_request_gate" {
  description = "Says what a pull request still needs."

  source "tracker" {
    bind = connection.github.work
  }

  input "owner" {
    type = string
  }
  input "repo" {
    type = string
  }
  input "number" {
    type = integer
  }

  locals {
    size    = sum([for f in step.files.output : f.additions + f.deletions])
    state   = reverse(step.status)[0].output.state
    touched = distinct([for f in step.files.output : element(split("/", f.filename), 0)])
    todo = compact([
      local.state == "success" ? "" : "checks are ${local.state}",
      local.size > 500 ? "it changes ${local.size} lines: split it" : "",
      contains(local.touched, "migrations") ? "a migration needs a second review" : "",
    ])
  }

  step "files" {
    call = tracker.get_pull_request_files
    args = { owner = input.owner, repo = input.repo, pull_number = input.number }
  }

  step "status" {
    call = tracker.get_pull_request_status
    args = { owner = input.owner, repo = input.repo, pull_number = input.number }
    loop {
      while = self.output.state == "pending"
      max   = 30
      delay = "20s"
    }
    deadline = "15m"
  }

  step "comment" {
    when = length(local.todo) > 0
    call = tracker.add_issue_comment
    args = { owner = input.owner, repo = input.repo, issue_number = input.number, body = "Before merging:\n\n- ${join("\n- ", local.todo)}" }
  }

  output "todo" {
    value = local.todo
  }
  output "told" {
    value = step.comment.outcome
  }
}
