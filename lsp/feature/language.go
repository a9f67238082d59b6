package feature

// language is the part of the table that says what places in files mean.
func language() []Feature {
	return []Feature{
		on("textDocument/completion", "completionProvider", completionOptions, completion),
	}
}
