// Package wholefile writes files that are there whole or as they were. It
// imports nothing of wfc.
package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the content of a file, or makes it. A reader, and whoever looks
// after a crash, sees the old content or the new one. The file's permissions
// stay; a new one gets those of mode. Where path is a link, what it leads to is
// written. The error names the file.
func Write(path string, content []byte, mode fs.FileMode) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s cannot be written: %w", path, cause(err))
		}
	}()
	target, err := filepath.EvalSymlinks(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		target = path
	case err != nil:
		return err
	}
	if info, err := os.Stat(target); err == nil {
		if !info.Mode().IsRegular() {
			return errors.New("it is no regular file")
		}
		mode = info.Mode().Perm()
		// Replacing it would go around its protection.
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), ".wfc-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // does nothing once it is renamed
	_, err = tmp.Write(content)
	if err = errors.Join(err, tmp.Chmod(mode), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), target)
}

// cause takes the path off a file error, since the message names the file.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
