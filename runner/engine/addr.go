package engine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lda-wf/wfc/lang/value"
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

// node is the node that the address is a part of.
func (a Addr) node() Addr { return Addr{Frame: a.Frame, Node: a.Node, Elem: Whole} }

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
	if i.Round > 0 {
		s += "#" + strconv.Itoa(i.Round)
	}
	if i.Undo > 0 {
		s += "~" + strconv.Itoa(i.Undo)
	}
	return s
}

// String returns the step as messages and commands name it: label, label[0],
// label["de"], poll#2, deploy["de"]/build, create~1.
func (i Instance) String() string {
	s := i.Step
	if i.In != nil {
		s = i.In.String() + "/" + s
	}
	if !i.Key.IsNull() {
		s += "[" + i.Key.JSON() + "]"
	}
	if i.Round > 0 {
		s += "#" + strconv.Itoa(i.Round)
	}
	if i.Undo > 0 {
		s += "~" + strconv.Itoa(i.Undo)
	}
	return s
}

// is reports whether the instance is a step as a whole.
func (i Instance) isZero() bool { return i.Step == "" }

// part is what one step of a path is, read from the text that Instance.Text wrote.
type part struct {
	key         string // JSON text; "": the step itself
	round, undo int
}

// parts reads the text of an instance: one part for each step of its path.
func parts(text string) ([]part, error) {
	var out []part
	for {
		p, rest, err := readPart(text)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
		if rest == "" {
			return out, nil
		}
		text = rest[1:]
	}
}

func readPart(text string) (p part, rest string, err error) {
	end := strings.IndexAny(text, "#~/")
	if strings.HasPrefix(text, `"`) {
		if end = endOfString(text); end < 0 {
			return p, "", fmt.Errorf("%s has a key without an end", text)
		}
	}
	if end < 0 {
		end = len(text)
	}
	p.key, text = text[:end], text[end:]
	for _, n := range []struct {
		mark string
		to   *int
	}{{"#", &p.round}, {"~", &p.undo}} {
		if !strings.HasPrefix(text, n.mark) {
			continue
		}
		end := 1
		for end < len(text) && '0' <= text[end] && text[end] <= '9' {
			end++
		}
		if *n.to, err = strconv.Atoi(text[1:end]); err != nil || *n.to < 1 {
			return p, "", fmt.Errorf("%s is no number from 1", text[:end])
		}
		text = text[end:]
	}
	if text != "" && text[0] != '/' {
		return p, "", fmt.Errorf("%s has no meaning", text)
	}
	return p, text, nil
}

// endOfString returns where the JSON string that text begins with ends; -1: nowhere.
func endOfString(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
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
				if end = endOfString(rest[1:]); end >= 0 {
					end++
				}
			}
			if end < 0 || end >= len(rest) || rest[end] != ']' {
				return "", "", fmt.Errorf("the key of %s has no end: write %s[KEY]", step, step)
			}
			key, rest = rest[1:end], rest[end+1:]
		}
		p, more, err := readPart(rest)
		if err != nil || p.key != "" {
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
