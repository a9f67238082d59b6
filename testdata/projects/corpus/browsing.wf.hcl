# Pages in a browser, which has a session of its own for each run.

workflow "page_check" {
  description = "Loads pages and says which do not answer as they should."

  source "browser" {
    bind    = connection.browser.main
    session = "run"
  }

  input "urls" {
    type = list(string)
  }

  step "agree" {
    ask {
      message = "Open ${length(input.urls)} pages?"
      answer  = object({ ok = bool })
    }
  }

  step "visit" {
    for_each     = step.agree.output.ok ? input.urls : []
    call         = browser.browser_navigate
    args         = { url = each.value }
    max_parallel = 1
    on_error     = ["tool"]
    timeout      = "1m"
    # A page that is not there is a success for the server.
    fail_if = can(regex("HTTP status: [45]\\d\\d", self.text))
    result  = section(self.text, "### Page")
  }

  output "broken" {
    value = { for r in step.visit : r.each.value => r.error.message if r.outcome == "error" }
  }
  output "titles" {
    value = [for r in step.visit : try(regex("Page Title: (.*)", r.output)[0], "") if r.outcome == "ok"]
  }
}

workflow "screenshots" {
  description = "Screenshots of a page, each kept as an artifact."

  source "browser" {
    bind = connection.browser.main
  }

  input "url" {
    type = string
    validation {
      condition     = startswith(input.url, "https://")
      error_message = "Only https pages are shown."
    }
  }

  step "agree" {
    ask {
      message = "Open ${input.url}?"
      answer  = object({ full = bool })
    }
  }

  step "open" {
    depends_on = [step.agree]
    call       = browser.browser_navigate
    args       = { url = input.url }
  }

  step "wait" {
    depends_on = [step.open]
    call       = browser.browser_wait_for
    args       = { time = 2 }
  }

  step "shot" {
    depends_on   = [step.wait]
    for_each     = step.agree.output.full ? { page = true, view = false } : { view = false }
    call         = browser.browser_take_screenshot
    args         = { scale = "css", type = "png", fullPage = each.value }
    decode       = "blob"
    idle_timeout = "2m"
  }

  finally "close" {
    when = step.open.outcome == "ok"
    call = browser.browser_close
  }

  output "images" {
    value = { for name, r in step.shot : name => r.output }
  }
  output "bytes" {
    value = sum([for r in step.shot : r.output.size])
  }
}

workflow "console_errors" {
  description = "What a page writes to the console."

  source "devtools" {
    bind = connection.devtools.main
  }

  input "url" {
    type = string
  }
  input "page" {
    type    = integer
    default = 0
  }

  step "go" {
    when = input.url != ""
    call = devtools.navigate_page
    args = { pageId = input.page, url = input.url, type = "url", timeout = 20000 }
  }

  step "messages" {
    depends_on = [step.go]
    call       = devtools.list_console_messages
    args       = { pageId = input.page, types = ["error", "warn"], pageIdx = loop.index, pageSize = 50 }
    loop {
      while = strcontains(self.text, "Next page")
      max   = 20
    }
  }

  output "messages" {
    value = compact(flatten([for m in step.messages : split("\n", m.text)]))
  }
}
