package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lda-wf/wfc/lang/value"
)

// Problem says what is wrong with one entry of a list: it concerns this entry
// alone, and all others can be used.
type Problem struct {
	List string `json:"list"` // "tools", "resources", "resource_templates", "prompts"
	// Name is the name of the entry, or the URI of a resource; empty where it has none.
	Name    string `json:"name,omitempty"`
	Message string `json:"message"` // in full sentences
}

// String returns the problem on one line, beginning with what it is of.
func (p Problem) String() string {
	noun := strings.TrimSuffix(strings.ReplaceAll(p.List, "_", " "), "s")
	if p.Name == "" {
		return OneLine("a " + noun + ": " + p.Message)
	}
	return OneLine(noun + " " + p.Name + ": " + p.Message)
}

// Problems returns what is wrong with the entries of the snapshot, by list and
// name, each once. It converts all tools.
func (s *Snapshot) Problems() []Problem {
	var out []Problem
	for _, l := range s.lists() {
		before := len(out)
		add := func(name, message string) {
			if p := (Problem{l.key, name, message}); message != "" && !slices.Contains(out[before:], p) {
				out = append(out, p)
			}
		}
		for _, o := range l.sorted() {
			add(l.problem(s, o.Raw))
		}
		slices.SortStableFunc(out[before:], func(a, b Problem) int { return cmp.Compare(a.Name, b.Name) })
	}
	return out
}

// problem says what is wrong with an entry; message is empty for nothing.
func (l list) problem(s *Snapshot, raw []byte) (name, message string) {
	switch v, err := value.ParseJSON(raw); {
	case err != nil && stringField(raw, l.identity) == "":
		return "", fmt.Sprintf("It is not JSON that wfc accepts, so that it cannot be used: %v.", err)
	case err == nil && v.Kind() != value.Object:
		return "", fmt.Sprintf("It is no object, so that it cannot be used: %s", excerpt(raw))
	}
	for _, attr := range slices.Compact([]string{l.identity, "name"}) {
		if attr == "name" && l.key == "resources" {
			continue // a resource is read by its URI; its name is for people
		}
		switch got := field(raw, attr); {
		case got == nil:
			return stringField(raw, "name"), fmt.Sprintf("It has no %s, so that it cannot be used: %s", attr, excerpt(raw))
		case stringField(raw, attr) == "":
			return stringField(raw, "name"), fmt.Sprintf("Its %s is no text, or an empty one, so that it cannot be used: %s", attr, excerpt(raw))
		}
	}
	switch name = stringField(raw, "name"); l.key {
	case "tools":
		return name, s.Tool(name).Problem
	case "prompts":
		return name, s.Prompt(name).Problem
	case "resource_templates":
		return name, s.Template(name).Problem
	}
	name = stringField(raw, l.identity)
	if err := broken(raw); err != nil {
		return name, notJSON(err)
	}
	if twice(s.Resources, l.identity, name) {
		return name, "The server lists two resources of this URI, which differ."
	}
	return name, ""
}

// broken returns why a text is not JSON that wfc accepts, nil where it is.
func broken(raw []byte) error {
	_, err := value.ParseJSON(raw)
	return err
}

func notJSON(err error) string {
	return fmt.Sprintf("What the snapshot has of it is not JSON that wfc accepts: %v.", err)
}

// twice reports whether a list has different objects of one identity.
func twice(objects []Object, identity, name string) bool {
	first := ""
	for _, o := range objects {
		if stringField(o.Raw, identity) != name {
			continue
		}
		switch digest := digestOf(o.Raw); first {
		case "":
			first = digest
		case digest:
		default:
			return true
		}
	}
	return false
}

// excerpt returns the beginning of an entry as messages show it: the same
// however it is written.
func excerpt(raw []byte) string {
	const most = 60
	if v, err := value.ParseJSON(raw); err == nil {
		raw = value.AppendCanonicalJSON(nil, v)
	}
	return cut(oneLine(string(raw)), most)
}
