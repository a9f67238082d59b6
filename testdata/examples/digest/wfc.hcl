project {
  name     = "digest"
  language = 1
}

# What answers a server that asks for a model: anything that speaks OpenAI's interface.
sampling {
  base_url = env("MODEL_URL", "http://localhost:11434/v1")
  model    = "small"
}
