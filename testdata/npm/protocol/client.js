// A client made of vscode-languageserver-protocol, the library of VS Code. It opens the
// files of a folder in `wfc lsp`, asks everything that there is to ask at many places,
// and checks each message that comes with the library's type guards, and where it has
// none, with what the protocol says.
//
//	node client.js FOLDER PLACES   at most so many places in a file
//
// It prints what was answered, or what is wrong; then it exits with 1.
"use strict";
const { spawn } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const p = require("vscode-languageserver-protocol/node");

const [folder, places] = process.argv.slice(2);
const root = fs.realpathSync(folder);

// Guards: each returns whether a value is what the protocol says.
const is = {
  nullOr: (guard) => (v) => v === null || guard(v),
  list: (guard) => (v) => Array.isArray(v) && v.every((e) => guard(e)),
  text: (v) => typeof v === "string",
  optional: (guard) => (v) => v === undefined || guard(v),
  highlight: (v) => p.Range.is(v.range) && is.optional((k) => k >= 1 && k <= 3)(v.kind),
  symbolInformation: (v) => is.text(v.name) && symbolKind(v.kind) && p.Location.is(v.location),
  documentSymbol: (v) => p.DocumentSymbol.is(v) && symbolKind(v.kind) && within(v.selectionRange, v.range) && (v.children ?? []).every((c) => is.documentSymbol(c)),
  completionItem: (v) =>
    is.text(v.label) && is.optional((k) => p.uinteger.is(k) && k >= 1 && k <= 25)(v.kind) && is.optional(is.text)(v.detail) &&
    is.optional((d) => is.text(d) || p.MarkupContent.is(d))(v.documentation) && is.optional(is.text)(v.sortText) && is.optional(is.text)(v.filterText) &&
    is.optional((e) => p.TextEdit.is(e) || p.InsertReplaceEdit.is(e))(v.textEdit) && is.optional(is.list(p.TextEdit.is))(v.additionalTextEdits) &&
    is.optional((f) => f === 1 || f === 2)(v.insertTextFormat) && is.optional(p.CompletionItemLabelDetails.is)(v.labelDetails) &&
    is.optional(p.Command.is)(v.command) && is.optional(is.list(is.text))(v.commitCharacters) && is.optional(is.list((t) => t === 1))(v.tags),
  completionList: (v) => typeof v.isIncomplete === "boolean" && is.list(is.completionItem)(v.items),
  signatureHelp: (v) =>
    is.list((s) =>
      is.text(s.label) && is.optional((d) => is.text(d) || p.MarkupContent.is(d))(s.documentation) &&
      is.optional(is.list((a) => is.text(a.label) ? s.label.includes(a.label) : a.label.length === 2 && a.label[0] <= a.label[1] && a.label[1] <= s.label.length))(s.parameters))(v.signatures) &&
    is.optional((i) => p.uinteger.is(i) && i < v.signatures.length)(v.activeSignature) && is.optional(is.nullOr(p.uinteger.is))(v.activeParameter),
  prepareRename: (v) => p.Range.is(v) || (p.Range.is(v.range) && is.text(v.placeholder)) || typeof v.defaultBehavior === "boolean",
  callItem: (v) => is.text(v.name) && symbolKind(v.kind) && is.text(v.uri) && p.Range.is(v.range) && p.Range.is(v.selectionRange) && within(v.selectionRange, v.range),
  selectionRange: (v) => p.SelectionRange.is(v) && (v.parent === undefined || within(v.range, v.parent.range) && is.selectionRange(v.parent)),
  diagnostic: (v) => p.Diagnostic.is(v) && is.optional((s) => s >= 1 && s <= 4)(v.severity) && is.optional(is.list((t) => t === 1 || t === 2))(v.tags) && is.optional(p.CodeDescription.is)(v.codeDescription),
  report: (v) => (v.kind === "full" && is.list(is.diagnostic)(v.items)) || (v.kind === "unchanged" && is.text(v.resultId)),
  definition: (v) => p.Location.is(v) || is.list(p.Location.is)(v) || is.list(p.LocationLink.is)(v),
  tokens: (v) => p.SemanticTokens.is(v) && v.data.length % 5 === 0 && v.data.every((n) => p.uinteger.is(n)),
  tokensEdit: (v) => p.uinteger.is(v.start) && p.uinteger.is(v.deleteCount) && is.optional(is.list(p.uinteger.is))(v.data),
};
const symbolKind = (k) => p.uinteger.is(k) && k >= 1 && k <= 26;
const before = (a, b) => a.line < b.line || (a.line === b.line && a.character <= b.character);
const within = (inner, outer) => before(outer.start, inner.start) && before(inner.end, outer.end);

