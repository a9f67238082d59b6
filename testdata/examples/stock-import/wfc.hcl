project {
  name     = "stock-import"
  language = 1
}
