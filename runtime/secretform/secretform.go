// Package secretform knows the texts in which a secret is commonly found: itself,
// and its base64, hexadecimal, URL-, JSON- and HTML-escaped forms (DURABILITY, "Secrets").
// Whoever redacts uses it, so that no door is narrower than another.
//
// Its central function is [Of]. It imports nothing of wfc.
package secretform

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
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
	forms := []string{secret}
	forms = append(forms, urlForms(secret)...)
	forms = append(forms, jsonForms(secret)...)
	forms = append(forms, htmlForms(secret)...)
	forms = append(forms, base64Forms(secret)...)
	forms = append(forms, hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))))
	forms = slices.DeleteFunc(forms, func(f string) bool { return len(f) < MinLength })
	slices.SortFunc(forms, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return slices.Compact(forms)
}

// What different encoders leave as it is in a part of a URL, beside letters, digits and -_.~.
var leftInURLs = []string{
	"",                 // RFC 3986; Go's url.QueryEscape, with + for a blank
	"/",                // Python's quote
	"!'()*",            // JavaScript's encodeURIComponent
	"$&+:=@",           // Go's url.PathEscape
	"!'()*;,/?:@&=+$#", // JavaScript's encodeURI
	"!$&'()*+,;=:@/",   // a path, as RFC 3986 has it
}

// urlForms are the percent-encoded forms, in capitals and small letters.
func urlForms(s string) []string {
	var forms []string
	for _, left := range leftInURLs {
		for _, digits := range []string{"0123456789ABCDEF", "0123456789abcdef"} {
			forms = append(forms, percent(s, left, digits))
		}
	}
	if strings.Contains(s, " ") {
		for _, f := range forms {
			forms = append(forms, strings.ReplaceAll(f, "%20", "+"))
		}
	}
	return forms
}

func percent(s, left, digits string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_.~", c) >= 0, strings.IndexByte(left, c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

// jsonForms are what s is within a JSON text: with and without escapes for HTML,
// with escaped slashes, and in ASCII only.
func jsonForms(s string) []string {
	forms := []string{jsonText(s, true), jsonText(s, false)}
	for _, f := range forms {
		forms = append(forms, strings.ReplaceAll(f, "/", `\/`))
	}
	for _, f := range forms {
		forms = append(forms, ascii(f, `\u%04x`), ascii(f, `\u%04X`))
	}
	return forms
}

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

// ascii writes the other characters of s as escapes.
func ascii(s, escape string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, escape+escape, high, low)
		default:
			fmt.Fprintf(&b, escape, r)
		}
	}
	return b.String()
}

// htmlForms are what s is within HTML or XML, with the entities that common
// encoders use.
func htmlForms(s string) []string {
	if !strings.ContainsAny(s, `&<>"'`) {
		return nil
	}
	var forms []string
	for _, quote := range []string{`"`, "&quot;", "&#34;"} {
		for _, apostrophe := range []string{"'", "&#39;", "&#x27;", "&apos;"} {
			forms = append(forms, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, quote, "'", apostrophe).Replace(s))
		}
	}
	return forms
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
