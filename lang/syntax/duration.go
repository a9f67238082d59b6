package syntax

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// units are the units of a duration, longest first so that "ms" is not read as "m".
var units = []struct {
	name string
	d    time.Duration
}{
	{"ms", time.Millisecond},
	{"s", time.Second},
	{"m", time.Minute},
	{"h", time.Hour},
	{"d", 24 * time.Hour},
}

// ParseDuration reads a duration as wfc writes it: one or more whole or
// decimal numbers, each with its unit, as in "500ms", "30s", "1h30m", "1.5h",
// "2d". A day is 24 hours. The error says what is wrong, as the second half of a sentence.
func ParseDuration(text string) (time.Duration, error) {
	if text == "" {
		return 0, errors.New(`it is empty; write a number and a unit, such as "30s"`)
	}
	if text == "0" {
		return 0, nil
	}
	var total float64
	for rest := text; rest != ""; {
		n := strings.IndexFunc(rest, func(c rune) bool { return (c < '0' || c > '9') && c != '.' })
		if n < 0 {
			return 0, errors.New("a number lacks its unit, one of ms, s, m, h and d")
		}
		num, ok := decimal(rest[:n])
		if !ok {
			return 0, errors.New(`it must be numbers with units, such as "30s", "1h30m" or "2d"`)
		}
		rest = rest[n:]
		end := strings.IndexFunc(rest, func(c rune) bool { return c >= '0' && c <= '9' || c == '.' })
		if end < 0 {
			end = len(rest)
		}
		unit := time.Duration(0)
		for _, u := range units {
			if rest[:end] == u.name {
				unit = u.d
			}
		}
		if unit == 0 {
			return 0, fmt.Errorf("%q is no unit; the units are ms, s, m, h and d", rest[:end])
		}
		total += num * float64(unit)
		rest = rest[end:]
	}
	if total > math.MaxInt64/2 {
		return 0, errors.New("it is longer than 146 years, which wfc cannot count")
	}
	return time.Duration(math.Round(total)), nil
}

// decimal reads digits with at most one point between or after them.
func decimal(s string) (float64, bool) {
	whole, fraction, _ := strings.Cut(s, ".")
	if whole == "" || strings.Contains(fraction, ".") || len(s) > 30 { // more digits are no duration that anyone means
		return 0, false
	}
	n := 0.0
	for _, c := range whole {
		n = n*10 + float64(c-'0')
	}
	scale := 0.1
	for _, c := range fraction {
		n += float64(c-'0') * scale
		scale /= 10
	}
	return n, true
}
