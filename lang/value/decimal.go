package value

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"
)

// Limits of numbers (LANGUAGE 2): what lies beyond is refused, never rounded.
const (
	MaxDigits      = 1000 // significant digits as written
	MaxExponent    = 400  // of the scientific notation, either sign
	QuotientDigits = 34   // of a quotient that does not end
)

// ErrNumber is wrapped by every error about a number that is no number or beyond the limits.
var ErrNumber = errors.New("number")

// numberError is an error that reads as a sentence and wraps [ErrNumber].
type numberError struct{ message string }

func (e *numberError) Error() string { return e.message }
func (e *numberError) Unwrap() error { return ErrNumber }

func numberErrorf(format string, args ...any) error {
	return &numberError{fmt.Sprintf(format, args...)}
}

// The errors of the limits, in words that fit texts and results alike.
var (
	errDigits   = &numberError{fmt.Sprintf("the number has more than %d digits", MaxDigits)}
	errExponent = &numberError{fmt.Sprintf("the number's exponent is beyond ±%d", MaxExponent)}
)

// Decimal is an exact decimal number. It keeps the text it was read from, so
// that 1.50 stays 1.50 when it is passed on; arithmetic gives the shortest
// exact text. The zero Decimal is 0. Compare decimals with [Decimal.Cmp].
type Decimal struct {
	small int64        // the value where big is nil
	big   *apd.Decimal // else this; never changed once set, no trailing zeros, beyond int64 or not whole
	text  string       // JSON text; empty: the canonical print of the value
}

// DecimalOf returns n.
func DecimalOf(n int64) Decimal { return Decimal{small: n} }

// ParseDecimal reads a JSON number. The error wraps [ErrNumber] and says which
// limit was passed; the limits are judged by looking at the text, before any
// computation, so that no text is expensive to refuse.
func ParseDecimal(text string) (Decimal, error) {
	neg, digits, ok := smallInt(text)
	if !ok {
		return parseBig(text)
	}
	if neg {
		digits = -digits
	}
	return Decimal{small: digits}, nil
}

// smallInt reads the text of a whole number of at most 18 digits as it is
// printed canonically. ok is false for everything else, numbers included.
func smallInt(text string) (neg bool, n int64, ok bool) {
	i := 0
	if i < len(text) && text[i] == '-' {
		neg = true
		i++
	}
	digits := len(text) - i
	if digits < 1 || digits > 18 || text[i] == '0' && (digits > 1 || neg) {
		return false, 0, false
	}
	for ; i < len(text); i++ {
		c := text[i] - '0'
		if c > 9 {
			return false, 0, false
		}
		n = n*10 + int64(c)
	}
	return neg, n, true
}

// String returns the number's JSON text.
func (d Decimal) String() string {
	if d.text != "" {
		return d.text
	}
	return d.Canonical()
}

// Canonical returns the JSON text that equal numbers share, whatever they were
// read from: digits without trailing zeros, in scientific notation only where
// more than 20 zeros before the point or 6 after it would have to be written.
func (d Decimal) Canonical() string {
	if d.big == nil {
		return strconv.FormatInt(d.small, 10)
	}
	return printBig(d.big)
}

// Plain returns d without the text it was read from, so that String is Canonical.
func (d Decimal) Plain() Decimal {
	d.text = ""
	return d
}

// Int64 returns d as an int64 where it is a whole number that fits.
func (d Decimal) Int64() (int64, bool) { return d.small, d.big == nil }

// Float64 returns the nearest float, for what needs no exactness (durations,
// progress). Beyond the range of floats it is an infinity.
func (d Decimal) Float64() float64 {
	if d.big == nil {
		return float64(d.small)
	}
	f, err := strconv.ParseFloat(printBig(d.big), 64)
	if err != nil && !math.IsInf(f, 0) {
		return math.NaN()
	}
	return f
}

// parseBig reads any JSON number.
func parseBig(text string) (Decimal, error) {
	// The text may have an exponent with zeros before it, but no honest text
	// is far longer than its digits.
	if len(text) > MaxDigits+MaxExponent+100 {
		for i := 0; i < len(text); i++ {
			if !strings.ContainsRune("+-.eE0123456789", rune(text[i])) {
				return Decimal{}, numberErrorf("%q… is not a number", text[:20])
			}
		}
		return Decimal{}, errDigits
	}
	n, ok := scanNumber(text)
	if !ok {
		return Decimal{}, numberErrorf("%q is not a number", text)
	}
	coefficient := strings.TrimLeft(n.whole+n.fraction, "0")
	if coefficient == "" {
		if len(n.whole)+len(n.fraction) > MaxDigits {
			return Decimal{}, errDigits
		}
		if n.exponent > MaxExponent || n.exponent < -MaxExponent {
			return Decimal{}, errExponent
		}
		return Decimal{text: text}, nil
	}
	if len(coefficient) > MaxDigits {
		return Decimal{}, errDigits
	}
	exponent := n.exponent - len(n.fraction)
	if err := checkExponent(len(coefficient), exponent); err != nil {
		return Decimal{}, err
	}
	significant := strings.TrimRight(coefficient, "0")
	exponent += len(coefficient) - len(significant)
	d := decimalOf(n.negative, significant, exponent)
	d.text = text
	return d, nil
}

