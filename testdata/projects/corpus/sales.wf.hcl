# A customer database, by pages with a cursor.

workflow "contacts" {
  description = "All contacts that changed lately, a page at a time."

  source "crm" {
    bind = connection.hubspot.main
  }

  input "kind" {
    type    = enum("contacts", "companies")
    default = "contacts"
  }

  step "page" {
    call    = crm.hubspot-list-objects
    args    = { objectType = input.kind, limit = 100, after = loop.previous == null ? null : loop.previous.output.next, properties = ["email", "lastmodifieddate"] }
    decode  = "json"
    result  = { results = self.output["results"], next = try(tostring(self.output["paging"]["next"]["after"]), null) }
    returns = object({ results = list(object({ id = string, properties = map(nullable(string)) }, any)), next = nullable(string) })
    loop {
      while = self.output.next != null
      max   = 100
      delay = "200ms"
    }
    retry {
      attempts = 5
    }
  }

  output "contacts" {
    value = { for c in flatten1([for p in step.page : p.output.results]) : c.id => coalesce(c.properties["email"], "") }
  }
}

workflow "leads_report" {
  description = "Leads of the week with a chart and a text, by another workflow's contacts."

  source "crm" {
    bind = connection.hubspot.main
  }
  source "charts" {
    bind = connection.charts.main
  }

  step "all" {
    run      = workflow.contacts
    args     = { kind = "contacts" }
    deadline = "20m"
  }

  step "new" {
    call = crm.hubspot-search-objects
    args = {
      objectType   = "contacts"
      limit        = 50
      filterGroups = [{ filters = [{ propertyName = "createdate", operator = "GTE", value = timeadd(run.started_at, "-168h") }] }]
      sorts        = [{ propertyName = "createdate", direction = "DESCENDING" }]
    }
    decode  = "json"
    returns = object({ total = integer, results = list(object({ id = string, createdAt = string }, any)) }, any)
  }

  locals {
    days = [for c in step.new.output.results : formatdate("EEE", c.createdAt)]
  }

  step "chart" {
    when = step.new.output.total > 0
    call = charts.generate_line_chart
    args = { data = [for d in distinct(local.days) : { time = d, value = length([for x in local.days : x if x == d]) }] }
  }

  output "share" {
    value = length(step.all.output.contacts) == 0 ? 0 : step.new.output.total / length(step.all.output.contacts)
  }
  output "chart" {
    value = step.chart.outcome == "ok" ? step.chart.text : "No new leads."
  }
}
