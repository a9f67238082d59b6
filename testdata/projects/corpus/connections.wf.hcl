# Servers as they come from npm, each with the snapshot of what the real one lists.

secret "github_token" {
  env = "GITHUB_TOKEN"
}

secret "gitlab_token" {
  keyring = "gitlab/api"
}

secret "brave_key" {
  file = "/run/secrets/brave"
}

secret "notion_token" {
  command = ["pass", "show", "notion"]
}

secret "hook_key" {
  env = "HOOK_KEY"
}

secret "prod_token" {
  env = "PROD_TOKEN"
}

connection "github" "work" {
  stdio {
    command = "mcp-server-github"
    env     = { GITHUB_PERSONAL_ACCESS_TOKEN = secret.github_token }
  }

  # The server says nothing of what its tools do. Reading and labelling may be repeated.
  tool "search_issues" {
    effect = "read"
    decode = "json"
    returns = object({
      total_count = integer
      items       = list(object({ number = integer, title = string, html_url = string, labels = list(object({ name = string }, any)), created_at = string }, any))
    }, any)
  }
  tool "list_issues" {
    effect  = "read"
    decode  = "json"
    returns = list(object({ number = integer, title = string, state = string, updated_at = string, labels = list(object({ name = string }, any)) }, any))
  }
  tool "list_commits" {
    effect  = "read"
    decode  = "json"
    returns = list(object({ sha = string, commit = object({ message = string, author = object({ name = string, date = string }, any) }, any) }, any))
  }
  tool "get_file_contents" {
    effect = "read"
    decode = "json"
  }
  tool "list_pull_requests" {
    effect  = "read"
    decode  = "json"
    returns = list(object({ number = integer, title = string, draft = bool, created_at = string, user = object({ login = string }, any) }, any))
  }
  tool "get_pull_request_files" {
    effect  = "read"
    decode  = "json"
    returns = list(object({ filename = string, status = string, additions = integer, deletions = integer }, any))
  }
  tool "get_pull_request_status" {
    effect  = "read"
    decode  = "json"
    returns = object({ state = enum("success", "pending", "failure", "error") }, any)
  }
  tool "update_issue" {
    effect     = "write"
    idempotent = true
  }
  tool "add_issue_comment" {
    effect = "write"
  }
  tool "create_issue" {
    effect  = "write"
    decode  = "json"
    returns = object({ number = integer, html_url = string }, any)
  }
  tool "create_or_update_file" {
    effect = "write"
  }
  tool "create_branch" {
    effect = "write"
  }
  tool "create_pull_request" {
    effect  = "write"
    decode  = "json"
    returns = object({ number = integer, html_url = string }, any)
  }
}

provider "gitlab" {
  stdio {
    command = "mcp-gitlab"
    env = {
      GITLAB_PERSONAL_ACCESS_TOKEN = secret.gitlab_token
      GITLAB_API_URL               = env("GITLAB_API_URL", "https://gitlab.com/api/v4")
    }
  }
  rate_limit {
    requests = 300
    per      = "1m"
  }
}

connection "gitlab" "work" {
  max_in_flight = 4
}

connection "git" "repo" {
  stdio {
    command = "git-mcp-server"
    env     = { MCP_TRANSPORT_TYPE = "stdio" }
  }
  tool "git_tag" {
    effect = args.mode == "list" ? "read" : "write"
  }
  tool "git_branch" {
    effect = args.mode == "list" || args.mode == "show-current" ? "read" : "write"
  }
  tool "git_checkout" {
    effect = "write"
  }
  tool "git_add" {
    effect     = "write"
    idempotent = true
  }
  tool "git_commit" {
    effect = "write"
  }
}

provider "files" {
  stdio {
    command = "mcp-server-filesystem"
  }
  tool "write_file" {
    effect     = "write"
    idempotent = true
  }
  tool "create_directory" {
    idempotent = true
  }
  tool "edit_file" {
    effect = "write"
  }
}

connection "files" "docs" {
  stdio {
    args = [env("DOCS_ROOT", project.root)]
  }
}