// number is the parts of a number's text. The exponent is cut off far beyond the limit.
type number struct {
	negative        bool
	whole, fraction string
	exponent        int
}

// scanNumber takes a text of JSON's number grammar apart.
func scanNumber(text string) (n number, ok bool) {
	rest := text
	if strings.HasPrefix(rest, "-") {
		n.negative = true
		rest = rest[1:]
	}
	n.whole, rest = leadingDigits(rest)
	if n.whole == "" || len(n.whole) > 1 && n.whole[0] == '0' {
		return n, false
	}
	if strings.HasPrefix(rest, ".") {
		n.fraction, rest = leadingDigits(rest[1:])
		if n.fraction == "" {
			return n, false
		}
	}
	if rest == "" {
		return n, true
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return n, false
	}
	rest = rest[1:]
	negative := strings.HasPrefix(rest, "-")
	if negative || strings.HasPrefix(rest, "+") {
		rest = rest[1:]
	}
	digits, rest := leadingDigits(rest)
	if digits == "" || rest != "" {
		return n, false
	}
	for i := range len(digits) {
		n.exponent = min(n.exponent*10+int(digits[i]-'0'), 1<<20)
	}
	if negative {
		n.exponent = -n.exponent
	}
	return n, true
}

func leadingDigits(s string) (digits, rest string) {
	i := 0
	for i < len(s) && s[i]-'0' <= 9 {
		i++
	}
	return s[:i], s[i:]
}

// checkExponent checks the exponent of the scientific notation of a number
// with so many digits before the power of ten.
func checkExponent(digits, exponent int) error {
	if e := digits - 1 + exponent; e > MaxExponent || e < -MaxExponent {
		return errExponent
	}
	return nil
}

// decimalOf builds a number within the limits from its significant digits (no
// zeros at either end).
func decimalOf(negative bool, significant string, exponent int) Decimal {
	if exponent >= 0 && len(significant)+exponent <= 18 {
		n, _ := strconv.ParseInt(significant, 10, 64)
		for range exponent {
			n *= 10
		}
		if negative {
			n = -n
		}
		return Decimal{small: n}
	}
	var big *apd.Decimal
	if len(significant) <= 18 {
		n, _ := strconv.ParseInt(significant, 10, 64)
		big = apd.New(n, int32(exponent))
	} else {
		coefficient, _ := new(apd.BigInt).SetString(significant, 10)
		big = apd.NewWithBigInt(coefficient, int32(exponent))
	}
	big.Negative = negative
	return ofBig(big)
}

// ofBig returns a number that keeps d, which must be finite and within the
// limits; it is brought into the one form each value has.
func ofBig(d *apd.Decimal) Decimal {
	d.Reduce(d)
	if d.IsZero() {
		return Decimal{}
	}
	if d.Exponent >= 0 && d.NumDigits()+int64(d.Exponent) <= 19 {
		if n, err := d.Int64(); err == nil {
			return Decimal{small: n}
		}
	}
	return Decimal{big: d}
}

// printBig prints d, which has no trailing zeros in its coefficient.
func printBig(d *apd.Decimal) string {
	digits := d.Coeff.String()
	exponent := int(d.Exponent)
	point := len(digits) + exponent // digits before the point
	buf := make([]byte, 0, len(digits)+32)
	if d.Negative {
		buf = append(buf, '-')
	}
	switch {
	case exponent >= 0 && exponent <= 20:
		buf = append(buf, digits...)
		for range exponent {
			buf = append(buf, '0')
		}
	case exponent < 0 && point > 0:
		buf = append(buf, digits[:point]...)
		buf = append(buf, '.')
		buf = append(buf, digits[point:]...)
	case exponent < 0 && point >= -6:
		buf = append(buf, "0."...)
		for range -point {
			buf = append(buf, '0')
		}
		buf = append(buf, digits...)
	default:
		buf = append(buf, digits[0])
		if len(digits) > 1 {
			buf = append(buf, '.')
			buf = append(buf, digits[1:]...)
		}
		buf = append(buf, 'e')
		buf = strconv.AppendInt(buf, int64(point-1), 10)
	}
	return string(buf)
}
