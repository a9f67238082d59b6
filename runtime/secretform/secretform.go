// Package secretform knows the texts in which a secret is commonly found: itself,
// and its base64, URL- and JSON-escaped forms (DURABILITY, "Secrets"). Whoever
// redacts uses it, so that no door is narrower than another.
//
// Its central function is [Of]. It imports nothing of wfc.
package secretform

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// MinLength is the number of bytes from which a text is taken for a secret.
// Shorter ones turn up by chance in any text.
const MinLength = 8

// Of returns the texts that give secret away, the longest first, so that no text
// hides within another; none of one shorter than [MinLength].
func Of(secret string) []string {
	if len(secret) < MinLength {
		return nil
	}
	query, path := url.QueryEscape(secret), url.PathEscape(secret)
	forms := []string{secret, query, path, lowerHex(query), lowerHex(path), jsonText(secret, true), jsonText(secret, false)}
	forms = append(forms, base64Forms(secret)...)
	forms = slices.DeleteFunc(forms, func(f string) bool { return len(f) < MinLength })
	slices.SortFunc(forms, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(forms)
}

// lowerHex writes the escapes of a URL as those who write them in small letters do.
func lowerHex(escaped string) string {
	if !strings.Contains(escaped, "%") {
		return escaped
	}
	return regexp.MustCompile(`%[0-9A-F]{2}`).ReplaceAllStringFunc(escaped, strings.ToLower)
}

// jsonText is s within a JSON text.
func jsonText(s string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if e.Encode(s) != nil {
		return ""
	}
	text := strings.TrimSuffix(b.String(), "\n")
	return text[1 : len(text)-1]
}

// base64Forms returns the characters of s in a base64 text, for each of the
// three places that s can have in it ("user:secret" is how HTTP sends one).
// Characters that neighbouring bytes take part in are left out.
func base64Forms(s string) []string {
	var forms []string
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		forms = append(forms, enc.EncodeToString([]byte(s)))
		for before := range 3 {
			text := enc.EncodeToString(append(make([]byte, before), s...))
			first := (before*8 + 5) / 6      // the first character that s alone decides
			end := (before + len(s)) * 8 / 6 // behind the last one
			forms = append(forms, text[first:end])
		}
	}
	return forms
}
