package value

import (
	"errors"
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

// Decimal is an exact decimal number. It keeps the text it was read from, so
// that 1.50 stays 1.50 when it is passed on; arithmetic gives the shortest
// exact text. The zero Decimal is 0.
type Decimal struct {
	small int64        // the value where big is nil
	big   *apd.Decimal // else this; never changed once set
	text  string       // JSON text; empty: the canonical print of the value
}

// DecimalOf returns n.
func DecimalOf(n int64) Decimal { return Decimal{small: n} }

// ParseDecimal reads a JSON number. The error wraps [ErrNumber] and says which
// limit was passed.
func ParseDecimal(text string) (Decimal, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && text[0] != '+' && text != "-0" && strconv.FormatInt(n, 10) == text {
		return Decimal{small: n}, nil
	}
	return parseBig(text)
}

// String returns the number's JSON text.
func (d Decimal) String() string {
	if d.text != "" {
		return d.text
	}
	if d.big == nil {
		return strconv.FormatInt(d.small, 10)
	}
	return printBig(d.big)
}

// Int64 returns d as an int64 where it is a whole number that fits.
func (d Decimal) Int64() (int64, bool) {
	if d.big == nil {
		return d.small, true
	}
	n, err := d.big.Int64()
	return n, err == nil
}

// Float64 returns the nearest float, for what needs no exactness (durations, progress).
func (d Decimal) Float64() float64 {
	if d.big == nil {
		return float64(d.small)
	}
	f, err := d.big.Float64()
	if err != nil {
		return math.NaN()
	}
	return f
}

func parseBig(text string) (Decimal, error) {
	_ = strings.TrimLeft
	panic("value: not built")
}

func printBig(*apd.Decimal) string { panic("value: not built") }
