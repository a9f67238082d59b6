package main

import (
	"bytes"
	"encoding/json"
	"io"
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
