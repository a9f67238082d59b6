package engine

import (
	"fmt"
	"strings"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/journal"
)

// Addr names something that happens in a run by place: the same in every run of
// a plan that came as far in the same way.
type Addr struct {
	Frame int // 0 is the workflow itself; the n-th child that began is n
	Node  int // index in the plan of the frame
	Elem  int // index of the element; [Whole] for the node itself
	Round int // of a loop, from 1; 0 is the node or element itself
	Undo  int // the n-th undo block, from 1; 0 is what it undoes
}

// Whole is the Elem of an address that means the node itself.
const Whole = -1

// unit is the node without for_each, or the element, that the address is a part of.
func (a Addr) unit() Addr { return Addr{Frame: a.Frame, Node: a.Node, Elem: a.Elem} }

// done is what an undo undoes.
func (a Addr) done() Addr { a.Undo = 0; return a }

// Instance names what an [Addr] means, as people and the journal know it.
type Instance struct {
	Step string
	// Key is the element's key under a map, an object or a list with `key`, else its
	// index; null for the step itself.
	Key value.Value
	// Round counts the rounds of a loop from 1; 0 is all of them.
	Round int
	// Undo says which of the step's undo blocks is meant, from 1; 0 is the step itself.
	Undo int
	// In is the step that runs the workflow that the step is of; nil: the run itself does.
	In *Instance
}

// Path returns the step with those that it is in, as the journal names it: "deploy/build".
func (i Instance) Path() string {
	if i.In == nil {
		return i.Step
	}
	return i.In.Path() + "/" + i.Step
}

// Text tells apart what a step is: its elements by their key or index as JSON
// text, the rounds of a loop ("#2") and its undo blocks ("~1"); one part for each
// step of the path, between slashes. "" is the step itself.
func (i Instance) Text() string {
	if i.In == nil {
		return i.part()
	}
	return i.In.Text() + "/" + i.part()
}

func (i Instance) part() string {
	if i.Key.IsNull() && i.Round == 0 && i.Undo == 0 {
		return ""
	}
	s := ""
	if !i.Key.IsNull() {
		s = i.Key.JSON()
	}
	return journal.Part{Round: i.Round, Undo: i.Undo}.Name(s)
}

// String returns the step as messages and commands name it: label, label[0],
// label["de"], poll#2, deploy["de"]/build, create~1.
func (i Instance) String() string {
	p := journal.Part{Round: i.Round, Undo: i.Undo}
	if !i.Key.IsNull() {
		p.Key = i.Key.JSON()
	}
	if i.In == nil {
		return p.Name(i.Step)
	}
	return i.In.String() + "/" + p.Name(i.Step)
}

// ParseInstance reads what [Instance.String] wrote into the two texts by which the
// journal names it.
func ParseInstance(text string) (path, instance string, err error) {
	var steps, texts []string
	for {
		end := strings.IndexAny(text, "[#~/")
		if end < 0 {
			end = len(text)
		}
		step, rest := text[:end], text[end:]
		if step == "" || strings.ContainsAny(step, `]" `) {
			return "", "", fmt.Errorf("%q is no name of a step", step)
		}
		key := ""
		if strings.HasPrefix(rest, "[") {
			end := strings.IndexByte(rest, ']')
			if strings.HasPrefix(rest, `["`) {
				if end = journal.EndOfString(rest[1:]); end >= 0 {
					end++
				}
			}
			if end < 0 || end >= len(rest) || rest[end] != ']' {
				return "", "", fmt.Errorf("the key of %s has no end: write %s[KEY]", step, step)
			}
			key, rest = rest[1:end], rest[end+1:]
		}
		p, more, err := journal.CutPart(rest)
		if err != nil || p.Key != "" {
			return "", "", fmt.Errorf("after %s comes %q, which has no meaning there", step, rest)
		}
		steps = append(steps, step)
		texts = append(texts, key+rest[:len(rest)-len(more)])
		if more == "" {
			return strings.Join(steps, "/"), strings.Join(texts, "/"), nil
		}
		text = more[1:]
	}
}

// partTexts are the parts of an instance as the journal names it, one for each
// step of its path.
func partTexts(text string) []string {
	var out []string
	for {
		_, rest, err := journal.CutPart(text)
		if err != nil {
			return append(out, text)
		}
		out = append(out, text[:len(text)-len(rest)])
		if rest == "" {
			return out
		}
		text = rest[1:]
	}
}

// partOf is a step with one of the [partTexts] of its instance, as commands name it.
func partOf(step, text string) string {
	p, rest, err := journal.CutPart(text)
	if err != nil || rest != "" {
		return step + "[" + text + "]"
	}
	return p.Name(step)
}
