package journal

import (
	"errors"
	"os"
	"path/filepath"
)

// misplaced returns an *[Error] that names what stands where the journal in dir
// has its folders and its file; nil where nothing does. It is asked when the
// journal could not be opened for cause, whose words say what the system met and
// not what to do.
func misplaced(dir string, cause error) error {
	if ours := (*Error)(nil); errors.As(cause, &ours) {
		cause = nil // another reason, which this one is behind
	}
	for _, place := range []struct {
		name   string
		folder bool
	}{{".", true}, {fileName, false}, {locksName, true}, {blobsName, true}} {
		path := filepath.Join(dir, place.name)
		link, err := os.Lstat(path)
		if err != nil {
			continue // nothing is there, or nothing that can be seen
		}
		there, err := os.Stat(path)
		switch {
		case err != nil && link.Mode()&os.ModeSymlink != 0:
			target, _ := os.Readlink(path)
			return failure(ErrMisplaced, cause, "The link %s leads to %s, which cannot be reached (%v). Make what it leads to, or remove the link, and try again.",
				path, target, err)
		case err != nil || place.folder && there.IsDir() || !place.folder && there.Mode().IsRegular():
		default:
			return failure(ErrMisplaced, cause, "%s is %s, where wfc keeps %s. Move it away and try again: wfc makes what it needs.",
				path, what(there.Mode()), what(wanted(place.folder)))
		}
	}
	return nil
}

func wanted(folder bool) os.FileMode {
	if folder {
		return os.ModeDir
	}
	return 0
}

func what(mode os.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode.IsRegular():
		return "a file"
	}
	return "neither a file nor a folder"
}
