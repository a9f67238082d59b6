project {
  name     = "evidence"
  language = 1
}
