project {
  name     = "hello"
  language = 1
}
