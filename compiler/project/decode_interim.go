package project

import (
	"encoding/json"

	"github.com/lda-wf/wfc/lang/catalog"
)

func decodeSnapshot(src []byte, _ string) (*catalog.Snapshot, error) {
	s := &catalog.Snapshot{}
	return s, json.Unmarshal(src, s)
}
