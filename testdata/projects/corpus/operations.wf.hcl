# Databases, logs and infrastructure.

workflow "slow_queries" {
  description = "The slowest statements of a database, with a chart."

  source "db" {
    bind = connection.postgres.main
  }
  source "charts" {
    bind = connection.charts.main
  }

  input "limit" {
    type    = integer
    default = 10
  }

  step "top" {
    call    = db.query
    args    = { sql = "SELECT query, calls, mean_exec_time FROM pg_stat_statements ORDER BY mean_exec_time DESC LIMIT ${input.limit}" }
    decode  = "json"
    returns = list(object({ query = string, calls = integer, mean_exec_time = number }))
    timeout = "1m"
  }

  step "chart" {
    when = length(step.top.output) > 0
    call = charts.generate_bar_chart
    args = {
      title = "Slow statements"
      data  = [for i, q in step.top.output : { category = "${i + 1}. ${substr(q.query, 0, min(40, length(q.query)))}", value = floor(q.mean_exec_time) }]
      theme = "academy"
    }
  }

  output "slowest" {
    value = [for q in step.top.output : { query = q.query, seconds = q.mean_exec_time / 1000 } if q.calls > 10]
  }
  output "chart" {
    value = step.chart.outcome == "ok" ? step.chart.text : null
  }
}

workflow "table_copy" {
  description = "Copies new rows of one database into another, a page at a time, from where the last run ended."

  source "from" {
    bind = connection.postgres.main
  }
  source "to" {
    bind = connection.sqlite.stock
  }

  input "table" {
    type = enum("orders", "customers")
  }

  locals {
    start = run.previous == null ? 0 : coalesce(run.previous.outputs.last, 0)
    rows  = flatten1([for p in step.page : p.output])
  }

  step "page" {
    call    = from.query
    args    = { sql = "SELECT id, name FROM ${input.table} WHERE id > ${loop.previous == null ? local.start : max([for r in loop.previous.output : r.id]...)} ORDER BY id LIMIT 500" }
    decode  = "json"
    returns = list(object({ id = integer, name = string }))
    loop {
      while = length(self.output) == 500
      max   = 1000
    }
  }

  step "insert" {
    for_each     = local.rows
    key          = tostring(each.value.id)
    max_parallel = 1
    call         = to.create_record
    args         = { table = input.table, data = { id = each.value.id, name = each.value.name } }
    on_error     = ["tool"]
  }

  output "last" {
    type  = integer
    value = length(local.rows) == 0 ? local.start : max([for r in local.rows : r.id]...)
  }
  output "copied" {
    value = length([for k, r in step.insert : k if r.outcome == "ok"])
  }
}

deployment "orders-copy" {
  workflow = workflow.table_copy
  inputs   = { table = "orders" }
  schedule {
    cron    = "*/10 * * * *"
    overlap = "queue"
  }
}

workflow "error_spike" {
  description = "Asks whether to open an incident where the logs of a service have more errors than usual."
  deadline    = "1h"
  concurrency {
    key         = input.service
    limit       = 1
    on_conflict = "reject"
  }

  source "logs" {
    bind = connection.elastic.logs
  }
  source "tracker" {
    bind = connection.github.work
  }

  input "service" {
    type = string
  }
  input "usual" {
    type    = integer
    default = 20
  }

  step "errors" {
    call = logs.search
    args = {
      index = "logs-*"
      queryBody = {
        size  = 3
        query = { bool = { filter = [{ term = { service = input.service } }, { term = { level = "error" } }, { range = { "@timestamp" = { gte = "now-1h" } } }] } }
      }
    }
    result = {
      total  = try(toint(regex("Total results: (\\d+)", self.text)[0]), 0)
      sample = self.text
    }
    retry {
      attempts = 3
      on       = ["transport", "timeout"]
    }
  }

  step "open" {
    when     = step.errors.output.total > 3 * input.usual
    deadline = "30m"
    on_error = ["timeout", "declined"]
    ask {
      message = "${input.service} logged ${step.errors.output.total} errors in an hour. Open an incident?"
      answer  = object({ open = bool, severity = enum("low", "high") })
      choices = { severity = ["low", "high"] }
    }
  }

  step "incident" {
    when = step.open.outcome == "ok" && step.open.output.open
    call = tracker.create_issue
    args = {
      owner  = "acme"
      repo   = "incidents"
      title  = "${input.service}: ${step.errors.output.total} errors an hour"
      body   = step.errors.output.sample
      labels = [step.open.outcome == "ok" ? step.open.output.severity : "low"]
    }
  }

  output "total" {
    value = step.errors.output.total
  }
  output "incident" {
    value = step.incident.outcome == "ok" ? step.incident.output.html_url : null
  }
  output "answer" {
    value = step.open.outcome
  }
}

