package project

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
	"github.com/lda-wf/wfc/lang/diag"
)

const (
	// maxFileSize bounds a workflow file. People write none of a hundredth of
	// this; parsing needs about a hundred times its size in memory.
	maxFileSize = 8 << 20
	// maxSnapshotSize bounds a snapshot: the largest known tool list is 2 MB.
	maxSnapshotSize = 256 << 20
)

// errOutside is the error of a link that leads out of the project.
var errOutside = errors.New("it is a link to a file outside of the project")

// read returns the bytes of a file, from the overlay if it has it. Only regular
// files inside the project are read: a pipe would block for ever, and a link
// out of the project would show foreign files in messages.
func (p *Project) read(path string, limit int64) ([]byte, error) {
	if src, ok := p.overlay[path]; ok {
		return src, nil
	}
	if p.alone {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, fmt.Errorf("it is a link, and what it leads to cannot be read: %w", cause(err))
		}
		root, err := filepath.EvalSymlinks(p.Root)
		if err != nil {
			return nil, err
		}
		if rel, err := filepath.Rel(root, target); err != nil || !filepath.IsLocal(rel) {
			return nil, errOutside
		}
		if info, err = os.Stat(target); err != nil {
			return nil, err
		}
	}
	switch {
	case info.IsDir():
		return nil, errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > limit:
		return nil, fmt.Errorf("it has %d bytes, and more than %d are not read", info.Size(), limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src := make([]byte, 0, info.Size()+1) // one more, so that the end is seen without growing
	for {
		n, err := f.Read(src[len(src):cap(src)])
		src = src[:len(src)+n]
		switch {
		case err == io.EOF:
			return src, nil
		case err != nil:
			return nil, err
		case int64(len(src)) > limit:
			return nil, fmt.Errorf("it has more than %d bytes, which are not read", limit)
		case len(src) == cap(src):
			src = append(src, 0)[:len(src)]
		}
	}
}

// at is the beginning of a file, where what concerns all of it is reported.
func at(name string) hcl.Range {
	return hcl.Range{Filename: name, Start: hcl.InitialPos, End: hcl.InitialPos}
}

func unreadable(name string, err error) diag.Diagnostic {
	if name == "" {
		name = "."
	}
	if errors.Is(err, errOutside) {
		return diag.New(codeOutside, at(name), "%s is a link to a file outside of the project, which is not read. Copy the file, or move it into the project and link to it there.", name)
	}
	return diag.New(codeUnreadable, at(name), "%s cannot be read: %s.", name, cause(err))
}
