package types

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/lda-wf/wfc/lang/value"
)

// isZero reports whether r says nothing. r may be nil.
func (r *Refinement) isZero() bool { return r == nil || *r == Refinement{} }

// equal reports whether r and s say the same. Either may be nil.
func (r *Refinement) equal(s *Refinement) bool {
	if r.isZero() || s.isZero() {
		return r.isZero() && s.isZero()
	}
	return r.Pattern == s.Pattern && r.Format == s.Format && r.UniqueItems == s.UniqueItems &&
		sameInt(r.MinLength, s.MinLength) && sameInt(r.MaxLength, s.MaxLength) &&
		sameInt(r.MinItems, s.MinItems) && sameInt(r.MaxItems, s.MaxItems) &&
		sameInt(r.MinProperties, s.MinProperties) && sameInt(r.MaxProperties, s.MaxProperties) &&
		sameDecimal(r.Minimum, s.Minimum) && sameDecimal(r.Maximum, s.Maximum) &&
		sameDecimal(r.ExclusiveMinimum, s.ExclusiveMinimum) && sameDecimal(r.ExclusiveMaximum, s.ExclusiveMaximum) &&
		sameDecimal(r.MultipleOf, s.MultipleOf)
}

func sameInt(a, b *int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func sameDecimal(a, b *value.Decimal) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Cmp(*b) == 0
}

