package outline

// Mend returns the text of a file without the attributes and blocks that cannot be
// read, but for those that the offset at stands in: what is left can be read for
// itself, and every place is where it was. parses reports whether a piece can be
// read. Of a block its header stays, so that its name does.
func Mend(f *File, at int, parses func([]byte) bool) []byte {
	m := mender{out: append([]byte(nil), f.Source...), src: f.Source, at: at, parses: parses}
	m.body(f.Body)
	return m.out
}

type mender struct {
	out, src []byte
	at       int
	parses   func([]byte) bool
}

func (m *mender) body(b *Block) {
	for _, a := range b.Attributes {
		end := max(a.End, a.Name.End)
		line := end
		for line < len(m.src) && m.src[line] != '\n' {
			line++
		}
		if a.Name.Start <= m.at && m.at <= line || m.parses(append(m.src[a.Name.Start:end:end], '\n')) {
			continue
		}
		m.blank(a.Name.Start, end)
	}
	for _, x := range b.Blocks {
		switch {
		case x.Start <= m.at && m.at <= x.End:
			m.body(x)
		case x.Closed && m.parses(append(m.src[x.Start:x.End:x.End], '\n')):
		case x.End > x.Body:
			m.blank(x.Body, x.End)
			m.out[x.Body] = '}'
		}
	}
}

// blank puts spaces in the place of all but line breaks.
func (m *mender) blank(start, end int) {
	for i := start; i < end; i++ {
		if m.out[i] != '\n' && m.out[i] != '\r' {
			m.out[i] = ' '
		}
	}
}
