package mcpserver_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lda-wf/wfc/runner/mcpserver"
)

const pictures = `
workflow "pictures" {
  source "s" {
    bind = connection.test.main
  }
  input "parts" {
    type = list(any)
  }
  step "get" {
    call = s.raw
    args = { result = { content = input.parts } }
  }
  output "parts" {
    value = [for p in step.get.content : p.blob]
  }
}
deployment "pictures" {
  workflow = workflow.pictures
}
`

// png is the beginning of a picture, and n more bytes.
func png(n int) string { return "\x89PNG\r\n\x1a\n" + strings.Repeat("x", n) }

// Each part of a result that is binary content, and what clients see of it.
func TestImagesAreSeenAndOtherContentIsLinked(t *testing.T) {
	for _, c := range []struct {
		name, mime, data, want string
	}{
		{"a picture", "image/png", png(10), "image"},
		{"a large one", "image/png", png(2 << 20), "link"},
		{"one that is none", "image/png", "<svg/>", "link"},
		{"one that models do not take", "image/svg+xml", "<svg/>", "link"},
		{"a sound", "audio/wav", "RIFF", "audio"},
		{"a document", "application/pdf", "%PDF", "link"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, s, err := open(t, mcpserver.Options{}, pictures)
			if err != nil {
				t.Fatal(err)
			}
			session := overHTTP("2025-11-25")(t, s, plainClient())
			r := callPictures(t, session, part(c.mime, c.data))
			if got := kinds(r); !slices.Equal(got, []string{"text", c.want}) {
				t.Fatalf("the content is %v", got)
			}
			link, ok := r.Content[1].(*mcp.ResourceLink)
			if !ok {
				return
			}
			read, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: link.URI})
			if err != nil {
				t.Fatal(err)
			}
			if got := read.Contents[0]; string(got.Blob) != c.data || got.MIMEType != c.mime || link.Name != "parts[0]" {
				t.Errorf("the link %s gives %d bytes of the type %s", link.Name, len(got.Blob), got.MIMEType)
			}
		})
	}
}

func TestOneResultHasFourMegabytesOfPicturesAtMost(t *testing.T) {
	_, s, err := open(t, mcpserver.Options{}, pictures)
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for i := range 6 {
		parts = append(parts, part("image/png", png(900_000+i)))
	}
	parts = append(parts, parts[0]) // the same again is not shown again
	r := callPictures(t, overHTTP("2025-11-25")(t, s, plainClient()), parts...)
	if got := kinds(r); !slices.Equal(got, []string{"text", "image", "image", "image", "image", "link", "link"}) {
		t.Errorf("the content is %v", got)
	}
}

func TestOldClientsGetOnlyContentThatTheyKnow(t *testing.T) {
	for version, want := range map[string][]string{
		"2024-11-05": {"text", "image"},
		"2025-03-26": {"text", "image", "audio"},
		"2025-06-18": {"text", "image", "audio", "link"},
	} {
		_, s, err := open(t, mcpserver.Options{}, pictures)
		if err != nil {
			t.Fatal(err)
		}
		r := callPictures(t, overHTTP(version)(t, s, plainClient()), part("image/png", png(1)), part("audio/wav", "RIFF"), part("application/pdf", "%PDF"))
		if got := kinds(r); !slices.Equal(got, want) {
			t.Errorf("a client of %s gets %v", version, got)
		}
	}
}

func TestContentIsReadOfItsRunOnly(t *testing.T) {
	_, s, err := open(t, mcpserver.Options{}, pictures)
	if err != nil {
		t.Fatal(err)
	}
	session := overHTTP("2025-11-25")(t, s, plainClient())
	first := callPictures(t, session, part("application/pdf", "%PDF")).Content[1].(*mcp.ResourceLink).URI
	second := callPictures(t, session, part("application/pdf", "other")).Content[1].(*mcp.ResourceLink).URI
	run, _, _ := strings.Cut(first, "/blobs/")
	_, sum, _ := strings.Cut(second, "/blobs/")
	for _, uri := range []string{run + "/blobs/" + sum, "file:///etc/passwd", "wfc://runs/../blobs/" + sum, first + "0"} {
		if r, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s gives %+v", uri, r)
		}
	}
}

func part(mime, data string) string {
	kind, _, _ := strings.Cut(mime, "/")
	text := base64.StdEncoding.EncodeToString([]byte(data))
	if kind != "image" && kind != "audio" {
		return fmt.Sprintf(`{"type":"resource","resource":{"uri":"test://x","mimeType":%q,"blob":%q}}`, mime, text)
	}
	return fmt.Sprintf(`{"type":%q,"mimeType":%q,"data":%q}`, kind, mime, text)
}

func callPictures(t *testing.T, session *mcp.ClientSession, parts ...string) *mcp.CallToolResult {
	t.Helper()
	args := json.RawMessage(`{"parts":[` + strings.Join(parts, ",") + `]}`)
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "pictures", Arguments: args})
	if err != nil || r.IsError {
		t.Fatalf("it gave %v, %q", err, text(r))
	}
	return r
}

// kinds are the sorts of content of a result.
func kinds(r *mcp.CallToolResult) []string {
	var all []string
	for _, c := range r.Content {
		switch c.(type) {
		case *mcp.TextContent:
			all = append(all, "text")
		case *mcp.ImageContent:
			all = append(all, "image")
		case *mcp.AudioContent:
			all = append(all, "audio")
		case *mcp.ResourceLink:
			all = append(all, "link")
		}
	}
	return all
}
