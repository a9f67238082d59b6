package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/lda-wf/wfc/lang/value"
	"github.com/lda-wf/wfc/runtime/secretform"
	_ "github.com/lda-wf/wfc/testdata/rapidseed"
)

const secret = `s3cret/"tok&en"+ä`

func TestNoFormOfASecretPasses(t *testing.T) {
	r := New([]Secret{{"token", secret}})
	escaped, _ := json.Marshal(secret)
	for name, text := range map[string]string{
		"raw":                "Bearer " + secret + " is wrong",
		"twice":              secret + secret,
		"JSON":               `{"t":` + string(escaped) + `}`,
		"base64":             base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64, URL-safe":   base64.URLEncoding.EncodeToString([]byte(secret)),
		"base64 behind 1":    base64.StdEncoding.EncodeToString([]byte("u" + secret + "xyz")),
		"base64 behind user": base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
		"query":              "https://x/?t=" + url.QueryEscape(secret),
		"path":               "https://x/" + url.PathEscape(secret),
	} {
		got := r.Text(text)
		if !strings.Contains(got, "(secret token)") {
			t.Errorf("%s: %q passes as %q", name, text, got)
		}
		for _, f := range secretform.Of(secret) {
			if strings.Contains(got, f) {
				t.Errorf("%s: %q is left in %q", name, f, got)
			}
		}
	}
}

func TestValuesAreRedactedEverywhere(t *testing.T) {
	r := New([]Secret{{"token", secret}, {"pin", "1234567890"}})
	v, err := value.ParseJSON([]byte(`{"a": ["x", ` + value.OfString(secret).JSON() + `], ` + value.OfString(secret).JSON() + `: 1, "n": 1234567890, "m": 1.50}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a":["x","(secret token)"],"(secret token)":1,"n":"(secret pin)","m":1.50}`
	if got := r.Value(v).JSON(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if !strings.Contains(v.JSON(), "1234567890") {
		t.Error("the value that was given changed")
	}
}

func TestBlobsAreRedacted(t *testing.T) {
	r := New([]Secret{{"token", secret}})
	blob := &value.BlobValue{MIMEType: "text/" + secret, Size: 1, SHA256: "ab"}
	if got := r.Value(value.OfBlob(blob)).AsBlob(); got.MIMEType != "text/(secret token)" || got.Size != 1 || got.SHA256 != "ab" {
		t.Errorf("got %+v", got)
	}
	if blob.MIMEType != "text/"+secret {
		t.Error("the blob that was given changed")
	}
	if got := string(r.Bytes([]byte("\x00\xff" + secret + "\x00"))); got != "\x00\xff(secret token)\x00" {
		t.Errorf("got %q", got)
	}
	clean := []byte("\x00\xff")
	if got := r.Bytes(clean); &got[0] != &clean[0] {
		t.Error("content without a secret was copied")
	}
}

func TestShortSecretsAreNamedAndLeft(t *testing.T) {
	r := New([]Secret{{"pin", "1234567"}, {"none", ""}})
	if got := r.Text("pin 1234567"); got != "pin 1234567" {
		t.Errorf("got %q", got)
	}
	if !slices.Equal(r.Short(), []string{"pin"}) {
		t.Errorf("short are %v", r.Short())
	}
}

func TestNoRedactorChangesNothing(t *testing.T) {
	var r *Redactor
	if r.Text(secret) != secret || r.Value(value.OfString(secret)).AsString() != secret || r.Short() != nil {
		t.Error("a nil Redactor is no identity")
	}
}

// A secret that stands anywhere in a text that is base64-encoded as a whole is found.
func TestBase64AtAnyPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[ -~]{10,40}`).Draw(t, "secret")
		before := rapid.StringMatching(`[ -~]{0,7}`).Draw(t, "before")
		after := rapid.StringMatching(`[ -~]{0,7}`).Draw(t, "after")
		text := base64.StdEncoding.EncodeToString([]byte(before + s + after))
		if got := New([]Secret{{"x", s}}).Text(text); !strings.Contains(got, "(secret x)") {
			t.Fatalf("%q passes as %q", text, got)
		}
	})
}