workflow "mongo_report" {
  description = "Counts and examples of documents by state."

  source "db" {
    bind = connection.mongo.main
  }
  source "files" {
    bind = connection.files.out
  }

  input "connection_id" {
    type = string
  }
  input "states" {
    type    = map(string)
    default = { new = "New orders", late = "Late orders" }
  }

  step "count" {
    for_each = input.states
    call     = db.count
    args     = { connectionId = input.connection_id, database = "shop", collection = "orders", query = { state = each.key } }
  }

  step "sample" {
    for_each = { for state, r in step.count : state => r.output.count if r.output.count > 0 }
    call     = db.find
    args     = { connectionId = input.connection_id, database = "shop", collection = "orders", filter = { state = each.key }, limit = min(each.value, 3), sort = { created = -1 } }
  }

  step "per_day" {
    call = db.aggregate
    args = {
      connectionId = input.connection_id
      database     = "shop"
      collection   = "orders"
      pipeline     = [{ "$group" = { _id = "$day", n = { "$sum" = 1 } } }, { "$sort" = { _id = 1 } }]
    }
  }

  step "write" {
    call = files.write_file
    args = {
      path = "orders.json"
      content = jsonencode({ for state, title in input.states : state => {
        title  = title
        count  = step.count[state].output.count
        sample = try(step.sample[state].output.documents, [])
      } })
    }
  }

  output "total" {
    value = sum([for r in step.count : r.output.count])
  }
  output "days" {
    value = length(step.per_day.output.documents)
  }
  output "written" {
    value = step.write.outcome
  }
}

workflow "module_upgrade" {
  description = "Usage and guides of a Terraform provider, and the server's prompt to migrate to it."

  source "registry" {
    bind = connection.terraform.registry
  }

  input "provider" {
    type = string
  }
  input "from" {
    type = string
  }
  input "to" {
    type = string
  }
  input "code" {
    type    = string
    default = ""
  }

  step "details" {
    call = registry.providerDetails
    args = { provider = input.provider, namespace = "hashicorp" }
  }
  step "guides" {
    call     = registry.providerGuides
    args     = { provider = input.provider, search = "upgrade" }
    on_error = "continue"
  }
  step "prompt" {
    prompt = registry.migrate-provider-version
    args = {
      providerName   = input.provider
      currentVersion = input.from
      targetVersion  = input.to
      terraformCode  = input.code == "" ? null : input.code
    }
  }

  output "prompt" {
    value = [for m in step.prompt.output.messages : "${m.role}: ${coalesce(m.content.text, "")}"]
  }
  output "notes" {
    value = join("\n\n", compact([step.details.text, step.guides.outcome == "ok" ? step.guides.text : ""]))
  }
}

workflow "weather_chart" {
  description = "The weather of three cities, typed by the server's own schema."

  source "weather" {
    bind = connection.everything.main
  }
  source "charts" {
    bind = connection.charts.main
  }

  step "now" {
    for_each = ["New York", "Chicago", "Los Angeles"]
    key      = each.value
    call     = weather.get-structured-content
    args     = { location = each.value }
  }

  locals {
    warmest = sort_by([for city, r in step.now : { city = city, t = r.output.temperature }], "-t")[0].city
  }

  step "chart" {
    call = charts.generate_bar_chart
    args = { title = "Now", data = [for city, r in step.now : { category = city, value = r.output.temperature, group = r.output.conditions }], group = true }
  }

  output "warmest" {
    value = local.warmest
  }
  output "humid" {
    value = anytrue([for r in values(step.now) : r.output.humidity > 80])
  }
  output "chart" {
    value = step.chart.text
  }
}
