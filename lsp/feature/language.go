package feature

import "github.com/lda-wf/wfc/lsp/workspace"

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
		on("textDocument/semanticTokens/full", "semanticTokensProvider", tokenOptions, semanticTokens),
		on("textDocument/semanticTokens/full/delta", "", nil, semanticTokensDelta),
		on("textDocument/semanticTokens/range", "", nil, semanticTokensRange),
		on("textDocument/inlayHint", "inlayHintProvider", nil, inlayHints),
		on("textDocument/foldingRange", "foldingRangeProvider", nil, foldingRanges),
		on("textDocument/selectionRange", "selectionRangeProvider", nil, selectionRanges),
		on("textDocument/documentLink", "documentLinkProvider", linkOptions, documentLinks),
		on("textDocument/codeLens", "codeLensProvider", lensOptions, codeLenses),
		on("textDocument/prepareCallHierarchy", "callHierarchyProvider", nil, prepareCalls),
		on("callHierarchy/incomingCalls", "", nil, incomingCalls),
		on("callHierarchy/outgoingCalls", "", nil, outgoingCalls),
	}
}

// linkOptions and lensOptions say that nothing is left to be resolved. Emacs takes an
// object with nothing in it for a no.
func linkOptions(*workspace.Client) any { return map[string]any{"resolveProvider": false} }
func lensOptions(*workspace.Client) any { return map[string]any{"resolveProvider": false} }
