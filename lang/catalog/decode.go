package catalog

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/lda-wf/wfc/lang/value"
)

// Decode reads a snapshot file. filename is its name, as messages show it; a
// file catalog/ID.json has to be the snapshot of the connection ID. Nothing is
// converted before it is asked for: see [Snapshot.Tool].
//
// The error says what is wrong with the file. A new one is made by
// `wfc catalog refresh`, which who reads it may say.
func Decode(src []byte, filename string) (*Snapshot, error) {
	s := &Snapshot{}
	scan := scanner{src: src}
	versioned := false
	err := scan.object(func(key string) error {
		switch key {
		case "tools":
			return scan.objects(&s.Tools)
		case "resources":
			return scan.objects(&s.Resources)
		case "resource_templates":
			return scan.objects(&s.ResourceTemplates)
		case "prompts":
			return scan.objects(&s.Prompts)
		}
		raw, err := scan.value()
		if err != nil {
			return err
		}
		var into any
		switch key {
		case "format_version":
			versioned, into = true, &s.FormatVersion
		case "connection":
			into = &s.Connection
		case "server_info":
			into = &s.ServerInfo
		case "protocol_version":
			into = &s.ProtocolVersion
		case "instructions":
			into = &s.Instructions
		case "capabilities":
			into = &s.Capabilities
		case "client_capabilities":
			into = &s.ClientCapabilities
		case "withheld":
			into = &s.Withheld
		case "errors":
			into = &s.Errors
		default:
			return nil // of a version that says more
		}
		if err := json.Unmarshal(raw, into); err != nil {
			return scan.errorf("%q: %v", key, err)
		}
		return nil
	})
	if err == nil {
		err = scan.end()
	}
	id := strings.TrimSuffix(path.Base(filename), ".json")
	switch {
	case err != nil:
		return nil, fmt.Errorf("the file %s cannot be read: %w", filename, err)
	case !versioned:
		return nil, fmt.Errorf("the file %s is no catalog snapshot; one is made of a saved answer with `wfc catalog import`", filename)
	case s.FormatVersion > FormatVersion:
		return nil, fmt.Errorf("the file %s is of format %d, and this wfc knows formats up to %d; a newer wfc knows more", filename, s.FormatVersion, FormatVersion)
	case s.FormatVersion < 1:
		return nil, fmt.Errorf("the file %s is of format %d, which does not exist", filename, s.FormatVersion)
	case path.Base(path.Dir(filename)) == "catalog" && s.Connection != id:
		return nil, fmt.Errorf("the file %s is the snapshot of the connection %q; its file is named catalog/%s.json", filename, s.Connection, s.Connection)
	}
	return s, nil
}

// objects reads a list of a snapshot file.
func (s *scanner) objects(into *[]Object) error {
	return s.list(func() error {
		var o Object
		err := s.object(func(key string) error {
			raw, err := s.value()
			switch {
			case err != nil:
			case key == "object":
				o.Raw = raw
			case key == "digest":
				o.Digest = strings.Trim(string(raw), `"`)
			}
			return err
		})
		if err == nil && o.Raw == nil {
			err = s.errorf(`an entry without "object"`)
		}
		*into = append(*into, o)
		return err
	})
}

// Import makes a snapshot of a saved answer: the raw objects under "tools",
// "resources", "resourceTemplates" and "prompts", with "serverInfo",
// "protocolVersion", "capabilities" and "instructions" where they are; or a
// JSON-RPC response with such a result; or a bare list of tools. Of several
// answers in one file, one after the other, each adds what it has. What is wrong
// with one entry is one of [Snapshot.Problems]; a list that is none is one of Errors.
func Import(connection string, src []byte) (*Snapshot, error) {
	s := &Snapshot{FormatVersion: FormatVersion, Connection: connection}
	scan := scanner{src: []byte(strings.TrimPrefix(string(src), "\ufeff"))}
	found := false
	for first := true; first || scan.peek() != 0; first = false {
		ok, err := scan.answer(s, true)
		if err != nil {
			return nil, fmt.Errorf("the saved answer is not JSON: %w", err)
		}
		found = found || ok
	}
	if !found {
		return nil, fmt.Errorf(`the saved answer has none of "tools", "resources", "resourceTemplates" and "prompts"; save what the server answers to tools/list`)
	}
	for _, raw := range []json.RawMessage{s.ServerInfo, s.Capabilities, s.ClientCapabilities} {
		if raw == nil {
			continue
		}
		if v, err := value.ParseJSON(raw); err != nil || v.Kind() != value.Object {
			return nil, fmt.Errorf("what the saved answer says of server and capabilities is no object: %.80s", raw)
		}
	}
	for _, l := range s.lists() {
		for i, o := range *l.objects {
			if !json.Valid(o.Raw) {
				return nil, fmt.Errorf("the saved answer is not JSON: entry %d of the %s is none: %s", i, l.plural, excerpt(o.Raw))
			}
		}
	}
	s.normalize()
	return s, nil
}

// answer reads one saved answer, and reports whether it has a list.
// An answer may be the result of an envelope, but not of one in another.
func (s *scanner) answer(into *Snapshot, envelope bool) (found bool, err error) {
	if s.peek() == '[' {
		return true, s.rawObjects(&into.Tools)
	}
	err = s.object(func(key string) error {
		list := map[string]*[]Object{
			"tools": &into.Tools, "resources": &into.Resources, "resourceTemplates": &into.ResourceTemplates,
			"resource_templates": &into.ResourceTemplates, "prompts": &into.Prompts,
		}[key]
		if list != nil && s.peek() == '[' {
			found = true
			return s.rawObjects(list)
		}
		if list != nil {
			return s.notList(into, key)
		}
		if key == "result" && envelope && s.peek() == '{' {
			inner, err := s.answer(into, false)
			found = found || inner
			return err
		}
		raw, err := s.value()
		if err != nil {
			return err
		}
		if string(raw) == "null" {
			return nil
		}
		switch key {
		case "serverInfo", "server_info":
			into.ServerInfo = raw
		case "capabilities":
			into.Capabilities = raw
		case "clientCapabilities", "client_capabilities":
			into.ClientCapabilities = raw
		case "protocolVersion", "protocol_version":
			return s.decode(raw, key, &into.ProtocolVersion)
		case "instructions":
			return s.decode(raw, key, &into.Instructions)
		}
		return nil
	})
	return found, err
}

// notList skips what is in the place of a list. Null says that there is none.
func (s *scanner) notList(into *Snapshot, key string) error {
	raw, err := s.value()
	if err != nil || string(raw) == "null" {
		return err
	}
	if key == "resourceTemplates" {
		key = "resource_templates"
	}
	into.Errors = append(into.Errors, ListError{List: key, Message: "it is no list: " + excerpt(raw)})
	return nil
}

// decode reads what must be a string.
func (s *scanner) decode(raw []byte, key string, into *string) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return s.errorf("%q is no string", key)
	}
	return nil
}

func (s *scanner) rawObjects(into *[]Object) error {
	return s.list(func() error {
		raw, err := s.value()
		*into = append(*into, Object{Raw: raw})
		return err
	})
}
