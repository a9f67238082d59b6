package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"github.com/lda-wf/wfc/lang/format"
	"github.com/lda-wf/wfc/runner/wholefile"
)

// maxFormatted bounds a file that is formatted, as project.Load bounds those that are checked.
const maxFormatted = 8 << 20

func newFmt(std streams, g *globals) *cobra.Command {
	f := formatter{std: std}
	cmd := &cobra.Command{
		Use:   "fmt [PATH…]",
		Short: "Format source files, offline",
		Long: `Format files, and all of folders and the folders below them, by default of the
working directory: wfc.hcl, *.wf.hcl, *.wftest.hcl and *.wfi. Only white space
changes. The names of the files that changed are printed. With - as its only path
it formats its standard input. A file that cannot be parsed is reported and left
as it is.`,
		Example: "  wfc fmt\n  wfc fmt --check --diff flows\n  wfc fmt - < triage.wf.hcl",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				args = []string{"."}
				if g.project != "" {
					args = []string{g.project}
				}
			}
			return f.run(args)
		},
	}
	cmd.Flags().BoolVar(&f.check, "check", false, "write nothing; list the files that would change, and exit with 1 if there are any")
	cmd.Flags().BoolVar(&f.diff, "diff", false, "write nothing; print the changes")
	return cmd
}

// formatter formats files as the flags say.
type formatter struct {
	std         streams
	check, diff bool

	bad     bool // some file could not be formatted
	changed bool // some file changed, or would
}

func (f *formatter) run(paths []string) error {
	for _, path := range paths {
		if path == "-" {
			if len(paths) > 1 {
				return usage("- stands for the standard input and cannot be mixed with other paths")
			}
			if err := f.stdin(); err != nil {
				return failed(err)
			}
			continue
		}
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return failed(fmt.Errorf("there is no file or folder %s: %w", path, fs.ErrNotExist))
		case err != nil:
			return failed(err)
		case info.IsDir():
			err = f.folder(path)
		case !format.Handles(filepath.ToSlash(path)):
			err = fmt.Errorf("%s is no file that wfc formats: their names end in .wf.hcl, .wftest.hcl or .wfi, or are wfc.hcl", path)
		default:
			err = f.file(path)
		}
		if err != nil {
			return failed(err)
		}
	}
	if f.bad || f.check && f.changed {
		return &exit{code: exitFailed}
	}
	return nil
}

// folder formats the files below a folder. Links are not followed: what they
// lead to is formatted where it is.
func (f *formatter) folder(root string) error {
	found := false
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		hidden := path != root && strings.HasPrefix(d.Name(), ".")
		switch {
		case err != nil:
			f.problem(err)
			return nil
		case d.IsDir() && (hidden || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir(), hidden, !d.Type().IsRegular(), !format.Handles(d.Name()):
			return nil
		}
		found = true
		return f.file(path)
	})
	if err == nil && !found && !f.bad {
		return nothingToCheck(root)
	}
	return err
}

// problem reports what concerns one file; the others are formatted all the same.
func (f *formatter) problem(err error) {
	fmt.Fprintf(f.std.err, "wfc: %v\n", err)
	f.bad = true
}

func (f *formatter) file(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s is no regular file", path)
	case info.Size() > maxFormatted:
		err = fmt.Errorf("%s has %d bytes, and files of more than %d are not formatted", path, info.Size(), maxFormatted)
	}
	var src []byte
	if err == nil {
		src, err = os.ReadFile(path)
	}
	if err != nil {
		f.problem(err)
		return nil
	}
	out, err := f.format(filepath.ToSlash(path), src)
	if out == nil || err != nil || bytes.Equal(out, src) {
		return err
	}
	if err := f.show(path, src, out); err != nil || f.check || f.diff {
		return err
	}
	if err := wholefile.Write(path, out, 0o644); err != nil {
		f.problem(err)
	}
	return nil
}

// stdin formats the standard input onto the standard output.
func (f *formatter) stdin() error {
	const name = "<stdin>"
	src, err := io.ReadAll(io.LimitReader(f.std.in, maxFormatted+1))
	if err != nil {
		return fmt.Errorf("the standard input cannot be read: %w", err)
	}
	if len(src) > maxFormatted {
		return fmt.Errorf("the standard input has more than %d bytes, which are not formatted", maxFormatted)
	}
	out, notInterface := format.Source(name+".wfi", src)
	if notInterface != nil { // which language it is in shows when it is read
		if out, err = f.format(name, src); out == nil || err != nil {
			return err
		}
	}
	if !f.check && !f.diff {
		_, err := f.std.out.Write(out)
		return err
	}
	if bytes.Equal(out, src) {
		return nil
	}
	return f.show(name, src, out)
}

// format formats a text; nil is one that cannot be parsed, which was reported.
func (f *formatter) format(name string, src []byte) ([]byte, error) {
	out, found := format.Source(name, src)
	if found == nil {
		return out, nil
	}
	f.bad = true
	return nil, writeText(f.std.err, found, func(string) []byte { return src })
}

// show tells of a file that changes.
func (f *formatter) show(name string, before, after []byte) error {
	f.changed = true
	var err error
	if f.diff {
		_, err = f.std.out.Write(diff.Diff(name+".orig", before, name, after))
	} else {
		_, err = fmt.Fprintln(f.std.out, name)
	}
	return err
}
