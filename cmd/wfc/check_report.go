package main

import (
	"bytes"
	"fmt"
	"io"

	"github.com/lda-wf/wfc/lang/diag"
)

// report shows what was fixed and what was found. The error is one that has been
// shown, where there is something that exit code 1 was asked for.
func (k *checking) report() error {
	// What reads the text of findings expects them alone.
	fixes := k.std.err
	if k.format == "text" {
		fixes = k.std.out
	}
	for _, c := range k.projects {
		if err := showFixed(fixes, c); err != nil {
			return err
		}
	}

	// One project's files are named from its root. Of several projects the names
	// would not tell which: theirs are named from the working directory.
	list, files, source := k.findings(len(k.projects) > 1)
	if k.into != "" {
		var b bytes.Buffer
		if err := diag.WriteJSON(&b, list, files, source); err != nil {
			return err
		}
		if err := writeFile(k.into, b.Bytes()); err != nil {
			return err
		}
	}
	if err := k.write(list, files, source); err != nil {
		return err
	}
	errors, warnings := list.Count()
	if errors > 0 || k.failOn == "warning" && warnings > 0 {
		return &exit{code: exitFailed}
	}
	return nil
}

func (k *checking) write(list diag.List, files int, source func(string) []byte) error {
	switch k.format {
	case "json":
		return diag.WriteJSON(k.std.out, list, files, source)
	case "sarif":
		// Who reads these looks for files from the root of a checkout, where CI runs.
		here, _, _ := k.findings(true)
		return diag.WriteSARIF(k.std.out, here, version)
	case "github":
		here, _, _ := k.findings(true)
		if err := diag.WriteGitHub(k.std.out, here); err != nil {
			return err
		}
	default:
		for _, c := range k.projects {
			if err := writeDiagnostics(k.std.out, c.project, c.list); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintln(k.std.out, list.Summary(files))
	return err
}

// findings returns those of all projects, how many files there are, and the
// files' texts by the names in the findings. here names them from the working
// directory, else they are relative to their project.
func (k *checking) findings(here bool) (list diag.List, files int, source func(file string) []byte) {
	sources := map[string][]byte{}
	for _, c := range k.projects {
		files += len(c.project.FileNames())
		found, source := c.list, c.project.Source
		if here {
			found, source = fromHere(c.project, found)
		}
		list = append(list, found...)
		for _, d := range found {
			sources[d.Range.File] = source(d.Range.File)
		}
	}
	return list, files, func(file string) []byte { return sources[file] }
}

// showFixed tells what was fixed, a line each.
func showFixed(w io.Writer, c *checked) error {
	var mended diag.List
	for _, a := range c.fixed {
		d := a.Finding
		d.Fixes = []diag.Fix{a.Fix}
		mended = append(mended, d)
	}
	mended, _ = fromHere(c.project, mended)
	for _, d := range mended {
		at := d.Range.Start
		if _, err := fmt.Fprintf(w, "fixed %s:%d:%d: %s (%s, %s)\n", d.Range.File, at.Line, at.Column, d.Fixes[0].Title, d.Summary, d.Code); err != nil {
			return err
		}
	}
	if len(mended) > 0 {
		_, err := fmt.Fprintln(w)
		return err
	}
	return nil
}