const results = {
  initialize: (v) => typeof v.capabilities === "object" && is.text(v.serverInfo.name),
  shutdown: (v) => v === null,
  "textDocument/diagnostic": is.report,
  "workspace/diagnostic": (v) => is.list((i) => is.report(i) && is.text(i.uri) && (i.version === null || p.integer.is(i.version)))(v.items),
  "textDocument/completion": is.nullOr((v) => is.completionList(v) || is.list(is.completionItem)(v)),
  "completionItem/resolve": is.completionItem,
  "textDocument/hover": is.nullOr(p.Hover.is),
  "textDocument/signatureHelp": is.nullOr(is.signatureHelp),
  "textDocument/definition": is.nullOr(is.definition),
  "textDocument/references": is.nullOr(is.list(p.Location.is)),
  "textDocument/documentHighlight": is.nullOr(is.list(is.highlight)),
  "textDocument/prepareRename": is.nullOr(is.prepareRename),
  "textDocument/rename": is.nullOr(p.WorkspaceEdit.is),
  "textDocument/documentSymbol": is.nullOr((v) => is.list(is.documentSymbol)(v) || is.list(is.symbolInformation)(v)),
  "workspace/symbol": is.nullOr(is.list(is.symbolInformation)),
  "textDocument/codeAction": is.nullOr(is.list((v) => p.Command.is(v) || (p.CodeAction.is(v) && is.optional(p.WorkspaceEdit.is)(v.edit)))),
  "textDocument/formatting": is.nullOr(is.list(p.TextEdit.is)),
  "textDocument/rangeFormatting": is.nullOr(is.list(p.TextEdit.is)),
  "textDocument/semanticTokens/full": is.nullOr(is.tokens),
  "textDocument/semanticTokens/full/delta": is.nullOr((v) => is.tokens(v) || (is.list(is.tokensEdit)(v.edits) && is.optional(is.text)(v.resultId))),
  "textDocument/semanticTokens/range": is.nullOr(is.tokens),
  "textDocument/inlayHint": is.nullOr(is.list(p.InlayHint.is)),
  "textDocument/foldingRange": is.nullOr(is.list((v) => p.FoldingRange.is(v) && v.startLine <= v.endLine)),
  "textDocument/selectionRange": is.nullOr(is.list(is.selectionRange)),
  "textDocument/documentLink": is.nullOr(is.list(p.DocumentLink.is)),
  "textDocument/codeLens": is.nullOr(is.list((v) => p.CodeLens.is(v) && is.optional(p.Command.is)(v.command))),
  "textDocument/prepareCallHierarchy": is.nullOr(is.list(is.callItem)),
  "callHierarchy/incomingCalls": is.nullOr(is.list((v) => is.callItem(v.from) && is.list(p.Range.is)(v.fromRanges))),
  "callHierarchy/outgoingCalls": is.nullOr(is.list((v) => is.callItem(v.to) && is.list(p.Range.is)(v.fromRanges))),
};

const told = {
  "textDocument/publishDiagnostics": (v) => is.text(v.uri) && is.optional(p.integer.is)(v.version) && is.list(is.diagnostic)(v.diagnostics),
  "window/logMessage": (v) => v.type >= 1 && v.type <= 5 && is.text(v.message),
  "window/showMessage": (v) => v.type >= 1 && v.type <= 5 && is.text(v.message),
  "$/progress": (v) => p.ProgressToken.is(v.token) && ["begin", "report", "end"].includes(v.value.kind),
};

