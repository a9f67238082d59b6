package feature

import (
	"context"
	"encoding/hex"
	"hash/fnv"
	"slices"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/index"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// tokenKind is the type of a semantic token, an index into tokenNames.
type tokenKind uint32

// The types.
const (
	keywordToken tokenKind = iota
	propertyToken
	stringToken
	numberToken
	commentToken
	functionToken
	variableToken
	parameterToken
	namespaceToken
	methodToken
	typeToken
	interfaceToken
	classToken
	decoratorToken
	eventToken
)

var tokenNames = []string{
	"keyword", "property", "string", "number", "comment", "function", "variable", "parameter", "namespace", "method",
	"type", "interface", "class", "decorator", "event",
}

// Modifiers of tokens, bits by their place in modifierNames.
const (
	declarationModifier uint32 = 1 << iota
	readonlyModifier
	libraryModifier
)

var modifierNames = []string{"declaration", "readonly", "defaultLibrary"}

func tokenOptions(*workspace.Client) any {
	return map[string]any{
		"legend": protocol.SemanticTokensLegend{TokenTypes: tokenNames, TokenModifiers: modifierNames},
		"full":   map[string]any{"delta": true},
		"range":  true,
	}
}

// token is a part of the text with its type.
type token struct {
	start, end int
	kind       tokenKind
	modifiers  uint32
}

// semanticTokens answers textDocument/semanticTokens/full.
func semanticTokens(ctx context.Context, s *workspace.Snapshot, p protocol.SemanticTokensParams) (*protocol.SemanticTokens, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	data := t.encode(t.tokens(), 0, len(t.src))
	return &protocol.SemanticTokens{ResultID: t.sent().keep(t.URI, data), Data: data}, nil
}

// semanticTokensRange answers textDocument/semanticTokens/range.
func semanticTokensRange(ctx context.Context, s *workspace.Snapshot, p protocol.SemanticTokensRangeParams) (*protocol.SemanticTokens, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	start, end := t.Text.Offsets(p.Range)
	return &protocol.SemanticTokens{Data: t.encode(t.tokens(), start, end)}, nil
}

// semanticTokensDelta answers textDocument/semanticTokens/full/delta: what differs
// from a result that the client has, or all where that is not known any more.
func semanticTokensDelta(ctx context.Context, s *workspace.Snapshot, p protocol.SemanticTokensDeltaParams) (any, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	data := t.encode(t.tokens(), 0, len(t.src))
	sent := t.sent()
	old, known := sent.find(t.URI, p.PreviousResultID)
	id := sent.keep(t.URI, data)
	if !known {
		return &protocol.SemanticTokens{ResultID: id, Data: data}, nil
	}
	start := 0
	for start < len(old) && start < len(data) && old[start] == data[start] {
		start++
	}
	tail := 0
	for tail < len(old)-start && tail < len(data)-start && old[len(old)-1-tail] == data[len(data)-1-tail] {
		tail++
	}
	edits := []protocol.SemanticTokensEdit{}
	if start < len(old) || start < len(data) {
		edits = append(edits, protocol.SemanticTokensEdit{Start: uint32(start), DeleteCount: uint32(len(old) - start - tail), Data: data[start : len(data)-tail]})
	}
	return &protocol.SemanticTokensDelta{ResultID: id, Edits: edits}, nil
}

// sentTokens is the key of what clients have of the tokens of a project's files.
type sentTokens struct{}

// sentCache has the last results of each file, two of each: the one that a client
// has, and the one that is on its way to it.
type sentCache struct {
	mu   sync.Mutex
	last map[protocol.DocumentURI][]sentResult
}

type sentResult struct {
	id   string
	data []uint32
}

func (t *target) sent() *sentCache {
	return workspace.Keep(t.Project, sentTokens{}, func() *sentCache { return &sentCache{last: map[protocol.DocumentURI][]sentResult{}} })
}

func (c *sentCache) find(uri protocol.DocumentURI, id string) ([]uint32, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.last[uri] {
		if r.id == id {
			return r.data, true
		}
	}
	return nil, false
}

func (c *sentCache) keep(uri protocol.DocumentURI, data []uint32) (id string) {
	h := fnv.New128a()
	buffer := make([]byte, 0, 4*len(data))
	for _, n := range data {
		buffer = append(buffer, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	_, _ = h.Write(buffer) // a hash takes all
	id = hex.EncodeToString(h.Sum(nil))
	c.mu.Lock()
	defer c.mu.Unlock()
	list := slices.DeleteFunc(c.last[uri], func(r sentResult) bool { return r.id == id })
	list = append(list, sentResult{id, data})
	const most = 2
	c.last[uri] = slices.Clone(list[max(0, len(list)-most):])
	return id
}

// encode writes the tokens between two offsets as the protocol has them, those of
// several lines in pieces.
func (t *target) encode(tokens []token, start, end int) []uint32 {
	out := make([]uint32, 0, 5*len(tokens))
	var line, character uint32
	for _, k := range tokens {
		if k.end <= start || k.start >= end {
			continue
		}
		for at := k.start; at < k.end; {
			stop := min(k.end, lineEnd(t.src, at))
			if stop > at && t.src[stop-1] == '\r' {
				stop--
			}
			if stop > at {
				from, to := t.Text.Position(at), t.Text.Position(stop)
				if from.Line != line {
					character = 0
				}
				out = append(out, from.Line-line, from.Character-character, to.Character-from.Character, uint32(k.kind), k.modifiers)
				line, character = from.Line, from.Character
			}
			at = lineEnd(t.src, at) + 1
		}
	}
	return out
}

// tokens returns the tokens of the file, in order, none over another.
func (t *target) tokens() []token {
	if t.isInterface() {
		return t.interfaceTokens()
	}
	if !t.isWorkflows() {
		return nil
	}
	if _, refused := expr.Scan(t.src, t.Name, false); len(refused) > 0 {
		return nil
	}
	c := classifier{target: t, named: map[int]index.Occurrence{}, items: map[int]tokenKind{}}
	for _, o := range t.own() {
		c.named[o.Range.Start.Byte] = o
	}
	c.blocks(t.outline().Body)
	return c.classify()
}

// classifier finds the types of HCL's tokens.
type classifier struct {
	*target
	named map[int]index.Occurrence // by where they begin
	items map[int]tokenKind        // block types and attribute names, by where they begin
	types map[int]int              // where the values of attributes end that are types, by where they begin
}

func (c *classifier) blocks(b *outline.Block) {
	schema := schemaOf(c.Name, b)
	for _, a := range b.Attributes {
		c.items[a.Name.Start] = propertyToken
		if schema == nil {
			continue
		}
		if x := schema.Attribute(a.Name.Text); x != nil && x.Form == syntax.TypeForm {
			if c.types == nil {
				c.types = map[int]int{}
			}
			c.types[a.Start] = a.End
		}
	}
	for _, x := range b.Blocks {
		c.items[x.Type.Start] = keywordToken
		c.blocks(x)
	}
}

// wordTokens are the words of expressions that are no names.
var wordTokens = map[string]bool{"for": true, "in": true, "if": true, "else": true, "endif": true, "endfor": true, "true": true, "false": true, "null": true}

func (c *classifier) classify() []token {
	all, _ := hclsyntax.LexConfig(c.src, c.Name, hcl.InitialPos)
	out := make([]token, 0, len(all))
	add := func(start, end int, kind tokenKind, modifiers uint32) {
		if start < end && end <= len(c.src) {
			out = append(out, token{start, end, kind, modifiers})
		}
	}
	typeUntil := 0
	for i, k := range all {
		start, end := k.Range.Start.Byte, k.Range.End.Byte
		if until, ok := c.types[start]; ok {
			typeUntil = until
		}
		if o, ok := c.named[start]; ok && k.Type != hclsyntax.TokenNewline {
			kind, modifiers := c.symbol(o)
			switch {
			case o.Range.End.Byte == end:
				add(start, end, kind, modifiers)
				continue
			case o.Range.End.Byte < end: // a name in a longer text
				add(start, o.Range.End.Byte, kind, modifiers)
				continue
			}
		}
		switch k.Type {
		case hclsyntax.TokenComment:
			if end > start && c.src[end-1] == '\n' {
				end--
			}
			add(start, end, commentToken, 0)
		case hclsyntax.TokenOQuote, hclsyntax.TokenCQuote, hclsyntax.TokenQuotedLit, hclsyntax.TokenStringLit, hclsyntax.TokenOHeredoc, hclsyntax.TokenCHeredoc:
			add(start, end, stringToken, 0)
		case hclsyntax.TokenNumberLit:
			add(start, end, numberToken, 0)
		case hclsyntax.TokenIdent:
			kind, modifiers := c.word(all, i, start < typeUntil)
			add(start, end, kind, modifiers)
		}
	}
	return out
}

// symbol is the type of the token that a name is.
func (c *classifier) symbol(o index.Occurrence) (kind tokenKind, modifiers uint32) {
	if o.Definition {
		modifiers = declarationModifier
	}
	switch o.Symbol.Kind {
	case index.Input:
		return parameterToken, modifiers
	case index.Local:
		return variableToken, modifiers | readonlyModifier
	case index.Step:
		return eventToken, modifiers
	case index.Output:
		return propertyToken, modifiers
	case index.Source, index.Connection, index.Provider:
		return namespaceToken, modifiers
	case index.Capability:
		return methodToken, modifiers
	case index.Workflow:
		return functionToken, modifiers
	case index.Interface:
		return interfaceToken, modifiers
	case index.InterfaceType:
		return typeToken, modifiers
	case index.Deployment, index.Test:
		return classToken, modifiers
	}
	return variableToken, modifiers
}

// word is the type of the token that an identifier is.
func (c *classifier) word(all hclsyntax.Tokens, i int, inType bool) (tokenKind, uint32) {
	k := all[i]
	if kind, ok := c.items[k.Range.Start.Byte]; ok {
		return kind, 0
	}
	before, after := hclsyntax.TokenNil, hclsyntax.TokenNil
	if i > 0 {
		before = all[i-1].Type
	}
	if i+1 < len(all) {
		after = all[i+1].Type
	}
	switch {
	case before == hclsyntax.TokenDot:
		return propertyToken, 0
	case wordTokens[string(k.Bytes)]:
		return keywordToken, 0
	case inType && after != hclsyntax.TokenEqual:
		return typeToken, libraryModifier
	case after == hclsyntax.TokenOParen:
		return functionToken, libraryModifier
	case after == hclsyntax.TokenEqual || after == hclsyntax.TokenColon && before != hclsyntax.TokenQuestion:
		return propertyToken, 0
	case after == hclsyntax.TokenDot:
		return variableToken, libraryModifier
	}
	return variableToken, 0
}
