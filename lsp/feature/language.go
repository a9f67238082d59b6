package feature

// language is the part of the table that says what places in files mean.
func language() []Feature {
	return []Feature{
		on("textDocument/completion", "completionProvider", completionOptions, completion),
		on("completionItem/resolve", "", nil, resolveCompletion),
		on("textDocument/hover", "hoverProvider", nil, hover),
		on("textDocument/definition", "definitionProvider", nil, definition),
		on("textDocument/references", "referencesProvider", nil, references),
		on("textDocument/documentHighlight", "documentHighlightProvider", nil, highlights),
		on("textDocument/prepareRename", "", nil, prepareRename),
		on("textDocument/rename", "renameProvider", renameOptions, rename),
		on("textDocument/documentSymbol", "documentSymbolProvider", nil, documentSymbols),
		on("workspace/symbol", "workspaceSymbolProvider", nil, workspaceSymbols),
		on("textDocument/codeAction", "codeActionProvider", actionOptions, codeActions),
		on("textDocument/formatting", "documentFormattingProvider", nil, formatting),
		on("textDocument/rangeFormatting", "documentRangeFormattingProvider", nil, rangeFormatting),
		on("textDocument/signatureHelp", "signatureHelpProvider", signatureOptions, signatureHelp),
	}
}
