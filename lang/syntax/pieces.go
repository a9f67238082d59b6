package syntax

import (
	"bytes"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/lang/diag"
	"github.com/lda-wf/wfc/lang/expr"
)

const (
	// pieceSize is how many bytes are parsed at once, if an item is not longer. HCL's
	// parser makes a token of 100 bytes of every four bytes of a text before it begins,
	// in a slice that grows: of a long file that is most of the memory in use.
	pieceSize = 2 << 10
	// wholeSize is the most bytes that are parsed at once without looking for pieces.
	wholeSize = 8 << 10
)

// parseTree scans text and parses it. Where the scan refuses it, the body is nil.
// Attributes and blocks have their places; bodies have none.
func parseTree(text []byte, name string) (*hclsyntax.Body, hcl.Diagnostics, diag.List) {
	outline, refused := expr.Scan(text, name, len(text) > wholeSize)
	if len(refused) > 0 {
		return nil, nil, refused
	}
	hidden := outline.Hide(text)
	if len(text) > wholeSize {
		body, ok := inPieces(hidden, name, outline.Gaps, pieceSize)
		if ok && outline.Restore(body, text) {
			return body, nil, nil
		}
		// There are errors. What they are depends on all of the text.
	}
	file, errs := hclsyntax.ParseConfig(hidden, name, hcl.InitialPos)
	if !outline.Restore(file.Body.(*hclsyntax.Body), text) && len(errs) == 0 {
		file, errs = hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	}
	return file.Body.(*hclsyntax.Body), errs, nil
}

// inPieces parses a text in pieces of a size. It returns false where there is an error.
func inPieces(text []byte, name string, gaps []expr.Gap, size int) (*hclsyntax.Body, bool) {
	p := pieces{size: size, text: text, name: name, body: emptyBody()}
	ok := p.items(piece{place{0, 1}, len(text)}, gaps, 0)
	return p.body, ok
}

// pieces parses a text in pieces and brings what is in them together in body. Its
// methods return false where there is an error.
type pieces struct {
	size int
	text []byte
	name string
	body *hclsyntax.Body
}

// place is where a line begins.
type place struct{ at, line int }

// piece is a part of a text that has whole attributes and blocks.
type piece struct {
	start place
	end   int
}

func (p piece) size() int { return p.end - p.start.at }

// items parses the attributes and blocks in all. gaps are those in it; of depth are
// those between the items, and of more those within them.
func (p *pieces) items(all piece, gaps []expr.Gap, depth int) bool {
	var waiting piece // short items that are parsed together
	item := piece{start: all.start}
	for {
		next := 0
		for next < len(gaps) && gaps[next].Depth > depth {
			next++
		}
		item.end = all.end
		if next < len(gaps) {
			item.end = gaps[next].Start
		}
		ok := true
		switch together := item.end - waiting.start.at; {
		case item.size() > p.size:
			ok = p.parse(waiting) && p.item(item, gaps[:next])
			waiting = piece{}
		case waiting.size() > 0 && together <= p.size:
			waiting.end = item.end
		default:
			ok = p.parse(waiting)
			waiting = item
		}
		if !ok {
			return false
		}
		if next == len(gaps) {
			return p.parse(waiting)
		}
		item.start = place{gaps[next].End, gaps[next].Line}
		gaps = gaps[next+1:]
	}
}

// item parses an item that is longer than a piece: a block in pieces. gaps are those in it.
func (p *pieces) item(item piece, gaps []expr.Gap) bool {
	if len(gaps) == 0 {
		return p.parse(item)
	}
	first, last := gaps[0], gaps[len(gaps)-1]
	header := bytes.Clone(p.text[item.start.at:first.Start])
	in := pieces{size: p.size, text: append(header, '}'), name: p.name, body: emptyBody()}
	tail := p.text[last.End:item.end] // the line of the closing brace
	closing := bytes.TrimLeft(tail, " \t")
	ok := bytes.HasPrefix(closing, []byte("}")) && onlyComment(closing[1:]) &&
		in.parseText(in.text, item.start) && len(in.body.Attributes) == 0 && len(in.body.Blocks) == 1
	if !ok {
		return p.parse(item)
	}
	b := in.body.Blocks[0]
	if b.CloseBraceRange.End.Byte != item.start.at+len(in.text) {
		return p.parse(item) // it ended before
	}
	at := hcl.Pos{Line: last.Line, Column: len(tail) - len(closing) + 1, Byte: item.end - len(closing)}
	b.CloseBraceRange.Start = at
	at.Column++
	at.Byte++
	b.CloseBraceRange.End = at
	p.body.Blocks = append(p.body.Blocks, b)

	if len(gaps) == 1 {
		return true // it is empty
	}
	in.text, in.body = p.text, b.Body
	return in.items(piece{place{first.End, first.Line}, last.Start}, gaps[1:len(gaps)-1], 1)
}

// onlyComment reports whether the rest of a line has nothing but a comment.
func onlyComment(line []byte) bool {
	if text, ok := bytes.CutSuffix(line, []byte("\n")); ok {
		line = bytes.TrimSuffix(text, []byte("\r"))
	}
	line = bytes.TrimLeft(line, " \t")
	return len(line) == 0 || line[0] == '#' || bytes.HasPrefix(line, []byte("//"))
}

func (p *pieces) parse(x piece) bool {
	if x.size() == 0 {
		return true
	}
	return p.parseText(p.text[x.start.at:x.end], x.start)
}

// parseText parses a text that begins at a place and adds what is in it to the body.
func (p *pieces) parseText(text []byte, at place) bool {
	if at.at > 0 && bytes.HasPrefix(text, []byte("\ufeff")) {
		return false // HCL takes no notice of it at the beginning of what it parses
	}
	file, errs := hclsyntax.ParseConfig(text, p.name, hcl.Pos{Byte: at.at, Line: at.line, Column: 1})
	if len(errs) > 0 {
		return false
	}
	body := file.Body.(*hclsyntax.Body)
	for name, a := range body.Attributes {
		if p.body.Attributes[name] != nil {
			return false
		}
		p.body.Attributes[name] = a
	}
	p.body.Blocks = append(p.body.Blocks, body.Blocks...)
	return true
}

func emptyBody() *hclsyntax.Body { return &hclsyntax.Body{Attributes: hclsyntax.Attributes{}} }
