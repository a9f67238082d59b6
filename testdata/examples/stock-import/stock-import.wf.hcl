# Loads a stock list, a CSV file as spreadsheets write it, into an SQLite database. Rows
# that are wrong are told with their line and the reason; all others are stored, and what
# was stored before is brought up to date.
#
#   STOCK_ROOT=/path/to/lists STOCK_DB=stock.db wfc run stock-import --input csv_path=/path/to/lists/stock.csv
#
# The servers come from npm; the second compiles its SQLite when it is installed:
#
#   npm install --global @modelcontextprotocol/server-filesystem@2026.8.31 mcp-sqlite@1.0.9

connection "files" "lists" {
  stdio {
    command = "mcp-server-filesystem"
    args    = [env("STOCK_ROOT", project.root)]
  }
}

connection "sqlite" "stock" {
  stdio {
    command = "mcp-sqlite-server"
    args    = [env("STOCK_DB", "${project.root}/stock.db")]
  }

  # The server says nothing of its tools. What this workflow writes with query may be
  # written again: the table if it is missing, and rows by their keys.
  tool "query" {
    effect     = "write"
    idempotent = true
  }
  tool "read_records" {
    effect = "read"
    decode = "json"
  }
}

workflow "stock_import" {
  description = "Stores the good rows of a stock list, tells the bad ones, and reads back what is stored."

  source "files" {
    bind = connection.files.lists
  }
  source "db" {
    bind = connection.sqlite.stock
  }

  input "csv_path" {
    type        = string
    description = "The list; the file server must be allowed to read it (STOCK_ROOT)."
  }
  input "page_size" {
    type    = integer
    default = 4
    validation {
      condition     = input.page_size > 0
      error_message = "page_size must be at least 1, not ${input.page_size}."
    }
  }

  locals {
    columns = ["sku", "name", "qty", "price", "external_id"]

    # All cells are text, with the line that each row begins in.
    lines  = csvlines(step.read.output.content)
    header = local.lines[0].cells
    rows = [for row in slice(local.lines, 1, length(local.lines)) : {
      line = row.line
      cell = zipmap(local.header, row.cells)
    } if length(row.cells) == length(local.header)]
    ragged = [for row in local.lines : {
      line   = row.line
      reason = "it has ${length(row.cells)} cells, and there are ${length(local.header)} columns"
    } if length(row.cells) != length(local.header)]

    skus = [for row in local.rows : row.cell["sku"]]
    checked = [for i, row in local.rows : {
      line = row.line
      cell = row.cell
      reason = (
        row.cell["sku"] == "" ? "sku is missing" :
        contains(slice(local.skus, 0, i), row.cell["sku"]) ? "sku ${row.cell["sku"]} is repeated" :
        !can(regex("^\\d*$", row.cell["qty"])) ? "qty ${row.cell["qty"]} is no whole number" :
        !can(regex("^(\\d+(\\.\\d+)?)?$", row.cell["price"])) ? "price ${row.cell["price"]} is no number" :
        null
      )
    }]
  }

  step "read" {
    call = files.read_text_file
    args = { path = input.csv_path }
    assert {
      condition     = length(csvlines(self.output.content)) > 0
      error_message = "${args.path} is empty."
    }
  }

  # Nothing is written unless all columns are there.
  step "columns" {
    for_each = local.columns
    value    = contains(local.header, each.value)
    assert {
      condition     = self.output
      error_message = "${input.csv_path} has no column ${each.value}."
    }
  }

  step "table" {
    depends_on = [step.columns]
    call       = db.query
    args       = { sql = file("sql/stock.sql") }
  }

  # A row that the database refuses is told, too. One after the other, since the order of
  # the list is that of the table.
  step "write" {
    for_each     = [for row in local.checked : row if row.reason == null]
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
    returns = list(object({
      sku         = string
      name        = string
      qty         = nullable(integer)
      price       = nullable(number)
      external_id = string
    }))
    loop {
      while = length(self.output) == input.page_size
      max   = 10000
    }
  }

  output "rows" {
    value = length(local.lines) - 1
  }
  output "accepted" {
    value = length([for sku, row in step.write : sku if row.outcome == "ok"])
  }
  output "rejected" {
    value = sort_by(concat(
      local.ragged,
      [for row in local.checked : { line = row.line, reason = row.reason } if row.reason != null],
      [for sku, row in step.write : { line = row.each.value.line, reason = row.error.message } if row.outcome == "error"],
    ), "line")
  }
  output "pages" {
    value = [for page in step.page : length(page.output)]
  }
  output "stock" {
    value = flatten1([for page in step.page : page.output])
  }
}
