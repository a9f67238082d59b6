# The project that the examples of diagnostics are checked in.

connection "demo" "main" {
  stdio {
    command = project.wfc
    args    = ["demo-server"]
  }
}
