package journal

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// networkFS returns the type of the network file system that dir lies on; "" is none.
func networkFS(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	volume := filepath.VolumeName(abs)
	if strings.HasPrefix(volume, `\\`) {
		return "network share", nil
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	if err != nil {
		return "", err
	}
	if windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		return "network drive", nil
	}
	return "", nil
}
