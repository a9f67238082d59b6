package connection

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lda-wf/wfc/runtime/secretform"
)

// Redacted is what stands in error texts where a secret was.
const Redacted = "[redacted]"

// redactor replaces secrets in texts. Its zero value replaces none.
type redactor struct {
	long    *strings.Replacer // nil: no long ones
	short   []string
	longest int // bytes of the longest text that long replaces
}

// Redactor returns a function that replaces the secrets of c in a text, also
// in their base64, URL and JSON forms.
func (c Connection) Redactor() func(string) string {
	r, auth := c.redactor(), c.auth()
	if auth == nil {
		return r.text
	}
	return func(text string) string { return auth.text(r.text(text)) }
}

func (c Connection) redactor() redactor {
	var r redactor
	var long []string
	for _, secret := range c.Redact {
		if secret == "" {
			continue
		}
		if len(secret) < secretform.MinLength { // a word like any other: only where it stands alone
			r.short = append(r.short, secret)
			continue
		}
		long = append(long, secretform.Of(secret)...)
		for line := range strings.Lines(secret) {
			if line = strings.TrimSpace(line); len(line) >= secretform.MinLength {
				long = append(long, line)
			}
		}
	}
	if len(long) == 0 {
		return r
	}
	// The longest first, since one secret may be the beginning of another.
	slices.SortFunc(long, func(a, b string) int { return len(b) - len(a) })
	r.longest = len(long[0])
	pairs := make([]string, 0, 2*len(long))
	for _, form := range long {
		pairs = append(pairs, form, Redacted)
	}
	r.long = strings.NewReplacer(pairs...)
	return r
}

func (r redactor) text(text string) string {
	if r.long != nil {
		text = r.long.Replace(text)
	}
	for _, s := range r.short {
		text = replaceWord(text, s)
	}
	return text
}

// enough is how many bytes of a text [redactor.beginning] needs for width bytes.
func (r redactor) enough(width int) int { return width + 2*r.longest }

// beginning returns the first width bytes at most of a text without its secrets.
// Of a longer text, text holds the first enough(width) bytes at least: to cut it
// before would leave the beginning of a secret that nothing recognises.
func (r redactor) beginning(text string, width int) string {
	cut := len(text) >= r.enough(width)
	if text = r.text(text); cut {
		text = text[:max(len(text)-r.longest, 0)]
	}
	return text[:min(len(text), width)]
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
