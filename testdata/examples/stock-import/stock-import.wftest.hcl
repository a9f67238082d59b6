test "stores_the_good_rows" {
  workflow = workflow.stock_import
  inputs   = { csv_path = "/lists/stock.csv", page_size = 2 }

  mock "files" "read_text_file" {
    when = args.path == "/lists/stock.csv"
    output = {
      content = <<-EOT
        sku,name,qty,price,external_id
        A-1,Bolt,10,0.10,7000000000000000001
        A-2,"Nut, small",,,x
        ,Nameless,1,1,y
        A-1,Bolt again,1,1,z
        A-3,Screw,many,1,q
        A-4,Washer,3,cheap,r
        A-5,Short,1
        A-6,Refused,1,1,s
        A-7,Last,2,2.50,t
      EOT
    }
  }
  mock "db" "query" {
    when  = try(args.values[0], "") == "A-6"
    error = "UNIQUE constraint failed: stock.external_id"
  }
  mock "db" "query" {
    text = "[]"
  }
  mock "db" "read_records" {
    when = args.offset == 0
    text = jsonencode([
      { sku = "A-1", name = "Bolt", qty = 10, price = 0.10, external_id = "7000000000000000001" },
      { sku = "A-2", name = "Nut, small", qty = null, price = null, external_id = "x" },
    ])
  }
  mock "db" "read_records" {
    text = jsonencode([{ sku = "A-7", name = "Last", qty = 2, price = 2.50, external_id = "t" }])
  }

  expect {
    outputs = {
      rows     = 9
      accepted = 3
      rejected = [
        { line = 4, reason = "sku is missing" },
        { line = 5, reason = "sku A-1 is repeated" },
        { line = 6, reason = "qty many is no whole number" },
        { line = 7, reason = "price cheap is no number" },
        { line = 8, reason = "it has 3 cells, and there are 5 columns" },
        { line = 9, reason = "The tool sqlite.stock.query answered with an error: UNIQUE constraint failed: stock.external_id" },
      ]
      pages = [2, 1]
    }
  }
  assert {
    condition     = [for c in calls : c.args.values if c.step == "write"][0] == ["A-1", "Bolt", 10, 0.10, "7000000000000000001"]
    error_message = "What is written first is another row."
  }
  assert {
    condition     = [for c in calls : c.key if c.step == "write"] == ["A-1", "A-2", "A-6", "A-7"]
    error_message = "The order of the list is lost."
  }
}

test "one_page_is_enough" {
  workflow = workflow.stock_import
  inputs   = { csv_path = "/lists/empty.csv" }

  mock "files" "read_text_file" {
    output = { content = "sku,name,qty,price,external_id\n" }
  }
  mock "db" "query" {
    text = "[]"
  }
  mock "db" "read_records" {
    text = "[]"
  }

  expect {
    outputs = { rows = 0, accepted = 0, rejected = [], pages = [0], stock = [] }
  }
}

test "nothing_is_written_without_all_columns" {
  workflow = workflow.stock_import
  inputs   = { csv_path = "/lists/stock.csv" }

  mock "files" "read_text_file" {
    output = { content = "sku,name,qty\nA-1,Bolt,10\n" }
  }

  expect {
    error = "assert"
  }
  assert {
    condition     = length(calls) == 1 && strcontains(run.error.message, "/lists/stock.csv has no column price.")
    error_message = run.error.message
  }
}

test "a_page_is_not_empty" {
  workflow = workflow.stock_import
  inputs   = { csv_path = "/lists/stock.csv", page_size = 0 }

  expect {
    error = "assert"
  }
  assert {
    condition     = strcontains(run.error.message, "page_size must be at least 1, not 0.")
    error_message = run.error.message
  }
}
