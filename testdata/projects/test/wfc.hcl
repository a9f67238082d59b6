project {
  name     = "test"
  language = 1
}
