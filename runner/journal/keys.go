package journal

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// keySize is the number of bytes of all keys: AES-256.
const keySize = 32

// Keys holds the key that the keys of runs are wrapped with. A keychain of the
// system can stand in for the file that [KeyFile] names.
type Keys interface {
	// Key returns the key, 32 bytes. Where there is none, it makes one if create is
	// set, else it returns an error that is fs.ErrNotExist.
	Key(create bool) ([]byte, error)
	// Place says where the key is kept, for messages.
	Place() string
}

// KeyFile is a [Keys] that keeps its key in a file of its own, which only its
// owner may read (0600). "" stands for journal.key in the folder wfc of the user's
// configuration: ~/.config/wfc on Linux, ~/Library/Application Support/wfc on
// macOS, %AppData%\wfc on Windows.
type KeyFile string

// Place implements Keys.
func (f KeyFile) Place() string {
	path, err := f.path()
	if err != nil {
		return "the user's configuration"
	}
	return path
}

func (f KeyFile) path() (string, error) {
	if f != "" {
		return string(f), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", failure(ErrKey, err, "There is no place for the key that sensitive results are encrypted with: %v.", err)
	}
	return filepath.Join(dir, "wfc", "journal.key"), nil
}

// Key implements Keys. The file is there whole or not at all, also for others who
// look while it is made.
func (f KeyFile) Key(create bool) ([]byte, error) {
	path, err := f.path()
	if err != nil {
		return nil, err
	}
	key, err := readKey(path)
	if !create || !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := makeKey(path); err != nil && !errors.Is(err, fs.ErrExist) { // another process was faster
		return nil, failure(ErrKey, err, "The file %s cannot be made, which has the key that sensitive results are encrypted with: %v.", path, err)
	}
	return readKey(path)
}

func readKey(path string) ([]byte, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		return nil, failure(ErrKey, err, "The file %s cannot be read, which has the key of sensitive results: %v.", path, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, failure(ErrKey, err, "The file %s cannot be read, which has the key of sensitive results: %v.", path, err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, failure(ErrKey, nil, "The file %s has the key of sensitive results and others than its owner may use it (mode %04o). "+
			"Take that from them:\n\n    chmod 600 %s", path, info.Mode().Perm(), path)
	}
	text := make([]byte, 2*keySize+2) // a line of hex, and room to see that it is longer
	n, _ := file.Read(text)
	key, err := hex.DecodeString(strings.TrimSpace(string(text[:n])))
	if err != nil || len(key) != keySize {
		return nil, failure(ErrKey, nil, "The file %s does not hold a key: one line of %d hexadecimal digits. Put the right file there; "+
			"without it the sensitive results of earlier runs cannot be read.", path, 2*keySize)
	}
	return key, nil
}

// makeKey makes the file at path with a new key in it.
func makeKey(path string) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(dir, "new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	key := make([]byte, keySize)
	rand.Read(key) // never fails (crypto/rand)
	_, err = fmt.Fprintln(tmp, hex.EncodeToString(key))
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	// A link, unlike a rename, does not replace the key of a process that was faster.
	if err := os.Link(tmp.Name(), path); err != nil {
		return err
	}
	return syncDir(dir)
}
