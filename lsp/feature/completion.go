package feature

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
	"github.com/lda-wf/wfc/lang/syntax"
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// completionOptions are what a client is told of completion.
func completionOptions(*workspace.Client) any {
	return map[string]any{"triggerCharacters": []string{".", "\"", "{", "[", "(", "=", " ", "/"}, "resolveProvider": true}
}

// completion answers textDocument/completion.
func completion(ctx context.Context, s *workspace.Snapshot, p protocol.CompletionParams) (*protocol.CompletionList, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	c := newCompleter(s.Client, t, t.Text.Offset(p.Position))
	if err := c.complete(ctx); err != nil {
		return nil, err
	}
	return &protocol.CompletionList{Items: c.list()}, nil
}

// rank orders what completion offers.
type rank uint8

// The ranks. What passes the check as it stands comes first, then what may go on to
// something that does, then the rest.
const (
	fits rank = iota
	leads
	other
)

// item is something that may stand at a place.
type item struct {
	label  string
	detail string
	doc    string
	data   any // what the documentation is made of later; nil: doc is all
	kind   protocol.CompletionItemKind
	rank   rank

	insert  string // what is inserted; "": the label
	dot     bool   // a name follows: what is inserted ends with a dot, unless one or a bracket stands there
	snippet bool   // insert has places to fill
	start   int    // where what it replaces begins; -1: the name in hand
	filter  string // what is compared with what it replaces; "": the label
	again   bool   // what comes next is offered at once
}

// completer finds what may stand at a place.
type completer struct {
	*target
	client *workspace.Client
	offset int

	file   *outline.File
	place  outline.Place
	schema *syntax.BlockSchema // of the block; nil: it is unknown

	start, end int // of the name that is being written

	// base is the text that is tried out: the file's, without what cannot be read of it.
	base  []byte
	items []item
}

func newCompleter(client *workspace.Client, t *target, offset int) *completer {
	c := &completer{target: t, client: client, offset: offset}
	c.start, c.end = wordAround(t.src, offset)
	return c
}

// wordAround returns where the name begins and ends that an offset stands in.
func wordAround(src []byte, offset int) (start, end int) {
	start, end = offset, offset
	for start > 0 {
		r, n := utf8.DecodeLastRune(src[:start])
		if !isNameRune(r) {
			break
		}
		start -= n
	}
	for end < len(src) {
		r, n := utf8.DecodeRune(src[end:])
		if !isNameRune(r) {
			break
		}
		end += n
	}
	return start, end
}

