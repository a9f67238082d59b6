package document

import (
	"testing"

	"github.com/lda-wf/wfc/lsp/protocol"
)

func TestPath(t *testing.T) {
	cases := []struct {
		system, uri, want string // want "": it is of no file
	}{
		{"linux", "file:///home/a/b.wf.hcl", "/home/a/b.wf.hcl"},
		{"linux", "file:///home/a%20b/%C3%A5.wf.hcl", "/home/a b/å.wf.hcl"},
		{"linux", "file:///home/a b/å.wf.hcl", "/home/a b/å.wf.hcl"},
		{"linux", "FILE:///x", "/x"},
		{"linux", "file://localhost/x", "/x"},
		{"linux", "file:///a/../b", "/b"},
		{"linux", "file:///a%23b", "/a#b"},
		{"linux", "file:///a#b", "/a#b"},
		{"linux", "vscode-remote://ssh-remote%2Bhost/home/a.wf.hcl", "/home/a.wf.hcl"},
		{"linux", "untitled:Untitled-1", ""},
		{"linux", "untitled:/home/new.wf.hcl", ""},
		{"linux", "git:/home/a.wf.hcl?%7B%22ref%22%3A%22HEAD%22%7D", ""},
		{"linux", "file:relative", ""},
		{"linux", "file:///a%00b", ""},
		{"linux", "file:///100%", "/100%"},
		{"linux", "file://host", ""},
		{"linux", "/home/a.wf.hcl", ""},
		{"linux", "", ""},
		{"linux", "http://[::1", ""},
		{"windows", "file:///c:/a/b.wf.hcl", `C:\a\b.wf.hcl`},
		{"windows", "file:///C%3A/a/b.wf.hcl", `C:\a\b.wf.hcl`},
		{"windows", "file:///c%3A/a%20b", `C:\a b`},
		{"windows", "file:///c|/a", `C:\a`},
		{"windows", "file:///c:", `C:\`},
		{"windows", "file://host/share/x", `\\host\share\x`},
		{"windows", "file:///nodrive/x", ""},
		{"windows", "vscode-remote://wsl/home/x", ""},
	}
	for _, c := range cases {
		got, ok := pathOn(c.system, protocol.DocumentURI(c.uri))
		if ok != (c.want != "") || got != c.want && c.system != "linux" || c.system == "linux" && ok && filepathOf(got) != c.want {
			t.Errorf("on %s %s is %q, %v; want %q", c.system, c.uri, got, ok, c.want)
		}
	}
}

// filepathOf is a path with forward slashes, on whatever system the test runs.
func filepathOf(path string) string {
	out := []byte(path)
	for i, c := range out {
		if c == '\\' {
			out[i] = '/'
		}
	}
	return string(out)
}

func TestURIsLeadBack(t *testing.T) {
	for path, want := range map[string]protocol.DocumentURI{
		"/home/a b/å#1?.wf.hcl": "file:///home/a%20b/%C3%A5%231%3F.wf.hcl",
		"C:/x/y.wf.hcl":         "file:///C:/x/y.wf.hcl",
		"//host/share/x":        "file://host/share/x",
	} {
		if got := URI(path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if back, ok := pathOn("linux", URI("/home/a b/å#1?%.wf.hcl")); !ok || filepathOf(back) != "/home/a b/å#1?%.wf.hcl" {
		t.Errorf("it comes back as %q", back)
	}
}
