package feature

import (
	"github.com/lda-wf/wfc/lsp/outline"
	"github.com/lda-wf/wfc/lsp/protocol"
)

// typeWords are the words of the notation of types, with what takes something.
var typeWords = []struct{ word, insert, doc string }{
	{"string", "", "Text."},
	{"number", "", "A decimal number with all of its digits."},
	{"integer", "", "A whole number."},
	{"bool", "", "true or false."},
	{"any", "", "Anything; it is checked when the value exists."},
	{"null", "", "Nothing."},
	{"blob", "", "Bytes, such as an image."},
	{"list", "list($0)", "A list of elements of one type."},
	{"map", "map($0)", "Text keys with values of one type."},
	{"tuple", "tuple([$0])", "A list of a given length."},
	{"object", "object({ $0 })", "Attributes by name; optional(T) may be absent. object({ … }, any) is open."},
	{"enum", "enum(\"$0\")", "One of some constants."},
	{"union", "union($0)", "A value of one of several types."},
	{"nullable", "nullable($0)", "A value of a type, or null."},
	{"optional", "optional($0)", "Of an attribute or an input: it may be absent."},
}

// typeExpression offers the words of the notation, and the types of interfaces.
func (c *completer) typeExpression() {
	if c.place.Text() || c.inObjectKey() {
		return
	}
	start, text := c.written()
	if len(text) == 0 || start == c.start {
		c.typeNotation()
	}
	for _, i := range c.project.Interfaces.All() {
		for _, d := range i.Types {
			c.add(item{label: "interface." + i.Name.Text + "." + d.Name.Text, detail: short(d.Type), doc: d.Doc, kind: protocol.CompletionClass, rank: fits, start: max(start, 1)})
		}
	}
}

func (c *completer) typeNotation() {
	for _, w := range typeWords {
		i := item{label: w.word, doc: w.doc, kind: protocol.CompletionKeyword, rank: fits}
		switch {
		case w.insert != "" && c.snippets():
			i.insert, i.snippet, i.again, i.rank = w.insert, true, true, leads
		case w.insert != "":
			i.insert, i.rank = w.word+"(", leads
		}
		if w.word == "optional" && len(c.place.Frames) > 0 && !c.place.In(outline.Braces) {
			i.rank = other
		}
		c.add(i)
	}
}

// interfaceFile offers what may stand in a *.wfi file.
func (c *completer) interfaceFile() {
	c.file, c.place = outline.Scan(c.src, c.offset, nests)
	if c.place.Comment || c.place.In(outline.Quotes) {
		return
	}
	line := string(c.src[lineStart(c.src, c.start):c.start])
	switch {
	case blank(line) && c.depth() == 0:
		i := item{label: "interface", kind: protocol.CompletionKeyword, doc: "What a workflow needs of a source.", rank: fits}
		if c.snippets() {
			i.insert, i.snippet = "interface ${1:name} {\n  $0\n}", true
		}
		c.add(i)
	case blank(line) && c.depth() == 1:
		for _, w := range []struct{ label, insert, doc string }{
			{"tool", "tool ${1:name}(${2:argument}: ${3:string}) -> ${0:any}", "A tool that a connection must have."},
			{"type", "type ${1:name} = $0", "A name for a type."},
			{"resource", "resource ${1:name} \"${2:uri}\" -> ${0:string}", "A resource, or a template with its variables."},
			{"prompt", "prompt ${1:name}($0)", "A prompt that a connection must have."},
			{"@read", "@read", "The tool changes nothing."},
			{"@write", "@write", "The tool changes something, and destroys nothing."},
			{"@destructive", "@destructive", "The tool may destroy something."},
			{"@idempotent", "@idempotent", "Calling the tool twice does what calling it once does."},
		} {
			i := item{label: w.label, doc: w.doc, kind: protocol.CompletionKeyword, rank: fits}
			if c.snippets() {
				i.insert, i.snippet = w.insert, true
			}
			if w.label[0] == '@' && c.start > 0 && c.src[c.start-1] == '@' {
				i.start = c.start - 1
			}
			c.add(i)
		}
	case afterTypeSign(line):
		c.typeNotation()
		c.typesInScope()
	}
}

func blank(line string) bool {
	for _, r := range line {
		if r != ' ' && r != '\t' && r != '@' {
			return false
		}
	}
	return true
}

// depth is how many braces are open around the place, whatever they belong to.
func (c *completer) depth() int {
	n := 0
	for i := 0; i < c.start; i++ {
		switch c.src[i] {
		case '#':
			i = lineEnd(c.src, i)
		case '"':
			for i++; i < c.start && c.src[i] != '"' && c.src[i] != '\n'; i++ {
				if c.src[i] == '\\' {
					i++
				}
			}
		case '{':
			n++
		case '}':
			n--
		}
	}
	return n
}

// afterTypeSign reports whether a type comes next: behind a colon, an equals sign, an
// arrow, an opening bracket or a comma in one.
func afterTypeSign(line string) bool {
	for i := len(line) - 1; i >= 0; i-- {
		switch line[i] {
		case ' ', '\t':
			continue
		case ':', '=', '>', '(', '[', ',':
			return true
		}
		return false
	}
	return false
}

// typesInScope offers the types of the interface around the place, and of the others.
func (c *completer) typesInScope() {
	for _, i := range c.project.Interfaces.All() {
		own := i.Range.Filename == c.Name && i.Range.Start.Byte <= c.offset && c.offset <= i.Range.End.Byte
		for _, d := range i.Types {
			label := "interface." + i.Name.Text + "." + d.Name.Text
			if own {
				label = d.Name.Text
			}
			c.add(item{label: label, detail: short(d.Type), doc: d.Doc, kind: protocol.CompletionClass, rank: fits})
		}
	}
}
