package types

import (
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/lda-wf/wfc/lang/value"
)

// formats are the formats of JSON Schema that are checked, each only as far as
// it is certain: a text that a server could mean by the format passes.
var formats = map[string]func(string) bool{
	"date-time": isDateTime,
	"date":      func(s string) bool { _, err := time.Parse("2006-01-02", s); return err == nil },
	"uuid":      isUUID,
	"ipv4":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() },
	"ipv6":      func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" },
	"email":     isEmail,
	"uri":       isURI,
}

// FormatNames returns the formats that [FormatHolds] knows, in no order.
func FormatNames() []string {
	out := make([]string, 0, len(formats))
	for name := range formats {
		out = append(out, name)
	}
	return out
}

// FormatHolds reports whether v may be of a format of JSON Schema. Formats that
// it does not know, and values that are no strings, pass.
func FormatHolds(format string, v value.Value) bool {
	f := formats[format]
	return f == nil || v.Kind() != value.String || f(v.AsString())
}

// isDateTime takes RFC 3339, with a lower-case t or z, a space for the T, and
// leap seconds.
func isDateTime(s string) bool {
	if len(s) < len("2006-01-02T15:04:05Z") {
		return false
	}
	u := strings.ToUpper(s[:10] + "T" + s[11:])
	if !strings.Contains("Tt ", s[10:11]) {
		return false
	}
	if u[17:19] == "60" {
		u = u[:17] + "59" + u[19:]
	}
	_, err := time.Parse(time.RFC3339, u)
	return err == nil
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !isHex(s[i : i+1]) {
			return false
		}
	}
	return true
}

// isEmail takes anything with an "@" between two parts, the second without
// spaces: local parts may be quoted, and domains be of any alphabet.
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	return at > 0 && at < len(s)-1 && !strings.ContainsAny(s[at:], " \t\r\n")
}

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.Scheme != ""
}
