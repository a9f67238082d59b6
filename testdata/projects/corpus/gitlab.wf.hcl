# GitLab: pipelines and merge requests. Its tools answer in text that is JSON.

workflow "failed_pipelines" {
  description = "The jobs that failed on a branch, with the end of their logs."

  source "gitlab" {
    bind = connection.gitlab.work
  }

  input "project" {
    type = string
  }
  input "ref" {
    type    = string
    default = "main"
  }

  step "pipelines" {
    call    = gitlab.list_pipelines
    args    = { project_id = input.project, ref = input.ref, status = "failed", per_page = 5 }
    decode  = "json"
    returns = list(object({ id = integer, web_url = string }, any))
  }

  step "jobs" {
    for_each = step.pipelines.output
    key      = tostring(each.value.id)
    call     = gitlab.list_pipeline_jobs
    args     = { project_id = input.project, pipeline_id = tostring(each.value.id), scope = "failed" }
    decode   = "json"
    returns  = list(object({ id = integer, name = string, stage = string, allow_failure = optional(bool) }, any))
  }

  locals {
    failed = flatten1([for pipeline, r in step.jobs : [for j in r.output : { pipeline = pipeline, id = j.id, name = "${j.stage}/${j.name}" } if !coalesce(j.allow_failure, false)]])
  }

  step "log" {
    for_each     = local.failed
    call         = gitlab.get_pipeline_job_output
    args         = { project_id = input.project, job_id = tostring(each.value.id), limit = 50 }
    max_parallel = 2
    on_error     = "continue"
  }

  output "report" {
    value = [for r in step.log : {
      job  = r.each.value.name
      tail = r.outcome == "ok" ? r.text : "no log: ${r.error.message}"
    }]
  }
}

workflow "flaky_retry" {
  description = "Starts a failed pipeline again, at most three times."

  source "gitlab" {
    bind = connection.gitlab.work
  }

  input "project" {
    type = string
  }
  input "pipeline" {
    type = integer
  }

  step "run" {
    call    = gitlab.retry_pipeline
    args    = { project_id = input.project, pipeline_id = tostring(input.pipeline) }
    decode  = "json"
    returns = object({ status = string }, any)
    loop {
      while = self.output.status == "failed"
      max   = 3
      delay = "10m"
    }
    deadline = "2h"
  }

  output "rounds" {
    value = [for r in step.run : r.output.status]
  }
}

workflow "review_prompt" {
  description = "The server's own review prompt for every open merge request."

  source "gitlab" {
    bind = connection.gitlab.work
  }

  input "project" {
    type = string
  }

  step "open" {
    call    = gitlab.list_merge_requests
    args    = { project_id = input.project, state = "opened", wip = "no" }
    decode  = "json"
    returns = list(object({ iid = integer, title = string, author = object({ username = string }, any) }, any))
  }

  step "prompt" {
    for_each = [for m in step.open.output : m if m.author.username != "dependabot"]
    prompt   = gitlab.review_merge_request
    args     = { project_id = input.project, merge_request_iid = tostring(each.value.iid) }
  }

  output "prompts" {
    value = { for r in step.prompt : "!${r.each.value.iid}" => join("\n", [for m in r.output.messages : coalesce(m.content.text, "")]) }
  }
}

workflow "mirror_issues" {
  description = "Copies labelled GitHub issues to GitLab, once each."

  source "github" {
    bind = connection.github.work
  }
  source "gitlab" {
    bind = connection.gitlab.work
  }

  input "owner" {
    type = string
  }
  input "repo" {
    type = string
  }
  input "project" {
    type = string
  }

  step "issues" {
    call = github.list_issues
    args = { owner = input.owner, repo = input.repo, labels = ["mirror"], state = "all" }
  }

  step "there" {
    call    = gitlab.list_issues
    args    = { project_id = input.project, labels = ["mirror"], state = "all", per_page = 100 }
    decode  = "json"
    returns = list(object({ title = string, iid = integer }, any))
  }

  locals {
    known = { for i in step.there.output : i.title => i.iid }
    open  = [for i in step.issues.output : i if i.state == "open" && !contains(keys(local.known), i.title)]
    done  = [for i in step.issues.output : i if i.state == "closed" && contains(keys(local.known), i.title)]
  }

  step "create" {
    for_each = local.open
    key      = each.value.title
    call     = gitlab.create_issue
    args     = { project_id = input.project, title = each.value.title, labels = ["mirror"] }
  }

  step "close" {
    for_each = local.done
    call     = gitlab.update_issue
    args     = { project_id = input.project, issue_iid = tostring(local.known[each.value.title]), state_event = "close" }
    on_error = ["tool"]
  }

  output "created" {
    value = keys(step.create)
  }
  output "closed" {
    value = length([for r in step.close : r if r.outcome == "ok"])
  }
}