const asked = {
  "client/registerCapability": (v) => is.list((r) => is.text(r.id) && is.text(r.method) && is.optional((o) => is.list((w) => p.GlobPattern.is(w.globPattern))(o.watchers))(r.registerOptions))(v.registrations),
  "window/workDoneProgress/create": (v) => p.ProgressToken.is(v.token),
  "workspace/diagnostic/refresh": (v) => v === undefined || v === null,
  "workspace/semanticTokens/refresh": (v) => v === undefined || v === null,
  "workspace/inlayHint/refresh": (v) => v === undefined || v === null,
  "workspace/codeLens/refresh": (v) => v === undefined || v === null,
};

const wrong = [];
const some = {}; // by method: how many answers said something
function fault(what, value) {
  if (wrong.length < 20) wrong.push(`${what}\n  ${JSON.stringify(value).slice(0, 2000)}`);
}

function hold(guard, what, value) {
  let ok = false;
  try {
    ok = guard !== undefined && guard(value);
  } catch (e) {
    what += ` (${e.message})`;
  }
  if (!ok) fault(what, value);
}

// Session is a server and what was asked of it.
class Session {
  constructor(capabilities) {
    this.capabilities = capabilities;
    this.requests = new Map(); // by id: what was asked
    this.waiting = new Map(); // by URI: who waits for its diagnostics
    this.server = spawn("wfc", ["lsp"], { cwd: root, stdio: ["pipe", "pipe", "inherit"] });
    this.ended = new Promise((done) => this.server.on("exit", done));
    const reader = new p.StreamMessageReader(this.server.stdout);
    const listen = reader.listen.bind(reader);
    reader.listen = (callback) => listen((message) => { this.check(message); callback(message); });
    const writer = new p.StreamMessageWriter(this.server.stdin);
    const write = writer.write.bind(writer);
    writer.write = (message) => {
      if (p.Message.isRequest(message)) this.requests.set(message.id, message);
      return write(message);
    };
    this.connection = p.createProtocolConnection(reader, writer);
    this.connection.onUnhandledNotification(() => {});
    for (const method of Object.keys(asked)) this.connection.onRequest(method, () => null);
    this.connection.onNotification("textDocument/publishDiagnostics", (v) => {
      this.waiting.get(v.uri)?.(v);
    });
    this.connection.listen();
  }

  // check looks at a message of the server.
  check(m) {
    const kinds = [p.Message.isRequest(m), p.Message.isNotification(m), p.Message.isResponse(m)].filter(Boolean).length;
    if (kinds !== 1 || m.jsonrpc !== "2.0") fault("This is no message", m);
    if (p.Message.isNotification(m)) return hold(told[m.method], `The notification ${m.method}`, m.params);
    if (p.Message.isRequest(m)) return hold(asked[m.method], `The request ${m.method}`, m.params);
    const request = this.requests.get(m.id);
    if (request === undefined) return fault("An answer that was asked for once at most", m);
    this.requests.delete(m.id);
    if (m.error !== undefined) {
      // A place may be one that cannot be renamed, and nothing else is refused.
      if (!(request.method.endsWith("ename") && p.integer.is(m.error.code) && m.error.message.length > 0)) fault(`${request.method} is refused`, { error: m.error, params: request.params });
      return;
    }
    hold(results[request.method], `The answer to ${request.method} ${JSON.stringify(request.params)}`, m.result);
    const empty = m.result === null || (Array.isArray(m.result) && m.result.length === 0) || m.result.items?.length === 0;
    some[request.method] = (some[request.method] ?? 0) + (empty ? 0 : 1);
  }

  ask(method, params) {
    return this.connection.sendRequest(method, params).catch(() => null); // check has seen it
  }

  tell(method, params) {
    return this.connection.sendNotification(method, params);
  }

