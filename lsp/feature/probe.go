package feature

import (
	"bytes"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/lda-wf/wfc/compiler/check"
	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lsp/outline"
)

// here stands in the place of the name that is being written, in a text that is
// tried out. It is no name of anything.
const here = "here__wfc"

// probe is a text that was tried out, and what the checker saw of it.
type probe struct {
	project *project.Project // with the text
	view    *check.View
	src     []byte
	at      int         // where the name that was put in begins
	sight   check.Sight // the expression that is, or ends with, the name
	found   bool
}

// probe looks at the file with a name in the place of the one that is being written.
// What is open in the line is closed where the text would not be read otherwise.
func (c *completer) probe() probe {
	var p probe
	for _, tail := range c.tails() {
		rest := c.base[c.end:]
		if tail.instead {
			rest = c.base[lineEnd(c.base, c.end):]
		}
		src := make([]byte, 0, len(c.base)+len(here)+len(tail.text))
		src = append(src, c.base[:c.start]...)
		src = append(src, here...)
		src = append(src, tail.text...)
		src = append(src, rest...)
		p = probe{project: c.project.With(c.Name, src), src: src, at: c.start}
		p.view = check.Look(p.project, c.Name, c.start, c.start+len(here))
		if p.find() {
			break
		}
	}
	return p
}

// find finds the expression that the name is part of.
func (p *probe) find() bool {
	end := p.at + len(here)
	best := -1
	for i, s := range p.view.Sights {
		switch s.Node.(type) {
		case *hclsyntax.ScopeTraversalExpr, *hclsyntax.RelativeTraversalExpr:
		default:
			continue
		}
		if s.Range.Start.Byte <= p.at && end <= s.Range.End.Byte && (best < 0 || size(s) <= size(p.view.Sights[best])) {
			best = i
		}
	}
	if best >= 0 {
		p.sight, p.found = p.view.Sights[best], true
	}
	return p.found
}

func size(s check.Sight) int { return s.Range.End.Byte - s.Range.Start.Byte }

// reading returns what is known of the name as one that is read of something.
func (p *probe) reading() (check.Reading, bool) {
	for _, r := range p.view.Readings {
		if r.Range.Start.Byte == p.at && r.Name == here {
			return r, true
		}
	}
	return check.Reading{}, false
}

// tail is what comes behind the name that is put in.
type tail struct {
	text    string
	instead bool // of the rest of the line
}

// tails returns what may have to come behind the name so that the text can be read:
// nothing, the second half of a conditional, what closes all that is open in the line
// or in the value.
func (c *completer) tails() []tail {
	closing, all := c.closers(lineStart(c.src, c.start)), c.closers(0)
	out := []tail{{"", false}}
	if c.isOpen() || closing != "" {
		out = append(out, tail{closing, true}, tail{" : null" + closing, true}, tail{closing + " : null", true})
	}
	out = append(out, tail{" : null", false})
	if all != closing {
		out = append(out, tail{all, true}, tail{" : null" + all, true}, tail{all + " : null", true})
	}
	return out
}

// isOpen reports whether nothing but white space, a comment or closing brackets
// stands behind the place in its line.
func (c *completer) isOpen() bool {
	rest := bytes.Trim(c.src[c.end:lineEnd(c.src, c.end)], " \t\r)]}\",")
	return len(rest) == 0 || rest[0] == '#'
}

// closers is what closes the brackets and texts around the place that began behind an
// offset, and ends a `for` of them that has no result yet.
func (c *completer) closers(from int) string {
	var s strings.Builder
	for i := len(c.place.Frames) - 1; i >= 0; i-- {
		f := c.place.Frames[i]
		if f.Start < from {
			break
		}
		switch f.Kind {
		case outline.Braces:
			switch {
			case f.For && !f.Colon:
				s.WriteString(" : null => null")
			case f.For && !f.Arrow:
				s.WriteString(" => null")
			}
			s.WriteByte('}')
		case outline.Template:
			s.WriteByte('}')
		case outline.Brackets:
			if f.For && !f.Colon {
				s.WriteString(" : null")
			}
			s.WriteByte(']')
		case outline.Parens:
			s.WriteByte(')')
		case outline.Quotes:
			s.WriteByte('"')
		}
	}
	return s.String()
}
