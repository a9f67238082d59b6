package secretform

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"strings"
	"testing"
)

func TestEveryCommonTextOfASecretHoldsAForm(t *testing.T) {
	const secret = `S3cret/"tok&en"+'ä' <😀>`
	for name, text := range map[string]string{
		"itself":             secret,
		"JSON":               `S3cret/\"tok&en\"+'ä' <😀>`,
		"JSON for HTML":      `S3cret/\"tok\u0026en\"+'ä' \u003c😀\u003e`,
		"JSON of Python":     `S3cret/\"tok&en\"+'\u00e4' <\ud83d\ude00>`,
		"JSON of PHP":        `S3cret\/\"tok&en\"+'\u00e4' <\ud83d\ude00>`,
		"HTML of Go":         html.EscapeString(secret),
		"HTML of Python":     "S3cret/&quot;tok&amp;en&quot;+&#x27;ä&#x27; &lt;😀&gt;",
		"XML":                "S3cret/&quot;tok&amp;en&quot;+&apos;ä&apos; &lt;😀&gt;",
		"HTML, a text":       `S3cret/"tok&amp;en"+'ä' &lt;😀&gt;`,
		"encodeURIComponent": "S3cret%2F%22tok%26en%22%2B'%C3%A4'%20%3C%F0%9F%98%80%3E",
		"encodeURI":          "S3cret/%22tok&en%22+'%C3%A4'%20%3C%F0%9F%98%80%3E",
		"quote of Python":    "S3cret/%22tok%26en%22%2B%27%C3%A4%27%20%3C%F0%9F%98%80%3E",
		"query":              url.QueryEscape(secret),
		"query, small":       "S3cret%2f%22tok%26en%22%2b%27%c3%a4%27+%3c%f0%9f%98%80%3e",
		"path":               url.PathEscape(secret),
		"base64":             base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 of a header": base64.StdEncoding.EncodeToString([]byte("user:" + secret)),
		"hexadecimal":        hex.EncodeToString([]byte("x" + secret)),
		"hexadecimal, great": strings.ToUpper(hex.EncodeToString([]byte(secret))),
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

// Most secrets have no character that anything escapes: they have few forms, and
// looking for them is quick.
func TestASimpleSecretHasFewForms(t *testing.T) {
	if got := Of("ghp_0123456789abcdefABCDEF"); len(got) != 7 {
		t.Errorf("%d forms: %q", len(got), got)
	}
}
