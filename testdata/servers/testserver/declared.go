package testserver

import (
	_ "embed"
	"encoding/json"
)

//go:embed tools.json
var declared []byte

// Declare makes the server list all its tools as tools.json declares them, where by
// default it lists some, whose declarations are what they are for.
func Declare() {
	var all struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(declared, &all); err != nil {
		fail(err)
	}
	l := lists["tools/list"]
	l.objects = nil
	for _, t := range all.Tools {
		l.objects = append(l.objects, string(t))
	}
	lists["tools/list"] = l
}
