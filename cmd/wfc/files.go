package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runner/engine"
)

// hasBlob reports whether binary content is part of v.
func hasBlob(v value.Value) bool {
	switch v.Kind() {
	case value.Blob:
		return true
	case value.List:
		for _, e := range v.AsList() {
			if hasBlob(e) {
				return true
			}
		}
	case value.Object:
		for _, a := range v.AsObject().All() {
			if hasBlob(a) {
				return true
			}
		}
	}
	return false
}

// sayFiles says where the files of a run's outputs are.
func sayFiles(w io.Writer, outcome *engine.Outcome) {
	if outcome.FolderErr != nil {
		fmt.Fprintf(w, "The files of the outputs were not written: %v\n", outcome.FolderErr)
		return
	}
	folder := outcome.Folder
	if here, err := os.Getwd(); err == nil {
		if near, err := filepath.Rel(here, folder); err == nil && filepath.IsLocal(near) {
			folder = near
		}
	}
	fmt.Fprintf(w, "The files of the outputs are in %s\n", folder)
}
