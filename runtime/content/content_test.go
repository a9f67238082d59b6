package content

import (
	"strings"
	"testing"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

func show(r *Result) string {
	var b strings.Builder
	if r.IsError {
		b.WriteString("error ")
	}
	if r.Structured != nil {
		b.Write(value.AppendStored(nil, *r.Structured))
		b.WriteByte(' ')
	}
	b.WriteString(r.Text)
	for _, p := range r.Parts {
		b.WriteString("\n")
		b.Write(value.AppendStored(nil, p))
	}
	return b.String()
}

func TestParseCall(t *testing.T) {
	const gif = `R0lGODlhAQABAAAAACw=`
	blob := `{"$blob":{"mime_type":"image/gif","size":14,"sha256":"7dcfc20e46c52e1ae0ecb9b06bf31db32e3ba06df29c6bbbb26a6d9c5b6be1c9"}}`
	for _, c := range []struct{ name, raw, want string }{
		{"text", `{"content":[{"type":"text","text":"a"}]}`, "a\n" + `{"type":"text","text":"a"}`},
		{"several texts are joined by newlines", `{"content":[{"type":"text","text":"a\r\n"},{"type":"text","text":""},{"type":"text","text":"{\"b\":1}"}]}`,
			"a\r\n\n\n{\"b\":1}\n" + `{"type":"text","text":"a\r\n"}` + "\n" + `{"type":"text","text":""}` + "\n" + `{"type":"text","text":"{\"b\":1}"}`},
		{"structured content keeps digits and order", `{"content":[],"structuredContent":{"z":9007199254740993,"a":1.50}}`, `{"z":9007199254740993,"a":1.50} `},
		{"structured content may be anything", `{"structuredContent":[1]}`, `[1] `},
		{"null is no structured content", `{"content":[],"structuredContent":null}`, ``},
		{"an error answer", `{"content":[{"type":"text","text":"no"}],"isError":true}`, "error no\n" + `{"type":"text","text":"no"}`},
		{"isError false", `{"content":[],"isError":false}`, ``},
		{"nothing", `{}`, ``},
		{"annotations stay", `{"content":[{"type":"text","text":"a","annotations":{"priority":0.10},"_meta":{"x":1}}]}`,
			"a\n" + `{"type":"text","text":"a","annotations":{"priority":0.10},"_meta":{"x":1}}`},
		{"a resource with text", `{"content":[{"type":"resource","resource":{"uri":"a://b","mimeType":"text/plain","text":"t"},"annotations":{}}]}`,
			"\n" + `{"type":"resource","uri":"a://b","text":"t","mime_type":"text/plain","annotations":{}}`},
		{"a resource link", `{"content":[{"type":"resource_link","uri":"a://b","name":"n","mimeType":"m","size":3}]}`,
			"\n" + `{"type":"resource_link","uri":"a://b","name":"n","mime_type":"m","size":3}`},
		{"null is absence", `{"content":[{"type":"text","text":"a","mimeType":null,"name":null},{"type":"resource","resource":{"uri":"a://b","text":"t","blob":null}}]}`,
			"a\n" + `{"type":"text","text":"a"}` + "\n" + `{"type":"resource","uri":"a://b","text":"t"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := ParseCall([]byte(c.raw))
			if err != nil {
				t.Fatal(err)
			}
			if got := show(r); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}

	t.Run("binary content", func(t *testing.T) {
		for name, raw := range map[string]string{
			"image":    `{"content":[{"type":"image","data":"` + gif + `","mimeType":"image/gif"}],"structuredContent":{"a":1}}`,
			"audio":    `{"content":[{"type":"audio","data":"` + gif + `","mimeType":"image/gif"}]}`,
			"resource": `{"content":[{"type":"resource","resource":{"uri":"a://b","blob":"` + strings.TrimRight(gif, "=") + `","mimeType":"image/gif"}}]}`,
		} {
			r, err := ParseCall([]byte(raw))
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Blobs) != 1 || string(r.Blobs[0].Bytes) != "GIF89a\x01\x00\x01\x00\x00\x00\x00\x2c" {
				t.Errorf("%s: blobs %v", name, r.Blobs)
				continue
			}
			meta, _ := r.Parts[0].AsObject().Get("blob")
			if meta.AsBlob() != r.Blobs[0].Meta || meta.AsBlob().Size != 14 || meta.AsBlob().MIMEType != "image/gif" || len(meta.AsBlob().SHA256) != 64 {
				t.Errorf("%s: %s, want %s", name, value.AppendStored(nil, r.Parts[0]), blob)
			}
			if r.Structured != nil {
				t.Errorf("%s: structured content was kept beside it", name)
			}
		}
	})
}

func TestParseCallRefusesWhatTheProtocolHasNot(t *testing.T) {
	for raw, want := range map[string]string{
		`{"isError":"true"}`:                                      `isError is a string, not true or false`,
		`{"isError":null}`:                                        `isError is null, not true or false`,
		`{"content":{}}`:                                          `content is an object, not a list`,
		`{"content":["a"]}`:                                       `content[0] is a string, not an object`,
		`{"content":[{"text":"a"}]}`:                              `content[0]: it has no type`,
		`{"content":[{"type":"text","text":1}]}`:                  `content[0]: its text is a number, not text`,
		`{"content":[{"type":"text"}]}`:                           `content[0]: it has no text`,
		`{"content":[{"type":"image","data":"%%","a":1}]}`:        `content[0]: its data is no base64: illegal base64 data at input byte 0`,
		`{"content":[{"type":"resource","resource":[]}]}`:         `content[0]: it has no resource`,
		`{"content":[{"type":"resource","resource":{}}]}`:         `content[0]: it has no uri`,
		`{"content":[{"type":"resource","resource":{"uri":""}}]}`: `content[0]: it has no text`,
		`{"content":[{"type":"hologram","data":[1.0]}]}`:          `content[0]: its type is "hologram"; wfc knows text, image, audio, resource and resource_link`,
		`{"content":[{"type":"text","text":"a","name":1}]}`:       `content[0]: its name is a number, not text`,
		`{"content":[{"type":"image","data":"","mimeType":[]}]}`:  `content[0]: its mimeType is a list, not text`,
		`{"content":[{"type":"resource_link","name":"n"}]}`:       `content[0]: it has no uri`,
		`{"content":[{"type":"text","text":"a","blob":"AA=="}]}`:  `content[0]: it has a blob, which only a resource has`,
		`[]`:       `the result is a list, not an object`,
		`{"a":1e}`: `invalid JSON at byte 5: `,
	} {
		_, err := ParseCall([]byte(raw))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", raw, err, want)
		}
	}
}

func TestParseRead(t *testing.T) {
	r, err := ParseRead([]byte(`{"contents":[{"uri":"a://1","text":"x"},{"uri":"a://2","mimeType":"image/png","blob":"AAEC"},{"uri":"a://3","text":"y"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if r.Text != "x\ny" || len(r.Parts) != 3 || len(r.Blobs) != 1 || string(r.Blobs[0].Bytes) != "\x00\x01\x02" {
		t.Errorf("got %s, %d blobs", show(r), len(r.Blobs))
	}
	if _, err := ParseRead([]byte(`{}`)); err == nil {
		t.Error("a result without contents passed")
	}
}

func TestParsePrompt(t *testing.T) {
	r, err := ParsePrompt([]byte(`{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"assistant","content":{"type":"text","text":"b"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"messages":[{"role":"user","content":{"type":"text","text":"a"}},{"role":"assistant","content":{"type":"text","text":"b"}}]} a
b
{"type":"text","text":"a"}
{"type":"text","text":"b"}`
	if got := show(r); got != want {
		t.Errorf("got %s", got)
	}
}

// partType is the type of a part in LANGUAGE 5.
var partType = types.MustParse(`object({ type = enum("text", "image", "audio", "resource", "resource_link"), text = optional(string), blob = optional(blob), ` +
	`mime_type = optional(string), uri = optional(string), name = optional(string) }, any)`)

func FuzzParseCall(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"image","data":"AAAA"},{"type":"resource","resource":{"uri":"a","blob":""}}],"isError":true}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, parse := range []func([]byte) (*Result, error){ParseCall, ParseRead, ParsePrompt} {
			r, err := parse(raw)
			if err != nil {
				continue
			}
			// The checker relies on it.
			for _, p := range r.Parts {
				if m := types.Conforms(partType, p); m != nil {
					t.Errorf("a part is none: %s", m)
				}
			}
		}
	})
}

// Servers write base64 in every way there is.
func TestBase64(t *testing.T) {
	for encoded, want := range map[string]string{
		"+/8=": "\xfb\xff", "+/8": "\xfb\xff", "-_8=": "\xfb\xff", "-/8": "\xfb\xff", "+/\r\n8=\r\n": "\xfb\xff", "+/8=\n=": "\xfb\xff", "": "",
	} {
		if got, err := decode(encoded); err != nil || string(got) != want {
			t.Errorf("%q is %q, %v", encoded, got, err)
		}
	}
	for _, encoded := range []string{"+", "+/8=x", "+ /8=", "ä"} {
		if got, err := decode(encoded); err == nil {
			t.Errorf("%q is %q", encoded, got)
		}
	}
}

// A result of n parts, or of a picture of n bytes, costs n, not its square: of what a
// frame may hold none takes minutes.
func TestLargeResults(t *testing.T) {
	const parts = 200_000
	r, err := ParseCall([]byte(`{"content":[` + strings.Repeat(`{"type":"text","text":"line"},`, parts) + `{"type":"text","text":"end"}]}`))
	if err != nil || len(r.Parts) != parts+1 || len(r.Text) != 5*parts+3 {
		t.Errorf("%d parts, %d bytes of text, %v", len(r.Parts), len(r.Text), err)
	}
	const size = 24 << 20
	r, err = ParseCall([]byte(`{"content":[{"type":"image","mimeType":"image/png","data":"` + strings.Repeat("-_-_", size/3) + `"}]}`))
	if err != nil || len(r.Blobs) != 1 || r.Blobs[0].Meta.Size != size {
		t.Errorf("blobs %d, %v", len(r.Blobs), err)
	}
}