connection "files" "out" {
  stdio {
    args = [env("OUT_ROOT", project.root)]
  }
}

connection "env" "dev" {
  stdio {
    command = "mcp-server-filesystem"
    args    = ["${env("ENV_ROOT", "env")}/dev"]
  }
  tool "write_file" {
    effect = "write"
  }
}

connection "env" "staging" {
  stdio {
    command = "mcp-server-filesystem"
    args    = ["${env("ENV_ROOT", "env")}/staging"]
  }
  tool "write_file" {
    effect = "write"
  }
}

connection "env" "prod" {
  stdio {
    command = "mcp-server-filesystem"
    args    = ["${env("ENV_ROOT", "env")}/prod"]
  }
  tool "write_file" {
    effect = "write"
  }
}

connection "memory" "main" {
  stdio {
    command = "mcp-server-memory"
    env     = { MEMORY_FILE_PATH = "${project.root}/memory.jsonl" }
  }
  max_in_flight = 1 # overlapping writes are lost
}

provider "sqlite" {
  stdio {
    command = "mcp-sqlite-server"
  }
  tool "query" {
    effect = can(regex("^(?i)\\s*select\\b", args.sql)) ? "read" : "write"
    decode = "json"
  }
  tool "read_records" {
    effect = "read"
    decode = "json"
  }
}

connection "sqlite" "stock" {
  stdio {
    args = [env("STOCK_DB", "stock.db")]
  }
}

connection "sqlite" "geo" {
  stdio {
    args = [env("GEO_DB", "geo.db")]
  }
}

connection "everything" "main" {
  stdio {
    command = "mcp-server-everything"
    env     = { PROD_TOKEN = secret.prod_token }
  }
  offers = ["sampling"]
}

# The same server without a model: it lists one tool less then.
connection "everything" "bare" {
  stdio {
    command = "mcp-server-everything"
  }
}

connection "brave" "main" {
  stdio {
    command = "brave-search-mcp-server"
    env     = { BRAVE_API_KEY = secret.brave_key }
  }
  rate_limit {
    requests = 1
    per      = "1s"
  }
}

connection "tavily" "main" {
  http {
    url = "https://mcp.tavily.com/mcp"
  }
  auth "header" {
    name  = "Authorization"
    value = "Bearer ${secret.brave_key}"
  }
}

connection "notion" "work" {
  stdio {
    command = "notion-mcp-server"
    env     = { NOTION_TOKEN = secret.notion_token }
  }
}

connection "hubspot" "main" {
  http {
    url     = "https://mcp.hubspot.com/mcp"
    headers = { "X-Client" = "wfc" }
  }
  auth "oauth" {
    client_id = "wfc"
    scopes    = ["crm.objects.contacts.read"]
  }
}

connection "browser" "main" {
  stdio {
    command = "playwright-mcp"
    args    = ["--headless", "--isolated"]
  }
  session       = "run"
  max_in_flight = 1
}

connection "devtools" "main" {
  stdio {
    command = "chrome-devtools-mcp"
  }
  session = "run"
}

connection "mongo" "main" {
  stdio {
    command = "mongodb-mcp-server"
    args    = ["--readOnly"]
  }
}

connection "postgres" "main" {
  stdio {
    command = "mcp-server-postgres"
    args    = [env("DATABASE_URL", "postgresql://localhost/app")]
  }
}

connection "elastic" "logs" {
  stdio {
    command = "mcp-server-elasticsearch"
  }
  tool "search" {
    effect = "read"
  }
}

connection "charts" "main" {
  stdio {
    command = "mcp-server-chart"
  }
}

connection "terraform" "registry" {
  stdio {
    command = "terraform-mcp-server"
  }
}

connection "thinking" "main" {
  stdio {
    command = "mcp-server-sequential-thinking"
  }
}

connection "desktop" "main" {
  stdio {
    command = "desktop-commander"
  }
  allow = ["read_file", "write_file", "list_directory", "start_search", "get_more_search_results"]
}