// refinementMismatch returns why r does not hold of v, "" if it does. Like
// JSON Schema, a refinement says nothing of values of another kind than its own.
func refinementMismatch(r *Refinement, v value.Value) string {
	if r == nil {
		return ""
	}
	switch v.Kind() {
	case value.String:
		return r.ofString(v.AsString())
	case value.Number:
		return r.ofNumber(v.AsNumber())
	case value.List:
		return r.ofList(v.AsList())
	case value.Object:
		n := v.AsObject().Len()
		if r.MinProperties != nil && n < *r.MinProperties {
			return fmt.Sprintf("%s where at least %d %s wanted", count(n, "attribute"), *r.MinProperties, isAre(*r.MinProperties))
		}
		if r.MaxProperties != nil && n > *r.MaxProperties {
			return fmt.Sprintf("%s where at most %d %s wanted", count(n, "attribute"), *r.MaxProperties, isAre(*r.MaxProperties))
		}
	}
	return ""
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func (r *Refinement) ofString(s string) string {
	if r.MinLength != nil || r.MaxLength != nil {
		n := utf8.RuneCountInString(s)
		if r.MinLength != nil && n < *r.MinLength {
			if n == 0 {
				return "an empty string where one of at least " + count(*r.MinLength, "character") + " is wanted"
			}
			return fmt.Sprintf("%s where at least %d %s wanted", count(n, "character"), *r.MinLength, isAre(*r.MinLength))
		}
		if r.MaxLength != nil && n > *r.MaxLength {
			return fmt.Sprintf("%s where at most %d %s wanted", count(n, "character"), *r.MaxLength, isAre(*r.MaxLength))
		}
	}
	if r.Pattern != "" {
		if re := CompilePattern(r.Pattern); re != nil && !re.MatchString(s) {
			return showValue(value.OfString(s)) + " does not match the pattern " + r.Pattern
		}
	}
	if r.Format != "" && !FormatHolds(r.Format, value.OfString(s)) {
		return showValue(value.OfString(s)) + " is not of the format " + r.Format
	}
	return ""
}

func (r *Refinement) ofNumber(d value.Decimal) string {
	switch {
	case r.Minimum != nil && d.Cmp(*r.Minimum) < 0:
		return d.String() + " where at least " + r.Minimum.String() + " is wanted"
	case r.ExclusiveMinimum != nil && d.Cmp(*r.ExclusiveMinimum) <= 0:
		return d.String() + " where more than " + r.ExclusiveMinimum.String() + " is wanted"
	case r.Maximum != nil && d.Cmp(*r.Maximum) > 0:
		return d.String() + " where at most " + r.Maximum.String() + " is wanted"
	case r.ExclusiveMaximum != nil && d.Cmp(*r.ExclusiveMaximum) >= 0:
		return d.String() + " where less than " + r.ExclusiveMaximum.String() + " is wanted"
	}
	if r.MultipleOf != nil && r.MultipleOf.Sign() > 0 {
		if rest, err := d.Mod(*r.MultipleOf); err == nil && rest.Sign() != 0 {
			return d.String() + " where a multiple of " + r.MultipleOf.String() + " is wanted"
		}
	}
	if r.Format != "" && !FormatHolds(r.Format, value.OfNumber(d)) {
		return d.String() + " is not of the format " + r.Format
	}
	return ""
}

func (r *Refinement) ofList(vs []value.Value) string {
	if s := r.ofLength(len(vs)); s != "" {
		return s
	}
	if r.UniqueItems {
		seen := make(map[string]int, len(vs))
		var key []byte
		for i, v := range vs {
			key = value.AppendCanonicalJSON(key[:0], v)
			if j, twice := seen[string(key)]; twice {
				return fmt.Sprintf("the elements %d and %d are equal where all must differ", j, i)
			}
			seen[string(key)] = i
		}
	}
	return ""
}

// ofLength judges the length of a list.
func (r *Refinement) ofLength(n int) string {
	if r == nil {
		return ""
	}
	if r.MinItems != nil && n < *r.MinItems {
		return fmt.Sprintf("%s where at least %d %s wanted", count(n, "element"), *r.MinItems, isAre(*r.MinItems))
	}
	if r.MaxItems != nil && n > *r.MaxItems {
		return fmt.Sprintf("%s where at most %d %s wanted", count(n, "element"), *r.MaxItems, isAre(*r.MaxItems))
	}
	return ""
}

// patterns remembers compiled patterns: the same few are asked of every value.
var patterns sync.Map // string → *regexp.Regexp, nil where Go cannot say

// maxPattern bounds a pattern in bytes: compiled, it takes hundreds of times as much.
const maxPattern = 10_000

// CompilePattern returns the regular expression of a JSON Schema pattern
// (ECMA 262, unanchored), or nil where Go's engine cannot do what it says:
// lookarounds, back references and patterns of more than 10,000 bytes. It is safe for concurrent use.
func CompilePattern(pattern string) *regexp.Regexp {
	if re, ok := patterns.Load(pattern); ok {
		return re.(*regexp.Regexp)
	}
	var re *regexp.Regexp
	if len(pattern) <= maxPattern {
		re, _ = regexp.Compile(translatePattern(pattern))
	}
	patterns.Store(pattern, re)
	return re
}

// translatePattern rewrites the escapes that mean something else, or nothing,
// to Go: \s and \S (Unicode spaces), \uXXXX, \cX, \d in a class stays as it is.
func translatePattern(p string) string {
	if !strings.Contains(p, `\`) {
		return p
	}
	const space = `\s\v\x{a0}\x{feff}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`
	var b strings.Builder
	class := false
	for i := 0; i < len(p); i++ {
		c := p[i]
		if c != '\\' || i+1 == len(p) {
			switch c {
			case '[':
				class = true
			case ']':
				class = false
			}
			b.WriteByte(c)
			continue
		}
		i++
		switch e := p[i]; {
		case e == 's' && class:
			b.WriteString(space)
		case e == 's':
			b.WriteString("[" + space + "]")
		case e == 'S' && !class:
			b.WriteString("[^" + space + "]")
		case e == 'u' && i+4 < len(p) && isHex(p[i+1:i+5]):
			b.WriteString(`\x{` + p[i+1:i+5] + `}`)
			i += 4
		case e == 'u' && strings.HasPrefix(p[i+1:], "{"):
			b.WriteString(`\x`)
		case e == 'c' && i+1 < len(p) && (p[i+1]|0x20 >= 'a' && p[i+1]|0x20 <= 'z'):
			fmt.Fprintf(&b, `\x%02x`, p[i+1]&31)
			i++
		case e == '/':
			b.WriteByte('/')
		default:
			b.WriteByte('\\')
			b.WriteByte(e)
		}
	}
	return b.String()
}

func isHex(s string) bool {
	for i := range len(s) {
		if !strings.ContainsRune("0123456789abcdefABCDEF", rune(s[i])) {
			return false
		}
	}
	return true
}
