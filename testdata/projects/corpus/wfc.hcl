project {
  name     = "corpus"
  language = 1
}
