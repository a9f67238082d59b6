workflow "stock_import" {
  description = "Loads a stock list into SQLite and reads it back in pages."

  source "files" {
    bind = connection.files.docs
  }
  source "db" {
    bind = connection.sqlite.stock
  }

  input "csv_path" {
    type = string
  }
  input "page_size" {
    type    = integer
    default = 4
  }

  locals {
    columns = ["sku", "name", "qty", "price", "external_id"]
    raw     = csvlines(step.read.output.content)
    header  = local.raw[0].cells
    rows = [for r in slice(local.raw, 1, length(local.raw)) : {
      line = r.line
      cell = zipmap(local.header, r.cells)
    }]
    skus = [for r in local.rows : r.cell["sku"]]

    checked = [for i, r in local.rows : {
      line = r.line
      cell = r.cell
      reason = (
        r.cell["sku"] == "" ? "sku is missing" :
        contains(slice(local.skus, 0, i), r.cell["sku"]) ? "sku is repeated" :
        r.cell["qty"] != "" && !can(regex("^\\d+$", r.cell["qty"])) ? "qty is no whole number" :
        ""
      )
    }]
    good = [for r in local.checked : r if r.reason == ""]
  }

  step "read" {
    call = files.read_text_file
    args = { path = input.csv_path }
    assert {
      condition     = length(csvlines(self.output.content)) > 0
      error_message = "${args.path} is empty."
    }
  }

  step "columns" {
    for_each = local.columns
    value    = contains(local.header, each.value)
    assert {
      condition     = self.output
      error_message = "${input.csv_path} lacks the column ${each.value}."
    }
  }

  step "table" {
    depends_on = [step.columns]
    call       = db.query
    args       = { sql = file("sql/stock.sql") }
  }

  # A row that the database refuses is told, the others are stored.
  step "write" {
    for_each     = local.good
    key          = each.value.cell["sku"]
    max_parallel = 1
    depends_on   = [step.table]
    call         = db.query
    args = {
      sql = file("sql/upsert.sql")
      values = [
        each.value.cell["sku"],
        each.value.cell["name"],
        each.value.cell["qty"] == "" ? null : toint(each.value.cell["qty"]),
        each.value.cell["price"] == "" ? null : tonumber(each.value.cell["price"]),
        each.value.cell["external_id"],
      ]
    }
    on_error = ["tool"]
  }

  step "page" {
    depends_on = [step.write]
    call       = db.read_records
    args       = { table = "stock", limit = input.page_size, offset = loop.index * input.page_size }
    returns    = list(object({ sku = string, name = string, qty = nullable(integer), price = nullable(number), external_id = string }, any))
    loop {
      while = length(self.output) == input.page_size
      max   = 1000
    }
  }

  output "accepted" {
    value = length([for k, r in step.write : k if r.outcome == "ok"])
  }
  output "rejected" {
    value = concat(
      [for r in local.checked : { line = r.line, reason = r.reason } if r.reason != ""],
      [for k, r in step.write : { line = r.each.value.line, reason = r.error.message } if r.outcome == "error"],
    )
  }
  output "pages" {
    value = [for p in step.page : length(p.output)]
  }
  output "rows" {
    value = flatten1([for p in step.page : p.output])
  }
}
