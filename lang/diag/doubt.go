package diag

import (
	"strings"
	"unicode"

	"github.com/lda-wf/wfc/lang/nearest"
)

// Doubt makes certain fixes uncertain that put another name in place of one that is
// no mere slip of it. The nearest name is a good thing to tell a person, and too
// little to change what a workflow calls. source returns the text of a file, nil
// where there is none.
func (l List) Doubt(source func(file string) []byte) {
	for i, d := range l {
		for j, f := range d.Fixes {
			if f.Certain && f.guesses(source) {
				fixes := append([]Fix(nil), l[i].Fixes...) // others may hold the same
				fixes[j].Certain = false
				l[i].Fixes = fixes
			}
		}
	}
}

func (f Fix) guesses(source func(file string) []byte) bool {
	for _, e := range f.Edits {
		src := source(e.Range.File)
		if e.Range.Start.Byte < 0 || e.Range.Start.Byte > e.Range.End.Byte || e.Range.End.Byte > len(src) {
			continue
		}
		old, now := letters(string(src[e.Range.Start.Byte:e.Range.End.Byte])), letters(e.Text)
		if now != "" && !strings.Contains(now, old) && !nearest.Slip(old, now) {
			return true
		}
	}
	return false
}

// letters returns the letters and digits of a text.
func letters(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return -1
	}, s)
}