  // file opens a file, types in it, and asks everything.
  async file(name) {
    const uri = pathToFileURL(name).href;
    const text = fs.readFileSync(name, "utf8");
    const lines = text.split("\n");
    const textDocument = { uri };
    const diagnosed = (version) => new Promise((done) => this.waiting.set(uri, (v) => { if (v.version === undefined || v.version === version) done(); }));

    let wait = diagnosed(1);
    await this.tell("textDocument/didOpen", { textDocument: { uri, languageId: "wfc", version: 1, text } });
    if (!this.pulls()) await wait;
    const all = { start: { line: 0, character: 0 }, end: { line: lines.length, character: 0 } };
    const whole = (method, more) => this.ask(method, { textDocument, ...more });
    const [tokens, , , , actions] = await Promise.all([
      whole("textDocument/semanticTokens/full"),
      whole("textDocument/semanticTokens/range", { range: all }),
      whole("textDocument/documentSymbol"),
      whole("textDocument/foldingRange"),
      whole("textDocument/codeAction", { range: all, context: { diagnostics: [] } }),
      whole("textDocument/inlayHint", { range: all }),
      whole("textDocument/documentLink"),
      whole("textDocument/codeLens"),
      whole("textDocument/formatting", { options: { tabSize: 2, insertSpaces: true } }),
      whole("textDocument/rangeFormatting", { range: all, options: { tabSize: 2, insertSpaces: true } }),
      whole("textDocument/diagnostic"),
    ]);
    for (const a of actions ?? []) for (const change of a.edit?.documentChanges ?? []) if (!p.TextDocumentEdit.is(change)) fault("A change of a code action", change);

    for (const position of somewhere(text)) {
      const at = { textDocument, position };
      const [completion, , , , , , , calls] = await Promise.all([
        this.ask("textDocument/completion", at),
        this.ask("textDocument/hover", at),
        this.ask("textDocument/signatureHelp", at),
        this.ask("textDocument/definition", at),
        this.ask("textDocument/references", { ...at, context: { includeDeclaration: true } }),
        this.ask("textDocument/documentHighlight", at),
        this.ask("textDocument/prepareRename", at),
        this.ask("textDocument/prepareCallHierarchy", at),
        this.ask("textDocument/rename", { ...at, newName: "renamed" }),
        this.ask("textDocument/selectionRange", { textDocument, positions: [position] }),
      ]);
      for (const item of completion?.items ?? []) {
        const range = item.textEdit?.range ?? item.textEdit?.replace;
        if (range !== undefined && (range.start.line !== position.line || range.end.line !== position.line || !before(range.start, position) || !before(position, range.end))) {
          fault(`The edit of a completion at ${JSON.stringify(position)} of ${name} is elsewhere`, item);
        }
        if (item.insertTextFormat === 2 && !this.capabilities.textDocument?.completion?.completionItem?.snippetSupport) fault("A snippet for a client without", item);
      }
      if (completion?.items.length > 0) await this.ask("completionItem/resolve", completion.items[0]);
      for (const item of calls ?? []) {
        await this.ask("callHierarchy/incomingCalls", { item });
        await this.ask("callHierarchy/outgoingCalls", { item });
      }
    }

    wait = diagnosed(2);
    await this.tell("textDocument/didChange", { textDocument: { uri, version: 2 }, contentChanges: [{ range: { start: all.start, end: all.start }, text: "workflow \"typed\" {\n  step \"å😀\" {\n" }] });
    await this.ask("textDocument/semanticTokens/full/delta", { textDocument, previousResultId: tokens?.resultId ?? "" });
    await this.ask("textDocument/completion", { textDocument, position: { line: 2, character: 0 } });
    if (!this.pulls()) await wait;
    await this.tell("textDocument/didClose", { textDocument });
  }

  pulls() {
    return this.capabilities.textDocument?.diagnostic !== undefined;
  }
}

