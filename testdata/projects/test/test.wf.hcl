# The connections that the scripts use: the test server, whose behaviour and
# records environment variables choose.

connection "test" "main" {
  stdio {
    command = "toolserver"
    args    = ["-starts", env("STARTS", ""), "-log", env("LOG", ""), "-waiting", env("WAITING", "")]
  }
}

connection "test" "other" {
  stdio {
    command = "toolserver"
    args    = ["-starts", env("STARTS", ""), "-log", env("OTHER_LOG", "")]
  }
}
