package diag

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// What is shown of findings has bounds: a name, a pattern or a cycle may be as long as a
// file may be, and a file may have a finding in every second byte.
const (
	// maxQuoted bounds each text that is put into a message, in bytes; longer ones
	// lose their middle. Most types are shorter.
	maxQuoted = 400
	// maxMessage bounds a message in bytes, however it was put together.
	maxMessage = 4000
	// maxRelated bounds the other places that are shown with a finding.
	maxRelated = 50
	// maxAlike bounds the findings of one code in one file that people are shown.
	maxAlike = 100
	// maxSnippet bounds the source that is shown with a finding, in bytes.
	maxSnippet = 2000
)

// short returns s, without its middle where it has more than most bytes. How long it is
// stands there then.
func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	head, tail := runeStart(s, most/3), runeStart(s, len(s)-most/6)
	return fmt.Sprintf("%s … (%d characters in all) … %s", s[:head], utf8.RuneCountInString(s), s[tail:])
}

// runeStart returns where the character at i begins.
func runeStart[T string | []byte](s T, i int) int {
	for n := 1; n < utf8.UTFMax && i > 0 && i < len(s) && !utf8.RuneStart(s[i]); n++ {
		i--
	}
	return i
}

// sprintf is fmt.Sprintf with its texts shortened. One that is the whole message has
// the bound of messages.
func sprintf(format string, args []any) string {
	if format == "%s" {
		return fmt.Sprint(args...)
	}
	isLong := func(a any) bool {
		s, ok := a.(string)
		return ok && len(s) > maxQuoted
	}
	if slices.ContainsFunc(args, isLong) {
		args = slices.Clone(args)
		for i, a := range args {
			if isLong(a) {
				args[i] = short(a.(string), maxQuoted)
			}
		}
	}
	return fmt.Sprintf(format, args...)
}

// bounded returns d as it is shown.
func (d Diagnostic) bounded() Diagnostic {
	d.Detail = short(d.Detail, maxMessage)
	if n := len(d.Related); n > maxRelated {
		// The first ones and the last, which is where a path ends.
		d.Related = append(slices.Clone(d.Related[:maxRelated-1]), d.Related[n-1])
	}
	if slices.ContainsFunc(d.Related, func(r Related) bool { return len(r.Message) > maxMessage }) {
		d.Related = slices.Clone(d.Related)
		for i := range d.Related {
			d.Related[i].Message = short(d.Related[i].Message, maxMessage)
		}
	}
	if slices.ContainsFunc(d.Fixes, func(f Fix) bool { return len(f.Title) > maxQuoted }) {
		d.Fixes = slices.Clone(d.Fixes)
		for i := range d.Fixes {
			d.Fixes[i].Title = short(d.Fixes[i].Title, maxQuoted)
		}
	}
	return d
}
