package graph

import (
	"unicode"

	"golang.org/x/text/width"
)

// font is how a text is set: its size in pixels, and whether it is one of fixed width.
type font struct {
	size float64
	mono bool
	bold bool
}

// The fonts of the picture.
var (
	titleFont = font{size: 18, bold: true}
	nameFont  = font{size: 13, bold: true}
	textFont  = font{size: 11}
	codeFont  = font{size: 11, mono: true}
)

// helvetica has the widths of the characters from ' ' to '~' in Helvetica and in what
// is made to fit it (Arial, Liberation Sans), in thousandths of the size.
var helvetica = [...]float64{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

// slack is how much wider a text may turn out, since it is not known which font the
// viewer has.
const slack = 1.1

// measure returns how wide a text is, in pixels.
func (f font) measure(text string) float64 {
	total := 0.0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r):
		case wide(r):
			total += 1000
		case f.mono:
			total += 602
		case r >= ' ' && r <= '~':
			total += helvetica[r-' ']
		default:
			total += 620
		}
	}
	if f.bold {
		total *= 1.07
	}
	if f.mono {
		return total / 1000 * f.size
	}
	return total / 1000 * f.size * slack
}

// wide reports whether a character takes a square, as those of China and Japan do.
func wide(r rune) bool {
	k := width.LookupRune(r).Kind()
	return k == width.EastAsianWide || k == width.EastAsianFullwidth
}

// fit cuts a text so that it takes at most so many pixels.
func (f font) fit(text string, most float64) string {
	const exact = 0.01 // a card is as wide as the text that it was made for
	if f.measure(text) <= most+exact {
		return text
	}
	const longest = 400 // characters; no card has room for more
	r := []rune(text)
	r = r[:min(len(r), longest)]
	for len(r) > 1 {
		r = r[:len(r)-1]
		if f.measure(string(r)+"…") <= most+exact {
			break
		}
	}
	return string(r) + "…"
}
