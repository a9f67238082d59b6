package connection

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// retryAfter reads how long a server asks to wait, at the time now; 0 if it does not.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date // the server's clock, by which at is meant
	}
	return max(0, at.Sub(now).Round(time.Second))
}

// saidWidth is how much of a server's words an error text shows: enough to
// recognise them.
const saidWidth = 200

// excerpt returns the beginning of what a server sent, without secrets. They are taken
// out before it is cut, since nothing recognises half a secret.
func excerpt(redact func(string) string, data []byte) string {
	text := redact(strings.ToValidUTF8(string(data[:min(len(data), smallBody)]), "�"))
	return strings.ToValidUTF8(text[:min(len(text), saidWidth)], "")
}

// saidIn finds the words of a server in the body of a refusal, without secrets and
// quoted; "" if there are none: a web page says nothing to whom it was not meant for.
func saidIn(h http.Header, body []byte, redact func(string) string) string {
	words := ""
	switch mediaType(h) {
	case "application/json", "application/problem+json":
		words = wordsOf(body)
	case "text/plain", "":
		words = string(body)
	}
	if words == "" {
		words = challenge(h.Get("WWW-Authenticate"))
	}
	words = redact(words) // before it is cut, and blanks in it change
	words = strings.Join(strings.FieldsFunc(words, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if r := []rune(words); len(r) > saidWidth {
		words = string(r[:saidWidth]) + " …"
	}
	if words == "" {
		return ""
	}
	return strconv.Quote(words)
}

// wordsOf finds what is meant for people in a JSON error, in the forms that OAuth,
// RFC 9457, JSON-RPC and web frameworks have.
func wordsOf(body []byte) string {
	var all map[string]json.RawMessage
	if json.Unmarshal(body, &all) != nil {
		return ""
	}
	for _, name := range []string{"error_description", "detail", "message", "error", "title"} {
		var text string
		if json.Unmarshal(all[name], &text) == nil && text != "" {
			return text
		}
		if name == "error" {
			var inner struct {
				Message string `json:"message"`
			}
			if json.Unmarshal(all[name], &inner) == nil && inner.Message != "" {
				return inner.Message
			}
		}
	}
	return ""
}

// challenge finds the words in a WWW-Authenticate header.
func challenge(header string) string {
	for _, name := range []string{"error_description", "error"} {
		_, rest, found := strings.Cut(header, name+`="`)
		if text, _, closed := strings.Cut(rest, `"`); found && closed {
			return text
		}
	}
	return ""
}

// mediaType returns the type of a body without its parameters, in lower case; "" if
// it is not said.
func mediaType(h http.Header) string {
	t, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		t, _, _ = strings.Cut(h.Get("Content-Type"), ";")
	}
	return strings.ToLower(strings.TrimSpace(t))
}
