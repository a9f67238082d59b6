package service

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lda-wf/wfc/compiler/project"
	"github.com/lda-wf/wfc/lang/format"
	"github.com/lda-wf/wfc/runner/journal"
)

// Whatever a text from outside says, it is judged without a fault; what is valid makes
// an artifact whose digest neither layout nor comments change, and whose plan has no
// secret but those of its connections.
func FuzzDraft(f *testing.F) {
	root := f.TempDir()
	for name, text := range map[string]string{
		"wfc.hcl": "", "connections.wf.hcl": fixtureConnection + "\nsecret \"token\" {\n  env = \"TOKEN\"\n}\n", "text.txt": "planted-in-a-file",
		"catalog/fixture.default.json": fixtureSnapshot,
	} {
		path := filepath.Join(root, name)
		must(f, os.MkdirAll(filepath.Dir(path), 0o700))
		must(f, os.WriteFile(path, []byte(text), 0o600))
	}
	p, err := project.Load(root, project.Options{})
	must(f, err)
	h, err := OpenHost(f.Context(), p, HostOptions{Options: Options{Keys: journal.KeyFile(filepath.Join(root, "key"))}})
	must(f, err)
	f.Cleanup(func() { _ = h.close() })
	body := func(step string) string {
		return "workflow \"w\" {\n  source \"s\" {\n    bind = connection.fixture.default\n  }\n  step \"a\" {\n    " + step + "\n  }\n}\n"
	}
	for _, seed := range []string{
		"", validDraft, meetingProject, body("value = secret.token"), body("value = file(\"text.txt\")"), body("value = { secret = 1 }.secret"),
		body("call = s.echo\n    args = { value = \"${ secret . token }\" }"), body("value = [for secret in [{ token = 1 }] : secret.token]"),
		"workflow \"a\" {\n  step \"b\" {\n    run = workflow.a\n  }\n}\n", "\ufeff" + validDraft, strings.ReplaceAll(validDraft, "\n", "\r\n"),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 4<<10 {
			return
		}
		w := h.now()
		j := w.judge(draftFile("x"), src)
		if j.main == nil || j.found.HasErrors() {
			return
		}
		b, digest, err := w.closed(j.project, j.main)
		if err != nil {
			t.Fatalf("a valid draft makes no artifact: %v\n%s", err, src)
		}
		for _, text := range b.Files {
			if strings.Contains(text, "planted-in-a-file") {
				t.Fatalf("a file was read:\n%s", src)
			}
		}
		if len(b.Contents) > 0 {
			t.Fatalf("files were read: %v\n%s", b.Contents, src)
		}
		laid, _ := format.Source("x.wf.hcl", src)
		if laid == nil {
			return
		}
		again := w.judge(draftFile("x"), append([]byte("# a comment\n\n"), bytes.TrimPrefix(laid, []byte("\ufeff"))...))
		if again.main == nil || again.found.HasErrors() {
			t.Fatalf("formatted it is not valid: %v\n%s", again.found, laid)
		}
		if _, other, err := w.closed(again.project, again.main); err != nil || other != digest {
			t.Fatalf("formatted it has another digest: %v\n%s\n%s", err, src, laid)
		}
	})
}
