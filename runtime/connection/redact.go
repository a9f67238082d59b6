package connection

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Redacted is what stands in error texts where a secret was.
const Redacted = "[redacted]"

// shortSecret is the length in bytes below which a secret is a word like any
// other (DURABILITY): it is replaced only where it stands alone.
const shortSecret = 8

// Redactor returns a function that replaces the secrets of c in a text, also
// in their base64, URL and JSON forms.
func (c Connection) Redactor() func(string) string {
	var short, long []string
	for _, secret := range c.Redact {
		if secret == "" {
			continue
		}
		if len(secret) < shortSecret {
			short = append(short, secret)
			continue
		}
		long = append(long, forms(secret)...)
		for line := range strings.Lines(secret) {
			if line = strings.TrimSpace(line); len(line) >= shortSecret {
				long = append(long, line)
			}
		}
	}
	if len(short)+len(long) == 0 {
		return func(text string) string { return text }
	}
	// The longest first, since one secret may be the beginning of another.
	slices.SortFunc(long, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(long))
	for _, form := range long {
		pairs = append(pairs, form, Redacted)
	}
	replacer := strings.NewReplacer(pairs...)
	return func(text string) string {
		text = replacer.Replace(text)
		for _, s := range short {
			text = replaceWord(text, s)
		}
		return text
	}
}

// forms returns the spellings of secret that texts commonly have.
func forms(secret string) []string {
	all := []string{
		secret,
		strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(secret)), "="),
		strings.TrimRight(base64.URLEncoding.EncodeToString([]byte(secret)), "="),
		url.QueryEscape(secret),
		url.PathEscape(secret),
	}
	if quoted, err := json.Marshal(secret); err == nil {
		all = append(all, strings.Trim(string(quoted), `"`))
	}
	return all
}

// replaceWord replaces word where no letter or digit is beside it.
func replaceWord(text, word string) string {
	var b strings.Builder
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			b.WriteString(text[from:])
			return b.String()
		}
		start, end := from+i, from+i+len(word)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		b.WriteString(text[from:start])
		if inWord(before) || inWord(after) {
			b.WriteString(word)
		} else {
			b.WriteString(Redacted)
		}
		from = end
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
