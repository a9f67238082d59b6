// Package catalog has catalog snapshots: what a connection's server offers, as
// raw objects pinned in a reviewable file, and typed views of them.
//
// Its central type is [Snapshot]. It may import lang/types, lang/value and lang/diag.
package catalog

import "encoding/json"

// FormatVersion is the version of the snapshot file that this package writes.
const FormatVersion = 1

// Snapshot is the content of catalog/<connection id>.json. It is read by
// [Decode], made by [Import] or by who lists a server, written by
// [Snapshot.Encode], and must not be copied after its first use.
type Snapshot struct {
	FormatVersion      int             `json:"format_version"`
	Connection         string          `json:"connection"` // its id
	ServerInfo         json.RawMessage `json:"server_info,omitempty"`
	ProtocolVersion    string          `json:"protocol_version,omitempty"`
	Instructions       string          `json:"instructions,omitempty"`
	Capabilities       json.RawMessage `json:"capabilities,omitempty"`        // the server's
	ClientCapabilities json.RawMessage `json:"client_capabilities,omitempty"` // ours, since lists depend on them
	Tools              []Object        `json:"tools"`
	Resources          []Object        `json:"resources"`
	ResourceTemplates  []Object        `json:"resource_templates"`
	Prompts            []Object        `json:"prompts"`
	Withheld           []Withheld      `json:"withheld,omitempty"`
	Errors             []ListError     `json:"errors,omitempty"` // lists that the server failed to give

	tools index // of Tools, at the first use
}

// Object is one tool, resource, template or prompt: the raw wire object and
// its digest (SHA-256 over the canonical JSON of Raw, in hex), which
// [Snapshot.Encode] computes: who makes a snapshot may leave it empty.
type Object struct {
	Digest string          `json:"digest"`
	Raw    json.RawMessage `json:"object"`
}

// Withheld is a tool that the server lists only for clients that offer more
// capabilities than the connection does.
type Withheld struct {
	Tool  string   `json:"tool"`
	Needs []string `json:"needs"` // "sampling", "elicitation", "roots"; sorted
}

// Needs returns the client capabilities that a tool needs which the snapshot
// does not have for want of them, nil for others.
func (s *Snapshot) Needs(tool string) []string {
	for _, w := range s.Withheld {
		if w.Tool == tool {
			return w.Needs
		}
	}
	return nil
}

// ListError says that one list could not be read.
type ListError struct {
	List    string `json:"list"` // "tools", "resources", "resource_templates", "prompts"
	Message string `json:"message"`
}

// Effect is what calling a tool does (LANGUAGE 7).
type Effect uint8

// The effects, from weakest to strongest. Unknown is treated as Destructive by
// policies and as Write by the order of steps.
const (
	Read Effect = iota
	Write
	Destructive
	Unknown
)

// String returns "read", "write", "destructive" or "unknown".
func (e Effect) String() string { return [...]string{"read", "write", "destructive", "unknown"}[e] }
