package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// printJSON writes v as indented JSON without HTML escapes, and a line break.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// printRawJSON indents JSON without changing a digit or a letter of it, and a line break.
func printRawJSON(w io.Writer, raw []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := w.Write(b.Bytes())
	return err
}

// writeFile writes what a flag asked to be written into a file.
func writeFile(name string, data []byte) error {
	err := os.WriteFile(name, data, 0o644)
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	if err != nil {
		return fmt.Errorf("the file %s cannot be written: %w", name, err)
	}
	return nil
}
