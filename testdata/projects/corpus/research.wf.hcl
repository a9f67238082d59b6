# Searching the web and writing down what was found.

workflow "news_watch" {
  description = "News on some topics since yesterday, without those seen before."

  source "search" {
    bind = connection.brave.main
  }
  source "memory" {
    bind = connection.memory.main
  }

  input "topics" {
    type = list(string)
    validation {
      condition     = length(input.topics) > 0 && length(input.topics) <= 10
      error_message = "Give one to ten topics, not ${length(input.topics)}."
    }
  }

  step "news" {
    for_each = input.topics
    key      = each.value
    call     = search.brave_news_search
    args     = { query = each.value, freshness = "pd", count = 10 }
    decode   = "jsonl"
    returns  = list(object({ title = string, url = string, age = optional(string) }, any))
    on_error = ["rate_limit", "timeout"]
    retry {
      attempts  = 3
      delay     = "2s"
      max_delay = "1m"
      on        = ["rate_limit"]
    }
  }

  step "seen" {
    call = memory.open_nodes
    args = { names = [for a in local.articles : a.url] }
  }

  locals {
    articles = flatten1([for topic, r in step.news : r.outcome == "ok" ? [for a in r.output : { topic = topic, title = a.title, url = a.url }] : []])
    old      = [for e in step.seen.output.entities : e.name]
    fresh    = [for a in local.articles : a if !contains(local.old, a.url)]
  }

  step "remember" {
    when = length(local.fresh) > 0
    call = memory.create_entities
    args = { entities = [for a in local.fresh : { name = a.url, entityType = "article", observations = [a.title, a.topic] }] }
  }

  output "fresh" {
    value = { for a in local.fresh : a.topic => a.title... }
  }
  output "failed" {
    value = [for e in run.errors : e.step]
  }
  output "remembered" {
    value = step.remember.outcome
  }
}

deployment "news-daily" {
  workflow = workflow.news_watch
  inputs   = { topics = ["model context protocol", "workflow engines"] }
  schedule {
    cron = "@daily"
  }
}

workflow "brief" {
  description = "A brief on a question: search, read, think, write."

  source "search" {
    bind = connection.tavily.main
  }
  source "think" {
    bind = connection.thinking.main
  }
  source "notes" {
    bind = connection.files.out
  }

  input "question" {
    type = string
  }

  step "search" {
    call    = search.tavily_search
    args    = { query = input.question, max_results = 5, search_depth = "advanced", time_range = "month" }
    timeout = "45s"
    result  = [for u in regexall("https?://[^\\s)\\]]+", self.text) : u]
  }

  step "pages" {
    for_each     = slice(step.search.output, 0, min(3, length(step.search.output)))
    call         = search.tavily_extract
    args         = { urls = [each.value], format = "markdown" }
    max_parallel = 3
    on_error     = "continue"
  }

  step "thoughts" {
    call = think.sequentialthinking
    args = {
      thought           = loop.index == 0 ? "What does this say of \"${input.question}\"?" : "Round ${loop.index + 1}."
      nextThoughtNeeded = loop.index < 3
      thoughtNumber     = loop.index + 1
      totalThoughts     = 4
    }
    loop {
      while = self.output.nextThoughtNeeded
      max   = 6
    }
  }

  step "write" {
    call = notes.write_file
    args = {
      path    = "briefs/${substr(sha256(input.question), 0, 12)}.md"
      content = <<-EOT
        # ${input.question}

        %{ for p in step.pages }
        %{ if p.outcome == "ok" }
        ## ${p.each.value}

        ${p.text}

        %{ endif }
        %{ endfor }
        (${length(step.thoughts)} thoughts)
      EOT
    }
  }

  output "sources" {
    value = [for p in step.pages : p.each.value if p.outcome == "ok"]
  }
  output "path" {
    value = step.write.text
  }
}

workflow "compare_engines" {
  description = "The same query on two engines, side by side."

  source "brave" {
    bind = connection.brave.main
  }
  source "tavily" {
    bind = connection.tavily.main
  }

  input "query" {
    type = string
  }

  step "a" {
    call = brave.brave_web_search
    args = { query = input.query, count = 5, result_filter = ["web"], safesearch = "strict" }
  }
  step "b" {
    call = tavily.tavily_search
    args = { query = input.query, max_results = 5 }
  }

  locals {
    links = { brave = regexall("https?://[^\"\\s]+", step.a.text), tavily = regexall("https?://[^\"\\s]+", step.b.text) }
  }

  output "both" {
    value = [for u in distinct(local.links.brave) : u if contains(local.links.tavily, u)]
  }
  output "counts" {
    value = { for engine, urls in local.links : engine => length(urls) }
  }
}

workflow "notion_log" {
  description = "One page in Notion for each finding, in a database that is found by name."

  source "notion" {
    bind = connection.notion.work
  }

  input "database" {
    type = string
  }
  input "findings" {
    type = list(object({ title = string, score = number, done = optional(bool, false) }))
  }

  step "find" {
    call    = notion.API-post-search
    args    = { query = input.database, filter = { property = "object", value = "data_source" }, page_size = 1 }
    when    = length(input.findings) > 0
    decode  = "json"
    returns = object({ results = list(object({ id = string, parent = object({ database_id = string }, any) }, any)) }, any)
    assert {
      condition     = length(self.output.results) == 1
      error_message = "There is no database ${input.database}."
    }
  }

  step "confirm" {
    when = length(input.findings) > 0
    ask {
      message = "Write ${length(input.findings)} pages into ${input.database}?"
      answer  = object({ ok = bool })
    }
  }

  step "page" {
    for_each = step.find.outcome == "ok" && step.confirm.outcome == "ok" ? [for f in sort_by(input.findings, "-score") : f if step.confirm.output.ok] : []
    when     = each.value.score > 0.5
    call     = notion.API-post-page
    args = {
      parent = { database_id = step.find.outcome == "ok" ? step.find.output.results[0].parent.database_id : "" }
      properties = {
        Name  = { title = [{ text = { content = each.value.title } }] }
        Score = { number = each.value.score }
      }
    }
    max_parallel = 1
  }

  output "pages" {
    value = length([for r in step.page : r if r.outcome == "ok"])
  }
}
