project {
  name     = "corpus"
  language = 1
}

# What answers a server that asks for a model.
sampling {
  base_url = env("MODEL_URL", "http://localhost:11434/v1")
  model    = "small"
}
