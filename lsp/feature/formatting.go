package feature

import (
	"bytes"
	"context"

	"github.com/lda-wf/wfc/lang/format"
	"github.com/lda-wf/wfc/lsp/protocol"
	"github.com/lda-wf/wfc/lsp/workspace"
)

// formatting answers textDocument/formatting. A file that cannot be parsed stays as
// it is: its diagnostics say why.
func formatting(ctx context.Context, s *workspace.Snapshot, p protocol.DocumentFormattingParams) ([]protocol.TextEdit, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	return t.formatted(0, t.Text.Lines()), nil
}

// rangeFormatting answers textDocument/rangeFormatting: what formatting does to the
// lines of a range.
func rangeFormatting(ctx context.Context, s *workspace.Snapshot, p protocol.DocumentRangeFormattingParams) ([]protocol.TextEdit, error) {
	t, err := targetOf(ctx, s, p.TextDocument.URI)
	if t == nil || err != nil {
		return nil, err
	}
	last := int(p.Range.End.Line) + 1
	if p.Range.End.Character == 0 && p.Range.End.Line > p.Range.Start.Line {
		last--
	}
	return t.formatted(int(p.Range.Start.Line), last), nil
}

// formatted returns the edits that format the lines from first to before last, as far
// as they can be told from those around them.
func (t *target) formatted(first, last int) []protocol.TextEdit {
	if !format.Handles(t.Name) {
		return nil
	}
	out, _ := format.Source(t.Name, t.src)
	if out == nil || bytes.Equal(out, t.src) {
		return []protocol.TextEdit{}
	}
	edits := []protocol.TextEdit{}
	old, now := bytes.SplitAfter(t.src, []byte("\n")), bytes.SplitAfter(out, []byte("\n"))
	offset := make([]int, len(old)+1)
	for i, l := range old {
		offset[i+1] = offset[i] + len(l)
	}
	for _, h := range hunks(old, now) {
		if h.old < first || h.oldEnd > last && h.oldEnd > h.old || h.oldEnd > last {
			continue
		}
		edits = append(edits, protocol.TextEdit{
			Range:   t.Text.Range(offset[h.old], offset[h.oldEnd]),
			NewText: string(bytes.Join(now[h.now:h.nowEnd], nil)),
		})
	}
	return edits
}

// hunk is lines that become other lines.
type hunk struct{ old, oldEnd, now, nowEnd int }

// hunks compares lines. A formatted text has the lines of the other one in their
// order, with other white space and perhaps fewer blank ones, so that the next line
// with the same words is the one that is meant.
func hunks(old, now [][]byte) []hunk {
	var out []hunk
	words := func(l []byte) string { return string(bytes.Join(bytes.Fields(l), nil)) }
	i, j := 0, 0
	for i < len(old) || j < len(now) {
		if i < len(old) && j < len(now) && bytes.Equal(old[i], now[j]) {
			i, j = i+1, j+1
			continue
		}
		h := hunk{old: i, now: j}
		switch {
		case i < len(old) && j < len(now) && words(old[i]) == words(now[j]):
			i, j = i+1, j+1
		case i < len(old) && words(old[i]) == "":
			i++
		case j < len(now) && words(now[j]) == "":
			j++
		default: // they cannot be told apart line by line
			i, j = len(old), len(now)
		}
		h.oldEnd, h.nowEnd = i, j
		out = append(out, h)
	}
	return out
}
