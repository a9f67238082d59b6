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
	u, err := url.Parse(string(uri))
	if err != nil {
		return "", false
	}
	switch strings.ToLower(u.Scheme) {
	case "file", "vscode-remote":
	default:
		return "", false
	}
	if u.RawQuery != "" || !strings.HasPrefix(u.Path, "/") || strings.ContainsRune(u.Path, 0) {
		return "", false
	}
	p := u.Path
	if u.Fragment != "" { // a client that does not escape "#"
		p += "#" + u.Fragment
	}
	if system == "windows" {
		return windowsPath(u, p)
	}
	return filepath.FromSlash(path.Clean(p)), true
}

// windowsPath knows file:///c:/x, file:///C%3A/x, file:///c|/x and file://host/share/x.
func windowsPath(u *url.URL, p string) (string, bool) {
	if strings.EqualFold(u.Scheme, "file") && u.Host != "" && !strings.EqualFold(u.Host, "localhost") {
		return `\\` + u.Host + strings.ReplaceAll(path.Clean(p), "/", `\`), true
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
