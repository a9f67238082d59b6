package secretform

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
)

func TestEveryCommonTextOfASecretHoldsAForm(t *testing.T) {
	const secret = `S3cret/"tok&en"+ä`
	for name, text := range map[string]string{
		"itself":             secret,
		"JSON":               `S3cret/\"tok&en\"+ä`,
		"JSON for HTML":      `S3cret/\"tok\u0026en\"+ä`,
		"query":              url.QueryEscape(secret),
		"query, small":       "S3cret%2f%22tok%26en%22%2b%c3%a4",
		"path":               url.PathEscape(secret),
		"base64":             base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 of a header": base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
		"base64, URL-safe":   base64.RawURLEncoding.EncodeToString([]byte("xy" + secret + "z")),
	} {
		found := false
		for _, f := range Of(secret) {
			found = found || strings.Contains(text, f)
		}
		if !found {
			t.Errorf("%s: %s holds no form", name, text)
		}
	}
}

func TestShortTextsAreNoSecrets(t *testing.T) {
	if got := Of("1234567"); got != nil {
		t.Errorf("got %q", got)
	}
}

func TestTheLongestFormsComeFirst(t *testing.T) {
	forms := Of("a secret with spaces/and more")
	for i := 1; i < len(forms); i++ {
		if len(forms[i]) > len(forms[i-1]) || forms[i] == forms[i-1] {
			t.Fatalf("%q is behind %q", forms[i], forms[i-1])
		}
	}
}
