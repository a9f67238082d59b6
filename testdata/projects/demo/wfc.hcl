project {
  name     = "demo"
  language = 1
}
