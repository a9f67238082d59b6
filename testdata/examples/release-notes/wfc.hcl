project {
  name     = "release-notes"
  language = 1
}
