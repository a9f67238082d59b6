package service

import (
	"encoding/json"

	"github.com/lda-wf/wfc/lang/catalog"
	"github.com/lda-wf/wfc/runner/redact"
)

// cleanSnapshot takes the secrets out of what a server says of itself, before anything
// is shown, written or compared: a snapshot is committed, and servers put addresses
// with passwords into it. snap has not been looked into yet.
func cleanSnapshot(secrets *redact.Redactor, snap *catalog.Snapshot) {
	snap.ServerInfo = cleanJSON(secrets, snap.ServerInfo)
	snap.Capabilities = cleanJSON(secrets, snap.Capabilities)
	snap.Instructions = secrets.Text(snap.Instructions)
	for _, list := range [][]catalog.Object{snap.Tools, snap.Resources, snap.ResourceTemplates, snap.Prompts} {
		for i := range list {
			list[i].Raw = cleanJSON(secrets, list[i].Raw)
		}
	}
	for i := range snap.Errors {
		snap.Errors[i].Message = secrets.Text(snap.Errors[i].Message)
	}
}

// cleanJSON is withoutSecrets for what has to be something: null where it is no JSON
// that we can read and holds a secret.
func cleanJSON(secrets *redact.Redactor, raw json.RawMessage) json.RawMessage {
	clean, err := withoutSecrets(secrets, raw)
	if err != nil {
		return json.RawMessage("null")
	}
	return clean
}
