package journal

import (
	"fmt"
	"strconv"
	"strings"
)

// Part says which part of a step an event's Instance names. An instance has one for each
// step of the path that is the event's Node, between slashes: KEY#ROUND~UNDO, each
// left out where it says nothing.
type Part struct {
	Key   string // of an element, as JSON text; "": the step itself
	Round int    // of a loop, from 1; 0: all of it
	Undo  int    // the n-th undo block, from 1; 0: what it undoes
}

// Parts reads an instance.
func Parts(instance string) ([]Part, error) {
	var out []Part
	for {
		p, rest, err := CutPart(instance)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
		if rest == "" {
			return out, nil
		}
		instance = rest[1:]
	}
}

// CutPart reads the part that text begins with; rest is empty or begins with a slash.
func CutPart(text string) (p Part, rest string, err error) {
	end := strings.IndexAny(text, "#~/")
	if strings.HasPrefix(text, `"`) {
		if end = EndOfString(text); end < 0 {
			return p, "", fmt.Errorf("%s has a key without an end", text)
		}
	}
	if end < 0 {
		end = len(text)
	}
	p.Key, text = text[:end], text[end:]
	for _, n := range []struct {
		mark string
		to   *int
	}{{"#", &p.Round}, {"~", &p.Undo}} {
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

// EndOfString returns where the JSON string that text begins with ends; -1: nowhere.
func EndOfString(text string) int {
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

// Name returns a step of a path with its part as commands and messages name it:
// label["de"], poll#2, create~1.
func (p Part) Name(step string) string {
	if p.Key != "" {
		step += "[" + p.Key + "]"
	}
	if p.Round > 0 {
		step += "#" + strconv.Itoa(p.Round)
	}
	if p.Undo > 0 {
		step += "~" + strconv.Itoa(p.Undo)
	}
	return step
}