func isNameRune(r rune) bool {
	return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// snippets reports whether the client fills places in what is inserted.
func (c *completer) snippets() bool {
	return c.client.TextDocument.Completion.CompletionItem.SnippetSupport
}

func (c *completer) add(i item) {
	if i.start == 0 {
		i.start = -1
	}
	c.items = append(c.items, i)
}

// complete finds the items. The error is the context's.
func (c *completer) complete(ctx context.Context) error {
	switch {
	case c.isInterface():
		c.interfaceFile()
		return ctx.Err()
	case !c.isWorkflows():
		return nil
	}
	if lineEnd(c.src, c.offset)-lineStart(c.src, c.offset) > longestLine {
		return nil
	}
	c.file, c.place = outline.Scan(c.src, c.offset, nests)
	if c.place.Comment {
		return nil
	}
	c.schema = schemaOf(c.Name, c.place.Block)
	c.base = c.src
	if c.isBroken() {
		c.base = outline.Mend(c.file, c.offset, parses)
		c.project = c.project.With(c.Name, c.base)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	switch {
	case c.place.Attribute.Text == "" && (c.place.InLabel || c.place.In(outline.Quotes)):
		c.label()
	case c.place.Attribute.Text == "" && len(c.place.Frames) > 0:
		// Neither a body nor a value.
	case c.place.Attribute.Text == "":
		c.body()
	default:
		c.attributeValue()
	}
	return ctx.Err()
}

// isBroken reports whether the file has syntax errors.
func (t *target) isBroken() bool {
	for _, d := range t.project.Diagnostics {
		if d.Range.File == t.Name && d.Severity == diag.Error && strings.HasPrefix(string(d.Code), "WFC10") {
			return true
		}
	}
	return false
}

// parses reports whether a piece of a file can be read.
func parses(src []byte) bool {
	if _, refused := expr.Scan(src, "", false); len(refused) > 0 {
		return false
	}
	_, found := hclsyntax.ParseConfig(src, "", hcl.InitialPos)
	return !found.HasErrors()
}

// longestLine bounds the lines that completion is for, in bytes. What a person writes
// is not a tenth of it; the texts that are tried out would be read several times.
const longestLine = 10_000

// schemaOf returns what may stand in a block, by the blocks around it.
func schemaOf(file string, b *outline.Block) *syntax.BlockSchema {
	if b == nil || b.Up == nil {
		return syntax.Schema(file)
	}
	up := schemaOf(file, b.Up)
	if up == nil {
		return nil
	}
	if n := up.Block(b.Type.Text); n != nil {
		return n.BlockSchema
	}
	return nil
}

// list returns the items as the protocol has them, best first.
func (c *completer) list() []protocol.CompletionItem {
	slices.SortStableFunc(c.items, func(a, b item) int { return int(a.rank) - int(b.rank) })
	out := make([]protocol.CompletionItem, 0, len(c.items))
	seen := map[string]bool{}
	for n, i := range c.items {
		if seen[i.label] {
			continue
		}
		seen[i.label] = true
		out = append(out, c.item(i, n))
	}
	return out
}

func (c *completer) item(i item, n int) protocol.CompletionItem {
	start, end := c.start, c.end
	if i.start >= 0 {
		start = min(i.start, c.offset)
	}
	insert := i.insert
	if insert == "" {
		insert = i.label
	}
	if i.dot && (end >= len(c.src) || c.src[end] != '.' && c.src[end] != '[') {
		insert += "."
	}
	edit := protocol.TextEdit{Range: c.Text.Range(start, end), NewText: insert}
	out := protocol.CompletionItem{
		Label: i.label, Kind: i.kind, Detail: i.detail, SortText: fmt.Sprintf("%d%04d", i.rank, n),
		FilterText: cmp.Or(i.filter, i.label), TextEdit: &edit, InsertTextFormat: protocol.InsertPlain,
	}
	if i.snippet {
		out.InsertTextFormat = protocol.InsertSnippet
		out.InsertTextMode = protocol.InsertAdjustIndentation
	}
	if i.doc != "" {
		out.Documentation = markdown(c.client.TextDocument.Completion.CompletionItem.DocumentationFormat, i.doc)
	}
	if i.data != nil {
		if raw, err := json.Marshal(i.data); err == nil {
			out.Data = raw
		}
	}
	if i.again && c.client.Suggests {
		out.Command = &protocol.Command{Title: "Suggest", Command: "editor.action.triggerSuggest"}
	}
	return out
}

// escape writes a text where a snippet has literal text.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `$`, `\$`, `}`, `\}`).Replace(text)
}

// resolveCompletion answers completionItem/resolve: an item with its documentation.
func resolveCompletion(ctx context.Context, s *workspace.Snapshot, i protocol.CompletionItem) (protocol.CompletionItem, error) {
	var d toolData
	if len(i.Data) == 0 || json.Unmarshal(i.Data, &d) != nil || d.Name == "" {
		return i, nil
	}
	t, err := targetOf(ctx, s, d.URI)
	if t == nil || err != nil {
		return i, err
	}
	wf := t.project.Workflows[d.Workflow]
	if wf == nil {
		return i, nil
	}
	for _, f := range check.Look(t.project, wf.Header.Filename, wf.Header.Start.Byte, wf.Header.End.Byte).Flows {
		if source, ok := f.Source(d.Source); ok {
			if o, ok := source.Offer(d.Kind, d.Name); ok {
				i.Documentation = markdown(s.Client.TextDocument.Completion.CompletionItem.DocumentationFormat, offerText(o))
				return i, nil
			}
		}
	}
	return i, nil
}
