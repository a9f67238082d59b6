project {
  name     = "cut-release"
  language = 1
}
