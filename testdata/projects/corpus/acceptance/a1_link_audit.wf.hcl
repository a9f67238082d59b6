workflow "link_audit" {
  description = "Which local links of the Markdown files below root lead nowhere."

  source "files" {
    bind = connection.files.docs
  }

  input "root" {
    type        = string
    description = "Folder that is searched; the server must be allowed to read and write it (DOCS_ROOT)."
  }
  input "max_parallel" {
    type    = integer
    default = 4
  }

  locals {
    root   = trimsuffix(input.root, "/")
    report = "link-report.md"

    # Inline links and images: [text](target) and ![alt](target "title").
    found = flatten1([for file in step.read : [
      for link in regexall("\\]\\(\\s*<?([^()\\s<>]+)>?[^()]*\\)", file.output.content) : {
        file   = trimprefix(file.each.value, "${local.root}/")
        target = link[0]
      }
    ]])

    external = [for link in local.found : link if can(regex("^[A-Za-z][A-Za-z0-9+.-]*:", link.target))]

    # Without their fragments; a link that is nothing else stays in its own file.
    links = [for link in local.found : {
      file   = link.file
      target = split("#", link.target)[0]
    } if !can(regex("^[A-Za-z][A-Za-z0-9+.-]*:", link.target)) && !startswith(link.target, "#")]

    broken = sort_by([for link in step.info : {
      file   = link.each.value.file
      target = link.each.value.target
    } if link.outcome == "error"], "file", "target")
  }

  step "search" {
    call   = files.search_files
    args   = { path = local.root, pattern = "**/*.md", excludePatterns = [local.report] }
    result = self.output.content == "No matches found" ? [] : split("\n", self.output.content)
  }

  step "read" {
    for_each     = step.search.output
    call         = files.read_text_file
    args         = { path = each.value }
    max_parallel = input.max_parallel
  }

  # The server answers with an error where there is no such file: that is what
  # we want to know. Anything else that goes wrong fails the run.
  step "info" {
    for_each     = local.links
    call         = files.get_file_info
    args         = { path = pathjoin(local.root, dirname(each.value.file), urldecode(each.value.target)) }
    max_parallel = input.max_parallel
    on_error     = ["tool"]
  }

  step "report" {
    call = files.write_file
    args = {
      path    = "${local.root}/${local.report}"
      content = <<-EOT
        | File | Broken link |
        | --- | --- |
        %{ for link in local.broken }
        | ${mdcell(link.file)} | ${mdcell(link.target)} |
        %{ endfor }
      EOT
    }
  }

  output "files" {
    value = length(step.search.output)
  }
  output "links" {
    value = length(local.links)
  }
  output "external" {
    value = length(local.external)
  }
  output "broken" {
    value = local.broken
  }
}
