package document

import (
	"net/url"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/lda-wf/wfc/lsp/protocol"
)

// Path returns the absolute path of the file on this machine that a URI is of. ok
// is false for one that is of none: a document that was not saved yet, one of an archive or of
// a version control system. An editor that works on this machine from afar calls the
// same files vscode-remote.
func Path(uri protocol.DocumentURI) (file string, ok bool) {
	return pathOn(runtime.GOOS, uri)
}

func pathOn(system string, uri protocol.DocumentURI) (string, bool) {
	// By hand: url.Parse knows no escapes in a host, which editors write there.
	scheme, rest, ok := strings.Cut(string(uri), ":")
	if !ok {
		return "", false
	}
	isFile := strings.EqualFold(scheme, "file")
	if !isFile && !strings.EqualFold(scheme, "vscode-remote") {
		return "", false
	}
	host := ""
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		n := strings.IndexByte(after, '/')
		if n < 0 {
			return "", false
		}
		host, rest = after[:n], after[n:]
	}
	p, err := url.PathUnescape(rest)
	if err != nil {
		p = rest // a client that escapes nothing
	}
	if !strings.HasPrefix(p, "/") || strings.ContainsRune(p, 0) {
		return "", false
	}
	if system == "windows" {
		if !isFile || strings.EqualFold(host, "localhost") {
			host = ""
		}
		return windowsPath(host, p)
	}
	return filepath.FromSlash(path.Clean(p)), true
}

// windowsPath knows the paths of file:///c:/x, file:///C%3A/x, file:///c|/x and
// file://host/share/x.
func windowsPath(host, p string) (string, bool) {
	if host != "" {
		return `\\` + host + strings.ReplaceAll(path.Clean(p), "/", `\`), true
	}
	if len(p) < 3 || !isLetter(p[1]) || p[2] != ':' && p[2] != '|' {
		return "", false
	}
	rest := path.Clean("/" + p[3:])
	return strings.ToUpper(p[1:2]) + ":" + strings.ReplaceAll(rest, "/", `\`), true
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// URI returns the URI of a file, by its absolute path.
func URI(file string) protocol.DocumentURI {
	p := filepath.ToSlash(file)
	host := ""
	switch {
	case strings.HasPrefix(p, "//"):
		host, p, _ = strings.Cut(p[2:], "/")
		p = "/" + p
	case !strings.HasPrefix(p, "/"): // a drive
		p = "/" + p
	}
	return protocol.DocumentURI((&url.URL{Scheme: "file", Host: host, Path: p}).String())
}
