package catalog

import (
	"bytes"
	"io"
	"os"
	"testing"
)

// FuzzDecode feeds snapshot files: whatever it is, there is an error, or a
// snapshot whose tools can be looked at and that is written and read again.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"format_version":1,"connection":"a.b","tools":[{"digest":"","object":{"name":"x","inputSchema":{"$ref":"#"}}}],"errors":[{"list":"prompts","message":"no"}]}`,
		`{"format_version":1,"tools":[{"object":{"name":"\u0078","annotations":{"readOnlyHint":true},"execution":{"taskSupport":"required"}}},{"object":[]}],"x":[{}]}`,
		`{"tools":[]}`, `[`, `{"format_version":1e400}`,
	} {
		f.Add([]byte(seed))
	}
	src, err := os.ReadFile("../../testdata/catalogs/server-memory.json")
	if err != nil {
		f.Fatal(err)
	}
	s, err := Import("a.b", src)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(s.Encode())
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := Decode(src, "a.json")
		if err != nil {
			return
		}
		for _, n := range s.ToolNames() {
			if s.Tool(n).Args == nil {
				t.Fatalf("%s has no arguments' type", n)
			}
		}
		if err := s.WriteListing(io.Discard, ListingOptions{Types: true, Coverage: true}); err != nil {
			t.Fatal(err)
		}
		s.Encode()
	})
}

// FuzzImport feeds saved answers; what is imported can be written and read again.
func FuzzImport(f *testing.F) {
	for _, seed := range []string{
		`{"tools":[{"name":"x","n":1.50}],"serverInfo":{"name":"a"},"capabilities":null}`, `[{"name":"x"}]`,
		`{"result":{"prompts":[{"name":"p"},{"name":"p"}]}}{"result":{"result":{}}}`, "\ufeff[]", `{"tools":[{"name":"\ud800"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, err := Import("a.b", src)
		if err != nil {
			return
		}
		file := s.Encode()
		again, err := Decode(file, "catalog/a.b.json")
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if !bytes.Equal(file, again.Encode()) {
			t.Fatalf("not the same when written again:\n%s\n%s", file, again.Encode())
		}
	})
}

// large is the snapshot of a server with 344 tools and recursive schemas.
func large(b *testing.B) []byte {
	src, err := os.ReadFile("../../testdata/catalogs/ms-365-mcp-server.json")
	if err != nil {
		b.Fatal(err)
	}
	s, err := Import("ms.work", src)
	if err != nil {
		b.Fatal(err)
	}
	return s.Encode()
}

// BenchmarkLoad is what a project pays for a large server of which it uses two tools.
func BenchmarkLoad(b *testing.B) {
	src := large(b)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		s, err := Decode(src, "catalog/ms.work.json")
		if err != nil {
			b.Fatal(err)
		}
		names := s.ToolNames()
		if s.Tool(names[10]).Problem != "" || s.Tool(names[300]).Problem != "" {
			b.Fatal("a tool has a problem")
		}
	}
}

// BenchmarkAllTools converts all 344 tools.
func BenchmarkAllTools(b *testing.B) {
	src := large(b)
	for b.Loop() {
		s, err := Decode(src, "catalog/ms.work.json")
		if err != nil {
			b.Fatal(err)
		}
		s.Coverage()
	}
}
