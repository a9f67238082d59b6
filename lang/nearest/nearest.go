// Package nearest finds the name that was probably meant where an unknown one
// was written, for "Did you mean …?".
//
// Its central function is [Name]. It imports nothing of wfc.
package nearest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agext/levenshtein"
	"golang.org/x/text/unicode/norm"
)

// Name returns the member of have that is nearest to want, and false where
// none is near enough to be worth naming: one edit is allowed for every three
// characters of the longer name, and two neighbouring characters exchanged in names
// of any length. What shares less with a name is a guess. Letter case counts as nothing
// and "_", "-" and spaces as the same character, so "perPage" finds
// "per_page". Among equally near names the first in have wins. want itself is
// never returned.
func Name(want string, have []string) (string, bool) {
	if want == "" {
		return "", false
	}
	best, bestDistance := "", -1
	folded := fold(want)
	n := utf8.RuneCountInString(folded)
	for _, h := range have {
		if h == want || h == "" {
			continue
		}
		f := fold(h)
		m := utf8.RuneCountInString(f)
		limit := max(n, m) / 3
		if n-m > limit || m-n > limit {
			continue // the distance is at least the difference in length
		}
		d := levenshtein.Distance(folded, f, nil)
		if swap := isSwap(folded, f); d > limit && swap {
			d = 1 // two neighbouring characters exchanged are one slip, not two edits
		} else if d > limit {
			continue
		}
		if bestDistance < 0 || d < bestDistance {
			best, bestDistance = h, d
		}
	}
	return best, bestDistance >= 0
}

// Slip reports whether written is meant with a slip of the fingers, so that
// nobody can have wanted anything else: another case or separator, two
// neighbouring characters exchanged, or a character doubled, left out or added,
// but not at the end, where another word may begin ("label" and "labels"). One
// character in place of another is no slip: "get" and "set" are both meant.
func Slip(written, meant string) bool {
	a, b := []rune(fold(written)), []rune(fold(meant))
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 3 {
		return string(a) == string(b)
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	switch len(b) - len(a) {
	case 0:
		return i == len(a) || isSwap(string(a), string(b))
	case 1:
		last := i == len(a) // what is too much stands at the end
		return string(a[i:]) == string(b[i+1:]) && (!last || b[i] == b[i-1])
	}
	return false
}

// isSwap reports whether a and b differ by two neighbouring bytes exchanged.
func isSwap(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

func fold(s string) string { return norm.NFC.String(separators.Replace(strings.ToLower(s))) }

// Part returns the member of have whose words want is a part of, or that is a part
// of want's, as "type" and "entityType" or "repo" and "repository". It returns false
// where there is none, or more than one.
func Part(want string, have []string) (string, bool) {
	found := ""
	for _, h := range have {
		if h == want || !isPart(words(want), words(h)) && !isPart(words(h), words(want)) {
			continue
		}
		if found != "" {
			return "", false
		}
		found = h
	}
	return found, found != ""
}

// isPart reports whether the words of part are some of whole's, one after the
// other, the last of them cut off perhaps.
func isPart(part, whole []string) bool {
	const short = 3 // a word that is cut off has so many letters, and is not lost among others
	if len(part) == 0 || len(part) > len(whole) {
		return false
	}
	for i := range len(whole) - len(part) + 1 {
		fits := true
		for j, p := range part {
			w := whole[i+j]
			fits = fits && (p == w || j == len(part)-1 && len(p) >= short && strings.HasPrefix(w, p))
		}
		if fits {
			return true
		}
	}
	return false
}

// words splits a name into its words in lower case: entityType, entity_type and
// entity-type have the same.
func words(name string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	lower := false
	for _, c := range name {
		switch {
		case c == '_' || c == '-' || c == ' ' || c == '.':
			end()
		case unicode.IsUpper(c) && lower:
			end()
			fallthrough
		default:
			word.WriteRune(unicode.ToLower(c))
		}
		lower = unicode.IsLower(c) || unicode.IsDigit(c)
	}
	end()
	return out
}
