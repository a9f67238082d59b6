project {
  name     = "promote"
  language = 1
}
