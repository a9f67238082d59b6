package wftest

import (
	"fmt"
	"strings"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

// Difference is a place at which a value is another one than is expected.
type Difference struct {
	Path string // "items[2].n"; "" is the whole value
	Want string // JSON, shortened where it is long; "": nothing is expected there
	Got  string // likewise; "": nothing is there
}

// mostDifferences is how many places a failure shows; who mends these finds the rest
// at the next run.
const mostDifferences = 20

// differences returns where got is not want, in the order of want; none where they
// are equal. Numbers are compared by value and shown with all their digits.
func differences(want, got value.Value) []Difference {
	d := differ{}
	d.compare("", want, got)
	return d.found
}

type differ struct{ found []Difference }

func (d *differ) add(path, want, got string) {
	if len(d.found) < mostDifferences {
		d.found = append(d.found, Difference{strings.TrimPrefix(path, "."), want, got})
	}
}

func (d *differ) compare(path string, want, got value.Value) {
	if value.Equal(want, got) || len(d.found) >= mostDifferences {
		return
	}
	switch {
	case want.Kind() == value.Object && got.Kind() == value.Object:
		for name, w := range want.AsObject().All() {
			if g, ok := got.AsObject().Get(name); ok {
				d.compare(path+types.Step(name), w, g)
			} else {
				d.add(path+types.Step(name), shown(w), "")
			}
		}
		for name, g := range got.AsObject().All() {
			if _, ok := want.AsObject().Get(name); !ok {
				d.add(path+types.Step(name), "", shown(g))
			}
		}
	case want.Kind() == value.List && got.Kind() == value.List:
		w, g := want.AsList(), got.AsList()
		for i := range max(len(w), len(g)) {
			at := fmt.Sprintf("%s[%d]", path, i)
			switch {
			case i >= len(g):
				d.add(at, shown(w[i]), "")
			case i >= len(w):
				d.add(at, "", shown(g[i]))
			default:
				d.compare(at, w[i], g[i])
			}
		}
	case want.Kind() == value.String && got.Kind() == value.String:
		w, g := around(want.AsString(), got.AsString())
		d.add(path, w, g)
	default:
		d.add(path, shown(want), shown(got))
	}
}

// mostShown is how many bytes are shown of one value.
const mostShown = 400

func shown(v value.Value) string { return v.Summary(mostShown) }

// around shows two texts; of long ones the part where they begin to differ.
func around(want, got string) (string, string) {
	const before = 40
	if len(want) <= mostShown/2 && len(got) <= mostShown/2 {
		return shown(value.OfString(want)), shown(value.OfString(got))
	}
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	from := max(i-before, 0)
	for from > 0 && !startsRune(want[from]) {
		from--
	}
	cut := func(s string) string {
		to := min(len(s), i+mostShown/2)
		for to < len(s) && !startsRune(s[to]) {
			to++
		}
		text := value.OfString(s[from:to]).JSON()
		if from > 0 {
			text = "…" + text
		}
		if to < len(s) {
			text += "…"
		}
		return text
	}
	return cut(want), cut(got)
}

func startsRune(b byte) bool { return b&0xC0 != 0x80 }