// somewhere returns places of a text, where words and texts begin and end.
function somewhere(text) {
  const out = [];
  for (const [line, content] of text.split("\n").entries()) {
    const at = new Set([content.length]);
    for (const word of content.matchAll(/[\p{L}\p{N}_]+/gu)) at.add(word.index).add(word.index + 1).add(word.index + word[0].length);
    for (const sign of content.matchAll(/[".{([=]/g)) at.add(sign.index + 1);
    for (const character of at) out.push({ line, character });
  }
  const step = Math.max(1, out.length / Number(places));
  return Array.from({ length: Math.min(out.length, Number(places)) }, (_, i) => out[Math.floor(i * step)]);
}

// files returns the files of a folder that wfc reads.
function files(dir) {
  return fs.readdirSync(dir, { withFileTypes: true }).flatMap((e) => {
    const name = path.join(dir, e.name);
    if (e.isDirectory()) return files(name);
    return /\.(hcl|wfi)$/.test(e.name) ? [name] : [];
  }).sort();
}

// complete is what VS Code says that it can do, as far as it matters here.
const markup = ["markdown", "plaintext"];
const complete = {
  general: { positionEncodings: ["utf-16"] },
  workspace: {
    workspaceFolders: true, configuration: true, workspaceEdit: { documentChanges: true, resourceOperations: ["create", "rename", "delete"] },
    didChangeWatchedFiles: { dynamicRegistration: true, relativePatternSupport: true },
    diagnostics: { refreshSupport: true }, semanticTokens: { refreshSupport: true }, inlayHint: { refreshSupport: true }, codeLens: { refreshSupport: true },
  },
  window: { workDoneProgress: true, showDocument: { support: true } },
  textDocument: {
    completion: { completionItem: { snippetSupport: true, documentationFormat: markup, labelDetailsSupport: true, preselectSupport: true, commitCharactersSupport: true, insertTextModeSupport: { valueSet: [1, 2] } } },
    hover: { contentFormat: markup },
    signatureHelp: { signatureInformation: { documentationFormat: markup, activeParameterSupport: true, parameterInformation: { labelOffsetSupport: true } } },
    definition: { linkSupport: true },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["", "quickfix", "refactor", "source"] } }, isPreferredSupport: true, dataSupport: true, resolveSupport: { properties: ["edit"] } },
    rename: { prepareSupport: true },
    foldingRange: { lineFoldingOnly: true },
    publishDiagnostics: { relatedInformation: true, versionSupport: true, codeDescriptionSupport: true, dataSupport: true, tagSupport: { valueSet: [1, 2] } },
    semanticTokens: { tokenTypes: ["namespace", "type", "variable", "property", "function", "string"], tokenModifiers: [], formats: ["relative"], requests: { full: { delta: true }, range: true } },
  },
};
const pulling = { ...complete, textDocument: { ...complete.textDocument, diagnostic: { relatedDocumentSupport: true } } };

async function session(name, capabilities, workspaceFolders) {
  const s = new Session(capabilities);
  const info = capabilities === complete ? { clientInfo: { name: "Visual Studio Code", version: "1.100.0" } } : {};
  const initialized = await s.ask("initialize", { processId: process.pid, rootUri: null, capabilities, workspaceFolders, ...info });
  for (const [feature, options] of Object.entries(initialized.capabilities)) if (options === null) fault(`${feature} is null`, initialized);
  await s.tell("initialized", {});
  for (const file of files(root)) await s.file(file);
  await s.ask("workspace/symbol", { query: "" });
  if (s.pulls()) await s.ask("workspace/diagnostic", { previousResultIds: [] });
  await s.ask("shutdown");
  if (s.requests.size > 0) fault("Requests without an answer", [...s.requests.values()]);
  await s.tell("exit");
  const code = await s.ended;
  if (code !== 0) fault("The server ended otherwise than asked to", { code });
  console.log(`${name}: ${files(root).length} files`);
}

async function main() {
  const here = [{ uri: pathToFileURL(root).href, name: "here" }];
  await session("pushed", complete, here);
  await session("pulled", pulling, here);
  await session("a client that says nothing of itself", {}, null);
  for (const method of Object.keys(results)) if (method !== "shutdown" && !(some[method] > 0)) fault(`${method} never said anything`, some);
}

main().catch((e) => fault("The client", { error: e.stack })).finally(() => {
  for (const w of wrong) console.log(w);
  process.exit(wrong.length > 0 ? 1 : 0);
});
