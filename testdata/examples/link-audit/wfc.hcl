project {
  name     = "link-audit"
  language = 1
}
